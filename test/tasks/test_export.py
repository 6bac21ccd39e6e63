"""The export: same bytes, no hidden data, an overlay reported apart; and who may import whom."""

import ast
import base64
import hashlib
import json
import sys
import unittest
from dataclasses import replace

from sandbox.codec_json import check_from_json, observation_from_json
from sandbox.compare import matches
from sandbox.reference import observe_check
from tasks.export import prompt_line, without_hidden
from tasks.kit import Category
from tasks.kit.draw import draw_task
from tasks.kit.environments import differing, environments
from tasks.kit.hidden import hidden_checks
from tasks.kit.load import TREE, corpus_digest, load_category, slugs
from tasks.kit.taxonomy import cells
from tasks.kit.trial import load_reference
from test.tasks.folders import KEYS, OVERLAY_LINE, PLANTED, ROOT, Folders
from test.tasks.planted import SOUND, ask


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


if __name__ == "__main__":
    unittest.main()
