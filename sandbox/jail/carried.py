"""Imports modules from texts that were carried into a jail."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
from collections.abc import Sequence
from types import ModuleType


class SourceFinder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports modules from their texts."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for a module that was carried in, None for any other."""
        if fullname not in self._texts:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=self.is_package(fullname))

    def is_package(self, fullname: str) -> bool:
        """Whether a carried module lies under this name."""
        return any(name.startswith(fullname + ".") for name in self._texts)

    def get_source(self, fullname: str) -> str | None:
        """The text of a carried module."""
        return self._texts.get(fullname)
