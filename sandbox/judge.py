"""Judges one shard: patches of one submission in one category in, counts out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sandbox.lines import lines_changed
from sandbox.material import CategoryMaterial, OurRuns, QuarantinedError, TaskMaterial
from sandbox.shard import ShardRequest
from sandbox.tally import Control, Counts, Identity, tally_json
from sandbox.verdict import MAX_MODULE, Run, Verdict, bits, judge_run, mends

ControlKind = Literal["reference", "known_failing", "unsolvable"]
CONTROLS: tuple[ControlKind, ...] = ("reference", "known_failing", "unsolvable")
EACH_CONTROL = 2
# Timeouts that are confirmed by a second run before it is clear that the machine is not slow.
CONFIRMED = 8


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Milliseconds of CPU and wall for one patch."""

    cpu_ms: int
    wall_ms: int


class Runner(Protocol):
    """A lane, or two of them with different hash seeds (`seed` 0 or 1)."""

    def submit(self, frame: bytes, limits: TimeLimits, seed: int) -> None: ...
    def receive(self, seed: int) -> Run: ...


@dataclass(frozen=True, slots=True)
class _Job:
    material: TaskMaterial
    source: str
    control: ControlKind | None = None


def limits_for(material: TaskMaterial) -> TimeLimits:
    """Generous multiples of what the reference took in this process, on this machine.

    A patch that only waits is ended by its zygote within two seconds; the wall is for one that
    naps and for a machine that is overloaded. A whole shard of patches that never end has to fit
    into the ten minutes that a caller waits for it.
    """
    cpu = min(10_000, 500 + int(20 * material.cpu_ms))
    return TimeLimits(cpu, 2 * cpu + 2_000)


# Text that may make a set or a hash, views of a dict among them: they are sets when combined.
# A string in braces costs a second run and nothing else.
_HASHES = re.compile(r"hash|[sS]et\b|\bkeys\b|\bitems\b|\{[^{}:]+\}|\{[^{}]*\bfor\b")


class Judge:
    """Judges shards on one lane, one after the other."""

    def __init__(self, identity: Identity, runner: Runner) -> None:
        self._identity = identity
        self._runner = runner

    def judge(self, request: ShardRequest, category: CategoryMaterial) -> dict[str, Any]:
        """The tally of a shard. Raises `QuarantinedError` when a control does not hold."""
        answers = {patch.instance_id: patch.module for patch in request.patches}
        jobs = [
            _Job(material, source)
            for name, material in category.tasks.items()
            if (source := answers.get(name)) is not None and _fits(source)
        ]
        verdicts, controls = self._judge_jobs(jobs, request, category)
        self._run_ours(category, [n for n, v in verdicts.items() if v.bucket == "wrong"])
        parts = {"practice": Counts(), "sealed": Counts()}
        for name, material in category.tasks.items():
            source = answers.get(name)
            verdict = verdicts.get(name, Verdict("no_answer" if source is None else "invalid"))
            counts = parts[material.task.part]
            _count(counts, material, source, verdict)
            if verdict.bucket == "wrong":
                _count_wrong(counts, material, verdict, category.ours[name])
        return tally_json(self._identity, request, controls, parts)

    def _judge_jobs(
        self, jobs: list[_Job], request: ShardRequest, category: CategoryMaterial
    ) -> tuple[dict[str, Verdict], dict[str, Control]]:
        planned = _with_controls(jobs, request, category)
        verdicts: dict[str, Verdict] = {}
        controls: dict[str, Control] = {kind: Control() for kind in CONTROLS}
        late: list[_Job] = []
        for job, run in zip(planned, self._run(planned, 0), strict=True):
            verdict = _verdict(job, run)
            if _may_be_ours(verdict, run):
                late.append(job)
            self._settle(job, verdict, verdicts, controls)
        self._confirm(late, verdicts, controls)
        self._try_other_seed(jobs, verdicts)
        for kind, control in controls.items():
            if control.held != control.run:
                raise QuarantinedError(f"a {kind} control did not hold")
        return verdicts, controls

    def _settle(
        self,
        job: _Job,
        verdict: Verdict,
        verdicts: dict[str, Verdict],
        controls: dict[str, Control],
    ) -> None:
        if job.control is None:
            verdicts[job.material.task.instance_id] = verdict
            return
        control = controls[job.control]
        control.run += 1
        control.held += (verdict.bucket == "fixed") == (job.control == "reference")

    def _confirm(
        self, late: list[_Job], verdicts: dict[str, Verdict], controls: dict[str, Control]
    ) -> None:
        """A timeout, or a lane that died, counts once a second run, alone on the lane, ends badly
        too: the machine may have been slow, or the fault ours."""
        repeated = 0
        for place, job in enumerate(late):
            if place >= CONFIRMED and repeated == place:
                return
            (run,) = self._run([job], 0)
            verdict = _verdict(job, run)
            repeated += verdict.bucket in ("timed_out", "crashed")
            if job.control is not None:
                controls[job.control].run -= 1
                controls[job.control].held -= job.control != "reference"
            self._settle(job, verdict, verdicts, controls)

    def _try_other_seed(self, jobs: list[_Job], verdicts: dict[str, Verdict]) -> None:
        """What depends on the hash seed is not fixed: it has to pass under a second one too."""
        again = [
            job
            for job in jobs
            if verdicts[job.material.task.instance_id].bucket == "fixed"
            and _HASHES.search(job.source)
        ]
        for job, (verdict, _) in zip(again, self._run_surely(again, 1), strict=True):
            if verdict.bucket != "fixed":
                verdicts[job.material.task.instance_id] = verdict

    def _run_surely(self, jobs: list[_Job], seed: int) -> list[tuple[Verdict, bool]]:
        """The verdict on each job, after a second run where the fault may be ours, and whether the
        lane was lost even then."""
        found: list[tuple[Verdict, bool]] = []
        late: list[int] = []
        for place, run in enumerate(self._run(jobs, seed)):
            verdict = _verdict(jobs[place], run)
            found.append((verdict, False))
            if _may_be_ours(verdict, run):
                late.append(place)
        for place in late:
            (run,) = self._run([jobs[place]], seed)
            found[place] = (_verdict(jobs[place], run), run.ending == "lost")
        return found

    def _run(self, jobs: list[_Job], seed: int) -> Iterator[Run]:
        for job in jobs:
            self._runner.submit(job.material.frame(job.source), limits_for(job.material), seed)
        for _ in jobs:
            yield self._runner.receive(seed)

    def _run_ours(self, category: CategoryMaterial, names: list[str]) -> None:
        """Observes the faulty module, its single faults and the known-failing patches of tasks
        where they are needed and not known yet.

        What is found here counts for every later shard, so a lane that is lost with one of them
        quarantines this one.
        """
        todo = [category.tasks[name] for name in names if name not in category.ours]
        jobs = [
            _Job(material, source)
            for material in todo
            for source in (
                material.task.module,
                *_singles(material),
                *(text for _, text in material.task.known_failing),
            )
        ]
        found = self._run_surely(jobs, 0)
        if any(lost for _, lost in found):
            raise QuarantinedError("a module of ours could not be run")
        runs = iter([verdict for verdict, _ in found])
        for material in todo:
            faulty = bits(next(runs).passed)
            singles = tuple(bits(next(runs).passed) for _ in _singles(material))
            traps = [next(runs) for _ in material.task.known_failing]
            category.ours[material.task.instance_id] = OurRuns(
                faulty, singles or (faulty,), tuple(trap.digest for trap in traps if trap.digest)
            )


def _singles(material: TaskMaterial) -> tuple[str, ...]:
    singles = material.task.single_faults
    return singles if len(singles) > 1 else ()


def _may_be_ours(verdict: Verdict, run: Run) -> bool:
    """Whether a slow machine, or a lane that died, may be what this says."""
    return verdict.bucket == "timed_out" or run.ending == "lost"


def _fits(source: str) -> bool:
    return len(source.encode("utf-8", "surrogatepass")) <= MAX_MODULE


def _verdict(job: _Job, run: Run) -> Verdict:
    material = job.material
    if job.control == "unsolvable":
        # No module can know this answer, so whatever passes here passes for nothing.
        wanted = (*material.expected[:-1], b"(3:i0;(1:(3:s5:values8:unknown!(0:(0:")
        return judge_run(run, material, wanted)
    return judge_run(run, material)


def _with_controls(
    jobs: list[_Job], request: ShardRequest, category: CategoryMaterial
) -> list[_Job]:
    """The jobs with controls at places that only the holder of the key can tell."""
    planned, tasks = list(jobs), list(category.tasks.values())
    for kind in CONTROLS:
        for number in range(EACH_CONTROL):
            label = f"{request.category}/{request.submission}/{kind}/{number}"
            which, place, patch = category.secrets(label, (len(tasks), len(planned) + 1, 1 << 16))
            material = tasks[which]
            known = material.task.known_failing
            source = material.task.reference
            if kind == "known_failing":
                source = known[patch % len(known)][1]
            planned.insert(place, _Job(material, source, kind))
    return planned


def _count(counts: Counts, material: TaskMaterial, source: str | None, verdict: Verdict) -> None:
    """Adds one task to the counts of its part.

    Lines are summed over fixed tasks only: how precise a repair is that is one.
    """
    task = material.task
    counts.tasks += 1
    setattr(counts, verdict.bucket, getattr(counts, verdict.bucket) + 1)
    counts.faults_injected += len(task.single_faults)
    if verdict.bucket == "fixed" and source is not None:
        counts.faults_mended += len(task.single_faults)
        counts.lines_changed += lines_changed(task.module, source)
        counts.lines_needed += task.lines_needed
    counts.visible_passed += verdict.visible_passed


def _count_wrong(counts: Counts, material: TaskMaterial, verdict: Verdict, ours: OurRuns) -> None:
    """Adds what a complete answer that fails says about the repair."""
    passed = bits(verdict.passed)
    lost = ours.faulty & ~passed
    counts.regressed += bool(lost >> material.visible)
    counts.trapped += verdict.digest in ours.traps
    counts.faults_mended += mends(passed, ours.singles, len(material.expected))
