"""Modules that a zygote imports once, so that no patch pays for them.

Every page of them is a page that each fork has to map: only what modules under test really use.
"""

from __future__ import annotations

import importlib

_MODULES = """
    abc array ast base64 binascii bisect calendar cmath codecs collections collections.abc
    contextlib contextvars copy csv dataclasses datetime decimal difflib enum errno fractions
    functools graphlib hashlib heapq hmac html inspect io ipaddress itertools json keyword
    linecache locale math numbers operator os pathlib queue random re reprlib secrets select
    shlex signal stat statistics string struct sys textwrap threading time timeit token tokenize
    traceback types typing unicodedata urllib.parse uuid warnings weakref zlib
    """.split()


def preload() -> None:
    """Import them all; one that an interpreter was built without is left to fail in the patch."""
    for name in _MODULES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
