"""Which system calls a zygote and a patch may make.

Three answers: allowed; an error, where honest code may try; the end of the process, where it
never would. The zygote's filter binds its children too, theirs takes away what forking needs.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import platform
import struct

from sandbox.jail.bpf import ALLOW, KILL_PROCESS, Clause, Decision, Rule, Test, assemble, error
from sandbox.jail.numbers import BY_MACHINE
from sandbox.jail.syscalls import syscall

_DENIED = error(errno.EPERM)
_ABSENT = error(errno.ENOSYS)

_ALLOWED = """
    read write readv writev pread64 close close_range lseek dup dup2 dup3 pipe pipe2 eventfd2
    poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait
    fstat stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat
    getdents getdents64 getcwd
    brk munmap mremap madvise membarrier
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend sigaltstack
    alarm setitimer getitimer pause restart_syscall
    futex set_robust_list set_tid_address rseq sched_yield sched_getaffinity getcpu
    clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrandom
    getpid gettid getppid getpgrp getpgid getsid getuid geteuid getgid getegid getresuid
    getresgid getgroups getrlimit getrusage getpriority capget uname sysinfo
    exit exit_group
    """.split()

# A zygote needs these to start, limit, watch and bury a patch; a patch needs none of them.
_ZYGOTE_ONLY = """
    pidfd_open pidfd_send_signal prctl seccomp landlock_restrict_self
    timer_create timer_settime setrlimit
    """.split()

_FATAL = """
    ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp pidfd_getfd
    mount umount2 pivot_root chroot unshare setns open_tree move_mount fsopen fsconfig fsmount
    fspick mount_setattr open_by_handle_at name_to_handle_at
    bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register
    keyctl add_key request_key personality memfd_secret fanotify_init lookup_dcookie
    init_module finit_module delete_module create_module query_module get_kernel_syms
    kexec_load kexec_file_load reboot swapon swapoff acct quotactl quotactl_fd nfsservctl
    settimeofday clock_settime clock_adjtime adjtimex syslog vhangup uselib
    iopl ioperm modify_ldt sethostname setdomainname
    """.split()

_PROT_WRITE, _PROT_EXEC, _MAP_ANONYMOUS = 2, 4, 0x20
# Write access, O_CREAT, O_TRUNC, O_APPEND; and O_PATH, which Landlock lets open anything.
_O_REFUSED = 0o3 | 0o100 | 0o1000 | 0o2000 | 0o10000000
_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC = 0, 1, 2, 3, 1030
_TCGETS, _TIOCGWINSZ, _TIOCSTI, _TIOCLINUX = 0x5401, 0x5413, 0x5412, 0x541C
# What fork(3) is in glibc (CHILD_CLEARTID | CHILD_SETTID | SIGCHLD) and in musl, nothing else.
_FORK_FLAGS = (0x01200011, 17)

_NO_POINTER = (Test(2, equals_one_of=(0,)), Test(2, equals_one_of=(0,), high_half=True))


def _only(*tests: Test) -> Rule:
    return Rule((Clause(tests, ALLOW),), _DENIED)


_CONDITIONAL: dict[str, Decision] = {
    "open": _only(Test(1, has_none_of=_O_REFUSED)),
    "openat": _only(Test(2, has_none_of=_O_REFUSED)),
    # Code comes from files that Landlock lets be read, never from memory that was written.
    "mmap": Rule(
        (
            Clause((Test(2, has_none_of=_PROT_EXEC),), ALLOW),
            Clause((Test(2, has_none_of=_PROT_WRITE), Test(3, has_none_of=_MAP_ANONYMOUS)), ALLOW),
        ),
        _DENIED,
    ),
    "mprotect": _only(Test(2, has_none_of=_PROT_EXEC)),
    # A pipe outlives the patch: its flags, size and owner are not the patch's to change.
    "fcntl": _only(
        Test(1, equals_one_of=(_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_DUPFD_CLOEXEC))
    ),
    "ioctl": Rule(
        (
            Clause((Test(1, equals_one_of=(_TCGETS, _TIOCGWINSZ)),), ALLOW),
            Clause((Test(1, equals_one_of=(_TIOCSTI, _TIOCLINUX)),), KILL_PROCESS),
        ),
        _DENIED,
    ),
    # libc falls back to clone, whose flags a filter can see.
    "clone3": _ABSENT,
}
_ZYGOTE_CONDITIONAL: dict[str, Decision] = {
    "clone": _only(Test(0, equals_one_of=_FORK_FLAGS)),
    "wait4": ALLOW,
    "waitid": ALLOW,
    # Limits of itself only: those of another process of the same uid could end every later patch.
    "prlimit64": _only(Test(0, equals_one_of=(0,))),
}


def zygote_filter(machine: str) -> bytes:
    """The program that a zygote installs after its last import."""
    numbers = BY_MACHINE[machine]
    decisions: dict[str, Decision] = dict.fromkeys(numbers, _DENIED)
    decisions |= dict.fromkeys(_ALLOWED, ALLOW)
    decisions |= dict.fromkeys(_ZYGOTE_ONLY, ALLOW)
    decisions |= dict.fromkeys(_FATAL, KILL_PROCESS)
    decisions |= _CONDITIONAL
    decisions |= _ZYGOTE_CONDITIONAL
    # A number that no table knows looks like an older kernel, so that libc falls back.
    return assemble(machine, _numbered(machine, decisions), _ABSENT)


def patch_filter(machine: str) -> bytes:
    """The short program on top, without which a patch could fork or disarm its timer."""
    decisions: dict[str, Decision] = dict.fromkeys(_ZYGOTE_ONLY, _DENIED)
    decisions["clone"] = _DENIED
    decisions["prlimit64"] = _only(*_NO_POINTER)
    return assemble(machine, _numbered(machine, decisions), ALLOW)


def filter_digest() -> str:
    """SHA-256 (hex) over both programs of the running machine."""
    machine = platform.machine()
    return hashlib.sha256(zygote_filter(machine) + patch_filter(machine)).hexdigest()


class Filter:
    """A program in memory, ready to be installed by one cheap call."""

    def __init__(self, program: bytes) -> None:
        self._program = ctypes.create_string_buffer(program, len(program))
        self._header = struct.pack("@HxxxxxxQ", len(program) // 8, ctypes.addressof(self._program))

    def install(self) -> None:
        """Bind this process and what it forks, for good; needs no_new_privs."""
        syscall("seccomp", 1, 0, self._header)


def _numbered(machine: str, decisions: dict[str, Decision]) -> dict[int, Decision]:
    """Names to numbers; a name that the machine lacks has nothing to decide."""
    numbers = BY_MACHINE[machine]
    return {numbers[name]: decision for name, decision in decisions.items() if name in numbers}
