"""The HTTP server's connections: none that is of no use keeps out one that is."""

import contextlib
import http.client
import socket
import threading
import time
import unittest
from unittest import mock

from sandbox import server as server_module
from sandbox.server import MAX_SHARDS, MORE_CONNECTIONS
from test.sandbox.corpus import REFERENCE
from test.sandbox.server_case import HEAD, InProcessLane, ServerCase, shard

CAP = MAX_SHARDS + MORE_CONNECTIONS


class ConnectionsTest(ServerCase):
    def open(self, data: bytes = b"") -> socket.socket:
        """A connection that has sent this much and waits."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        self.addCleanup(connection.close)
        with contextlib.suppress(OSError):
            connection.sendall(data)
        return connection

    def assert_healthy(self) -> None:
        self.assertEqual(self.ask("GET", "/health", token=None)[0], 200)

    def start_shard(self) -> tuple[threading.Thread, list]:
        """A shard that is being judged until the gate opens, and where its answer will be."""
        InProcessLane.gate.clear()
        self.addCleanup(InProcessLane.gate.set)
        answers: list = []
        asking = threading.Thread(
            target=lambda: answers.append(self.ask(data=shard({1: REFERENCE})))
        )
        asking.start()
        while not self.server._working:
            time.sleep(0.01)
        return asking, answers

    def test_silent_connections_give_way_to_a_new_one(self):
        silent = [self.open() for _ in range(2 * CAP)]
        self.assert_healthy()
        self.assertEqual(silent[0].recv(1), b"")

    def test_so_do_heads_that_never_end(self):
        for _ in range(2 * CAP):
            self.open(HEAD)
        self.assert_healthy()

    def test_so_do_clients_that_do_not_read_their_answers(self):
        ask = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
        for _ in range(CAP):
            connection = self.open()
            connection.settimeout(0.2)
            with contextlib.suppress(OSError):
                connection.sendall(ask * 4_000)
        self.assert_healthy()

    def test_so_do_refused_clients_that_stay(self):
        for _ in range(2 * CAP):
            self.open(b"POST /shards HTTP/1.1\r\nContent-Length: 100\r\n\r\n")
        self.assert_healthy()

    def test_a_shard_in_progress_is_not_closed_for_anybody(self):
        asking, answers = self.start_shard()
        for _ in range(2 * CAP):
            self.open()
        self.assert_healthy()
        InProcessLane.gate.set()
        asking.join()
        self.assertEqual(answers[0][0], 200)

    def test_shards_leave_room_for_health_and_are_told_when_they_are_too_many(self):
        head = HEAD + b"Content-Length: 9\r\n\r\n"
        kept = [self.open(head) for _ in range(MAX_SHARDS)]
        while self.server.shards._value:
            time.sleep(0.01)
        for connection in [self.open(head) for _ in range(MORE_CONNECTIONS)]:
            self.assertIn(b" 503 ", connection.recv(100))
        self.assert_healthy()
        for connection in kept:
            connection.sendall(b"123456789")
            self.assertIn(b" 422 ", connection.recv(100))
        self.assertEqual(self.ask(data=shard({1: REFERENCE}))[0], 200)

    def test_a_silent_connection_ends_by_itself(self):
        with mock.patch.object(server_module, "FIRST_SECONDS", 0.1):
            connection = self.open()
            self.assertEqual(connection.recv(1), b"")

    def test_a_head_byte_by_byte_ends_by_itself(self):
        with mock.patch.object(server_module, "HEAD_SECONDS", 0.3):
            connection = self.open(b"G")
            with self.assertRaises(OSError):
                while True:
                    connection.sendall(b"E")
                    time.sleep(0.05)

    def test_a_connection_is_used_again(self):
        connection = self.open()
        data = shard({1: REFERENCE})
        for _ in range(3):
            # Head and body in one piece: the time for a head must not be taken for that of a body.
            connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(data) + data)
            self.assertEqual(self._status(connection), 200)

    def test_asking_for_health_again_costs_a_connection(self):
        connection = self.open()
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 200)
        self.assertEqual(self._status(connection), 200)
        with contextlib.suppress(ConnectionResetError):
            self.assertEqual(connection.recv(1), b"")

    def _status(self, connection: socket.socket) -> int:
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        answer.read()
        return answer.status


if __name__ == "__main__":
    unittest.main()
