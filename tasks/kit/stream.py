"""Deterministic choices: purpose keys by HKDF and an HMAC-SHA256 counter stream."""

import hashlib
import hmac
from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Any, TypeVar

T = TypeVar("T")

_EIGHT_WORDS = Struct(">8I").unpack
_WORD_SPAN = 1 << 32
_HASH_BLOCK = 64


def derive_key(root: bytes, epoch: str, purpose: str) -> bytes:
    """HKDF-SHA256 (RFC 5869) with an empty salt; 32 bytes for one purpose of one epoch."""
    pseudorandom_key = hmac.digest(b"", root, "sha256")
    info = f"failmap/v1/{epoch}/{purpose}".encode()
    return hmac.digest(pseudorandom_key, info + b"\x01", "sha256")


def commitment(epoch: str, root: bytes) -> str:
    """What is published before an epoch opens; hexadecimal SHA-256."""
    return hashlib.sha256(b"failmap/commit/v1" + epoch.encode() + root).hexdigest()


@lru_cache(64)
def _padded(key: bytes) -> tuple[Any, Any]:
    """The two SHA-256 states that HMAC (RFC 2104) starts from: four times cheaper to go on from."""
    if len(key) > _HASH_BLOCK:
        key = hashlib.sha256(key).digest()
    pads = (bytes(byte ^ mask for byte in key.ljust(_HASH_BLOCK, b"\x00")) for mask in (0x36, 0x5C))
    inner, outer = map(hashlib.sha256, pads)
    return inner, outer


class Stream:
    """Choices that depend on the key and the label alone: same pair, same choices, any Python."""

    __slots__ = ("_blocks", "_inner", "_outer", "_words")

    def __init__(self, key: bytes, label: str) -> None:
        inner, self._outer = _padded(key)
        self._inner = inner.copy()
        self._inner.update(label.encode() + b"\x00")
        self._blocks = 0
        self._words: list[int] = []

    def _more(self) -> None:
        """Eight words more: HMAC of the label and the number of the block."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(self._blocks.to_bytes(8, "big"))
        outer.update(inner.digest())
        self._words += _EIGHT_WORDS(outer.digest())
        self._blocks += 1

    def below(self, bound: int) -> int:
        """An integer in 0 .. bound - 1, without modulo bias; bound is at most 2**32."""
        if not 0 < bound <= _WORD_SPAN:
            raise ValueError(f"bound {bound} is outside 1 .. 2**32")
        words = self._words
        while True:
            if not words:
                self._more()
            word = words.pop()
            # Words from the last, incomplete round of the bound are left out.
            if word <= _WORD_SPAN - bound or word < _WORD_SPAN - _WORD_SPAN % bound:
                return word % bound

    def between(self, low: int, high: int) -> int:
        """An integer in low .. high, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        """One of the items; repeat an item to make it likelier."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` items at different positions, in drawn order."""
        pool, below = list(items), self.below
        size = len(pool)
        return [pool.pop(below(left)) for left in range(size, size - count, -1)]

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """All items in drawn order; the argument is left alone."""
        return self.sample(items, len(items))

    def chance(self, favourable: int, of: int = 100) -> bool:
        """True in `favourable` of `of` draws: chance(40) is 40 %, chance(1, 8) one in eight."""
        return self.below(of) < favourable

    def text(self, alphabet: Sequence[str], low: int, high: int) -> str:
        """Text of low .. high pieces of the alphabet."""
        return "".join(self.choice(alphabet) for _ in range(self.between(low, high)))
