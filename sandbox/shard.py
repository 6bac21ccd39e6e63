"""The shard request: strict JSON in, one frozen shape out."""

import base64
import json
import re
from dataclasses import dataclass
from typing import Any

from sandbox.tally import PROTOCOL

# As `shardBytes` of src/protocol/limits.ts. The API lets through as many bytes of patch lines less
# the 64 KiB of an envelope, and no way to write a module in JSON is shorter than its own, so that
# escapes add nothing to what it counted.
MAX_BODY = 8 << 20
MAX_TASKS = 2_000
MAX_COUNTER = 1 << 31
_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
_EPOCH, _SLUG = re.compile(_ID), re.compile(r"[a-z0-9]+(?:-[a-z0-9]+){0,15}")
_SUBMISSION, _DIGEST = re.compile(r"sub_[A-Za-z0-9_-]{1,100}"), re.compile(r"[0-9a-f]{64}")
_KEY = re.compile(r"[A-Za-z0-9_-]{43}")


class BodyInvalid(ValueError):
    """The body does not have the documented shape. The text names places, never content."""


class ProtocolMismatch(ValueError):
    """Made for another version of this protocol."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """`key` is the root key; its repr is cut so that no traceback can show it."""

    id: str
    key: bytes
    practice: int
    sealed: int

    def __repr__(self) -> str:
        return f"Epoch({self.id})"


@dataclass(frozen=True, slots=True)
class Patch:
    """`module` is None for no answer."""

    instance_id: str
    module: str | None

    def __repr__(self) -> str:
        return f"Patch({self.instance_id})"


@dataclass(frozen=True, slots=True)
class ShardRequest:
    """The patches of one submission in one category; counters[i] draws task number i + 1."""

    corpus: str
    epoch: Epoch
    category: str
    counters: tuple[int, ...]
    submission: str
    patches: tuple[Patch, ...]


def read_request(body: bytes) -> ShardRequest:
    """The request in `body`. Raises `BodyInvalid` or `ProtocolMismatch`."""
    document = read_json(body)
    _keys(
        document,
        "body",
        ("protocol", "corpus", "epoch", "category", "counters", "submission", "patches"),
    )
    if type(document["protocol"]) is not int:
        raise BodyInvalid("protocol")
    if document["protocol"] != PROTOCOL:
        raise ProtocolMismatch
    epoch = document["epoch"]
    _keys(epoch, "epoch", ("id", "key", "practice", "sealed"))
    practice = _number(epoch["practice"], "epoch.practice", MAX_TASKS)
    sealed = _number(epoch["sealed"], "epoch.sealed", MAX_TASKS)
    counters = _list(document["counters"], "counters", 2 * MAX_TASKS)
    if not counters or len(counters) != practice + sealed:
        raise BodyInvalid("counters")
    category = _text(document["category"], "category", _SLUG)
    return ShardRequest(
        _text(document["corpus"], "corpus", _DIGEST),
        Epoch(_text(epoch["id"], "epoch.id", _EPOCH), _key(epoch["key"]), practice, sealed),
        category,
        tuple(_number(counter, "counters", MAX_COUNTER) for counter in counters),
        _text(document["submission"], "submission", _SUBMISSION),
        _patches(document["patches"], category, len(counters)),
    )


def _patches(value: Any, category: str, count: int) -> tuple[Patch, ...]:
    known = {f"failmap__{category}-{number}" for number in range(1, count + 1)}
    patches = []
    for item in _list(value, "patches", 2 * MAX_TASKS):
        _keys(item, "patches", ("instance_id", "module"))
        name, module = item["instance_id"], item["module"]
        if type(name) is not str or name not in known:
            raise BodyInvalid("patches.instance_id")
        known.discard(name)  # a second one is unknown
        if module is not None:
            if type(module) is not str:
                raise BodyInvalid("patches.module")
            _encodes(module, "patches.module")
        patches.append(Patch(name, module))
    return tuple(patches)


def read_json(body: bytes) -> Any:
    """JSON without duplicate keys, fractions, infinities or lone surrogates."""
    try:
        return json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_object,
            parse_float=_refuse,
            parse_constant=_refuse,
            parse_int=_integer,
        )
    except BodyInvalid:
        raise
    except (ValueError, RecursionError) as error:
        raise BodyInvalid("json") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise BodyInvalid("duplicate key")
    return made


def _refuse(text: str) -> Any:
    raise BodyInvalid("number")


def _integer(text: str) -> int:
    if len(text) > 17:
        raise BodyInvalid("number")
    return int(text)


def _keys(value: Any, place: str, names: tuple[str, ...]) -> None:
    if type(value) is not dict or set(value) != set(names):
        raise BodyInvalid(place)


def _number(value: Any, place: str, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise BodyInvalid(place)
    return value


def _list(value: Any, place: str, most: int) -> list[Any]:
    if type(value) is not list or len(value) > most:
        raise BodyInvalid(place)
    return value


def _text(value: Any, place: str, form: re.Pattern[str]) -> str:
    if type(value) is not str or form.fullmatch(value) is None:
        raise BodyInvalid(place)
    return value


def _encodes(text: str, place: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BodyInvalid(place) from error


def _key(value: Any) -> bytes:
    text = _text(value, "epoch.key", _KEY)
    data = base64.urlsafe_b64decode(text + "=")
    if base64.urlsafe_b64encode(data).decode().rstrip("=") != text:
        raise BodyInvalid("epoch.key")  # two spellings of one key would be two keys of a cache
    return data
