"""Which connections a server keeps: no more than a cap, and those of use first."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# How long an arrival waits for the one that makes room; its thread only has to wake up and end.
_GIVE_WAY_SECONDS = 1.0


class Connections:
    """At the cap an arrival closes the connection that has been without use for longest.

    Of use is what the holder of the token does. All the rest, whether it says nothing, sends a head
    byte by byte or does not read its answer, gives way.
    """

    def __init__(self, most: int) -> None:
        self._slots = threading.BoundedSemaphore(most)
        self._lock = threading.Lock()
        # Oldest first.
        self._spare: dict[socket.socket, None] = {}

    def admit(self, connection: socket.socket) -> bool:
        """Takes a slot for an arrival; False if all others are of use."""
        if not self._slots.acquire(blocking=False):
            self._close_oldest()
            if not self._slots.acquire(timeout=_GIVE_WAY_SECONDS):
                return False
        with self._lock:
            self._spare[connection] = None
        return True

    def forget(self, connection: socket.socket) -> None:
        """To be called before its descriptor is closed, which another one may get."""
        with self._lock:
            self._spare.pop(connection, None)

    def release(self) -> None:
        """Gives a slot back; its thread is done."""
        self._slots.release()

    @contextmanager
    def of_use(self, connection: socket.socket) -> Iterator[None]:
        """Inside, nobody closes this connection; afterwards it counts as the newest."""
        self.forget(connection)
        try:
            yield
        finally:
            with self._lock:
                self._spare[connection] = None

    def _close_oldest(self) -> None:
        with self._lock:
            oldest = next(iter(self._spare), None)
            if oldest is None:
                return
            del self._spare[oldest]
            try:
                # Ends whatever its thread reads or writes.
                oldest.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
