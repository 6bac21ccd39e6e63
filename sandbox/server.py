"""The HTTP face of the sandbox. Answers hold counts or a problem from a closed list."""

import hashlib
import hmac
import io
import json
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sandbox.body import read_body
from sandbox.connections import Connections
from sandbox.problem import PROBLEMS, Refusal, Slug, problem_json
from sandbox.service import Service, json_bytes
from sandbox.shard import MAX_BODY

# One read or write of a socket; the head of a request; a whole body.
SOCKET_SECONDS, HEAD_SECONDS, BODY_SECONDS = 20.0, 20.0, 120.0
# The first byte on a new connection; the first byte of a request after another one.
FIRST_SECONDS, NEXT_SECONDS = 5.0, 30.0
# How long a shard waits for a worker before the answer is `busy`.
WAIT_SECONDS = 5.0
# Shards that may be here at once, most of them waiting, where two for each worker are fewer; and
# connections beside theirs, for everything else.
MAX_SHARDS, MORE_CONNECTIONS = 32, 32
_RETRY_AFTER: dict[str, str] = {"busy": "5", "quarantined": "30"}


class _Patient(io.RawIOBase):
    """Reads a socket until a deadline, however many small pieces a slow client sends."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.allow(0.0)

    def expect_head(self, seconds: float) -> None:
        """The first byte has to come within `seconds`, the rest of a head in its own time."""
        self.allow(seconds)
        self._waits = True

    def allow(self, seconds: float) -> None:
        """Everything from now on has to come within `seconds`."""
        self._waits = False
        self._deadline = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(min(left, SOCKET_SECONDS))
        size = self._connection.recv_into(buffer)
        if self._waits:
            self.allow(HEAD_SECONDS)
        return size


class SandboxServer(ThreadingHTTPServer):
    """One thread per connection, up to a cap, see `Connections`."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], service: Service, token: str) -> None:
        self.service = service
        self._token = hashlib.sha256(token.encode()).digest()
        shards = max(MAX_SHARDS, 2 * service.workers)
        self.shards = threading.BoundedSemaphore(shards)
        self.connections = Connections(shards + MORE_CONNECTIONS)
        self._busy = threading.Condition()
        self._working = 0
        super().__init__(address, Handler)

    def is_token(self, given: str) -> bool:
        """Compares digests, in a time that does not tell how much of the token is right."""
        digest = hashlib.sha256(given.encode("utf-8", "surrogateescape")).digest()
        return hmac.compare_digest(digest, self._token)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self.connections.admit(request):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self.connections.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.release()

    def shutdown_request(self, request: Any) -> None:
        self.connections.forget(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news, and a traceback could show what it sent."""

    def working(self, change: int) -> None:
        """Counts shards in progress."""
        with self._busy:
            self._working += change
            self._busy.notify_all()

    def drain(self, seconds: float) -> bool:
        """Waits for the shards in progress; False if some are left."""
        with self._busy:
            return self._busy.wait_for(lambda: self._working == 0, seconds)


class Handler(BaseHTTPRequestHandler):
    """GET /health and POST /shards."""

    server: SandboxServer
    protocol_version = "HTTP/1.1"
    server_version = "failmap-sandbox"
    sys_version = ""
    timeout = SOCKET_SECONDS

    def setup(self) -> None:
        super().setup()
        self._patient = _Patient(self.connection)
        self.rfile = io.BufferedReader(self._patient, 1 << 16)
        self._wait_seconds = FIRST_SECONDS

    def handle_one_request(self) -> None:
        self._patient.expect_head(self._wait_seconds)
        self._wait_seconds = NEXT_SECONDS
        super().handle_one_request()

    def handle_expect_100(self) -> bool:
        """Says nothing yet: who may send a body is known later, see `_shards`."""
        return True

    def do_GET(self) -> None:
        # A body is not read here, and must not be taken for the next request.
        if "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            self.close_connection = True
        self._route({"/health": self._health})

    def do_POST(self) -> None:
        self._route({"/shards": self._shards})

    def _other(self) -> None:
        self._refuse("method-not-allowed")

    do_HEAD = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _other

    def _route(self, routes: dict[str, Any]) -> None:
        path = self.path.partition("?")[0]
        known = path in ("/health", "/shards")
        try:
            if path not in routes:
                raise Refusal("method-not-allowed" if known else "not-found")
            routes[path]()
        except Refusal as refusal:
            self._refuse(refusal.slug)
        except (TimeoutError, ConnectionError):
            self.close_connection = True
        except Exception as error:
            # The type alone: a message could hold what a patch or a key says.
            log("fault", kind=type(error).__name__)
            self._refuse("internal")

    def _health(self) -> None:
        # Anybody may ask, so asking again costs a connection.
        self.close_connection = True
        self._answer(200, "application/json", self.server.service.health())

    def _shards(self) -> None:
        scheme, _, token = (self.headers.get("Authorization") or "").partition(" ")
        if scheme.lower() != "bearer" or not self.server.is_token(token.strip()):
            raise Refusal("unauthorized")
        if not self.server.shards.acquire(blocking=False):
            raise Refusal("busy")
        try:
            with self.server.connections.of_use(self.connection):
                self._judge()
        finally:
            self.server.shards.release()

    def _judge(self) -> None:
        if (self.headers.get("Expect") or "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        self._patient.allow(BODY_SECONDS)
        body = read_body(self.rfile, self.headers, MAX_BODY)
        request = self.server.service.read(body)
        self.server.working(1)
        started = time.monotonic()
        outcome, why = "scored", {}
        try:
            self._answer(200, "application/json", self.server.service.judge(request, WAIT_SECONDS))
        except Refusal as refusal:
            outcome = refusal.slug
            why = {"reason": refusal.reason} if refusal.reason else {}
            raise
        except Exception:
            outcome = "internal"
            raise
        finally:
            try:
                log(
                    "shard",
                    submission=request.submission,
                    category=request.category,
                    patches=len(request.patches),
                    outcome=outcome,
                    seconds=_bucket(time.monotonic() - started),
                    **why,
                )
            finally:
                self.server.working(-1)

    def _refuse(self, slug: Slug) -> None:
        # What is left of the body is not read, so the connection cannot be used again.
        self.close_connection = True
        self._answer(PROBLEMS[slug].status, "application/problem+json", problem_json(slug), slug)
        self._linger()

    def _answer(self, status: int, kind: str, document: Any, slug: str = "") -> None:
        data = json_bytes(document)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        if slug in _RETRY_AFTER:
            self.send_header("Retry-After", _RETRY_AFTER[slug])
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _linger(self) -> None:
        """Reads on for a moment: closing at once would reset the answer away from a client that
        is still sending."""
        try:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1.0)
            deadline = time.monotonic() + 2.0
            while time.monotonic() < deadline and self.connection.recv(1 << 16):
                pass
        except OSError:
            pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Malformed requests, which the base class answers with a page that repeats them."""
        self.close_connection = True
        self.command = self.command or ""
        self._answer(400, "application/problem+json", problem_json("body-incomplete"))

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""


def log(event: str, **fields: Any) -> None:
    """One JSON line on stderr. Ids, categories, counts and coarse durations only."""
    print(json.dumps({"event": event, **fields}), file=sys.stderr, flush=True)


def _bucket(seconds: float) -> str:
    for limit in (1, 3, 10, 30, 100, 300):
        if seconds < limit:
            return f"<{limit}"
    return ">=300"
