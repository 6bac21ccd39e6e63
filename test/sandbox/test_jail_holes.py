"""Ways through that jails of this kind have had; each is shut here."""

from __future__ import annotations

from test.sandbox.jail_neighbours import SHORT, BetweenNeighbours


class Holes:
    """Each hole in both profiles."""

    class Rows(BetweenNeighbours):
        """Mixed into one class a profile."""

        def test_an_interrupt_of_the_zygote_leaves_no_flag_for_later_patches(self) -> None:
            self.refused(
                "import signal\n"
                "pids = (1, os.getppid(), -1, -os.getpgid(0) or -1)\n"
                "emit([attempt(os.kill, pid, signal.SIGINT) for pid in pids for _ in range(50)])"
            )

        def test_limits_of_the_zygote_cannot_be_lowered(self) -> None:
            self.refused(
                "pids = (1, os.getppid() or 1)\n"
                "emit([call('prlimit64', pid, which, bytes(16), 0)\n"
                "  for pid in pids for which in range(16)])"
            )

        def test_flags_of_shared_pipes_cannot_be_changed(self) -> None:
            self.refused(
                "commands = [(4, os.O_NONBLOCK), (4, 0o40000), (1031, 4096), (8, os.getpid()),\n"
                "  (10, 9), (1024, 0), (1026, 1), (1033, 15), (36, 0), (37, 0)]\n"
                "emit([call('fcntl', fd, command, value)\n"
                "    for fd in range(4) for command, value in commands]\n"
                "  + [call('ioctl', fd, request, 0) for fd in range(4)\n"
                "    for request in (0x5421, 0x5452, 0x8901)]\n"
                "  + [attempt(os.set_blocking, 3, False)])"
            )

        def test_the_timer_cannot_be_disarmed(self) -> None:
            run = self.attack(
                "endings = [call('timer_settime', n, 0, bytes(32), 0) for n in range(8)]\n"
                "endings += [call('timer_delete', n) for n in range(8)]\n"
                "if set(endings) != {'EPERM'}: emit(endings)\n"
                "while True: pass",
                SHORT,
            )
            self.assertEqual((run.ending, run.output), ("timed_out", b""))
            # Not the coarse limit of whole seconds that stands behind it.
            self.assertLess(run.cpu_us, 1_000_000)

        def test_nobody_is_left_to_hold_the_pipe(self) -> None:
            self.refused(
                "def double():\n"
                "    if os.fork() == 0 and os.fork() == 0:\n"
                "        while True: os.write(3, b'late')\n"
                "emit([attempt(double), call('clone', 0x11, 0, 0, 0, 0),\n"
                "  call('clone', 0x8011, 0, 0, 0, 0), call('clone', 0x4111, 0, 0, 0, 0)])"
            )

        def test_pipes_of_the_lane_are_out_of_reach(self) -> None:
            self.refused(
                "emit([attempt(os.read, fd, 10) for fd in range(4, 40)]\n"
                "  + [attempt(os.write, fd, b'x' * 20) for fd in range(4, 40)]\n"
                "  + [attempt(os.read, 3, 10), attempt(os.pidfd_open, 1)])"
            )

        def test_what_it_has_said_cannot_be_read_back(self) -> None:
            opened, read = self.answer(  # type: ignore[misc]
                "attempt(os.fchmod, 3, 0o777)\n"
                "os.write(3, b'# said\\n' * 100)\n"
                "names = ('self', 'thread-self', os.getpid())\n"
                "paths = [f'/proc/{name}/fd/3' for name in names] + ['/dev/fd/3']\n"
                "opened = [attempt(os.open, path, os.O_RDONLY | os.O_NONBLOCK) for path in paths]\n"
                "ends = [ending[1] for ending in opened if type(ending) is tuple]\n"
                "read = [attempt(os.read, fd, 1 << 20) for fd in ends * 1000]\n"
                "emit((opened, [part[1] for part in read if type(part) is tuple]))"
            )
            # With that capability no mode helps, and what there is to read is its own.
            if not self.lane._walls.keep_read_capability:
                self.assertLessEqual(set(opened), {"FileNotFoundError", "PermissionError"})
            self.assertEqual(b"".join(read).strip(b"# said\n"), b"")

        def test_a_forged_status_reaches_nobody(self) -> None:
            run = self.attack("os.write(3, b'\\x00' * 20 * 50)\nos._exit(0)")
            self.assertEqual((run.ending, len(run.output)), ("exited", 1000))

        def test_no_exit_code_makes_the_lane_start_anew(self) -> None:
            for code in (113, 117, 254, 255):
                run = self.attack(f"os._exit({code})")
                self.assertEqual((run.ending, run.code), ("exited", code))

        def test_a_patch_that_stops_itself_ends_at_its_wall_limit(self) -> None:
            run = self.attack(
                "import signal\n"
                "attempt(os.kill, os.getpid(), signal.SIGSTOP)\n"
                "attempt(signal.raise_signal, signal.SIGSTOP)\n"
                "signal.pause()",
                SHORT,
            )
            self.assertEqual((run.ending, run.output), ("timed_out", b""))

        def test_an_alarm_ends_only_who_set_it(self) -> None:
            run = self.attack("import signal, time\nsignal.setitimer(0, 0.01)\ntime.sleep(60)")
            self.assertEqual((run.ending, run.code), ("died", -14))


class ProfileS(Holes.Rows):
    """With namespaces."""

    profile = "S"


class ProfileL(Holes.Rows):
    """Without namespaces."""

    profile = "L"
