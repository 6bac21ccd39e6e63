"""encode: hostile objects are read and never asked."""

import collections
import fractions
import unittest
from typing import Any

from sandbox.codec import Encoder, Unencodable, encode
from sandbox.terms import read


def touched(*_args):
    raise AssertionError("a hook of a hostile object was called")


HOOKS = (
    "__eq__ __ne__ __hash__ __repr__ __str__ __format__ __iter__ __len__ __bool__ __getattr__"
    " __getattribute__ __reduce__ __reduce_ex__ __getitem__ __contains__ __index__ __int__"
    " __float__ __lt__ __next__ __call__ __enter__ __dir__ __sizeof__ __bytes__"
).split()


class HostileMeta(type):
    pass


def hostile(*bases, **members):
    """An instance of a class all of whose hooks, and its metaclass's, raise when called."""
    poses = {"__class__": property(touched), "__dict__": property(touched)}
    made = HostileMeta("Hostile", bases, {**members, **poses})
    value = made()
    for name in HOOKS:
        setattr(made, name, touched)
    return value


class HostileTest(unittest.TestCase):
    def test_no_hook_of_a_hostile_object_is_ever_called(self):
        class Plain:
            pass

        holder: Any = Plain()
        holder.inside = hostile()
        values = [
            hostile(), hostile(int), hostile(str), hostile(float), hostile(tuple), hostile(list),
            hostile(dict), hostile(set), hostile(bytes), hostile(Exception), [hostile(int)],
            {"key": hostile(list)}, (hostile(dict),), holder, ValueError(hostile(str)),
            collections.deque([hostile(int)]), slice(hostile(int)),
        ]  # fmt: skip
        for value in values:
            with self.subTest(type.__repr__(type(value))):
                encoder = Encoder(aliasing=True)
                encoder.put(value)

    def test_a_hostile_metaclass_is_not_asked(self):
        class Meta(type):
            __hash__ = __eq__ = __getattribute__ = __instancecheck__ = touched  # type: ignore
            __mro__ = __name__ = __dict__ = property(touched)  # type: ignore

        value = Meta.__new__(Meta, "X", (), {})
        encoder = Encoder()
        encoder.put(type.__call__(value))

    def test_a_class_entry_whose_name_is_hostile_is_not_asked(self):
        class Name(str):
            __eq__ = touched

            def __hash__(self):
                return hash("_fields")

        kind = type("Pair", (tuple,), {Name("other"): 1})
        encoder = Encoder()
        encoder.put(kind())

    def test_subclasses_that_lie_never_equal_what_they_pose_as(self):
        class Lie(int):
            def __eq__(self, other):
                return True

            __hash__ = int.__hash__

        class Text(str):
            pass

        class Rows(list):
            def __iter__(self):
                return iter([3])

        class Map(dict):
            def items(self):
                return [("a", 1)]

        for value in (Lie(3), [Lie(3)], {Lie(3): 1}, (Lie(3),), Text("a"), Rows(), Map()):
            with self.assertRaises(Unencodable):
                encode(value)

    def test_a_claimed_class_is_not_the_real_one(self):
        class Claims:
            __class__ = ValueError  # type: ignore

        self.assertEqual(read(encode(Claims())).tag, "O")

        class Posing(Exception):
            pass

        Posing.__name__ = Posing.__qualname__ = "ValueError"
        self.assertEqual(read(encode(Posing())).content[0][0], ".ValueError")

    def test_an_ordered_dict_with_hostile_keys_is_opaque(self):
        class Key:
            def __hash__(self):
                return 1

        made = collections.OrderedDict({Key(): 1})
        setattr(Key, "__hash__", touched)  # noqa: B010
        with self.assertRaises(Unencodable):
            encode(made)

    def test_fields_of_standard_classes_are_read_by_their_slots(self):
        value = fractions.Fraction(1, 3)
        kept = fractions.Fraction.numerator
        fractions.Fraction.numerator = property(touched)  # type: ignore
        try:
            self.assertEqual(encode(value), b"q3:1/3")
        finally:
            fractions.Fraction.numerator = kept  # type: ignore


if __name__ == "__main__":
    unittest.main()
