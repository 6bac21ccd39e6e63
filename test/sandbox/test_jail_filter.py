"""The seccomp programs, run by an interpreter of this file over every number on both machines."""

from __future__ import annotations

import errno
import re
import struct
import unittest
from pathlib import Path

from sandbox.jail.bpf import ALLOW, AUDIT_ARCH, KILL_PROCESS, Clause, Rule, Test, assemble, error
from sandbox.jail.numbers import AARCH64, BY_MACHINE, X86_64
from sandbox.jail.seccomp import patch_filter, zygote_filter

EPERM, ENOSYS = error(errno.EPERM), error(errno.ENOSYS)

# What a patch may call with any arguments. Written by hand: the program is checked against it.
MAY = """
    access alarm brk capget clock_getres clock_gettime clock_nanosleep close close_range dup dup2
    dup3 epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd2 exit exit_group faccessat
    faccessat2 fstat futex getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups
    getitimer getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit
    getrusage getsid gettid gettimeofday getuid lseek lstat madvise membarrier mremap munmap
    nanosleep newfstatat pause pipe pipe2 poll ppoll pread64 pselect6 read readlink readlinkat
    readv restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn
    rt_sigsuspend sched_getaffinity sched_yield select set_robust_list set_tid_address setitimer
    sigaltstack stat statx sysinfo time times uname wait4 waitid write writev
    """.split()
ENDS = """
    acct add_key adjtimex bpf chroot clock_adjtime clock_settime create_module delete_module
    fanotify_init finit_module fsconfig fsmount fsopen fspick get_kernel_syms init_module
    io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load
    keyctl lookup_dcookie memfd_secret modify_ldt mount mount_setattr move_mount
    name_to_handle_at nfsservctl open_by_handle_at open_tree perf_event_open personality
    pidfd_getfd pivot_root process_madvise process_mrelease process_vm_readv process_vm_writev
    ptrace query_module quotactl quotactl_fd reboot request_key setdomainname sethostname setns
    settimeofday swapoff swapon syslog umount2 unshare uselib userfaultfd vhangup
    """.split()
BY_ARGUMENT = ("open", "openat", "mmap", "mprotect", "fcntl", "ioctl", "prlimit64", "clone3")
ZYGOTE_ALSO = """
    landlock_restrict_self pidfd_open pidfd_send_signal prctl seccomp setrlimit timer_create
    timer_settime
    """.split()


def interpret(program: bytes, number: int, arguments: tuple[int, ...] = (), arch: int = 0) -> int:
    """The action of a seccomp program; `arch` is an AUDIT_ARCH number."""
    words = [word & (1 << 64) - 1 for word in (*arguments, *[0] * (6 - len(arguments)))]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *words)
    code = list(struct.iter_unpack("<HBBI", program))
    accumulator = place = 0
    while True:
        operation, true_jump, false_jump, value = code[place]
        place += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif operation == 0x06:
            return value
        elif operation == 0x05:
            place += value
        else:
            holds = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[operation]
            place += true_jump if holds else false_jump


def strictest(machine: str, number: int, *arguments: int) -> int:
    """What the kernel does to a patch, which both programs bind: the least of two actions."""
    arch = AUDIT_ARCH[machine]
    actions = [
        interpret(program(machine), number, arguments, arch)
        for program in (zygote_filter, patch_filter)
    ]
    return min(actions, key=lambda action: struct.unpack("<i", struct.pack("<I", action))[0])


class Filters(unittest.TestCase):
    """zygote_filter and patch_filter"""

    def test_every_number_has_the_action_of_the_table(self) -> None:
        for machine, numbers in BY_MACHINE.items():
            names = {number: name for name, number in numbers.items()}
            for number in range(601):
                name = names.get(number)
                if name in BY_ARGUMENT:
                    continue
                expected = (
                    ENOSYS
                    if name is None
                    else ALLOW
                    if name in MAY
                    else KILL_PROCESS
                    if name in ENDS
                    else EPERM
                )
                self.assertEqual(strictest(machine, number), expected, (machine, number, name))

    def test_a_zygote_may_do_what_forking_needs(self) -> None:
        for machine, numbers in BY_MACHINE.items():
            arch = AUDIT_ARCH[machine]
            program = zygote_filter(machine)
            for name in ZYGOTE_ALSO:
                self.assertEqual(interpret(program, numbers[name], (), arch), ALLOW, name)
            fork = interpret(program, numbers["clone"], (0x01200011,), arch)
            thread = interpret(program, numbers["clone"], (0x003D0F00,), arch)
            namespace = interpret(program, numbers["clone"], (0x01200011 | 0x10000000,), arch)
            self.assertEqual((fork, thread, namespace), (ALLOW, EPERM, EPERM))

    def test_foreign_machines_and_x32_end_the_process(self) -> None:
        for machine in BY_MACHINE:
            for program in (zygote_filter(machine), patch_filter(machine)):
                for arch in (0x40000003, 0x40000028, 0xC0000016, *AUDIT_ARCH.values()):
                    if arch != AUDIT_ARCH[machine]:
                        self.assertEqual(interpret(program, 39, (), arch), KILL_PROCESS)
                for number in (0x40000000, 0x40000027, 0x7FFFFFFF, 0xFFFFFFFF):
                    own = AUDIT_ARCH[machine]
                    self.assertEqual(interpret(program, number, (), own), KILL_PROCESS)

    def test_arguments_decide_where_the_number_cannot(self) -> None:
        for machine, numbers in BY_MACHINE.items():

            def act(name: str, *arguments: int, machine: str = machine, numbers=numbers) -> int:
                return strictest(machine, numbers[name], *arguments)

            cloexec, create = 0o2000000, 0o100
            self.assertEqual(act("openat", -100, 0, cloexec), ALLOW)
            for flags in (1, 2, 3, create, 0o1000, 0o2000, 0o10000000, 0o20200002):
                self.assertEqual(act("openat", -100, 0, flags | cloexec), EPERM, oct(flags))
            self.assertEqual(act("mmap", 0, 4096, 3, 0x22), ALLOW)
            self.assertEqual(act("mmap", 0, 4096, 5, 0x2), ALLOW)
            for protection, flags in ((7, 0x22), (7, 0x2), (5, 0x22), (4, 0x20)):
                self.assertEqual(act("mmap", 0, 4096, protection, flags), EPERM)
            self.assertEqual(act("mprotect", 0, 4096, 3), ALLOW)
            self.assertEqual(act("mprotect", 0, 4096, 5), EPERM)
            allowed = [command for command in range(1100) if act("fcntl", 3, command) == ALLOW]
            self.assertEqual(allowed, [0, 1, 2, 3, 1030])
            self.assertEqual(act("ioctl", 0, 0x5401), ALLOW)
            for command in (0x5421, 0x5452, 0x541B, 0x8901):
                self.assertEqual(act("ioctl", 3, command), EPERM)
            for command in (0x5412, 0x541C):
                self.assertEqual(act("ioctl", 0, command), KILL_PROCESS)
            self.assertEqual(act("prlimit64", 0, 7, 0, 1 << 40), ALLOW)
            for pid, limits in ((1, 0), (0, 4096), (0, 1 << 32), (-1, 0), (7, 4096)):
                self.assertEqual(act("prlimit64", pid, 7, limits), EPERM)
            self.assertEqual(act("clone3", 4096, 88), ENOSYS)


class Assembler(unittest.TestCase):
    """assemble"""

    def test_far_jumps_reach_their_targets(self) -> None:
        rule = Rule((Clause((Test(0, equals_one_of=(1, 2, 3)),), ALLOW),), EPERM)
        decisions = {number * 2: rule for number in range(300)}
        program = assemble("x86_64", decisions, ENOSYS)
        arch = AUDIT_ARCH["x86_64"]
        for number in range(620):
            inside = number % 2 == 0 and number < 600
            got = [interpret(program, number, (value,), arch) for value in (1, 3, 4)]
            self.assertEqual(got, [ALLOW, ALLOW, EPERM] if inside else [ENOSYS] * 3)

    def test_too_long_a_program_is_refused(self) -> None:
        rule = Rule((Clause((Test(0, equals_one_of=tuple(range(100))),), ALLOW),), EPERM)
        with self.assertRaises(ValueError):
            assemble("x86_64", {number * 2: rule for number in range(100)}, EPERM)


class Numbers(unittest.TestCase):
    """The tables"""

    def test_numbers_are_those_of_the_headers(self) -> None:
        checked = 0
        for table, header in ((X86_64, _X86_HEADER), (AARCH64, _GENERIC_HEADER)):
            if header.is_file():
                ours = _defined(header.read_text(encoding="utf-8"))
                for name, number in table.items():
                    if name in ours:
                        self.assertEqual(number, ours[name], name)
                        checked += 1
        present = [header for header in (_X86_HEADER, _GENERIC_HEADER) if header.is_file()]
        self.assertGreaterEqual(checked, 300 * len(present))

    def test_numbers_above_the_split_are_the_same_on_both(self) -> None:
        for name, number in AARCH64.items():
            if number >= 424:
                self.assertEqual(X86_64[name], number)

    def test_no_number_has_two_names(self) -> None:
        for table in BY_MACHINE.values():
            self.assertEqual(len(set(table.values())), len(table))


_X86_HEADER = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
_GENERIC_HEADER = Path("/usr/include/asm-generic/unistd.h")


def _defined(text: str) -> dict[str, int]:
    found = re.findall(r"^#define\s+__NR(?:3264)?_(\w+)\s+(\d+)\s*$", text, re.MULTILINE)
    return {"newfstatat" if name == "fstatat" else name: int(number) for name, number in found}
