"""Starts a launcher and holds what it leaves behind: a zygote and the ends of its pipes."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import time
from dataclasses import asdict

from sandbox.jail import descriptors
from sandbox.jail.footprint import ISOLATED_FLAGS, REPOSITORY
from sandbox.jail.frames import STATUS
from sandbox.jail.profile import IsolationUnavailable, Walls

# The most that an ordinary user may ask for. A patch rarely has to wait for its reader.
_PIPE_BYTES = 1 << 20
_LAUNCH_SECONDS = 20.0


class ZygoteHandle:
    """A zygote that is a child of this process. All descriptors are non-blocking."""

    def __init__(
        self, pid: int, frames: int, permits: int, status: int, outputs: list[int], words: int
    ) -> None:
        self.pid = pid
        self.frames = frames
        self.status = status
        self.outputs = outputs
        self._permits = permits
        self._words = words
        # The pid cannot be taken by another process before this process reaps it.
        self._pidfd = os.pidfd_open(pid)
        self._alive = True

    def write_permit(self, permit: bytes) -> None:
        """A dead zygote is noticed at its status pipe, not here."""
        try:
            os.write(self._permits, permit)
        except BrokenPipeError:
            pass

    def read_status(self, seconds: float) -> bytes:
        """One record, or less of it when the zygote died or the time is up."""
        poll = select.poll()
        poll.register(self.status, select.POLLIN)
        if not poll.poll(seconds * 1000):
            return b""
        # A record is far below the size up to which pipes are atomic.
        return os.read(self.status, STATUS.size)

    def last_words(self) -> str:
        """What the zygote said on stderr before it died."""
        return _drain(self._words)

    def hush(self) -> None:
        """The zygote stands: from here on it says nothing."""
        os.close(self._words)
        self._words = -1

    def kill(self) -> None:
        """SIGKILL, wait until it is gone, close everything; safe to call twice."""
        if not self._alive:
            return
        self._alive = False
        try:
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            # Somebody else in this process waited for all children.
            pass
        held = [self._pidfd, self.frames, self._permits, self.status, *self.outputs]
        for descriptor in held + ([self._words] if self._words >= 0 else []):
            os.close(descriptor)


def start_zygote(walls: Walls) -> ZygoteHandle:
    """Launch; raises IsolationUnavailable with the launcher's words."""
    inside: list[int] = []
    outside: list[int] = []
    try:
        # Frames and permits flow in, status and outputs out.
        for inward in (True, True, False, *[False] * descriptors.OUTPUTS):
            reader, writer = os.pipe()
            inside.append(reader if inward else writer)
            outside.append(writer if inward else reader)
        for descriptor in outside:
            os.set_blocking(descriptor, False)
        for descriptor in (outside[0], *outside[3:]):
            _widen(descriptor)
        for descriptor in outside:
            # Where a patch sees /proc, the name of a descriptor there would open its pipe anew, and
            # for reading: it could take back what it has said. The ends that are open stay open.
            os.fchmod(descriptor, 0)
        pid, words = _launch(walls, inside)
    except BaseException:
        for descriptor in outside:
            os.close(descriptor)
        raise
    finally:
        for descriptor in inside:
            os.close(descriptor)
    frames, permits, status, *outputs = outside
    return ZygoteHandle(pid, frames, permits, status, outputs, words)


def _launch(walls: Walls, pipes: list[int]) -> tuple[int, int]:
    """(pid of the zygote, descriptor of its stderr)."""
    settings = json.dumps({**asdict(walls), "pipes": pipes})
    launcher = subprocess.Popen(
        [walls.footprint.executable, *ISOLATED_FLAGS, "-m", "sandbox.jail.launcher", settings],
        env={"PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=pipes,
        cwd="/",
    )
    assert launcher.stdout and launcher.stderr
    words = os.dup(launcher.stderr.fileno())
    with launcher.stdout, launcher.stderr:
        told = _read_line(launcher.stdout.fileno(), time.monotonic() + _LAUNCH_SECONDS)
        if not told:
            launcher.kill()
        launcher.wait()
    if not told.strip().isdigit():
        reason = _drain(words) or "the launcher ended without a word"
        os.close(words)
        raise IsolationUnavailable(reason)
    return int(told), words


def _read_line(descriptor: int, deadline: float) -> str:
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        part = os.read(descriptor, 64) if ready else b""
        if not part:
            break
        line += part
    return line.decode("ascii", errors="replace")


def _drain(descriptor: int) -> str:
    """What can be read at once, as one line."""
    os.set_blocking(descriptor, False)
    try:
        said = os.read(descriptor, 4096)
    except BlockingIOError:
        return ""
    lines = said.decode("utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


def _widen(descriptor: int) -> None:
    """A wider pipe saves switches; a user over the kernel's soft limit keeps the small one."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except OSError:
        pass
