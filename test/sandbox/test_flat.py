"""The short way to a form against the encoder."""

import random
import unittest
from typing import Any

from sandbox.codec import OverLimit, encode
from sandbox.flat import encode_flat
from test.sandbox.values import random_value


def nested(levels: int, inner: Any = 7) -> Any:
    for _ in range(levels):
        inner = (inner,)
    return inner


class LookAlike(ValueError):
    """Not a builtin exception, whatever its base."""


class FlatTest(unittest.TestCase):
    """encode_flat(value)"""

    def test_gives_the_bytes_of_the_encoder_or_none(self):
        chance = random.Random(7)
        taken = 0
        for _ in range(4000):
            value = random_value(chance, 3)
            flat = encode_flat(value)
            taken += flat is not None
            self.assertIn(flat, (None, encode(value)), value)
        self.assertGreater(taken, 1000)

    def test_holds_at_its_borders(self):
        for value in (
            *(["x"] * count for count in (0, 1, 31, 32, 33)),
            *({n: None for n in range(count)} for count in (0, 31, 32)),
            *(nested(levels) for levels in range(9)),
            *(nested(levels, ValueError("x", (1, [2]))) for levels in range(9)),
            *(("x" * size, "y") for size in (4085, 4090, 4100)),
            *(KeyError("x" * size) for size in (0, 190, 200, 5000, 1 << 21)),
            *(ValueError(*range(count)) for count in (0, 31, 32, 150, 250)),
            OSError(2, "gone", "name"), UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"),
            (True, False, None, 0, -1, 1 << 80, 1.5, float("nan"), "\ud800", b"x", {"a": {}}),
        ):  # fmt: skip
            self.assertIn(encode_flat(value), (None, encode(value)), repr(value)[:80])
        self.assertIsNotNone(encode_flat(ValueError("x", (1, [2]))))
        self.assertIsNotNone(encode_flat({"rows": [{"id": 1, "tags": ("a", None)}]}))

    def test_leaves_to_the_encoder_what_has_hooks_or_an_identity(self):
        for value in (
            {1},
            bytearray(b"x"),
            LookAlike("x"),
            object(),
            int,
            range,
            type("I", (int,), {})(5),
        ):
            if encode_flat(value) is not None:
                self.assertEqual(encode_flat(value), encode(value))
        self.assertIsNone(encode_flat([LookAlike("x")]))
        self.assertIsNone(encode_flat((type("Text", (str,), {})("x"),)))
        self.assertIsNone(encode_flat([type("Rows", (list,), {})()]))

    def test_refuses_what_is_too_long_as_the_encoder_does(self):
        for value in ("x" * (2 << 20), ["a", b"x" * (2 << 20)]):
            for form in (encode_flat, encode):
                with self.assertRaisesRegex(OverLimit, "size"):
                    form(value)


if __name__ == "__main__":
    unittest.main()
