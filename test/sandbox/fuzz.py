"""Garbage into everything that reads what others wrote: python3 -m test.sandbox.fuzz --n 100000.

Each target takes garbage number n and raises nothing but what its documentation says. A call that
takes longer than SLOW_SECONDS is a failure as well.
"""

import argparse
import io
import json
import random
import sys
import time
from collections.abc import Callable
from email.message import Message
from typing import Any

from sandbox.body import read_body
from sandbox.checks import Check, Compare, Ref, call, clock, take, tick, within
from sandbox.client_check import answer_line
from sandbox.codec import CodecError, encode
from sandbox.codec_json import check_from_json, check_to_json, observation_from_json, to_json
from sandbox.compare import matches
from sandbox.decode import decode
from sandbox.jail.patch_run import PatchRun
from sandbox.problem import Refusal
from sandbox.readable import readable
from sandbox.reference import observe_check
from sandbox.runner import load
from sandbox.shard import BodyInvalid, ProtocolMismatch, read_request
from sandbox.terms import read
from sandbox.verdict import judge_run
from sandbox.wire import WireError, read_answer
from test.sandbox.corpus import REFERENCE, TinyDraw, material
from test.sandbox.in_process import answer
from test.sandbox.test_client_check import line
from test.sandbox.test_shard import body
from test.sandbox.values import random_value

SLOW_SECONDS = 2.0
Garbage = random.Random

TASK = next(iter(material(TinyDraw(count=1)).tasks.values()))
ANSWER = answer(TASK.frame(REFERENCE)).output
CHECK = Check(
    (
        call("distance", Ref("rows"), 3, bind="x"),
        take("x", 3),
        tick("c", 1),
        within("x", call("f")),
    ),
    {"c": clock(0)},
)
REQUEST, LINE = json.dumps(body()).encode(), line(REFERENCE)
CHUNKED = b"5\r\nhello\r\na;x=1\r\n0123456789\r\n0\r\nX: y\r\n\r\n"


def mutated(chance: Garbage, data: bytes) -> bytes:
    """Some bytes changed, cut out, doubled or put in."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 5)):
        place = chance.randrange(len(made) + 1)
        kind = chance.randrange(5)
        if kind == 0 and place < len(made):
            made[place] = chance.randrange(256)
        elif kind == 1:
            del made[place : place + chance.randint(1, 8)]
        elif kind == 2:
            made[place:place] = chance.randbytes(chance.randint(1, 8))
        elif kind == 3:
            made[place:place] = made[place : place + chance.randint(1, 40)]
        else:
            made[place:place] = chance.choice(
                (
                    b"[1:",
                    b"(1:",
                    b"&0;",
                    b"ffffffff:",
                    b"f",
                    b"-",
                    b":",
                    b"{2:",
                    b"i1;",
                    b"E1:",
                    b"\0",
                )
            )
    return bytes(made)


def twisted(chance: Garbage, document: Any, depth: int = 0) -> Any:
    """JSON with some part replaced by something else."""
    if depth > 3 or chance.random() < 0.15:
        return chance.choice(
            (
                None, True, 0, -1, 1 << 70, 1.5, "", "x", [], {}, [[[]]], {"tuple": []},
                {"int": "0x1"}, {"int": "z"}, {"float": "nan"}, {"dict": [[1]]}, {"shared": 0},
                {"set": [1, 1]}, {"bytes": "0"}, {"ref": 5}, {"exception": [[], []]},
                {"a": 1, "b": 2}, "\ud800",
            )
        )  # fmt: skip
    if isinstance(document, list) and document:
        place = chance.randrange(len(document))
        return [twisted(chance, v, depth) if i == place else v for i, v in enumerate(document)]
    if isinstance(document, dict) and document:
        name = chance.choice(list(document))
        return {k: twisted(chance, v, depth) if k == name else v for k, v in document.items()}
    return twisted(chance, document, 4)


def fuzz_read(chance: Garbage) -> None:
    data = mutated(chance, encode(random_value(chance, 2)))
    try:
        assert read(data).raw == data
    except CodecError:
        pass


def fuzz_decode(chance: Garbage) -> None:
    data = mutated(chance, encode(random_value(chance, 2)))
    try:
        decode(data)
    except CodecError:
        pass


def fuzz_random_bytes(chance: Garbage) -> None:
    data = chance.randbytes(chance.randint(0, 60))
    readable(data)
    try:
        decode(data)
    except CodecError:
        pass


def fuzz_value_json(chance: Garbage) -> None:
    try:
        observation_from_json(twisted(chance, to_json(random_value(chance, 2))))
    except CodecError:
        pass


CHECK_JSON = check_to_json(CHECK)


def fuzz_check_json(chance: Garbage) -> None:
    try:
        check_from_json(twisted(chance, CHECK_JSON))
    except CodecError:
        pass


def fuzz_answer(chance: Garbage) -> None:
    try:
        read_answer(mutated(chance, ANSWER), len(TASK.expected))
    except WireError:
        pass


def fuzz_verdict(chance: Garbage) -> None:
    run = PatchRun(
        mutated(chance, ANSWER), chance.choice(("exited", "died", "lost", "flooded")), 0, 0, 0
    )
    verdict = judge_run(run, TASK)
    assert verdict.bucket != "fixed" or read_answer(run.output, len(TASK.expected)).complete


OBSERVATIONS = [
    observe_check(
        load("def f(x):\n    return {'a': (1, 2.5), 'b': [x]}\ndef g():\n    raise KeyError(1)\n"),
        check,
    )
    for check in (Check((call("f", 1),)), Check((call("f", 2.5), call("g"))), Check((call("g"),)))
]


def fuzz_compare(chance: Garbage) -> None:
    expected = chance.choice(OBSERVATIONS)
    compare = Compare(exception_args=chance.random() < 0.5, tolerance=chance.choice((None, 1e-9)))
    try:
        matches(expected, mutated(chance, chance.choice(OBSERVATIONS)), compare)
    except CodecError:
        pass


def fuzz_request(chance: Garbage) -> None:
    data = mutated(chance, REQUEST)
    if chance.random() < 0.5:
        data = json.dumps(twisted(chance, body())).encode("utf-8", "surrogatepass")
    try:
        read_request(data)
    except (BodyInvalid, ProtocolMismatch):
        pass


def fuzz_body(chance: Garbage) -> None:
    headers = Message()
    headers["Transfer-Encoding"] = "chunked"
    try:
        read_body(io.BufferedReader(io.BytesIO(mutated(chance, CHUNKED))), headers, 1 << 16)
    except Refusal:
        pass


class GarbageLane:
    """Answers every frame with a mutated answer."""

    def __init__(self, chance: Garbage) -> None:
        self._chance = chance

    def submit(self, frame: bytes, limits: Any = None) -> None:
        pass

    def receive(self) -> PatchRun:
        return PatchRun(mutated(self._chance, ANSWER), "exited", 0, 0, 0)

    def close(self) -> None:
        pass


LINE_JSON = json.loads(LINE)


def fuzz_line(chance: Garbage) -> None:
    text = mutated(chance, LINE.encode()).decode("utf-8", "replace")
    if chance.random() < 0.5:
        text = json.dumps(twisted(chance, LINE_JSON))
    answered = answer_line(text, GarbageLane(chance))
    assert "error" in answered or answered["status"] != "passed"


TARGETS: dict[str, Callable[[Garbage], None]] = {
    "terms of mutated values": fuzz_read,
    "values of mutated bytes": fuzz_decode,
    "values of random bytes": fuzz_random_bytes,
    "values from JSON": fuzz_value_json,
    "checks from JSON": fuzz_check_json,
    "answer frames": fuzz_answer,
    "verdicts": fuzz_verdict,
    "comparison": fuzz_compare,
    "shard requests": fuzz_request,
    "chunked bodies": fuzz_body,
    "check lines": fuzz_line,
}


def fuzz(name: str, count: int, seed: int) -> float:
    """Runs one target `count` times; the slowest call in seconds. Raises on the first failure."""
    target, slowest = TARGETS[name], 0.0
    for number in range(count):
        chance = random.Random(f"{seed}/{name}/{number}")
        started = time.thread_time()
        try:
            target(chance)
        except BaseException as error:
            raise AssertionError(f"{name}, garbage {seed}/{number}") from error
        slowest = max(slowest, time.thread_time() - started)
    assert slowest < SLOW_SECONDS, f"{name}: {slowest:.2f} s"
    return slowest


def main() -> None:
    """Runs every target and prints a line for each."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", nargs="*", default=list(TARGETS))
    options = parser.parse_args()
    for name in options.target:
        started = time.monotonic()
        slowest = fuzz(name, options.n, options.seed)
        spent = time.monotonic() - started
        print(f"{name}: {options.n} in {spent:.0f} s, slowest {slowest * 1000:.1f} ms")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
