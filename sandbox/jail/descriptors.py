"""Where launcher, zygote and patch find their pipes."""

from __future__ import annotations

# A zygote's table: 0, 1 and 2 are the null device.
FRAMES = 3
PERMITS = 4
STATUS = 5
FIRST_OUTPUT = 6
# Patches take turns at this many output pipes, so that bytes of one never reach the next one's.
OUTPUTS = 4
SOURCES = FIRST_OUTPUT + OUTPUTS
# Spare room for the loader and for imports; the patch's own limit is lower.
LANE_DESCRIPTORS = 40

# A patch has 0, 1, 2 and this one.
OUTPUT = 3
