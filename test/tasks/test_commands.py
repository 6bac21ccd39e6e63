"""The command line: what it prints, writes and refuses."""

import io
import json
import os
import subprocess
import sys
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from tasks.__main__ import main
from tasks.commands import chosen_slugs
from tasks.kit import AuthoringError
from tasks.kit.epoch import Keys
from tasks.kit.gate import Rejected
from tasks.kit.keyfile import TRIAL_EPOCH, TRIAL_ROOT
from tasks.kit.load import TREE, slugs
from tasks.kit.taxonomy import cells
from tasks.new import skeleton, write_skeleton
from tasks.show import first_accepted
from test.tasks.folders import Folders


class Commands(Folders):
    def run_tasks(self, *arguments: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = main(list(arguments))
        return status, out.getvalue(), err.getvalue()

    def test_show_prints_a_task_and_with_the_key_what_is_hidden(self):
        self.export("out")
        prompts, drawing = (str(self.folder / "out" / n) for n in ("prompts.jsonl", "drawing.json"))
        name = "failmap__newest-items-2"
        status, public, _ = self.run_tasks("show", name, "--prompts", prompts)
        self.assertEqual(0, status)
        self.assertIn("## Contract", public)
        self.assertNotIn("hidden check", public)
        known = ("--drawing", drawing, "--key-file", str(self.key_file))
        status, full, _ = self.run_tasks("show", name, *known, "--overlay", str(self.overlay))
        self.assertEqual(0, status)
        self.assertIn(public.strip(), full)
        self.assertIn("# hidden check 48", full)
        self.assertIn("known-failing patch", full)

    def test_list_tells_what_is_built(self):
        status, out, _ = self.run_tasks("list", "--json", "--overlay", str(self.overlay))
        listed = json.loads(out)
        self.assertEqual((0, 256), (status, len(listed["categories"])))
        self.assertEqual(["newest-items"], listed["overlay"])
        built = [row["slug"] for row in listed["categories"] if row["built"]]
        self.assertEqual(list(slugs()), built)

    def test_a_wrong_key_or_category_is_a_message_not_a_trace(self):
        bad = self.folder / "bad.key"
        bad.write_text("AAAA\n")
        common = ("export", "--epoch", "e", "--out", str(self.folder / "x"))
        for rest in (("--key-file", str(bad)), ("--key-file", str(self.folder / "none"))):
            status, _, err = self.run_tasks(*common, *rest)
            self.assertEqual(2, status)
            self.assertNotIn("Traceback", err)
        rest = ("--key-file", str(self.key_file), "--category", "no-such-category")
        self.assertEqual(2, self.run_tasks(*common, *rest)[0])
        self.assertEqual(2, self.run_tasks("validate", "no-such-category")[0])
        self.assertEqual(2, self.run_tasks("new", "no-such-category")[0])

    def test_one_broken_file_stops_an_export_by_name_but_not_work_on_the_others(self):
        for name, text in (("torn", "X = 1\ndef (\n"), ("empty", "")):
            (self.overlay / "house_rules" / f"{name}_rules.py").write_text(text)
        overlay = ("--overlay", str(self.overlay))
        key = ("--key-file", str(self.key_file), "--out", str(self.folder / "out"))
        chosen = ("--epoch", "e", "--category", "newest-items")
        status, _, err = self.run_tasks("export", *chosen, *key, *overlay)
        self.assertEqual(2, status)
        self.assertIn("house_rules/torn_rules.py does not load: line 2", err)
        self.assertIn("house_rules/empty_rules.py does not load: it has no CATEGORY", err)
        self.assertFalse((self.folder / "out").exists())
        self.assertEqual(0, self.run_tasks("show", "failmap__newest-items-1", *overlay)[0])
        status, _, err = self.run_tasks("show", "failmap__torn-rules-1", *overlay)
        self.assertEqual(2, status)
        self.assertIn("torn_rules.py", err)
        self.assertEqual(["newest-items"], chosen_slugs(["newest-items"], str(self.overlay)))

    def test_show_asks_which_drawing_was_accepted(self):
        name, overlay = "failmap__newest-items-2", ("--overlay", str(self.overlay))
        key = ("--epoch", "export", "--key-file", str(self.key_file))
        status, _, err = self.run_tasks("show", name, *key, *overlay)
        self.assertEqual(2, status)
        self.assertIn("--drawing", err)
        self.assertEqual(0, self.run_tasks("show", name, *key, *overlay, "--counter", "3")[0])

    def test_show_without_a_key_takes_a_drawing_that_the_gate_accepts(self):
        keys = Keys.of(TRIAL_EPOCH, TRIAL_ROOT)
        with mock.patch("tasks.show.examine", side_effect=[Rejected("killed: x"), None]):
            found = first_accepted("failmap__newest-items-1", keys, self.overlay)
        self.assertEqual((1, ""), found)
        with mock.patch("tasks.show.examine", side_effect=Rejected("killed: x")):
            counter, remark = first_accepted("failmap__newest-items-1", keys, self.overlay)
        self.assertEqual(0, counter)
        self.assertIn("killed: x", remark)
        with mock.patch("tasks.show.examine", side_effect=AuthoringError("oracle")):
            self.assertIn(
                "oracle", first_accepted("failmap__newest-items-1", keys, self.overlay)[1]
            )

    def test_an_overlay_that_repeats_a_public_category_is_refused(self):
        slug = slugs()[0]
        copy = self.overlay / "house_rules" / Path(cells()[slug].path).name
        copy.write_text(self.private.read_text())
        self.assertEqual(2, self.run_tasks("list", "--overlay", str(self.overlay))[0])

    def test_new_writes_a_skeleton_that_is_python(self):
        for cell in cells().values():
            compile(skeleton(cell), cell.category_slug, "exec")
        open_cell = next(iter(cells().values()))
        (self.folder / open_cell.path).parent.mkdir()
        with mock.patch("tasks.new.TREE", self.folder):
            self.assertEqual(f"tasks/{open_cell.path}", write_skeleton(open_cell.category_slug))
        self.assertTrue((self.folder / open_cell.path).is_file())

    def test_the_module_runs_from_the_command_line(self):
        command = [sys.executable, "-m", "tasks", "list"]
        done = subprocess.run(
            command, cwd=TREE.parent, capture_output=True, text=True, env=os.environ
        )
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("of 256 built", done.stdout)


if __name__ == "__main__":
    unittest.main()
