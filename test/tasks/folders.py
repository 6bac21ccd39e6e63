"""Folders for a test: an overlay with one sound category, a key file, and what is exported."""

import base64
import tempfile
import unittest
from pathlib import Path

from tasks.export import export
from tasks.kit.epoch import Keys

ROOT = bytes(range(32))
KEYS = Keys.of("export", ROOT, practice=2, sealed=4)
PLANTED = Path(__file__).with_name("planted.py")
OVERLAY_LINE = "\nCATEGORY = replace(SOUND, slug='', domain='')\n"


class Folders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.overlay = self.folder / "overlay"
        (self.overlay / "house_rules").mkdir(parents=True)
        self.private = self.overlay / "house_rules" / "newest_items.py"
        self.private.write_text(PLANTED.read_text() + OVERLAY_LINE)
        self.key_file = self.folder / "root.key"
        self.key_file.write_text(base64.urlsafe_b64encode(ROOT).decode().rstrip("=") + "\n")

    def export(self, name: str, overlay: Path | None = None, **options):
        out = self.folder / name
        chosen = ["newest-items"]
        export(KEYS, ROOT, chosen, out, str(overlay or self.overlay), **options)
        return (out / "prompts.jsonl").read_bytes(), (out / "drawing.json").read_bytes()
