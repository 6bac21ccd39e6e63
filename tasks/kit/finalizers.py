"""Errors that modules under test raise while they are thrown away."""

import sys

# The file names that modules under test are compiled with.
_MODULES = frozenset({"module.py", "<module>"})


def mute_finalizers() -> None:
    """From now on this process does not print what goes wrong in a generator or finalizer of a
    module under test: a mutant's generator that ends after its module says nothing of the check."""
    sys.unraisablehook = _tell_of_ours


def _tell_of_ours(error: "sys.UnraisableHookArgs") -> None:
    trace = error.exc_traceback
    if trace is None or trace.tb_frame.f_code.co_filename not in _MODULES:
        sys.__unraisablehook__(error)
