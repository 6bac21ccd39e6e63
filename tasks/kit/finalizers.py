"""Errors that modules under test raise while they are thrown away."""

import sys
from types import CodeType

# The file names that modules under test are compiled with.
_MODULES = frozenset({"module.py", "<module>"})


def mute_finalizers() -> None:
    """From now on this process does not print what goes wrong in a generator or finalizer of a
    module under test: a mutant's generator that ends after its module says nothing of the check."""
    sys.unraisablehook = _tell_of_ours


def _tell_of_ours(error: "sys.UnraisableHookArgs") -> None:
    if not _is_from_module(error):
        sys.__unraisablehook__(error)


def _is_from_module(error: "sys.UnraisableHookArgs") -> bool:
    """By the first frame of its trace or, where an error has none, by the code of what ended."""
    code = getattr(error.object, "gi_code", None) or getattr(error.object, "cr_code", None)
    code = code or getattr(error.object, "__code__", None)
    if error.exc_traceback is not None and _is_module(error.exc_traceback.tb_frame.f_code):
        return True
    return code is not None and _is_module(code)


def _is_module(code: CodeType) -> bool:
    return code.co_filename in _MODULES
