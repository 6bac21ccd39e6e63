"""Twelve attempts to leave the jail, run inside it at every start of the sandbox.

Each function returns when it was stopped by an error and raises `Escaped` when it got through.
"""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import Callable

from sandbox.jail.syscalls import NUMBERS, syscall

Send = Callable[[bytes], None]


class Escaped(Exception):
    """The attempt succeeded; the argument says at what."""


def _must_fail(what: str, attempt: Callable[..., object], *arguments: object) -> None:
    try:
        attempt(*arguments)
    except (OSError, ValueError, RuntimeError):
        return
    raise Escaped(what)


def _first_byte(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(1)


def read_files(_send: Send) -> None:
    """Reads and lists what every Unix has, writes where everybody may write."""
    for path in ("/etc/passwd", "/etc/hostname", "/bin/sh", "/dev/null"):
        _must_fail(f"read {path}", _first_byte, path)
    for path in ("/", "/etc", "/tmp", "/dev", "/root", "/home"):
        _must_fail(f"list {path}", os.listdir, path)
    for path in ("/tmp/failmap", "/dev/shm/failmap", "/var/tmp/failmap", "failmap"):
        _must_fail(f"write {path}", open, path, "wb")


def read_proc(_send: Send) -> None:
    """Looks for other processes and at its own secrets."""
    for path in ("/proc/self/environ", "/proc/1/environ", "/proc/self/maps", "/proc/self/mem"):
        _must_fail(f"read {path}", _first_byte, path)
    _must_fail("write /proc/self/mem", open, "/proc/self/mem", "r+b")
    _must_fail("list /proc", os.listdir, "/proc")


def use_network(_send: Send) -> None:
    """Opens sockets of every family that could carry something out."""
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):
        _must_fail(f"socket family {family}", socket.socket, family, socket.SOCK_STREAM)
    _must_fail("name look-up", lambda: socket.getaddrinfo("localhost", 80))


def fork_processes(_send: Send) -> None:
    """Multiplies itself by each of the kernel's ways."""
    _must_fail("fork", os.fork)
    _must_fail("clone", syscall, "clone", 17, 0, 0, 0, 0)
    _must_fail("clone3", syscall, "clone3", bytes(88), 88)
    if "vfork" in NUMBERS:
        _must_fail("vfork", syscall, "vfork")


def execute_programs(_send: Send) -> None:
    """Becomes, or starts, another program."""
    program = sys.executable or "/bin/sh"
    _must_fail("execve", lambda: os.execve(program, [program, "-c", "0"], {}))
    _must_fail("subprocess", lambda: subprocess.run([program, "-c", "0"]))
    _must_fail("memfd", lambda: os.memfd_create("program"))


def signal_others(_send: Send) -> None:
    """Signals its parent, its group, the first process and everybody."""
    for pid in (os.getppid(), 0, 1, -1):
        _must_fail(f"kill {pid}", os.kill, pid, 0)
        _must_fail(f"limits of {pid}", syscall, "prlimit64", pid or 1, 7, bytes(16), 0)
    _must_fail("pidfd", lambda: os.pidfd_open(os.getppid() or 1))


def trace_parent(_send: Send) -> None:
    """Attaches to the zygote; the kernel ends a process that tries."""
    _must_fail("ptrace", syscall, "ptrace", 16, os.getppid() or 1, 0, 0)
    raise Escaped("ptrace did not end the process")


def mount_files(_send: Send) -> None:
    """Mounts; the kernel ends a process that tries."""
    _must_fail("mount", syscall, "mount", b"none", b"/", b"tmpfs", 0, None)
    raise Escaped("mount did not end the process")


def fill_memory(send: Send) -> None:
    """Takes memory until it is refused."""
    held: list[bytearray] = []
    try:
        while len(held) < 512:
            held.append(bytearray(8 << 20))
    except MemoryError:
        held.clear()
        return
    raise Escaped("4 GiB of memory")


def burn_cpu(_send: Send) -> None:
    """Disarms what it can, then computes for ever."""
    _must_fail("timer_settime", syscall, "timer_settime", 0, 0, bytes(32), None)
    _must_fail("timer_delete", syscall, "timer_delete", 0)
    while True:
        pass


def flood_output(send: Send) -> None:
    """Writes without end, to the lane and to both standard streams."""
    junk = b"x" * (1 << 16)
    while True:
        send(junk)
        os.write(1, junk)
        os.write(2, junk)


def call_foreign_numbers(_send: Send) -> None:
    """Calls getpid by the number of another calling convention."""
    ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | NUMBERS["getpid"]))
    raise Escaped("a foreign system call number")


def stay_quiet(_send: Send) -> None:
    """No attempt at all: shows that the lane works, so that silence elsewhere means something."""


def run(frame: bytes, send: Send) -> None:
    """Run the attempt that `frame` names."""
    attempt: Callable[[Send], None] = globals()[frame.decode()]
    try:
        attempt(send)
    except Escaped as escape:
        send(b"escaped: " + str(escape).encode())
    else:
        send(b"held")
