"""Landlock: only the standard library may be read, no signal leaves the process."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from sandbox.jail.syscalls import syscall

_VERSION_QUERY = 1
_RULE_PATH_BENEATH = 1

READ_FILE = 1 << 2
READ_DIR = 1 << 3
# Number of file rights that each ABI knows; index 0 is unused.
_FILE_RIGHTS = (0, 13, 14, 15, 15, 16)
_NET_RIGHTS = 0b11
_SCOPE_ABSTRACT_UNIX_SOCKET = 0b01
_SCOPE_SIGNAL = 0b10


def landlock_abi() -> int:
    """The kernel's Landlock ABI; 0 where there is none."""
    try:
        return syscall("landlock_create_ruleset", 0, 0, _VERSION_QUERY)
    except OSError:
        return 0


def restrict_files(readable: Iterable[str], listable: Iterable[str]) -> None:
    """Deny every file right that the kernel knows, but reading `readable` trees or files and
    listing `listable` trees. TCP is denied from ABI 4, outside abstract sockets from ABI 6.
    """
    abi = landlock_abi()
    if abi < 1:
        raise OSError("this kernel offers no Landlock")
    handled = (1 << _FILE_RIGHTS[min(abi, len(_FILE_RIGHTS) - 1)]) - 1
    ruleset = _create(
        handled, _NET_RIGHTS if abi >= 4 else 0, _SCOPE_ABSTRACT_UNIX_SOCKET if abi >= 6 else 0
    )
    try:
        for path in readable:
            _allow(ruleset, path, READ_FILE | READ_DIR)
        for path in listable:
            _allow(ruleset, path, READ_DIR)
        restrict(ruleset)
    finally:
        os.close(ruleset)


def signal_scope() -> int | None:
    """A ruleset (descriptor) whose only effect is that no signal leaves; None before ABI 6."""
    return _create(0, 0, _SCOPE_SIGNAL) if landlock_abi() >= 6 else None


def restrict(ruleset: int) -> None:
    """Put this process and all that it forks under `ruleset`, for good."""
    syscall("landlock_restrict_self", ruleset, 0)


def _create(files: int, net: int, scoped: int) -> int:
    attributes = struct.pack("=QQQ", files, net, scoped)
    # An older kernel takes the longer struct as long as the fields it does not know are zero.
    return syscall("landlock_create_ruleset", attributes, len(attributes), 0)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= READ_FILE
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, descriptor))
        syscall("landlock_add_rule", ruleset, _RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)
