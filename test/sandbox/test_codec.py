"""encode / decode: the typed values."""

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import random
import sys
import typing
import unittest
from pathlib import Path

from sandbox.codec import CodecError, Limits, OverLimit, encode
from sandbox.codec_json import from_json, observation_from_json, to_json
from sandbox.decode import decode
from sandbox.terms import read
from test.sandbox.values import random_value, same

VECTORS = Path(__file__).parents[1] / "vectors" / "codec.json"


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


class Point(typing.NamedTuple):
    x: int
    y: int


@dataclasses.dataclass
class Span:
    low: int
    _cache: int = 0


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a = 1


class EncodeTest(unittest.TestCase):
    def test_every_vector_has_its_bytes_and_its_json(self):
        vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
        self.assertGreater(len(vectors["values"]), 60)
        for vector in vectors["values"]:
            with self.subTest(vector["name"]):
                data = bytes.fromhex(vector["bytes"])
                self.assertEqual(observation_from_json(vector["json"]), data)
                self.assertEqual(read(data).raw, data)

    def test_every_refused_vector_is_refused(self):
        vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
        self.assertGreater(len(vectors["refused"]), 30)
        for vector in vectors["refused"]:
            with self.subTest(vector["name"]), self.assertRaises(CodecError):
                decode(bytes.fromhex(vector["bytes"]))

    def test_values_that_differ_in_type_or_bits_have_different_bytes(self):
        different = [
            None, False, True, 0, 1, -1, 0.0, -0.0, 1.0, 1j, "", "1", b"", b"1", (),
            bytearray(b"1"), [], {}, set(), frozenset(), (1,), [1], {1: 1}, {1}, frozenset({1}),
            {True: 1}, {"1": 1},
            decimal.Decimal("1"), decimal.Decimal("1.0"), fractions.Fraction(1), range(1),
            slice(1), datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1),
            datetime.datetime(2024, 1, 1, fold=1), datetime.time(0), datetime.timedelta(0),
            ..., NotImplemented, Colour.RED, Level.LOW, Point(1, 2), (1, 2), Span(1),
            ValueError("a"), ValueError("b"), KeyError("a"), collections.Counter(),
            collections.OrderedDict(),
            collections.deque(), collections.deque((), 1), float("nan"), float("inf"), "\ud800",
        ]  # fmt: skip
        self.assertEqual(len({encode(value) for value in different}), len(different))

    def test_every_nan_has_the_same_bytes(self):
        import struct

        nans = [float("nan"), -float("nan"), *struct.unpack(">d", b"\x7f\xf8\0\0\0\0\0\x01")]
        self.assertEqual(len({encode(value) for value in nans}), 1)

    def test_the_order_of_a_set_does_not_show(self):
        words = [str(number) for number in range(50)]
        self.assertEqual(encode(set(words)), encode(set(reversed(words))))

    def test_integers_of_any_size_travel_whatever_the_digit_limit(self):
        value = 10**5000 + 7
        limit = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(640)
        try:
            self.assertEqual(decode(encode(value)), value)
            self.assertEqual(from_json(to_json(value)), value)
        finally:
            sys.set_int_max_str_digits(limit)

    def test_shared_and_equal_objects_differ_only_where_aliasing_is_asked_for(self):
        row = [1]
        self.assertEqual(encode([row, row]), encode([[1], [1]]))
        self.assertNotEqual(encode([row, row], aliasing=True), encode([[1], [1]], aliasing=True))
        again = decode(encode([row, row], aliasing=True))
        self.assertIs(again[0], again[1])

    def test_cycles_have_a_form_with_aliasing_and_are_too_deep_without(self):
        cycle: list = [1]
        cycle.append(cycle)
        again = decode(encode(cycle, aliasing=True))
        self.assertIs(again[1], again)
        with self.assertRaises(OverLimit):
            encode(cycle)

    def test_only_public_fields_of_an_instance_count(self):
        self.assertEqual(encode(Span(1, 2)), encode(Span(1, 3)))
        self.assertNotEqual(encode(Span(1)), encode(Span(2)))
        self.assertEqual(decode(encode(Slotted())).parts, (("a", 1),))

    def test_limits_end_what_is_too_deep_too_large_or_too_many(self):
        deep: list = []
        for _ in range(200_000):
            deep = [deep]
        shared: list = []
        for _ in range(60):
            shared = [shared, shared]
        try:
            for value in (
                deep,
                shared,
                "x" * (2 << 20),
                b"x" * (2 << 20),
                [0] * 200_000,
                1 << (10**8),
            ):
                with self.subTest(type(value).__name__), self.assertRaises(OverLimit):
                    encode(value)
        finally:
            while deep:  # unwound by hand: a recursive release would be deep as well
                deep = deep.pop()

    def test_the_size_limit_counts_all_parts_together(self):
        with self.assertRaises(OverLimit):
            encode(["x" * 100] * 11, limits=Limits(size=1000))

    def test_a_long_exception_message_is_cut_and_its_type_kept(self):
        term = read(encode(ValueError("x" * (100 << 20))))
        self.assertEqual(term.content[0][0], "ValueError")
        self.assertEqual(term.content[1].tag, "!")


class DecodeTest(unittest.TestCase):
    def test_a_thousand_random_values_come_back_with_their_types(self):
        chance = random.Random(5)
        for _ in range(1000):
            value = random_value(chance)
            data = encode(value)
            again = decode(data)
            self.assertTrue(same(value, again), value)
            self.assertEqual(encode(again), data)
            self.assertEqual(observation_from_json(json.loads(json.dumps(to_json(value)))), data)

    def test_every_cut_and_every_appended_byte_is_refused(self):
        data = encode([1, "text", {"a": (2.5, b"x")}, {3, 4}, ValueError("x"), Point(1, 2)])
        for end in range(len(data)):
            with self.assertRaises(CodecError):
                read(data[:end])
        with self.assertRaises(CodecError):
            read(data + b"N")

    def test_only_codec_errors_come_out_of_random_bytes(self):
        chance = random.Random(6)
        for _ in range(3000):
            data = bytearray(encode(random_value(chance)))
            for _ in range(chance.randint(1, 4)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                again = read(bytes(data))
            except CodecError:
                continue
            self.assertEqual(again.raw, bytes(data))

    def test_keys_that_python_takes_for_equal_are_kept_apart_in_terms(self):
        data = b"{2:i1;NTN"
        self.assertEqual(len(read(data).content), 2)
        with self.assertRaises(CodecError):
            decode(data)

    def test_many_colliding_keys_are_read_in_linear_time(self):
        prime = (1 << 61) - 1
        keys = b"".join(b"i%x;N" % (prime * number) for number in range(1, 40_000))
        self.assertEqual(len(read(b"{%x:" % 39_999 + keys).content), 39_999)


if __name__ == "__main__":
    unittest.main()
