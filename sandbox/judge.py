"""Judges one shard: patches of one submission in one category in, counts out."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from sandbox.lines import lines_changed
from sandbox.material import CategoryMaterial, OurRuns, QuarantinedError, TaskMaterial
from sandbox.passes import Runner, Settled, settle
from sandbox.shard import ShardRequest
from sandbox.tally import Control, Counts, Identity, tally_json
from sandbox.verdict import MAX_MODULE, Run, Verdict, bits, judge_run, mends

ControlKind = Literal["reference", "known_failing", "unsolvable"]
CONTROLS: tuple[ControlKind, ...] = ("reference", "known_failing", "unsolvable")
EACH_CONTROL = 2


@dataclass(frozen=True, slots=True)
class _Job:
    material: TaskMaterial
    source: str
    control: ControlKind | None = None


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
        for job, (verdict, _) in zip(planned, self._settle(planned, 0), strict=True):
            if job.control is None:
                verdicts[job.material.task.instance_id] = verdict
                continue
            control = controls[job.control]
            control.run += 1
            control.held += (verdict.bucket == "fixed") == (job.control == "reference")
        self._try_other_seed(jobs, verdicts)
        for kind, control in controls.items():
            if control.held != control.run:
                raise QuarantinedError(f"a {kind} control did not hold")
        return verdicts, controls

    def _settle(self, jobs: list[_Job], seed: int) -> list[Settled]:
        return settle(self._runner, jobs, seed, _verdict)

    def _try_other_seed(self, jobs: list[_Job], verdicts: dict[str, Verdict]) -> None:
        """What depends on the hash seed is not fixed: it has to pass under a second one too."""
        again = [
            job
            for job in jobs
            if verdicts[job.material.task.instance_id].bucket == "fixed"
            and _HASHES.search(job.source)
        ]
        for job, (verdict, _) in zip(again, self._settle(again, 1), strict=True):
            if verdict.bucket != "fixed":
                verdicts[job.material.task.instance_id] = verdict

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
        found = self._settle(jobs, 0)
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
