"""Patches that lie about their end or take more than their share (attack rows P05-P10, P40-P58)."""

from __future__ import annotations

import signal

from test.sandbox.jail_neighbours import PATIENT, SHORT, BetweenNeighbours


class Attacks:
    """Each row in both profiles."""

    class Rows(BetweenNeighbours):
        """Mixed into one class a profile."""

        def test_exit_at_import_answers_nothing(self) -> None:
            self.assertEqual(self.attack("sys.exit(0)").output, b"")

        def test_exit_of_the_process_answers_nothing(self) -> None:
            run = self.attack("os._exit(0)")
            self.assertEqual((run.output, run.ending, run.code), (b"", "exited", 0))

        def test_base_exceptions_end_their_own_process_only(self) -> None:
            for raised in ("SystemExit", "KeyboardInterrupt", "type('Own', (BaseException,), {})"):
                run = self.attack(f"raise {raised}")
                self.assertEqual((run.output, run.ending, run.code), (b"", "exited", 1))

        def test_exit_hooks_never_run(self) -> None:
            run = self.attack("import atexit; atexit.register(emit, 'forged'); emit(1)")
            self.assertEqual(run.output, b"1\n")

        def test_bytes_on_the_output_pipe_reach_no_neighbour(self) -> None:
            run = self.attack("os.write(3, b'forged' * 100); os._exit(0)")
            self.assertEqual(run.output, b"forged" * 100)

        def test_half_a_frame_reaches_no_neighbour(self) -> None:
            self.assertEqual(
                self.attack("os.write(3, b'\\xff\\xff'); os._exit(0)").output, b"\xff\xff"
            )

        def test_endless_loop_is_timed_out(self) -> None:
            run = self.attack("while True: pass", SHORT)
            self.assertEqual(run.ending, "timed_out")
            self.assertLess(run.cpu_us, 1_300_000)

        def test_sleep_for_an_hour_is_timed_out(self) -> None:
            self.assertEqual(
                self.attack("import time; time.sleep(3600)", SHORT).ending, "timed_out"
            )

        def test_what_only_waits_is_ended_long_before_its_wall_limit(self) -> None:
            for wait in ("time.sleep(3600)", "signal.pause()", "select.poll().poll()"):
                run = self.attack(f"import select, signal, time\n{wait}", PATIENT)
                self.assertEqual(run.ending, "timed_out", wait)

        def test_what_naps_and_works_is_left_alone(self) -> None:
            work = (
                "import time\n"
                "for _ in range(15):\n"
                "    until = time.process_time() + 0.02\n"
                "    while time.process_time() < until: pass\n"
                "    time.sleep(0.1)\n"
                "emit('done')"
            )
            self.assertEqual(self.answer(work, PATIENT), "done")

        def test_loop_that_ignores_every_signal_is_timed_out(self) -> None:
            run = self.attack(
                "import signal\n"
                "for number in range(1, 65): attempt(signal.signal, number, signal.SIG_IGN)\n"
                "while True:\n"
                "    try:\n"
                "        while True: pass\n"
                "    except BaseException: pass",
                SHORT,
            )
            self.assertEqual(run.ending, "timed_out")

        def test_two_gibibytes_at_once_are_refused(self) -> None:
            self.assertEqual(self.answer("emit(attempt(bytearray, 2 << 30))"), "MemoryError")

        def test_a_leak_ends_at_the_limit(self) -> None:
            run = self.attack("held = []\nwhile True: held.append(bytes(8 << 20))")
            self.assertEqual((run.output, run.ending, run.code), (b"", "exited", 1))

        def test_fork_bombs_are_refused(self) -> None:
            self.refused(
                "import multiprocessing, posix\n"
                "process = multiprocessing.get_context('fork').Process(target=print)\n"
                "emit([attempt(os.fork), attempt(posix.fork), attempt(os.forkpty),\n"
                "  attempt(process.start), call('clone', 17, 0, 0, 0, 0),\n"
                "  call('clone', 0x11900, 0, 0, 0, 0), call('clone3', bytes(88), 88)])"
            )

        def test_other_programs_are_refused(self) -> None:
            self.refused(
                "import subprocess\n"
                "path = sys.executable or '/bin/sh'\n"
                "emit([attempt(subprocess.run, [path]), attempt(os.execv, path, [path]),\n"
                "  attempt(os.posix_spawn, path, [path], {}), attempt(os.popen, path),\n"
                "  call('execve', path.encode(), 0, 0),\n"
                "  call('execveat', -100, path.encode(), 0, 0, 0)])"
            )
            self.assertNotEqual(self.answer("emit(os.system('true'))"), 0)

        def test_thread_bomb_is_refused(self) -> None:
            self.refused(
                "import _thread, threading\n"
                "emit([attempt(threading.Thread(target=print).start),\n"
                "  attempt(_thread.start_new_thread, print, ())])"
            )

        def test_files_are_refused(self) -> None:
            self.refused(
                "paths = ['big', '/tmp/big', '/dev/shm/big', '/var/tmp/big']\n"
                "emit([attempt(open, path, 'wb') for path in paths]\n"
                "  + [attempt(os.mkdir, path) for path in paths])"
            )

        def test_output_flood_is_cut(self) -> None:
            run = self.attack("while True: emit('x' * 10000)", SHORT)
            self.assertEqual((run.ending, len(run.output)), ("flooded", SHORT.output_bytes))

        def test_flood_of_the_standard_streams_goes_nowhere(self) -> None:
            run = self.attack("while True: print('x' * 10000); os.write(2, b'y' * 10000)", SHORT)
            self.assertEqual((run.ending, run.output), ("timed_out", b""))

        def test_destructor_that_loops_is_not_waited_for(self) -> None:
            run = self.attack(
                "class Loop:\n"
                "    def __del__(self):\n"
                "        while True: pass\n"
                "kept = Loop()\n"
                "sys.kept = kept\n"
                "emit(1)"
            )
            self.assertEqual((run.output, run.ending), (b"1\n", "exited"))

        def test_deep_recursion_ends_its_own_process_only(self) -> None:
            run = self.attack(
                "sys.setrecursionlimit(10**7)\n"
                "class Deep:\n"
                "    def __repr__(self): return repr(self)\n"
                "repr(Deep())"
            )
            self.assertEqual(run.output, b"")
            self.assertIn((run.ending, run.code), [("died", -signal.SIGSEGV), ("exited", 1)])

        def test_loops_inside_c_code_are_timed_out(self) -> None:
            for loop in (
                "import re; re.match('(a+)+$', 'a' * 40 + 'b')",
                "n = 9**9**9",
                "import itertools; sum(itertools.repeat(1, 10**12))",
            ):
                run = self.attack(loop, SHORT)
                self.assertIn(
                    (run.ending, run.code), [("timed_out", -signal.SIGKILL), ("exited", 1)]
                )

        def test_wild_read_ends_its_own_process_only(self) -> None:
            run = self.attack("ctypes.string_at(0)")
            self.assertEqual((run.ending, run.code), ("died", -signal.SIGSEGV))

        def test_descriptors_run_out(self) -> None:
            opened = self.answer(
                "held = []\n"
                "try:\n"
                "    while True: held.append(os.pipe())\n"
                "except OSError as error: emit((len(held), error.errno))"
            )
            assert isinstance(opened, tuple)
            self.assertLess(opened[0], 16)

        def test_compile_bombs_end_their_own_process_only(self) -> None:
            for bomb in ("'(' * 100_000", "'-' * 3_000_000 + '1'", "'1' + '+1' * 200_000"):
                run = self.attack(f"compile({bomb}, 'bomb', 'eval'); emit('compiled')", SHORT)
                self.assertIn(run.ending, ("exited", "died", "timed_out"))

        def test_closing_every_descriptor_gains_nothing(self) -> None:
            run = self.attack("os.closerange(0, 64)\nimport time\ntime.sleep(3600)", SHORT)
            self.assertEqual((run.ending, run.output), ("timed_out", b""))


class ProfileS(Attacks.Rows):
    """With namespaces."""

    profile = "S"


class ProfileL(Attacks.Rows):
    """Without namespaces."""

    profile = "L"
