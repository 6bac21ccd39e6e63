"""The HTTP server: routes, guards, limits; a service of the tiny category behind it."""

import base64
import contextlib
import json
import math
import re
import socket
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from sandbox import server as server_module
from sandbox.material import QuarantinedError
from sandbox.shard import MAX_BODY
from sandbox.verdict import MAX_MODULE
from test.sandbox.corpus import FAULTY, REFERENCE
from test.sandbox.server_case import (
    EPOCH,
    HEAD,
    KEY,
    TOKEN,
    InProcessLane,
    ServerCase,
    TinyCorpus,
    shard,
)

MARKER = "planted_marker_of_a_patch"


class ServerTest(ServerCase):
    def test_health_says_what_judges(self):
        status, _, health = self.ask("GET", "/health", token=None)
        self.assertEqual(status, 200)
        self.assertEqual(health["corpus"], TinyCorpus.digest)
        self.assertEqual(set(health), {"status", "protocol", "corpus", "runtime", "isolation"})
        self.assertRegex(health["runtime"]["sandbox"], "^[0-9a-f]{64}$")

    def test_a_shard_gives_a_tally_and_twice_the_same_bytes(self):
        data = shard({1: REFERENCE, 2: FAULTY, 3: None})
        status, _, tally = self.ask(data=data)
        self.assertEqual(status, 200)
        self.assertEqual(tally["parts"]["practice"]["fixed"], 1)
        self.assertEqual(self.ask(data=data)[2], tally)

    def test_a_chunked_body_is_taken(self):
        data = shard({1: REFERENCE})
        head = HEAD.decode() + "Transfer-Encoding: chunked\r\n"
        parts = b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in (data[:100], data[100:]))
        answer = self.raw(head.encode() + b"Connection: close\r\n\r\n" + parts + b"0\r\n\r\n")
        self.assertIn(b" 200 ", answer.splitlines()[0])

    def test_only_the_token_opens_it(self):
        for token in (None, "", "wrong", TOKEN + "x", TOKEN[:-1], "é"):
            with self.subTest(token):
                headers = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
                self.assert_problem(
                    self.ask(data=b"{}", token=None, headers=headers), 401, "unauthorized"
                )
        self.assert_problem(
            self.ask(data=b"{}", token=None, headers={"Authorization": f"Basic {TOKEN}"}),
            401,
            "unauthorized",
        )

    def test_other_paths_and_methods_are_problems(self):
        self.assert_problem(self.ask("GET", "/nothing"), 404, "not-found")
        self.assert_problem(self.ask("GET", "/shards"), 405, "method-not-allowed")
        self.assert_problem(self.ask("POST", "/health"), 405, "method-not-allowed")
        self.assert_problem(self.ask("DELETE", "/shards"), 405, "method-not-allowed")

    def test_bodies_of_another_shape_corpus_or_protocol_are_refused(self):
        self.assert_problem(self.ask(data=b"{}"), 422, "body-invalid")
        self.assert_problem(self.ask(data=shard({9: "x"})), 422, "body-invalid")
        self.assert_problem(self.ask(data=shard({}, protocol=2)), 409, "protocol-mismatch")
        self.assert_problem(self.ask(data=shard({}, corpus="0" * 64)), 409, "corpus-mismatch")

    def test_the_largest_body_that_the_api_lets_through_is_judged(self):
        limits = (Path(__file__).parents[2] / "src/protocol/limits.ts").read_text()
        (words,) = re.findall(r"shardBytes: ([\d *]+),", limits)
        cap = math.prod(map(int, words.split("*")))
        # No text is longer in JSON than this one.
        module, tasks = "\1" * MAX_MODULE, range(1, 97)
        shape = {"counters": [0] * 96, "epoch": {**EPOCH, "practice": 16, "sealed": 80}}
        whole = cap // (len(json.dumps(module)) + 100)
        patches = {n: module if n <= whole else None for n in tasks}
        left = cap - len(shard(patches, **shape)) + len("null") - len('""')
        patches[96] = "\1" * (left // 6) + "x" * (left % 6)
        data = shard(patches, **shape)
        self.assertEqual(len(data), cap)
        status, _, tally = self.ask(data=data)
        self.assertEqual((status, cap), (200, MAX_BODY))
        self.assertEqual(sum(part["invalid"] for part in tally["parts"].values()), whole + 1)

    def test_a_body_over_the_cap_is_refused_while_it_arrives(self):
        self.assert_problem(
            self.ask(headers={"Content-Length": str(MAX_BODY + 1)}), 413, "body-too-large"
        )
        head = HEAD.decode() + "Transfer-Encoding: chunked\r\n\r\n"
        with mock.patch.object(server_module, "MAX_BODY", 1 << 20):
            answer = self.raw(head.encode() + b"100000\r\n" + b"x" * (1 << 20) + b"\r\n1\r\nx\r\n")
        self.assertIn(b" 413 ", answer.splitlines()[0])

    def test_bodies_that_end_early_or_are_framed_twice_are_refused(self):
        for rest in (
            b"Content-Length: 100\r\n\r\nshort", b"\r\n",
            b"Content-Length: 5\r\nContent-Length: 5\r\n\r\n12345",
            b"Content-Length: -1\r\n\r\n", b"Content-Length: 0x5\r\n\r\n12345",
            b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            b"Transfer-Encoding: gzip\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"Transfer-Encoding: chunked\r\n\r\n-1\r\n",
            b"Transfer-Encoding: chunked\r\n\r\n5\r\n12345xx0\r\n\r\n",
        ):  # fmt: skip
            with self.subTest(rest):
                answer = self.raw(HEAD + rest, close=True)
                self.assertIn(b" 400 ", answer.splitlines()[0])

    def test_a_body_where_none_belongs_is_not_the_next_request(self):
        hidden = b"GET /nothing HTTP/1.1\r\n\r\n"
        for head in (b"Content-Length: %d" % len(hidden), b"Transfer-Encoding: chunked"):
            answer = self.raw(b"GET /health HTTP/1.1\r\n" + head + b"\r\n\r\n" + hidden, close=True)
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
            self.assertIn(b"Connection: close", answer)

    def test_only_who_has_the_token_is_asked_for_a_body(self):
        rest = b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"
        self.assertEqual(self.raw(HEAD + rest, close=True).count(b" 100 Continue"), 1)
        self.assertNotIn(
            b" 100 Continue", self.raw(b"POST /shards HTTP/1.1\r\n" + rest, close=True)
        )

    def test_malformed_requests_are_not_repeated_back(self):
        for data in (b"GET\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"A" * 70_000 + b"\r\n\r\n",
                     b"GET /<script> HTTP/9.9\r\n\r\n"):  # fmt: skip
            answer = self.raw(data, close=True)
            self.assertNotIn(b"script", answer)
            self.assertNotIn(b"AAAA", answer)

    def test_a_slow_client_is_cut_off(self):
        with mock.patch.object(server_module, "BODY_SECONDS", 0.5):
            with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
                connection.sendall(HEAD + b"Content-Length: 100\r\n\r\n")
                started = time.monotonic()
                with contextlib.suppress(OSError):
                    for _ in range(200):
                        connection.sendall(b" ")
                        time.sleep(0.05)
                        if not connection.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK):
                            break
                self.assertLess(time.monotonic() - started, 8)
        self.assertEqual(self.ask("GET", "/health")[0], 200)

    def test_a_shard_too_many_is_told_that_it_is_busy(self):
        InProcessLane.gate.clear()
        with mock.patch.object(server_module, "WAIT_SECONDS", 0.2):
            first = threading.Thread(target=self.ask, kwargs={"data": shard({1: REFERENCE})})
            first.start()
            while not self.server._working:
                time.sleep(0.01)
            answer = self.ask(data=shard({1: REFERENCE}))
            self.assert_problem(answer, 503, "busy")
            self.assertEqual(answer[1]["Retry-After"], "5")
            InProcessLane.gate.set()
            first.join()

    def test_what_must_not_be_scored_is_quarantined(self):
        self.corpus.fault = QuarantinedError("x")
        self.assert_problem(self.ask(data=shard({})), 503, "quarantined")

    def test_a_fault_of_ours_says_nothing_of_itself(self):
        self.corpus.fault = RuntimeError(MARKER)
        self.assert_problem(self.ask(data=shard({1: MARKER})), 500, "internal")
        self.assertNotIn(MARKER, self.logged.getvalue())

    def test_the_log_holds_ids_and_counts_only(self):
        self.ask(data=shard({1: REFERENCE + f"# {MARKER}", 2: f"raise ValueError('{MARKER}')"}))
        self.ask(data=shard({1: MARKER}, protocol=2))
        self.ask(data=MARKER.encode())
        self.server.drain(20)
        text = self.logged.getvalue()
        self.assertIn("ring-distance", text)
        for secret in (
            MARKER,
            TOKEN,
            KEY.hex(),
            base64.urlsafe_b64encode(KEY).decode().rstrip("="),
        ):
            self.assertNotIn(secret, text)

    def test_draining_waits_for_the_shard_in_progress(self):
        InProcessLane.gate.clear()
        answers = []
        first = threading.Thread(
            target=lambda: answers.append(self.ask(data=shard({1: REFERENCE})))
        )
        first.start()
        while not self.server._working:
            time.sleep(0.01)
        self.assertFalse(self.server.drain(0.05))
        InProcessLane.gate.set()
        self.assertTrue(self.server.drain(20))
        first.join()
        self.assertEqual(answers[0][0], 200)


if __name__ == "__main__":
    unittest.main()
