"""An empty root: the interpreter's own files, read-only, and nothing else."""

from __future__ import annotations

import os
import stat

from sandbox.jail.footprint import Footprint, is_listed
from sandbox.jail.syscalls import syscall

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = 32, 4096, 16384, 1 << 18
_MNT_DETACH = 2
_TMPFS_OPTIONS = b"size=1m,nr_inodes=256,mode=0755"


def open_sources(footprint: Footprint) -> dict[str, int]:
    """Descriptors of all that goes into the new root.

    They are opened inside the new mount namespace, whose mounts alone can be bound, but before the
    change of uid: the interpreter may lie in a home directory that only its owner can enter.
    """
    paths = [footprint.executable, *footprint.listable, *footprint.libraries]
    outer = [path for path in dict.fromkeys(paths) if not is_listed(path, footprint)]
    return {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in outer}


def empty_root(sources: dict[str, int], footprint: Footprint) -> None:
    """Make a read-only root of `sources`, enter it, forget the old one."""
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    root = next(path for path in ("/tmp", "/var", "/mnt", "/home") if os.path.isdir(path))
    _mount("jail", root, "tmpfs", _MS_NOSUID | _MS_NODEV, _TMPFS_OPTIONS)
    for path, descriptor in sources.items():
        _bind(descriptor, root + path)
    for path in footprint.hidden:
        if os.path.isdir(root + path):
            _mount("jail", root + path, "tmpfs", _MS_RDONLY | _MS_NOSUID | _MS_NODEV, b"size=4k")
    os.chdir(root)
    syscall("pivot_root", b".", b".")
    syscall("umount2", b".", _MNT_DETACH)
    os.chdir("/")
    # Read-only from the start would leave no way to make the mount points.
    _mount(None, "/", None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV)


def _bind(descriptor: int, target: str) -> None:
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o444))
    _mount(f"/proc/self/fd/{descriptor}", target, None, _MS_BIND | _MS_REC)
    # Flags that the mount below already has are locked in a user namespace: they must be repeated.
    kept = os.fstatvfs(descriptor).f_flag & _MS_NOEXEC
    flags = _MS_RDONLY | _MS_NOSUID | _MS_NODEV | kept
    _mount(None, target, None, _MS_REMOUNT | _MS_BIND | flags)


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, options: bytes | None = None
) -> None:
    words = [os.fsencode(word) if word else None for word in (source, target, kind)]
    try:
        syscall("mount", *words, flags, options)
    except OSError as error:
        raise OSError(error.errno, f"mount {target}: {error.strerror}") from None
