"""Random values of every kind that the codec carries."""

import collections
import datetime
import decimal
import fractions
import random
from typing import Any


def random_leaf(chance: random.Random) -> Any:
    """A value without parts."""
    return chance.choice(
        (
            lambda: None,
            lambda: chance.random() < 0.5,
            lambda: chance.randint(-3, 3),
            lambda: chance.getrandbits(200) - (1 << 199),
            lambda: chance.choice((0.0, -0.0, 1.5, float("inf"), float("nan"), chance.random())),
            lambda: complex(chance.random(), -0.0),
            lambda: "".join(
                chance.choice("ab é€😀\ud800\0\u2028") for _ in range(chance.randint(0, 5))
            ),
            lambda: chance.randbytes(chance.randint(0, 4)),
            lambda: decimal.Decimal(
                chance.choice(("1.0", "-0", "1E+5", "NaN", "sNaN3", "Infinity"))
            ),
            lambda: fractions.Fraction(chance.randint(-9, 9), chance.randint(1, 9)),
            lambda: datetime.date(chance.randint(1, 9999), 1, 31),
            lambda: datetime.datetime(
                2024, 1, 1, 1, 2, 3, chance.choice((0, 5)), fold=chance.choice((0, 1))
            ),
            lambda: datetime.datetime(
                2024,
                1,
                1,
                tzinfo=datetime.timezone(datetime.timedelta(seconds=chance.randint(-9999, 9999))),
            ),
            lambda: datetime.time(
                chance.randint(0, 23), tzinfo=chance.choice((None, datetime.UTC))
            ),
            lambda: datetime.timedelta(chance.randint(-5, 5), chance.randint(0, 99), 7),
            lambda: range(chance.randint(-5, 5), 1 << 70, chance.randint(1, 3)),
            lambda: Ellipsis,
            lambda: NotImplemented,
        )
    )()


def random_value(chance: random.Random, depth: int = 4) -> Any:
    """A nested value."""
    if depth == 0 or chance.random() < 0.3:
        return random_leaf(chance)
    parts = [random_value(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    keys = [key for _ in parts if repr(key := random_leaf(chance)) != "Decimal('sNaN3')"]
    kind = chance.randrange(11)
    if kind == 0:
        return tuple(parts)
    if kind == 1:
        return dict(zip(keys, parts, strict=False))
    if kind == 2:
        return set(keys)
    if kind == 3:
        return frozenset(keys)
    if kind == 4:
        return collections.deque(parts, chance.choice((None, 9)))
    if kind == 5:
        return collections.OrderedDict(zip(map(repr, keys), parts, strict=False))
    if kind == 6:
        return bytearray(chance.randbytes(3))
    if kind == 7:
        return slice(*([*parts, None, None, None][:3]))
    if kind == 8:
        return collections.defaultdict(None, zip(keys, parts, strict=False))
    return parts


def same(a: Any, b: Any) -> bool:
    """Equal with equal types all the way down; NaN equals NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return len(a) == len(b) and all(
            same(x, y) and same(a[x], b[y]) for x, y in zip(a, b, strict=True)
        )
    if isinstance(a, (list, tuple, collections.deque)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, slice):
        return same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    if isinstance(a, (set, frozenset)):
        return len(a) == len(b) and sorted(map(repr, a)) == sorted(map(repr, b))
    return repr(a) == repr(b)
