"""A small share of test.sandbox.fuzz, with every run of the tests."""

import unittest

from test.sandbox.fuzz import TARGETS, fuzz


class FuzzTest(unittest.TestCase):
    def test_garbage_ends_in_the_documented_error_and_soon(self):
        for name in TARGETS:
            with self.subTest(name):
                fuzz(name, 300, 7)


if __name__ == "__main__":
    unittest.main()
