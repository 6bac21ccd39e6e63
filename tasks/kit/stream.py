"""Deterministic choices: purpose keys by HKDF and an HMAC-SHA256 counter stream."""

import hashlib
import hmac
from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Any, TypeVar

T = TypeVar("T")

_BLOCKS_AT_ONCE = 4
_WORDS = Struct(f">{8 * _BLOCKS_AT_ONCE}I").unpack
_WORD_SPAN = 1 << 32
# A word below this is a fair draw for every bound up to the other, so most draws compute no limit.
_FAIR, _SMALL = _WORD_SPAN - (1 << 16), 1 << 16
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
        """Words of four blocks more; a block is the HMAC of the label and its number."""
        blocks = []
        for number in range(self._blocks, self._blocks + _BLOCKS_AT_ONCE):
            inner, outer = self._inner.copy(), self._outer.copy()
            inner.update(number.to_bytes(8, "big"))
            outer.update(inner.digest())
            blocks.append(outer.digest())
        self._blocks += _BLOCKS_AT_ONCE
        # Words are taken from the end, that of the first block.
        self._words += _WORDS(b"".join(reversed(blocks)))

    def below(self, bound: int) -> int:
        """An integer in 0 .. bound - 1, without modulo bias; bound is at most 2**32."""
        words = self._words
        if not words:
            self._more()
        word = words.pop()
        if word >= _FAIR or not 0 < bound <= _SMALL:
            word = self._unbiased(word, bound)
        return word % bound

    def _unbiased(self, word: int, bound: int) -> int:
        """The word, or the next one that is not from the last, incomplete round of the bound."""
        if not 0 < bound <= _WORD_SPAN:
            raise ValueError(f"bound {bound} is outside 1 .. 2**32")
        while word >= _WORD_SPAN - _WORD_SPAN % bound:
            if not self._words:
                self._more()
            word = self._words.pop()
        return word

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
        below, size = self.below, len(alphabet)
        return "".join([alphabet[below(size)] for _ in range(self.between(low, high))])
