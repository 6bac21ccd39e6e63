"""Imports modules from code that was carried into a jail."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import marshal
from collections.abc import Sequence
from types import CodeType, ModuleType


class CodeFinder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports modules from their marshalled code; what is imported is let go of."""

    def __init__(self, codes: dict[str, bytes]) -> None:
        self._codes = codes
        self._packages = {name.rpartition(".")[0] for name in codes}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for a module that was carried in, None for any other."""
        if fullname not in self._codes:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=self.is_package(fullname))

    def is_package(self, fullname: str) -> bool:
        """Whether a carried module lies under this name."""
        return fullname in self._packages

    def get_code(self, fullname: str) -> CodeType:
        """The code of a carried module, once."""
        return marshal.loads(self._codes.pop(fullname))

    def get_source(self, fullname: str) -> None:
        """No text of ours is carried in."""
