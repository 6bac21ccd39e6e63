"""Patches that reach for the machine (attack rows P60-P71), by every way that has a number."""

from __future__ import annotations

import os
import signal

from sandbox.jail.numbers import numbers_here
from test.sandbox.jail_neighbours import BetweenNeighbours

FATAL = """
    ptrace process_vm_readv process_vm_writev mount umount2 pivot_root chroot unshare setns bpf
    io_uring_setup io_uring_enter io_uring_register userfaultfd keyctl add_key request_key
    perf_event_open open_by_handle_at name_to_handle_at pidfd_getfd personality init_module
    finit_module kexec_load reboot swapon settimeofday clock_settime fsopen move_mount open_tree
    """.split()


class Escapes:
    """Each row in both profiles."""

    class Rows(BetweenNeighbours):
        """Mixed into one class a profile."""

        def test_files_of_the_machine_are_unreadable(self) -> None:
            self.refused(
                "paths = ['/etc/passwd', '/etc/shadow', '/proc/self/environ', '/proc/1/environ',\n"
                "  '/proc/self/maps', '/proc/self/status', '/proc/cpuinfo', '/sys/kernel/mm',\n"
                "  '/dev/null', '/dev/zero', '/dev/mem', '/bin/sh', '/run/secrets']\n"
                "emit([attempt(open, path, 'rb') for path in paths]\n"
                "  + [attempt(os.listdir, path) for path in ('/', '/proc', '/etc', '/tmp')]\n"
                "  + [attempt(os.open, path, 0o10000000) for path in ('/', '/etc')]\n"
                "  + [attempt(os.chdir, '/etc'), attempt(os.fchdir, 0)])"
            )

        def test_memory_of_any_process_is_unwritable(self) -> None:
            self.refused(
                "pids = ('self', '1', str(os.getppid()), str(os.getpid()))\n"
                "emit([attempt(open, f'/proc/{pid}/mem', mode)\n"
                "  for pid in pids for mode in ('rb', 'r+b', 'wb')])"
            )

        def test_this_installation_is_unreadable(self) -> None:
            here = os.path.dirname(os.path.abspath(__file__))
            self.refused(
                f"paths = [{here!r}, {os.path.dirname(here)!r}]\n"
                "emit([attempt(os.listdir, path) for path in paths]\n"
                f"  + [attempt(open, {os.path.abspath(__file__)!r})])"
            )

        def test_installed_packages_are_unreadable(self) -> None:
            self.refused(
                "import sysconfig\n"
                "root = os.path.dirname(os.__file__)\n"
                "names = ('README.txt', 'pip/__init__.py')\n"
                "emit([attempt(open, f'{root}/site-packages/{name}') for name in names])"
            )

        def test_the_standard_library_can_be_imported_late(self) -> None:
            answer = self.answer(
                "import colorsys, sqlite3, xml.etree.ElementTree, zipfile\n"
                "emit(sqlite3.connect(':memory:').execute('select 1').fetchone())"
            )
            self.assertEqual(answer, (1,))

        def test_network_is_refused(self) -> None:
            self.refused(
                "import socket\n"
                "def reach(host, port): return socket.create_connection((host, port), timeout=1)\n"
                "emit([attempt(reach, host, port) for host, port in\n"
                "  (('127.0.0.1', 8788), ('169.254.169.254', 80), ('::1', 80))]\n"
                "  + [attempt(socket.socket, family) for family in (1, 2, 10, 16, 17, 38, 40)]\n"
                "  + [attempt(socket.socketpair), attempt(socket.gethostbyname, 'localhost'),\n"
                "     attempt(socket.getaddrinfo, 'example.org', 80)])"
            )

        def test_signals_to_others_are_refused(self) -> None:
            self.refused(
                "import signal\n"
                "pids = (os.getppid(), 1, -1, 0, -os.getpgrp())\n"
                "numbers = (0, 2, 9, 15, 19)\n"
                "emit([attempt(os.kill, pid, number) for pid in pids for number in numbers]\n"
                "  + [call('tkill', os.getppid() or 1, 9), call('tgkill', 1, 1, 9),\n"
                "     call('rt_sigqueueinfo', os.getppid() or 1, 9, bytes(128)),\n"
                "     attempt(os.pidfd_open, os.getppid() or 1),\n"
                "     call('pidfd_send_signal', 0, 9, 0, 0)])"
            )

        def test_identity_and_privileges_are_refused(self) -> None:
            self.refused(
                "emit([attempt(os.setuid, 0), attempt(os.setgid, 0), attempt(os.setgroups, [0]),\n"
                "  attempt(os.setresuid, 0, 0, 0), attempt(os.seteuid, 0), attempt(os.setsid),\n"
                "  call('capset', bytes(8), bytes(24)), call('prctl', 38, 0, 0, 0, 0),\n"
                "  call('prctl', 1, 0, 0, 0, 0), call('prctl', 4, 1, 0, 0, 0),\n"
                "  call('seccomp', 1, 0, bytes(16)), call('landlock_restrict_self', 3, 0)])"
            )
            self.assertNotIn("0", str(self.answer("emit((bool(os.getuid()), bool(os.geteuid())))")))

        def test_programs_in_memory_are_refused(self) -> None:
            self.refused(
                "import mmap\n"
                "emit([attempt(os.memfd_create, 'program'), call('memfd_create', b'p', 0),\n"
                "  attempt(mmap.mmap, -1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7),\n"
                "  attempt(mmap.mmap, -1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 5),\n"
                "  call('mprotect', 0x1000, 4096, 5), call('pkey_mprotect', 0x1000, 4096, 5, -1)])"
            )

        def test_own_limits_and_priority_stay(self) -> None:
            self.refused(
                "import resource, struct\n"
                "raised = struct.pack('QQ', 64, 64)\n"
                "whole = [attempt(resource.setrlimit, n, (64, 64)) for n in (0, 4, 6, 7, 9)]\n"
                "emit([end if end != 'ValueError' else 'OSError' for end in whole]\n"
                "  + [call('prlimit64', 0, n, raised, 0) for n in (0, 4, 6, 7, 9)]\n"
                "  + [attempt(os.nice, -5), attempt(os.setpriority, 0, 0, -5),\n"
                "     attempt(os.sched_setaffinity, 0, {0}),\n"
                "     attempt(os.sched_setscheduler, 0, 1, os.sched_param(1))])"
            )

        def test_calls_that_no_honest_patch_makes_end_the_process(self) -> None:
            for name in FATAL:
                run = self.attack(f"call({name!r}, 0, 0, 0, 0, 0); emit('lived')")
                ended = (run.output, run.ending, run.code)
                self.assertEqual(ended, (b"", "died", -signal.SIGSYS), name)

        def test_foreign_numbers_end_the_process(self) -> None:
            for number in (0x40000000, 0x40000000 | 39, 0x40000000 | 172, 0x7FFFFFFF, -2):
                run = self.attack(f"_LIBC.syscall(ctypes.c_long({number})); emit('lived')")
                self.assertEqual((run.output, run.code), (b"", -signal.SIGSYS), number)

        def test_calls_outside_the_list_are_refused(self) -> None:
            names = [name for name in numbers_here() if name in _REFUSED_BY_NAME]
            self.assertGreater(len(names), 60)
            self.refused(f"emit([call(name, 0, 0, 0, 0, 0) for name in {names!r}])")

        def test_nothing_stays_for_the_next_patch(self) -> None:
            left = (
                "import fcntl\n"
                "emit([attempt(open, path, 'w') for path in ('/tmp/mark', '/dev/shm/mark')]\n"
                "  + [attempt(fcntl.flock, 0, fcntl.LOCK_EX),\n"
                "     attempt(fcntl.lockf, 1, fcntl.LOCK_EX),\n"
                "     call('shmget', 77, 4096, 0o1666), call('semget', 77, 1, 0o1666),\n"
                "     call('msgget', 77, 0o1666), call('mq_open', b'mark', 0o102, 0o666, 0)])\n"
                "sys.modules['json'].mark = 1\n"
                "os.environ['MARK'] = '1'"
            )
            self.refused(left)
            seen = self.answer(
                "import json\n"
                "emit([hasattr(json, 'mark'), 'MARK' in os.environ]\n"
                "  + [os.path.exists(path) for path in ('/tmp/mark', '/dev/shm/mark', 'mark')])"
            )
            self.assertEqual(seen, [False] * 5)


_REFUSED_BY_NAME = frozenset(
    """
    socket connect bind listen accept accept4 sendto recvfrom sendmsg recvmsg socketpair
    unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat mkdir mkdirat rmdir
    mknod mknodat chmod fchmod fchmodat chown fchown fchownat lchown truncate ftruncate fallocate
    utime utimes utimensat setxattr fsetxattr removexattr chdir fchdir creat openat2 umask sync
    shmget shmat semget msgget mq_open inotify_init inotify_init1 fanotify_mark timerfd_create
    signalfd4 splice tee vmsplice sendfile copy_file_range flock fsync
    sched_setscheduler sched_setparam sched_setattr sched_setaffinity setpriority ioprio_set
    setuid setgid setreuid setregid setresuid setresgid setfsuid setgroups setpgid setsid capset
    timer_create timer_settime timer_delete timer_gettime io_setup mlock mlockall mincore mbind
    kill tkill tgkill rt_sigqueueinfo fork vfork clone clone3 execve execveat
    prctl seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self pidfd_open
    pidfd_send_signal setrlimit arch_prctl set_thread_area remap_file_pages pkey_mprotect
    """.split()
)


class ProfileS(Escapes.Rows):
    """With namespaces."""

    profile = "S"


class ProfileL(Escapes.Rows):
    """Without namespaces."""

    profile = "L"
