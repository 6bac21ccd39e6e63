"""System calls that the standard library does not offer, by number through ctypes."""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Any

from sandbox.jail.numbers import numbers_here

# PyDLL keeps the interpreter lock: a raw clone must not race the lock's hand-over.
_LIBC = ctypes.PyDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long

NUMBERS = numbers_here()

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
PR_CAP_AMBIENT_CLEAR_ALL = 4

CAP_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION_3 = 0x20080522

CLONE_PARENT = 0x8000
_ADDR_NO_RANDOMIZE, _ADDR_COMPAT_LAYOUT = 0x0040000, 0x0200000
SIGCHLD = 17
SIGKILL = 9


def syscall(name: str, *arguments: Any) -> int:
    """Call `name`; raises OSError with the call's name on failure."""
    result = _LIBC.syscall(ctypes.c_long(NUMBERS[name]), *map(_word, arguments))
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _word(argument: Any) -> Any:
    """Integers must fill a register: a varargs call would pass them as 32 bits."""
    return ctypes.c_long(argument) if isinstance(argument, int) else argument


def prctl(option: int, value: int = 0, more: int = 0) -> int:
    """prctl(2) with the unused arguments zero, as several options demand."""
    return syscall("prctl", option, value, more, 0, 0)


def set_undumpable() -> None:
    """No core file, and /proc/<pid> belongs to root: no process of this uid can look inside."""
    prctl(PR_SET_DUMPABLE, 0)


def set_no_new_privileges() -> None:
    """From here on no exec can gain a capability or another uid."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def fix_addresses(other: bool) -> None:
    """The program that this process becomes lies at the same addresses in every run; at `other`
    ones, just as fixed, if asked. A class hashes by its address, so sets of classes depend on it.
    """
    syscall("personality", _ADDR_NO_RANDOMIZE | (_ADDR_COMPAT_LAYOUT if other else 0))


def die_with_parent() -> None:
    """SIGKILL when the thread that forked this process ends."""
    prctl(PR_SET_PDEATHSIG, SIGKILL)


def clone_sibling() -> int:
    """Fork a process whose parent is this process's parent: 0 in it, its pid in this one.

    Interpreter hooks of fork do not run, so the new process should exec soon.
    """
    return syscall("clone", CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)


def fork() -> int:
    """fork(3) without the interpreter's hooks: 0 in the new process, its pid in this one.

    The hooks mend locks and threads, of which a process with a single thread has none, and touch
    four times the pages that everything else about a fork does. Threads that ended are fine.
    """
    pid = _LIBC.fork()
    if pid == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"fork: {os.strerror(number)}")
    return pid


def give_back_free_memory() -> None:
    """Free pages in the middle of the heap are the kernel's again: no fork has to copy them.
    Without glibc nothing happens."""
    trim = getattr(_LIBC, "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))


def set_capabilities(effective: int, permitted: int, inheritable: int) -> None:
    """capset(2) of this thread; each argument is a mask of 64 bits."""
    low = 0xFFFFFFFF
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    sets = (effective, permitted, inheritable)
    data = struct.pack("6I", *(s & low for s in sets), *(s >> 32 for s in sets))
    syscall("capset", header, data)


def drop_bounding_set(keep: int | None = None) -> None:
    """Empty the bounding set, but for `keep`; needs CAP_SETPCAP, so it precedes a change of uid.

    A process without that capability has nothing to drop that no_new_privs does not cover.
    """
    for capability in range(64):
        try:
            if capability != keep:
                prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            # EINVAL: beyond the kernel's last capability. EPERM: an ordinary user.
            return


def drop_capabilities(keep: int | None = None) -> None:
    """Empty all capability sets, but for `keep`, which also survives an exec."""
    mask = 0 if keep is None else 1 << keep
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    set_capabilities(mask, mask, mask)
    if keep is not None:
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, keep)
