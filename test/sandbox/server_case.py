"""A server in front of a service of the tiny category, and a client that asks it."""

import base64
import contextlib
import hashlib
import http.client
import io
import json
import socket
import threading
import unittest
from typing import Any

from sandbox.server import SandboxServer
from sandbox.service import Service
from test.sandbox.corpus import TinyDraw
from test.sandbox.in_process import InProcess

TOKEN = "a-token-of-the-test"
KEY = bytes.fromhex("c0ffee" * 10 + "abcd")
KEY_TEXT = base64.urlsafe_b64encode(KEY).decode().rstrip("=")
EPOCH = {"id": "tiny", "key": KEY_TEXT, "practice": 2, "sealed": 4}
HEAD = f"POST /shards HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n".encode()


class TinyCorpus:
    digest = hashlib.sha256(b"tiny").hexdigest()

    def __init__(self) -> None:
        self.fault: Exception | None = None

    def draw(self, request):
        if self.fault:
            raise self.fault
        return TinyDraw(key=request.epoch.key, count=len(request.counters))


class InProcessLane:
    """A lane by way of the in-process runner; `gate` holds it until it is set."""

    gate = threading.Event()

    def __init__(self) -> None:
        self._runner = InProcess()

    def submit(self, frame, limits=None):
        self._runner.submit(frame, limits, 0)  # type: ignore[arg-type]

    def receive(self):
        self.gate.wait(20)
        return self._runner.receive(0)

    def close(self):
        pass


def shard(patches: dict[int, str | None], **changes) -> bytes:
    """The body of a request for the tiny category."""
    document = {
        "protocol": 1,
        "corpus": TinyCorpus.digest,
        "epoch": EPOCH,
        "category": "ring-distance",
        "counters": [0] * 6,
        "submission": "sub_1",
        "patches": [
            {"instance_id": f"failmap__ring-distance-{n}", "module": text}
            for n, text in patches.items()
        ],
        **changes,
    }
    return json.dumps(document).encode()


class ServerCase(unittest.TestCase):
    """Starts a server for each test; it has one worker."""

    def setUp(self) -> None:
        InProcessLane.gate.set()
        self.corpus = TinyCorpus()
        card = {"profile": "S"}
        corpus: Any = self.corpus
        self.service = Service(corpus, card, lambda slot, seed: InProcessLane(), 1)
        self.server = SandboxServer(("127.0.0.1", 0), self.service, TOKEN)
        self.port = self.server.server_address[1]
        self.logged = io.StringIO()
        self.enterContext(contextlib.redirect_stderr(self.logged))
        thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def ask(
        self,
        method="POST",
        path="/shards",
        data: bytes = b"",
        headers=None,
        token: str | None = TOKEN,
    ) -> tuple[int, Any, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = {"Authorization": f"Bearer {token}"} if token is not None else {}
        connection.request(method, path, data, {**sent, **(headers or {})})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, response.headers, json.loads(text) if text else None

    def raw(self, data: bytes, close: bool = False) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            with contextlib.suppress(OSError):
                connection.sendall(data)
                if close:
                    connection.shutdown(socket.SHUT_WR)
            parts = b""
            with contextlib.suppress(OSError):
                while part := connection.recv(1 << 16):
                    parts += part
            return parts

    def assert_problem(self, answer, status: int, slug: str) -> None:
        self.assertEqual((answer[0], answer[2]["type"]), (status, f"/problems/{slug}"))
        self.assertEqual(answer[1]["Content-Type"], "application/problem+json")
        self.assertEqual(set(answer[2]), {"type", "title", "status"})
