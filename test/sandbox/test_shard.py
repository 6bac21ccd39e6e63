"""read_request: strict JSON in, one shape out."""

import base64
import json
import unittest

from sandbox.shard import BodyInvalid, ProtocolMismatch, read_request

KEY = base64.urlsafe_b64encode(bytes(range(32))).decode().rstrip("=")


def body(**changes) -> dict:
    """A valid shard request, changed."""
    document = {
        "protocol": 1,
        "corpus": "a" * 64,
        "epoch": {"id": "demo-1", "key": KEY, "practice": 1, "sealed": 2},
        "category": "ttl-off-by-one-unit",
        "counters": [0, 1, 2],
        "submission": "sub_abc",
        "patches": [{"instance_id": "failmap__ttl-off-by-one-unit-2", "module": "x = 1\n"}],
    }
    document.update(changes)
    return document


class RequestTest(unittest.TestCase):
    def assert_invalid(self, given) -> None:
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        with self.assertRaises(BodyInvalid):
            read_request(data)

    def test_a_valid_request_is_read(self):
        request = read_request(json.dumps(body()).encode())
        self.assertEqual(request.epoch.key, bytes(range(32)))
        self.assertEqual(request.patches[0].module, "x = 1\n")

    def test_its_repr_holds_neither_key_nor_patch(self):
        request = read_request(json.dumps(body()).encode())
        self.assertNotIn("x = 1", repr(request))
        self.assertNotIn(repr(bytes(range(32)))[2:20], repr(request))

    def test_unknown_and_missing_keys_are_refused(self):
        self.assert_invalid(body(extra=1))
        for name in body():
            document = body()
            del document[name]
            self.assert_invalid(document)
        self.assert_invalid(body(epoch={"id": "a", "key": KEY, "practice": 1}))
        self.assert_invalid(body(epoch={**body()["epoch"], "extra": 1}))
        self.assert_invalid(body(patches=[{"instance_id": "failmap__ttl-off-by-one-unit-2"}]))

    def test_another_protocol_is_a_mismatch(self):
        with self.assertRaises(ProtocolMismatch):
            read_request(json.dumps(body(protocol=2)).encode())
        for wrong in ("1", True, None, 1.0, [1]):
            self.assert_invalid(body(protocol=wrong))

    def test_wrong_types_and_forms_are_refused(self):
        for name, values in {
            "corpus": ["A" * 64, "a" * 63, None, 5],
            "category": ["", "A", "a--b", "../x", "a b", "a\n", None, "é"],
            "counters": [
                [],
                [0, 1],
                [0, 1, 2, 3],
                [0, 1, -1],
                [0, 1, True],
                [0, 1, 1 << 40],
                {},
                "abc",
            ],
            "submission": ["", "abc", "sub_", "sub_a/b", "sub_a\n", 5],
            "patches": [{}, None, "x", [None], [[]]],
            "epoch": [None, [], "x"],
        }.items():
            for value in values:
                with self.subTest(name, value=value):
                    self.assert_invalid(body(**{name: value}))

    def test_wrong_keys_of_an_epoch_are_refused(self):
        for key in ("", KEY[:-1], KEY + "A", "*" * 43, KEY[:-1] + "9", None, 5):
            self.assert_invalid(body(epoch={**body()["epoch"], "key": key}))
        for number in (-1, 1.5, "1", None, True, 1 << 30):
            self.assert_invalid(body(epoch={**body()["epoch"], "practice": number}))

    def test_unknown_duplicate_and_odd_instances_are_refused(self):
        good = "failmap__ttl-off-by-one-unit-2"
        for name in (
            "failmap__ttl-off-by-one-unit-0", "failmap__ttl-off-by-one-unit-4",
            "failmap__ttl-off-by-one-unit-02", "failmap__other-2",
            "failmap__ttl-off-by-one-unit-2/..",
            "failmap__ttl-off-by-one-unit-2\0", "x" * 10_000, "", None, 5,
        ):  # fmt: skip
            self.assert_invalid(body(patches=[{"instance_id": name, "module": "x"}]))
        twice = [{"instance_id": good, "module": "x"}, {"instance_id": good, "module": None}]
        self.assert_invalid(body(patches=twice))

    def test_json_that_is_not_strict_is_refused(self):
        text = json.dumps(body())
        for data in (
            b"", b"{", b"[]", b"null", b"\xff", b"\xef\xbb\xbf" + text.encode(),
            text.encode("utf-16"),
            text.replace('"protocol": 1', '"protocol": 1, "protocol": 1').encode(),
            text.replace('"protocol": 1', '"protocol": 1e999').encode(),
            text.replace('"protocol": 1', '"protocol": NaN').encode(),
            text.replace('"protocol": 1', '"protocol": -0.0').encode(),
            text.replace('"protocol": 1', '"protocol": ' + "9" * 5000).encode(),
            text.replace("x = 1", "\\ud800").encode(), (text + "x").encode(),
            b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000,
        ):  # fmt: skip
            self.assert_invalid(data)


if __name__ == "__main__":
    unittest.main()
