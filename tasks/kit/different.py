"""Which knob vectors of a category answer differently: all are asked the same checks."""

from collections import defaultdict
from collections.abc import Sequence

from tasks.kit.category import Category
from tasks.kit.exceptions import without_arguments
from tasks.kit.forms import look
from tasks.kit.hidden import make_checks
from tasks.kit.static import word_sets
from tasks.kit.stream import Stream
from tasks.kit.trial import Namespace, load_reference
from tasks.kit.variants import Rendered, render_variant

# Rounds of checks, in each of which every vector brings one for each edge and as many from the
# whole domain. Most vectors are told apart in the first.
ROUNDS = 2


def alike(category: Category) -> list[list[dict[str, str]]]:
    """Groups of knob vectors that no check tells apart, in the first shape and under one set of
    words; empty when every variant has answers of its own."""
    shape, words = category.shapes[0], next(word_sets(category))
    rendered = [render_variant(category, shape, knobs, words) for knobs in category.vectors]
    modules = [load_reference(one.reference) for one in rendered]
    stream = Stream(b"different", category.slug)
    groups = [list(range(len(rendered)))]
    for _ in range(ROUNDS):
        for one in rendered:
            if not groups:
                return []
            groups = _told_apart(category, one, stream, modules, groups)
    return [[dict(rendered[index].variant.knobs) for index in group] for group in groups]


def _told_apart(
    category: Category,
    rendered: Rendered,
    stream: Stream,
    modules: Sequence[Namespace],
    groups: list[list[int]],
) -> list[list[int]]:
    """The groups that are left after the checks of one more variant, those of one module taken
    out. What an error says is no answer where the check does not ask for it."""
    for check in make_checks(category, rendered.variant, stream, 2 * len(category.edges)):
        answers: dict[tuple[int, bytes], list[int]] = defaultdict(list)
        for place, group in enumerate(groups):
            for index in group:
                seen = look(modules[index], check).data
                answer = seen if check.compare.exception_args else without_arguments(seen)
                answers[place, answer].append(index)
        groups = [group for group in answers.values() if len(group) > 1]
    return groups
