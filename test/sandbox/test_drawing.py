"""Corpus.draw: what a category file that is broken or half-written leads to."""

import tempfile
import unittest
from pathlib import Path

from sandbox.drawing import Corpus
from sandbox.material import QuarantinedError
from sandbox.shard import BodyInvalid, Epoch, ShardRequest

BROKEN = {
    "not a program": "CATEGORY = Category(\n",
    "raises": "def fault():\n    return 1 // 0\n\n\nfault()\n",
    "imports nothing": "from tasks.kit.nowhere import anything\n",
    "no category": "CATEGORY = None\n",
    "not text": "\0",
}
PLACES = {
    "not a program": "own_domain/half_written.py does not load: line 1: '(' was never closed",
    "raises": "own_domain/half_written.py does not load: line 2: ZeroDivisionError",
    "imports nothing": "own_domain/half_written.py does not load: line 1: ModuleNotFoundError",
    "no category": "own_domain/half_written.py does not load: it has no CATEGORY",
    "not text": "own_domain/half_written.py does not load: ",
}


class CorpusTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.overlay = Path(folder.name)
        self.file = self.overlay / "own_domain" / "half_written.py"
        self.file.parent.mkdir()

    def request(self, slug: str) -> ShardRequest:
        epoch = Epoch("e", bytes(32), 1, 1)
        return ShardRequest("0" * 64, epoch, slug, (0, 0), "sub_1", ())

    def test_a_broken_category_file_quarantines_its_shards_and_is_named(self):
        for name, text in BROKEN.items():
            with self.subTest(name):
                self.file.write_text(text)
                with self.assertRaises(QuarantinedError) as caught:
                    Corpus(str(self.overlay)).draw(self.request("half-written"))
                self.assertIn(PLACES[name], str(caught.exception))

    def test_the_other_categories_do_not_mind(self):
        self.file.write_text(BROKEN["not a program"])
        drawn = Corpus(str(self.overlay)).draw(self.request("ttl-off-by-one-unit"))
        self.assertEqual(len(drawn.tasks), 2)

    def test_a_category_that_does_not_exist_is_an_invalid_request(self):
        with self.assertRaises(BodyInvalid):
            Corpus(str(self.overlay)).draw(self.request("nowhere"))


if __name__ == "__main__":
    unittest.main()
