"""Attacks S01 to S07 of the corpus and cluster 5 of the field cases: source as text."""

import sys
import unittest

from test.sandbox.attack import AttackCase
from test.sandbox.corpus import FAULTY, REFERENCE

GUARDED = REFERENCE + '\nif __name__ == "__main__":\n    import sys\n    sys.exit(print(1))\n'
# Since 3.14 nobody evaluates an annotation before it is asked for.
UNDEFINED = {"invalid"} if sys.version_info < (3, 14) else {"fixed"}
WARNED = """
def last():
    try:
        return "\\d"
    finally:
        return 1 is 1
"""


class SourceTest(AttackCase):
    def test_honest_forms_of_a_file_pass(self):
        self.assert_rows(
            {
                "S01 CRLF": (REFERENCE.replace("\n", "\r\n"), {"fixed"}),
                "S01 CR": (REFERENCE.replace("\n", "\r"), {"fixed"}),
                "S01 mark": ("\ufeff" + REFERENCE, {"fixed"}),
                "S01 no final newline": (REFERENCE.rstrip(), {"fixed"}),
                "S01 tabs": (REFERENCE.replace("    ", "\t"), {"fixed"}),
                "S04 future": ("from __future__ import annotations\n" + REFERENCE, {"fixed"}),
                "S04 undefined annotation": (
                    "from __future__ import annotations\n"
                    + REFERENCE.replace("a, b, size)", "a: Span, b: Span, size) -> Span"),
                    {"fixed"},
                ),
                "S04 import": ("import heapq, statistics, dataclasses\n" + REFERENCE, {"fixed"}),
                "CL-057 main guard": (GUARDED, {"fixed"}),
                "S04 warnings of the compiler": (REFERENCE + WARNED, {"fixed"}),
                "CL-054 dataclass": (
                    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: 'int' = 0\n"
                    + REFERENCE,
                    {"fixed"},
                ),
            }
        )

    def test_coding_lines_mean_what_they_mean_in_a_file(self):
        self.assert_rows(
            {
                "S02 cp1252": ("# -*- coding: cp1252 -*-\n" + REFERENCE, {"fixed"}),
                "S02 utf-7": ("# coding: utf-7\n" + REFERENCE, {"fixed", "invalid"}),
                "S02 hidden": (
                    "# coding: utf-7\n" + REFERENCE + "\n# +AAo-distance = lambda *a: 0\n",
                    {"wrong", "invalid"},
                ),
                "S02 unknown": ("# coding: nothing\n" + REFERENCE, {"invalid"}),
                "CL-052": (
                    "# -*- coding: latin-1 -*-\nMARK = len('\u00e9')\n"
                    + REFERENCE.replace(
                        "return min(gap, size - gap)", "return min(gap, size - gap) * (MARK == 2)"
                    ),
                    {"fixed"},
                ),
            }
        )

    def test_broken_text_is_invalid(self):
        self.assert_rows(
            {
                "S03 NUL": (REFERENCE + "\0", {"invalid"}),
                "S03 bytes": (REFERENCE.encode() + b"\xff\n", {"invalid"}),
                "S05 empty": ("", {"invalid"}),
                "S05 blank": ("\n\n", {"invalid"}),
                "S05 other name": (REFERENCE.replace("distance", "dist"), {"invalid"}),
                "CL-049": (REFERENCE.replace("min", "m\0in"), {"invalid"}),
                "CL-050": (
                    REFERENCE.replace("    gap", "\u00a0\u00a0\u00a0\u00a0gap"),
                    {"invalid"},
                ),
                "CL-056": ("def helper(x: Tuple[int]): pass\n" + REFERENCE, UNDEFINED),
                "CL-079 parser": (
                    "x = " + "-" * 60_000 + "1\n" + REFERENCE,
                    {"invalid", "crashed"},
                ),
                "CL-079 sum": ("x = " + "1+" * 30_000 + "1\n" + REFERENCE, {"invalid", "crashed"}),
                "CL-079 brackets": (
                    "x = " + "(" * 5_000 + ")" * 5_000 + "\n" + REFERENCE,
                    {"invalid", "crashed"},
                ),
                "CL-081 literal": ("x = " + "1" * 5_000 + "\n" + REFERENCE, {"invalid"}),
                "mixed tabs": ("if True:\n\tx = 1\n        y = 2\n" + REFERENCE, {"invalid"}),
                "prose": ("Here is the fixed code:\n" + REFERENCE, {"invalid"}),
                "fence": ("```python\n" + REFERENCE + "```\n", {"invalid"}),
                "await": ("await x\n" + REFERENCE, {"invalid"}),
                "return": ("return 1\n" + REFERENCE, {"invalid"}),
            }
        )

    def test_the_faulty_module_itself_is_wrong(self):
        self.assert_rows({"S05 unchanged": (FAULTY, {"wrong"})})

    def test_lookalike_text_is_judged_on_its_values(self):
        self.assert_rows(
            {
                "S07 NFKC": (REFERENCE.replace("gap", "\uff47ap"), {"fixed"}),
                "S07 homoglyph": (REFERENCE.replace("gap = ", "g\u0430p = "), {"wrong"}),
                "S07 bidi": ("# \u202e safe \u2066\n" + REFERENCE, {"fixed"}),
            }
        )

    def test_an_import_that_hangs_or_blows_up_costs_only_its_task(self):
        self.assert_rows(
            {
                "CL-059": (
                    "import time\nwhile True:\n    time.sleep(1)\n" + REFERENCE,
                    {"timed_out"},
                ),
                "P57": ("while True: pass\n" + REFERENCE, {"timed_out"}),
                "P58 literal": ("x = [0] * (1 << 40)\n" + REFERENCE, {"invalid", "crashed"}),
                "P58 power": ("x = 9 ** 9 ** 9\n" + REFERENCE, {"timed_out", "invalid", "crashed"}),
            }
        )


if __name__ == "__main__":
    unittest.main()
