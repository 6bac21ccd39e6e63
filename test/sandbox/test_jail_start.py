"""Where a jail stands, and in which words it says that it cannot."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from sandbox.jail import isolation, probe
from sandbox.jail.footprint import Footprint, base_interpreter, footprint
from sandbox.jail.isolation import detect, open_lane
from sandbox.jail.lane import Lane
from sandbox.jail.profile import IsolationUnavailable, ProfileName, walls_of
from sandbox.jail.self_test import ATTEMPTS, SelfTests
from test.sandbox.jail_neighbours import RUNNER

_ROOT = Path(__file__).resolve().parents[2]
_NOBODY = 65534
PROFILES: tuple[ProfileName, ...] = ("S", "L")


class Detect(unittest.TestCase):
    """detect"""

    def test_each_profile_holds_all_twelve_attempts(self) -> None:
        for profile in PROFILES:
            found = detect(profile)
            self.assertEqual(found.card()["self_tests"], {"run": 12, "held": 12})
            self.assertEqual(found.profile, profile)
            self.assertEqual(found.user_namespace, profile == "S")
            self.assertGreaterEqual(found.landlock_abi, 1)
            self.assertEqual(len(found.seccomp), 64)
            with open_lane(found, runner=RUNNER) as lane:
                lane.submit(b"emit(1)")
                self.assertEqual(lane.receive().output, b"1\n")

    def test_a_single_escape_is_a_refusal(self) -> None:
        escaped = SelfTests(12, 11, ("read_files: escaped: read /etc/passwd (exited 0)",))
        with mock.patch.object(isolation, "run_self_tests", return_value=escaped):
            with self.assertRaisesRegex(IsolationUnavailable, "1 of 12 attempts got out"):
                detect()

    def test_neither_profile_is_a_refusal_with_reasons_and_advice(self) -> None:
        reason = IsolationUnavailable("unshare: Operation not permitted")
        with mock.patch.object(isolation, "run_self_tests", side_effect=reason):
            with self.assertRaises(IsolationUnavailable) as caught:
                detect()
        said = str(caught.exception)
        for words in ("profile S: unshare", "user namespaces", "profile L", "Landlock", "5.13"):
            self.assertIn(words, said)

    def test_another_system_is_a_refusal(self) -> None:
        with mock.patch.object(sys, "platform", "darwin"):
            with self.assertRaisesRegex(IsolationUnavailable, "Linux container"):
                detect()

    def test_another_machine_is_a_refusal(self) -> None:
        unknown = LookupError("no system call table for riscv64: use x86_64 or aarch64")
        with mock.patch.object(isolation, "run_self_tests", side_effect=unknown):
            with self.assertRaisesRegex(IsolationUnavailable, "riscv64"):
                detect()

    def test_there_are_twelve_attempts(self) -> None:
        self.assertEqual(len(ATTEMPTS), 12)


class Walls(unittest.TestCase):
    """Lane, where something is missing"""

    def test_a_kernel_without_user_namespaces_is_named(self) -> None:
        """The launcher runs where unshare is refused, as in an unprivileged container."""
        done = _without_unshare(
            "from sandbox.jail.lane import Lane; from sandbox.jail.profile import walls_of\n"
            f"Lane(walls_of('S', runner={RUNNER!r}))"
        )
        self.assertIn("IsolationUnavailable: unshare", done.stderr)

    def test_detect_falls_back_to_the_profile_without_namespaces(self) -> None:
        done = _without_unshare(
            "from sandbox.jail.isolation import detect\nprint(detect().profile)"
        )
        self.assertEqual(done.stdout, "L\n", done.stderr)

    def test_a_root_that_can_become_nobody_else_gets_what_the_kernel_lets_it(self) -> None:
        """Root of a rootless container has one uid; without capabilities it cannot even map it."""
        none = "syscalls.drop_bounding_set(); syscalls.drop_capabilities()\n"
        for drop, profile in (("", "S"), (none, "L")):
            done = _python(
                "import os\n"
                "from sandbox.jail import syscalls\n"
                "from sandbox.jail.isolation import detect\n"
                "ids = {'uid': os.getuid(), 'gid': os.getgid()}\n"
                "syscalls.syscall('unshare', 0x10000000)\n"
                "open('/proc/self/setgroups', 'w').write('deny')\n"
                "for kind, number in ids.items():\n"
                "    open(f'/proc/self/{kind}_map', 'w').write(f'0 {number} 1')\n"
                f"{drop}"
                "print(os.geteuid(), detect().profile)"
            )
            self.assertEqual(done.stdout, f"0 {profile}\n", done.stderr)

    def test_an_interpreter_that_does_not_run_is_named(self) -> None:
        with self.assertRaisesRegex(OSError, "/bin/false does not run"):
            walls_of("S", interpreter="/bin/false")

    def test_a_runner_that_does_not_load_is_named(self) -> None:
        with self.assertRaisesRegex(IsolationUnavailable, "ModuleNotFoundError"):
            Lane(walls_of("S", runner="test.sandbox.absent"))

    def test_a_failed_start_leaves_nothing(self) -> None:
        before = len(os.listdir("/proc/self/fd"))
        for profile in PROFILES:
            with self.assertRaises(IsolationUnavailable):
                Lane(walls_of(profile, runner="test.sandbox.absent"))
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


class Interpreters(unittest.TestCase):
    """footprint"""

    def test_a_virtual_environment_counts_as_its_base(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
            self.assertEqual(footprint(f"{folder}/bin/python").executable, base_interpreter())

    def test_every_interpreter_of_this_machine_can_be_jailed(self) -> None:
        for interpreter in _interpreters():
            for profile in PROFILES:
                with Lane(walls_of(profile, runner=RUNNER, interpreter=interpreter)) as lane:
                    lane.submit(b"import decimal, sqlite3, sys; emit(sys.executable)")
                    self.assertIn(footprint(interpreter).executable.encode(), lane.receive().output)

    def test_installed_packages_are_no_part_of_it(self) -> None:
        found = footprint()
        self.assertIsInstance(found, Footprint)
        for path in found.readable:
            self.assertNotIn("-packages", path)


class Users(unittest.TestCase):
    """The same promises for who is not root"""

    def test_attacks_are_held_for_an_ordinary_user(self) -> None:
        tests = ("attacks", "escapes", "holes")
        self._as_ordinary_user(
            *(f"test.sandbox.test_jail_{name}.Profile{p}" for name in tests for p in PROFILES)
        )

    def test_secrets_are_kept_for_an_ordinary_user(self) -> None:
        self._as_ordinary_user("test.sandbox.test_jail_secrets")

    def _as_ordinary_user(self, *tests: str) -> None:
        """Run tests in a copy that everybody can read; as nobody, if this is root."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            for part in ("sandbox", "test/sandbox"):
                shutil.copytree(_ROOT / part, Path(folder, part))
            shutil.copy(_ROOT / "test/__init__.py", Path(folder, "test"))
            identity = (
                {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
            )
            done = subprocess.run(
                [_world_readable_interpreter(), "-B", "-m", "unittest", *tests],
                cwd=folder,
                capture_output=True,
                text=True,
                umask=0o022,
                **identity,
            )
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])


class Probe(unittest.TestCase):
    """python3 -m sandbox probe"""

    def test_it_says_what_stands_here(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(probe.main(), 0)
        self.assertIn("12 of 12 attempts", said.getvalue())
        self.assertIn("uses profile S", said.getvalue())

    def test_it_says_why_nothing_stands(self) -> None:
        reason = IsolationUnavailable("unshare: Operation not permitted")
        said = io.StringIO()
        with (
            mock.patch.object(probe, "prove", side_effect=reason),
            contextlib.redirect_stdout(said),
        ):
            self.assertEqual(probe.main(), 1)
        self.assertIn("not here: unshare: Operation not permitted", said.getvalue())


def _interpreters() -> list[str]:
    """This one and the system's, where it is recent enough."""
    system = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    found = [base_interpreter(), *([os.path.realpath(system)] if system else [])]
    return [path for path in dict.fromkeys(found) if _recent(path)]


def _recent(interpreter: str) -> bool:
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    return subprocess.run([interpreter, "-c", check], check=False).returncode == 0


def _world_readable_interpreter() -> str:
    for path in _interpreters():
        parents = Path(path).parents
        if all(parent.stat().st_mode & 0o001 for parent in parents):
            return path
    raise AssertionError("this machine has no Python 3.11 that an ordinary user can run")


def _without_unshare(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program under a filter that refuses unshare, as container hosts install it."""
    return _python(
        "import errno, platform\n"
        "from sandbox.jail import bpf, numbers, seccomp, syscalls\n"
        "syscalls.set_no_new_privileges()\n"
        "refused = {numbers.numbers_here()['unshare']: bpf.error(errno.EPERM)}\n"
        "seccomp.Filter(bpf.assemble(platform.machine(), refused, bpf.ALLOW)).install()\n"
        f"{program}"
    )


def _python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], cwd=_ROOT, capture_output=True, text=True, check=False
    )
