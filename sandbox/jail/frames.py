"""Fixed-width records between lane and zygote; all little-endian."""

from __future__ import annotations

import struct

# Before the bytes of a task in the frames pipe: sequence number, length.
FRAME_HEAD = struct.Struct("<II")

# One permit starts one patch: sequence number, wall ms, CPU ms, memory MiB.
PERMIT = struct.Struct("<IIII")

# One status ends one patch: sequence number, wait status, 1 if the zygote's clock ran out,
# CPU us, peak resident KiB.
STATUS = struct.Struct("<IiIII")

# The status that a zygote writes once its walls stand, in place of a sequence number.
READY = 0xFFFFFFFF

# The same from a patch's process that found another frame than its own: a fault of ours. It is said
# here and not by an exit code, because the patch has no hold of this pipe once it runs.
OUT_OF_STEP = 0xFFFFFFFE
