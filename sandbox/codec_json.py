"""The codec's values as JSON, for prompts and vectors.

None, booleans, text, whole numbers up to 2**53 - 1 and lists are themselves; everything else is
an object with exactly one key, its tag: {"tuple": [...]}, {"dict": [[key, value], ...]},
{"float": "1.5"}, {"int": "-0x10"}, {"bytes": "00ff"}. The table `_TEXT` and `_to_json` list all.
"""

import struct
from typing import Any

from sandbox.checks import Check, Compare
from sandbox.codec import CodecError, encode
from sandbox.decode import decode
from sandbox.packing import from_plain, pack, plain
from sandbox.terms import Term, read

MAX_EXACT = (1 << 53) - 1
_BARE = {"N": None, "T": True, "F": False}
_TEXT = {
    "d": "decimal", "q": "fraction", "r": "range", "D": "date", "M": "datetime", "H": "time",
    "L": "timedelta",
}  # fmt: skip
_LISTS = {"(": "tuple", "<": "set", ">": "frozenset", "S": "slice", "Q": "deque"}
_NAMED = {"?": "opaque", "!": "over", "X": "fixture", "@": "ref", "$": "attr"}
_TAGS = {name: tag for table in (_TEXT, _LISTS, _NAMED) for tag, name in table.items()}


def _float_text(data: bytes) -> str:
    return repr(struct.unpack(">d", data)[0])


def _to_json(term: Term) -> Any:
    tag, content = term.tag, term.content
    if tag in _BARE:
        return _BARE[tag]
    if tag == "i":
        value = int(content, 16)
        return value if abs(value) <= MAX_EXACT else {"int": hex(value)}
    if tag == "s":
        text = content.decode("utf-8", "surrogatepass")
        try:
            text.encode()
        except UnicodeEncodeError:
            return {"text": content.hex()}  # lone surrogates have no form in JSON
        return text
    if tag == "[":
        return [_to_json(item) for item in content]
    if tag in _LISTS:
        return {_LISTS[tag]: [_to_json(item) for item in content]}
    if tag in _TEXT:
        return {_TEXT[tag]: content.decode()}
    if tag in _NAMED:
        return {_NAMED[tag]: term.label}
    if tag == "f":
        return {"float": _float_text(content)}
    if tag == "c":
        return {"complex": [_float_text(content[:8]), _float_text(content[8:])]}
    if tag in "bB":
        return {"bytes" if tag == "b" else "bytearray": content.hex()}
    if tag == "{":
        return {"dict": [[_to_json(key), _to_json(value)] for key, value in content]}
    if tag == "&":
        return {"shared": int(content, 16)}
    if tag == "e":
        return {"member": [term.label, content.decode("utf-8", "surrogatepass")]}
    if tag == "t":
        return {"named_tuple": [term.label, *(_to_json(item) for item in content)]}
    if tag in "mO":
        pairs = [[_to_json(key), _to_json(value)] for key, value in content]
        return {"mapping" if tag == "m" else "instance": [term.label, *pairs]}
    if tag == "E":
        return {"exception": [list(content[0]), _to_json(content[1])]}
    return {{"U": "function", ".": "ellipsis", "~": "not_implemented"}[tag]: True}


def to_json(value: Any, *, aliasing: bool = False) -> Any:
    """The JSON form of a plain value."""
    return _to_json(read(encode(value, aliasing=aliasing)))


def observation_to_json(observation: bytes) -> Any:
    """The JSON form of what `runner.observe` gave. Raises `CodecError` for anything else."""
    return _to_json(read(observation))


def _sized(tag: str, data: bytes) -> bytes:
    return b"%b%x:%b" % (tag.encode(), len(data), data)


def _bytes_of(document: Any) -> bytes:
    if document is None or document is True or document is False:
        return {None: b"N", True: b"T", False: b"F"}[document]
    if type(document) is int:
        return b"i%x;" % document
    if type(document) is str:
        return _sized("s", document.encode("utf-8", "surrogatepass"))
    if type(document) is list:
        return _joined("[", document)
    if type(document) is not dict or len(document) != 1:
        raise CodecError("a tagged value has one tag")
    ((name, body),) = document.items()
    return _tagged(name, body)


def _joined(tag: str, items: list[Any], label: bytes = b"", less: int = 0) -> bytes:
    parts = b"".join(_bytes_of(item) for item in items)
    return b"%b%x:%b%b" % (tag.encode(), len(items) - less, label, parts)


def _tagged(name: str, body: Any) -> bytes:
    if name in ("tuple", "set", "frozenset", "slice"):
        return _joined(_TAGS[name], body)
    if name == "deque":
        return _joined("Q", body, less=1)
    if name in _TAGS:
        tag, text = _TAGS[name], _bytes_of(body)
        return tag.encode() + (text[1:] if tag in _TEXT else text)
    if name == "int":
        return b"i%x;" % int(body, 16)
    if name == "text":
        return _sized("s", bytes.fromhex(body))
    if name in ("bytes", "bytearray"):
        return _sized("b" if name == "bytes" else "B", bytes.fromhex(body))
    if name == "float":
        return encode(float(body))
    if name == "complex":
        return encode(complex(float(body[0]), float(body[1])))
    if name == "dict":
        return b"{%x:%b" % (len(body), _pairs(body))
    if name == "shared":
        return b"&%x;" % body
    if name == "member":
        return b"e" + _bytes_of(body[0]) + _bytes_of(body[1])
    if name == "named_tuple":
        return _joined("t", body[1:], _bytes_of(body[0]))
    if name in ("mapping", "instance"):
        tag = b"m" if name == "mapping" else b"O"
        return b"%b%x:%b%b" % (tag, len(body) - 1, _bytes_of(body[0]), _pairs(body[1:]))
    if name == "exception":
        labels = b"".join(_bytes_of(label) for label in body[0])
        return b"E%x:%b%b" % (len(body[0]), labels, _bytes_of(body[1]))
    return {"function": b"U", "ellipsis": b".", "not_implemented": b"~"}[name]


def _pairs(pairs: list[Any]) -> bytes:
    return b"".join(_bytes_of(key) + _bytes_of(value) for key, value in pairs)


def observation_from_json(document: Any) -> bytes:
    """The canonical bytes that the document is the JSON form of; also of any other value.

    Raises `CodecError` for a document that is no canonical JSON form.
    """
    try:
        data = _bytes_of(document)
        again = _to_json(read(data))
    except CodecError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, RecursionError, AttributeError) as error:
        raise CodecError("not a tagged value") from error
    # JSON's 1 equals true in Python, so the types are compared by their bytes.
    if _bytes_of(again) != data or repr(again) != repr(document):
        raise CodecError("not canonical")
    return data


def from_json(document: Any) -> Any:
    """The plain value that the document is the JSON form of."""
    return decode(observation_from_json(document))


def check_to_json(check: Check) -> Any:
    """The JSON form of a check, for prompts: shared objects inside one step stay shared."""
    fixtures, steps, watch = plain(check)
    return {
        "fixtures": [to_json(fixture, aliasing=True) for fixture in fixtures],
        "steps": [to_json(step, aliasing=True) for step in steps],
        "watch": list(watch),
        "clauses": list(check.clauses),
        "compare": {name: to_json(getattr(check.compare, name)) for name in _COMPARE},
    }


def check_from_json(document: Any) -> Check:
    """The check that `check_to_json` gave; `CodecError` for anything else."""
    try:
        fixtures = tuple(from_json(fixture) for fixture in document["fixtures"])
        steps = tuple(from_json(step) for step in document["steps"])
        compare = Compare(**{name: from_json(v) for name, v in document["compare"].items()})
        data = (fixtures, steps, tuple(document["watch"]))
        check = from_plain(data, tuple(document["clauses"]), compare)
        pack(check)  # names of keyword arguments, say, are only looked at here
        return check
    except CodecError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise CodecError("not a check") from error


_COMPARE = tuple(Compare.__dataclass_fields__)
