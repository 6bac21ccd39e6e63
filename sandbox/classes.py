"""What a class and its instances really are, whatever they say.

Everything is read through the slots of builtin types; nothing that a class defines is called.
"""

import enum
import types
from typing import Any

from sandbox.leaves import name_form
from sandbox.pristine import (
    AttributeError,
    BaseException,
    any,
    dict,
    id,
    len,
    object,
    str,
    tuple,
    type,
)

_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
type_name = type.__dict__["__name__"].__get__
type_mro = type.__dict__["__mro__"].__get__
_type_flags = type.__dict__["__flags__"].__get__
_type_dict = type.__dict__["__dict__"].__get__
exception_args = BaseException.__dict__["args"].__get__
_Getset, _MemberSlot = types.GetSetDescriptorType, types.MemberDescriptorType
_getset_get, _slot_get = _Getset.__get__, _MemberSlot.__get__
EnumType = type(enum.Enum)
_BUILTIN_NAMES = {
    id(kind): name
    for name, kind in vars(__import__("builtins")).items()
    if type(kind) is type and kind.__name__ == name
}


def type_label(kind: type) -> str:
    """`ValueError` for a builtin type, `.StoreError` for any other: none can pose as builtin."""
    return _BUILTIN_NAMES.get(id(kind)) or "." + type_name(kind)[:200]


# Of builtin exceptions only: to keep a class of a module would keep the module.
_heads: dict[int, bytes] = {}


def builtin_exception_head(kind: type) -> bytes | None:
    """`exception_head` of a builtin exception, None for any other type."""
    known = _heads.get(id(kind))
    if known is None and _BUILTIN_NAMES.get(id(kind)) and is_exception(line := type_mro(kind)):
        return exception_head(line)
    return known


def is_exception(line: tuple[type, ...]) -> bool:
    """Whether a line of classes is that of an exception."""
    for base in line:  # noqa: SIM110 - a generator costs several times as much
        if base is BaseException:
            return True
    return False


def exception_head(line: tuple[type, ...]) -> bytes:
    """The form of an exception up to its arguments: the labels of its real line of classes."""
    known = _heads.get(id(line[0]))
    if known is not None:
        return known
    labels = b"".join(name_form(type_label(base)) for base in line if base is not object)
    head = b"E%x:%b" % (len(line) - 1, labels)
    if id(line[0]) in _BUILTIN_NAMES:
        _heads[id(line[0])] = head
    return head


def is_named_tuple(line: tuple[type, ...]) -> bool:
    # Entries are walked, not looked up: a look-up may call `__eq__` of a hostile key.
    return any(
        type(name) is str and name == "_fields" and type(entry) is tuple
        for base in line[:-2]
        for name, entry in _type_dict(base).items()
    )


def fields_of(kind: type, line: tuple[type, ...], value: Any) -> dict[str, Any] | None:
    """The real content of an instance, or None unless its classes are all made by `class`."""
    if kind is object:
        return None  # nothing but its identity
    fields: dict[str, Any] = {}
    is_enum = type(kind) is EnumType
    for base in line:
        if base is object:
            continue
        if (_type_flags(base) & (_HEAP | _IMMUTABLE)) != _HEAP:
            if is_enum:
                continue
            return None
        for name, slot in _type_dict(base).items():
            if type(name) is not str:
                continue
            if type(slot) is _MemberSlot:
                try:
                    fields.setdefault(name, _slot_get(slot, value, kind))
                except AttributeError:
                    continue
            elif name == "__dict__" and type(slot) is _Getset:
                content = _getset_get(slot, value, kind)
                for key, part in dict.items(content):
                    if type(key) is str:
                        fields.setdefault(key, part)
    return fields
