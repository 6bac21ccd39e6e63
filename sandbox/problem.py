"""The refusals of the HTTP server: a closed list, with fixed words."""

from typing import Literal, NamedTuple

Slug = Literal[
    "unauthorized", "not-found", "method-not-allowed", "protocol-mismatch", "corpus-mismatch",
    "body-incomplete", "body-too-large", "body-invalid", "internal", "busy", "quarantined",
]  # fmt: skip


class Problem(NamedTuple):
    """HTTP status and title, as in src/protocol/problem.ts."""

    status: int
    title: str


PROBLEMS: dict[Slug, Problem] = {
    "body-incomplete": Problem(400, "The body ended before it was complete"),
    "unauthorized": Problem(401, "This needs a service credential"),
    "not-found": Problem(404, "There is nothing here for you"),
    "method-not-allowed": Problem(405, "This path does not know that method"),
    "protocol-mismatch": Problem(409, "The two sides speak different versions of the protocol"),
    "corpus-mismatch": Problem(
        409, "The sandbox holds another corpus than the epoch was drawn from"
    ),
    "body-too-large": Problem(413, "The body is larger than allowed"),
    "body-invalid": Problem(422, "The body does not have the documented shape"),
    "internal": Problem(500, "Something broke on our side"),
    "busy": Problem(503, "There is no free capacity at the moment"),
    "quarantined": Problem(503, "The shard was not scored because a control did not hold"),
}


class Refusal(Exception):
    """Ends a request with a problem document that holds nothing of the request.

    `reason` is for the operator's log, in words of ours alone; it is never part of an answer.
    """

    def __init__(self, slug: Slug, reason: str = "") -> None:
        super().__init__(slug)
        self.slug: Slug = slug
        self.reason = reason


def problem_json(slug: Slug) -> dict[str, str | int]:
    """The RFC 9457 document of a refusal."""
    status, title = PROBLEMS[slug]
    return {"type": f"/problems/{slug}", "title": title, "status": status}
