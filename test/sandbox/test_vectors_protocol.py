"""The protocol's vectors hold in Python too: canonical JSON, digests, ids, keys, signatures."""

import base64
import hashlib
import json
import re
import unittest
from pathlib import Path
from typing import Any

from tasks.kit.epoch import Keys

VECTORS = Path(__file__).parents[1] / "vectors"

# The pattern is written out again on purpose: a copy in another language is what vectors are for.
INSTANCE_ID = re.compile(r"failmap__([a-z0-9]+(?:-[a-z0-9]+)*)-([1-9][0-9]{0,3})", re.ASCII)
EPOCH_ID = re.compile(r"(?=.{3,64}\Z)[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
KEY_ID = re.compile(r"key_[A-Za-z0-9_-]{43}", re.ASCII)


def load(name: str) -> Any:
    """One vector file."""
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


def number(value: float) -> str:
    """A finite number as ECMAScript prints it (RFC 8785 section 3.2.2.3)."""
    if value == 0 or isinstance(value, int):
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.<digits> times ten to the power of `point`.
    point = int(exponent or 0) + (len(whole) if whole != "0" else len(digits) - len(fraction))
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if 0 < point <= 21:
        return f"{sign}{digits[:point].ljust(point, '0')}.{digits[point:]}".rstrip(".")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


def canonical(value: Any) -> str:
    """RFC 8785 text of parsed JSON."""
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(k)}:{canonical(v)}" for k, v in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def sha256(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def from_base64url(text: str) -> bytes | None:
    """Bytes of unpadded base64url text with one spelling a value, else None."""
    if re.fullmatch(r"[A-Za-z0-9_-]*", text, re.ASCII) is None or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if to_base64url(data) == text else None


def to_base64url(data: bytes) -> str:
    """Unpadded base64url."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Ed25519:
    """Verification by RFC 8032 in affine coordinates: slow, short, independent of the client."""

    P = 2**255 - 19
    L = 2**252 + 27742317777372353535851937790883648493
    D = -121665 * pow(121666, -1, P) % P
    BASE_Y = 4 * pow(5, -1, P) % P

    @classmethod
    def point(cls, data: bytes) -> tuple[int, int] | None:
        """The point that 32 bytes encode."""
        encoded = int.from_bytes(data, "little")
        y, sign = encoded & (2**255 - 1), encoded >> 255
        square = (y * y - 1) * pow(cls.D * y * y + 1, -1, cls.P) % cls.P
        x = pow(square, (cls.P + 3) // 8, cls.P)
        if (x * x - square) % cls.P:
            x = x * pow(2, (cls.P - 1) // 4, cls.P) % cls.P
        if y >= cls.P or (x * x - square) % cls.P:
            return None
        return (x if x & 1 == sign else cls.P - x), y

    @classmethod
    def add(cls, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
        """Sum of two points."""
        twist = cls.D * a[0] * b[0] * a[1] * b[1] % cls.P
        x = (a[0] * b[1] + b[0] * a[1]) * pow(1 + twist, -1, cls.P) % cls.P
        y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - twist, -1, cls.P) % cls.P
        return x, y

    @classmethod
    def times(cls, factor: int, point: tuple[int, int]) -> tuple[int, int]:
        """A multiple of a point."""
        total = (0, 1)
        while factor:
            if factor & 1:
                total = cls.add(total, point)
            point = cls.add(point, point)
            factor >>= 1
        return total

    @classmethod
    def verifies(cls, key: bytes, message: bytes, signature: bytes) -> bool:
        """Whether S B = R + H(R, A, M) A."""
        base = cls.point(cls.BASE_Y.to_bytes(32, "little"))
        r, a = cls.point(signature[:32]), cls.point(key)
        s = int.from_bytes(signature[32:], "little")
        if base is None or r is None or a is None or s >= cls.L:
            return False
        hashed = hashlib.sha512(signature[:32] + key + message).digest()
        k = int.from_bytes(hashed, "little") % cls.L
        return cls.times(s, base) == cls.add(r, cls.times(k, a))


class CanonicalJson(unittest.TestCase):
    """test/vectors/json.json."""

    def test_canonical_text_and_digest_are_the_same(self) -> None:
        for vector in load("json")["canonical"]:
            with self.subTest(vector["name"]):
                text = canonical(vector["value"])
                self.assertEqual(text, vector["canonical"])
                self.assertEqual(sha256(text.encode()), vector["sha256"])

    def test_numbers_print_as_in_the_appendix_of_the_rfc(self) -> None:
        samples = {
            0.0: "0",
            5e-324: "5e-324",
            1.7976931348623157e308: "1.7976931348623157e+308",
            295147905179352830000.0: "295147905179352830000",
            9.999999999999997e22: "9.999999999999997e+22",
            1e23: "1e+23",
            0.000001: "0.000001",
            1e-7: "1e-7",
            333333333.33333325: "333333333.33333325",
            -0.0000033333333333333333: "-0.0000033333333333333333",
            1424953923781206.2: "1424953923781206.2",
        }
        for value, text in samples.items():
            self.assertEqual(number(value), text)

    def test_a_duplicate_or_forbidden_key_is_seen_by_pairs(self) -> None:
        def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            keys = [key for key, _ in pairs]
            if len(set(keys)) < len(keys) or {"__proto__", "constructor", "prototype"} & set(keys):
                raise ValueError
            return dict(pairs)

        for vector in load("json")["refused"]:
            if vector["reason"] in ("duplicate key", "forbidden key"):
                with self.subTest(vector["name"]), self.assertRaises(ValueError):
                    json.loads(vector["text"], object_pairs_hook=unique)


class Digests(unittest.TestCase):
    """test/vectors/digests.json."""

    def test_digests_are_of_utf8_bytes(self) -> None:
        for vector in load("digests")["digests"]:
            data = vector["text"].encode()
            self.assertEqual((sha256(data), len(data)), (vector["sha256"], vector["bytes"]))


class Ids(unittest.TestCase):
    """test/vectors/ids.json."""

    def setUp(self) -> None:
        self.ids = load("ids")

    def test_instance_ids_are_read_alike(self) -> None:
        for text, category, task in self.ids["instance_id"]["accepted"]:
            match = INSTANCE_ID.fullmatch(text)
            assert match is not None
            self.assertEqual((match[1], int(match[2])), (category, task))
        for text in self.ids["instance_id"]["refused"]:
            if len(text) <= 64:
                self.assertIsNone(INSTANCE_ID.fullmatch(text), text)

    def test_epoch_and_key_ids_are_read_alike(self) -> None:
        for pattern, name in ((EPOCH_ID, "epoch_id"), (KEY_ID, "key_id")):
            for text in self.ids[name]["accepted"]:
                self.assertIsNotNone(pattern.fullmatch(text))
            for text in self.ids[name]["refused"]:
                self.assertIsNone(pattern.fullmatch(text), text[:40])

    def test_ids_follow_from_digests_and_thumbprints(self) -> None:
        for vector in self.ids["submission"]:
            self.assertEqual(vector["submission"], "sub_" + vector["manifest"][:40])
            self.assertEqual(vector["report"], "rpt_" + vector["manifest"][:40])
        for vector in self.ids["thumbprint"]:
            digest = hashlib.sha256(canonical(vector["jwk"]).encode()).digest()
            self.assertEqual(vector["key"], "key_" + to_base64url(digest))

    def test_base64url_has_one_spelling_a_value(self) -> None:
        for text, data in self.ids["base64url"]["accepted"]:
            self.assertEqual(from_base64url(text), bytes.fromhex(data))
        for text in self.ids["base64url"]["refused"]:
            self.assertIsNone(from_base64url(text), text)


class EpochKeys(unittest.TestCase):
    """test/vectors/epoch-keys.json."""

    def test_the_kit_derives_the_same_purpose_keys(self) -> None:
        for vector in load("epoch-keys")["keys"]:
            root = from_base64url(vector["root"])
            assert root is not None
            keys = Keys.of(vector["epoch"], root)
            derived = {
                "split": keys.split.hex(),
                "draw": keys.draw.hex(),
                "inputs": keys.inputs.hex(),
                "controls": keys.controls.hex(),
            }
            self.assertEqual(derived, vector["purposes"])

    def test_the_commitment_binds_epoch_and_root(self) -> None:
        for vector in load("epoch-keys")["keys"]:
            root = from_base64url(vector["root"])
            assert root is not None
            committed = b"failmap/commit/v1" + vector["epoch"].encode() + root
            self.assertEqual(sha256(committed), vector["commitment"])


class Signatures(unittest.TestCase):
    """test/vectors/jws.json."""

    def setUp(self) -> None:
        self.jws = load("jws")

    def test_each_signature_verifies_over_canonical_payload_and_header(self) -> None:
        key = from_base64url(self.jws["private_jwk"]["x"])
        assert key is not None
        for use in ("manifest", "request", "proof"):
            with self.subTest(use):
                text = self.jws[use]["jws"]
                header, payload, signature = text.split(".")
                expected = {
                    "alg": "EdDSA",
                    "typ": f"failmap-{use}+jwt",
                    "kid": self.jws["key"],
                }
                self.assertEqual(json.loads(from_base64url(header) or b""), expected)
                self.assertEqual(
                    from_base64url(payload), canonical(self.jws[use]["payload"]).encode()
                )
                signed = f"{header}.{payload}".encode()
                self.assertTrue(Ed25519.verifies(key, signed, from_base64url(signature) or b""))
                self.assertFalse(
                    Ed25519.verifies(key, signed + b"x", from_base64url(signature) or b"")
                )

    def test_ids_and_digests_of_a_submission_follow_from_its_bytes(self) -> None:
        manifest = self.jws["manifest"]
        payload = manifest["payload"]
        self.assertEqual(sha256(canonical(payload).encode()), manifest["sha256"])
        self.assertEqual(manifest["submission"], "sub_" + manifest["sha256"][:40])
        self.assertEqual(sha256(canonical(self.jws["card"]).encode()), payload["epoch"]["card"])
        patches = self.jws["patches"].encode()
        self.assertEqual(
            payload["patches"],
            {"sha256": sha256(patches), "bytes": len(patches), "count": patches.count(b"\n")},
        )
        for line in self.jws["patches"].splitlines():
            self.assertEqual(canonical(json.loads(line)), line)
        self.assertEqual(
            sha256(self.jws["request"]["body"].encode()), self.jws["request"]["payload"]["body"]
        )


if __name__ == "__main__":
    unittest.main()
