"""The bridge to `tasks.kit`: a category of an epoch, drawn again from its key."""

from collections.abc import Sequence
from pathlib import Path

from sandbox.checks import Check
from sandbox.material import DrawnTask, QuarantinedError, Secrets
from sandbox.shard import BodyInvalid, ShardRequest
from tasks.kit.category import AuthoringError, Category
from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.hidden import hidden_checks
from tasks.kit.load import corpus_digest, load_category, overlay_folder, slugs
from tasks.kit.stream import Stream


class KitDraw:
    """One category of one epoch."""

    def __init__(self, request: ShardRequest, overlay: Path | None) -> None:
        epoch = request.epoch
        self._keys = Keys.of(epoch.id, epoch.key, epoch.practice, epoch.sealed)
        category = _load(request.category, overlay)
        drawn = []
        try:
            for number, counter in enumerate(request.counters, 1):
                task = draw_task(self._keys, category, number, counter)
                drawn.append((task, hidden_checks(self._keys, category, task)))
        except AuthoringError as error:
            raise QuarantinedError("the category cannot be drawn with these counters") from error
        self._drawn = tuple(drawn)

    @property
    def tasks(self) -> Sequence[tuple[DrawnTask, tuple[Check, ...]]]:
        return self._drawn

    def secrets(self) -> Secrets:
        """Numbers from the epoch's `controls` key."""
        key = self._keys.controls

        def below(label: str, bounds: Sequence[int]) -> list[int]:
            stream = Stream(key, label)
            return [stream.below(bound) for bound in bounds]

        return below


def _load(slug: str, overlay: Path | None) -> Category:
    """A file that somebody is in the middle of writing is our fault, not the submission's: the
    shard waits, the operator reads which file and line it is."""
    try:
        return load_category(slug, overlay)
    except AuthoringError as error:
        raise QuarantinedError(str(error)) from error


class Corpus:
    """The categories that this sandbox holds, and their digest."""

    def __init__(self, overlay: str | None = None) -> None:
        self._overlay = overlay_folder(overlay)
        self.digest = corpus_digest(self._overlay)
        self._slugs = frozenset(slugs(self._overlay))

    def draw(self, request: ShardRequest) -> KitDraw:
        """Raises `BodyInvalid` for a category that is not in the corpus."""
        if request.category not in self._slugs:
            raise BodyInvalid("category")
        return KitDraw(request, self._overlay)
