"""The export: same bytes, no hidden data, an overlay reported apart; and who may import whom."""

import ast
import base64
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from unittest import mock

from sandbox.codec_json import check_from_json, observation_from_json
from sandbox.compare import matches
from sandbox.reference import observe_check
from tasks.__main__ import main
from tasks.commands import chosen_slugs
from tasks.export import export, prompt_line, without_hidden
from tasks.kit import AuthoringError, Category
from tasks.kit.draw import draw_task
from tasks.kit.environments import differing, environments
from tasks.kit.epoch import Keys
from tasks.kit.gate import Rejected
from tasks.kit.hidden import hidden_checks
from tasks.kit.keyfile import TRIAL_EPOCH, TRIAL_ROOT
from tasks.kit.load import TREE, corpus_digest, load_category, slugs
from tasks.kit.taxonomy import cells
from tasks.kit.trial import load_reference
from tasks.new import skeleton, write_skeleton
from tasks.show import first_accepted
from test.tasks.planted import SOUND, ask

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


class Export(Folders):
    def test_gives_the_same_bytes_again_and_with_more_processes(self):
        self.assertEqual(self.export("one"), self.export("two", jobs=2))

    def test_lines_are_canonical_and_counted_by_the_drawing(self):
        prompts, drawing_bytes = self.export("out")
        drawing = json.loads(drawing_bytes)
        lines = prompts.splitlines(keepends=True)
        self.assertEqual(6, len(lines))
        self.assertEqual(hashlib.sha256(prompts).hexdigest(), drawing["prompts"]["sha256"])
        self.assertEqual(len(prompts), drawing["prompts"]["bytes"])
        self.assertEqual(6, drawing["prompts"]["count"])
        self.assertEqual(corpus_digest(self.overlay), drawing["corpus"])
        (category,) = drawing["categories"]
        self.assertEqual("overlay", category["origin"])
        self.assertEqual("house-rules", category["domain"])
        self.assertEqual(6, len(category["counters"]))
        for number, line in enumerate(lines, 1):
            prompt = json.loads(line)
            again = json.dumps(prompt, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            self.assertEqual(line.decode(), again + "\n")
            self.assertEqual(f"failmap__newest-items-{number}", prompt["instance_id"])

    def test_counters_and_key_draw_the_same_tasks_again(self):
        prompts, drawing = self.export("out")
        category = load_category("newest-items", self.overlay)
        counters = json.loads(drawing)["categories"][0]["counters"]
        for line, counter in zip(prompts.splitlines(), counters, strict=True):
            prompt = json.loads(line)
            number = int(prompt["instance_id"].rpartition("-")[2])
            task = draw_task(KEYS, category, number, counter)
            self.assertEqual(prompt["module"], task.module)
            self.assertEqual(prompt["prompt"], task.prompt)
            self.assertEqual(prompt["part"], task.part)

    def test_visible_checks_travel_as_data(self):
        prompts, _ = self.export("out")
        category = load_category("newest-items", self.overlay)
        for line in prompts.splitlines()[:2]:
            prompt = json.loads(line)
            task = draw_task(KEYS, category, int(prompt["instance_id"].rpartition("-")[2]), 0)
            reference = load_reference(task.reference)
            for visible in prompt["visible"]:
                check = check_from_json(visible["check"])
                expected = observation_from_json(visible["expected"])
                self.assertTrue(matches(expected, observe_check(reference, check), check.compare))
                compile(visible["assert"], "assert", "exec")


CANARY = "canary-5c1f"


def with_canary() -> Category:
    """The sound category with a mark in every hidden input."""

    def marked(v, s):
        return ask(v, [CANARY, s.below(99), s.below(99)], 1, 2, 3, clauses="last")

    return replace(SOUND, edges=(marked,), wide=marked)


class Secrecy(Folders):
    def test_a_mark_in_every_hidden_input_is_in_no_prompt(self):
        category = with_canary()
        for number in range(1, 7):
            task = draw_task(KEYS, category, number, 0)
            hidden = hidden_checks(KEYS, category, task)
            self.assertTrue(all(CANARY in repr(check) for check in hidden))
            line = json.dumps(prompt_line(draw_task(KEYS, without_hidden(category), number, 0)))
            self.assertNotIn(CANARY, line)
            self.assertEqual(json.loads(line), prompt_line(task))

    def test_makers_of_hidden_checks_are_out_of_reach_of_the_export(self):
        task = draw_task(KEYS, SOUND, 1, 0)
        with self.assertRaises(AssertionError):
            hidden_checks(KEYS, without_hidden(SOUND), task)

    def test_no_key_is_in_what_is_published(self):
        prompts, drawing = self.export("out")
        secrets = (ROOT, KEYS.split, KEYS.draw, KEYS.inputs, KEYS.controls)
        for secret in secrets:
            for form in (secret.hex().encode(), base64.urlsafe_b64encode(secret).rstrip(b"=")):
                self.assertNotIn(form, prompts + drawing)

    def test_the_export_does_not_import_hidden_checks(self):
        banned = {"tasks.kit.hidden", "tasks.kit.gate"}
        for name in ("export.py", "kit/draw.py", "kit/prompt.py", "kit/task.py", "kit/asserts.py"):
            tree = ast.parse((TREE / name).read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom):
                    self.assertNotIn(node.module, banned, name)
                elif isinstance(node, ast.Import):
                    self.assertFalse(banned & {alias.name for alias in node.names}, name)


class Imports(unittest.TestCase):
    def test_tasks_use_the_standard_library_the_sandbox_and_the_kit(self):
        for path in TREE.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    names = [node.module or ""]
                for name in names:
                    top = name.partition(".")[0]
                    own = top in ("sandbox", "tasks")
                    self.assertTrue(own or top in sys.stdlib_module_names, f"{path}: {name}")
                    self.assertNotEqual("random", top, path)

    def test_categories_know_the_kit_and_checks_only(self):
        for slug in slugs():
            path = TREE / cells()[slug].path
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tasks"):
                    self.assertEqual("tasks.kit", node.module, path)
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sandbox"):
                    self.assertEqual("sandbox.checks", node.module, path)


class Map(unittest.TestCase):
    def test_has_256_cells_in_16_domains_and_a_package_for_each(self):
        self.assertEqual(256, len(cells()))
        domains = [cell.domain_slug for cell in cells().values()]
        self.assertEqual({16}, {domains.count(domain) for domain in domains})
        for cell in cells().values():
            self.assertTrue((TREE / cell.path).parent.joinpath("__init__.py").is_file())


class Environments(Folders):
    def test_set_order_that_shows_is_told(self):
        text = PLANTED.read_text().replace(
            "    $over_rule\n",
            "    $over_rule\n    $items = list({str(item) for item in $items})\n",
        )
        self.private.write_text(text + OVERLAY_LINE)
        faults = differing(["newest-items"], str(self.overlay), 1, other_pythons=False)
        self.assertIn("differ between environments", faults["newest-items"])

    def test_a_sound_category_is_the_same_everywhere(self):
        self.assertGreaterEqual(len(environments(other_pythons=True)), 2)
        self.assertEqual({}, differing(["newest-items"], str(self.overlay), 2, other_pythons=True))


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
