"""Modules that a zygote imports once, so that no patch pays for them.

Every page of them is a page that each fork has to map: only what modules under test really use.
"""

from __future__ import annotations

import importlib

_MODULES = """
    abc array base64 binascii bisect codecs collections collections.abc contextlib contextvars copy
    csv dataclasses datetime decimal enum errno fractions functools hashlib heapq hmac io itertools
    json locale math numbers operator os random re reprlib stat string struct sys textwrap
    threading time traceback types typing unicodedata urllib.parse warnings weakref zlib
    """.split()


def preload() -> None:
    """Import them all; one that an interpreter was built without is left to fail in the patch."""
    for name in _MODULES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
