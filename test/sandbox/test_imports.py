"""Who may import whom, and that nothing but the standard library is used."""

import ast
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
SANDBOX = ROOT / "sandbox"
# What runs beside hostile code: reachable from the runner.
CHILD_SIDE = set(
    "classes codec fixtures flat leaves limits names pristine runner schedule targets wire".split()
)
TRUSTED = {
    "judge",
    "compare",
    "material",
    "verdict",
    "drawing",
    "service",
    "server",
    "decode",
    "terms",
}


def imports_of(path: Path) -> set[str]:
    """Modules that a file names, inside functions too; an imported name may be a module."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} has a relative import"
            names.add(node.module or "")
    return names


def reachable(start: str) -> set[str]:
    """Modules of the sandbox that importing `sandbox.<start>` may load."""
    found, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        path = SANDBOX / f"{name.replace('.', '/')}.py"
        if name in found or not path.is_file():
            continue
        found.add(name)
        waiting += [
            other.removeprefix("sandbox.")
            for other in imports_of(path)
            if other.startswith("sandbox.")
        ]
    return found


class ImportsTest(unittest.TestCase):
    def test_only_the_standard_library_and_our_own_packages(self):
        for path in SANDBOX.rglob("*.py"):
            for name in imports_of(path):
                top = name.partition(".")[0]
                known = top in sys.stdlib_module_names or top in ("sandbox", "tasks")
                self.assertTrue(known, f"{path.name} imports {name}")

    def test_the_runner_reaches_the_child_side_only(self):
        self.assertEqual(reachable("runner"), CHILD_SIDE)

    def test_the_processes_of_the_jail_never_reach_the_trusted_side(self):
        for name in ("jail.zygote", "jail.patch_process", "jail.launcher", "jail.hostile"):
            found = reachable(name)
            self.assertTrue(found, name)
            self.assertFalse(found & TRUSTED, name)

    def test_only_the_bridge_imports_tasks(self):
        users = {
            path.relative_to(SANDBOX).as_posix()
            for path in SANDBOX.rglob("*.py")
            if any(name.partition(".")[0] == "tasks" for name in imports_of(path))
        }
        self.assertEqual(users, {"drawing.py"})

    def test_pickle_is_written_by_the_judge_and_read_by_the_runner(self):
        users = {
            path.relative_to(SANDBOX).as_posix()
            for path in SANDBOX.rglob("*.py")
            if imports_of(path) & {"pickle", "shelve", "dill"}
        }
        self.assertEqual(users, {"freezing.py", "runner.py"})

    def test_marshal_carries_code_into_a_jail_and_checks_to_a_patch(self):
        users = {
            path.relative_to(SANDBOX).as_posix()
            for path in SANDBOX.rglob("*.py")
            if "marshal" in imports_of(path)
        }
        self.assertEqual(users, {"jail/sources.py", "jail/carried.py", "freezing.py", "runner.py"})

    def test_code_runs_from_text_in_the_runner_and_the_jail_only(self):
        for path in SANDBOX.glob("*.py"):
            calls = {
                node.func.id
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            }
            if path.name != "runner.py":
                self.assertFalse(calls & {"eval", "exec", "compile", "__import__"} - {"__import__"})


if __name__ == "__main__":
    unittest.main()
