"""Own user, mount, pid, net, ipc, uts and cgroup namespaces for a lane."""

from __future__ import annotations

import os

from sandbox.jail.syscalls import PR_SET_DUMPABLE, PR_SET_KEEPCAPS, prctl, syscall

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
_ALL_BUT_USER = (
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET
)

# What the lane's uid and gid are called inside.
INSIDE_ID = 65534


def enter_namespaces(outside_uid: int, outside_gid: int) -> None:
    """Move this process into new namespaces; its next child is pid 1 of the new pid namespace.

    The ids are those that the lane has outside: its own when the caller is an ordinary user.
    The effective uid stays what it was (shown as 65534), see `become_inside_user`.
    """
    # /proc/<pid>/uid_map of a process that is not dumpable belongs to root.
    prctl(PR_SET_DUMPABLE, 1)
    told, tell = os.pipe()
    writer = _fork_map_writer(os.getpid(), told, tell, outside_uid, outside_gid)
    os.close(told)
    try:
        syscall("unshare", CLONE_NEWUSER)
        os.write(tell, b"1")
    finally:
        os.close(tell)
        _, status = os.waitpid(writer, 0)
    if status != 0:
        raise OSError("the kernel refused the uid and gid maps of the new user namespace")
    syscall("unshare", _ALL_BUT_USER)


def become_inside_user() -> None:
    """Take the mapped ids and keep the namespace's capabilities, which setting up needs."""
    prctl(PR_SET_KEEPCAPS, 1)
    os.setresgid(INSIDE_ID, INSIDE_ID, INSIDE_ID)
    os.setresuid(INSIDE_ID, INSIDE_ID, INSIDE_ID)


def hide_host_name() -> None:
    """Give the new uts namespace a name that says nothing."""
    name = b"jail"
    syscall("sethostname", name, len(name))
    syscall("setdomainname", name, len(name))


def _fork_map_writer(pid: int, told: int, tell: int, uid: int, gid: int) -> int:
    """A process in the old user namespace that writes the maps as soon as `pid` has left it."""
    writer = os.fork()
    if writer:
        return writer
    status = 1
    try:
        os.close(tell)
        if os.read(told, 1):
            _write(f"/proc/{pid}/setgroups", "deny")
            _write(f"/proc/{pid}/gid_map", f"{INSIDE_ID} {gid} 1\n")
            _write(f"/proc/{pid}/uid_map", f"{INSIDE_ID} {uid} 1\n")
            status = 0
    finally:
        os._exit(status)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
