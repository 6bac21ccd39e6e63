"""python3 -m sandbox serve | shard | check | probe"""

import argparse
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from sandbox.jail.isolation import Isolation, detect, detect_lane, open_lane
from sandbox.jail.profile import IsolationUnavailable
from sandbox.lanes import OpenLane

UNSAFE_VARIABLE = "FAILMAP_UNSAFE_NO_ISOLATION"
# What a stop waits for: longer than most shards, shorter than a container host does.
DRAIN_SECONDS = 300.0
USAGE, NO_ISOLATION = 2, 3


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done, 1 refused or failed, 2 usage, 3 no isolation on this machine."""
    parser = argparse.ArgumentParser(prog="python3 -m sandbox", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    serve = verbs.add_parser("serve", help="judge shards over HTTP")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8788)
    serve.add_argument("--token-file", type=Path, help="default: the variable SANDBOX_TOKEN")
    serve.add_argument("--lanes", type=int, default=os.cpu_count() or 1, help="shards at a time")
    shard = verbs.add_parser("shard", help="judge one shard from a file, tally on stdout")
    shard.add_argument("file", type=Path, help="the body of POST /shards; - for stdin")
    shard.add_argument("--key-file", type=Path, help="holds epoch.key where the file leaves it out")
    for verb in (serve, shard):
        verb.add_argument("--overlay", help="folder of private categories")
        verb.add_argument("--profile", choices=("auto", "S", "L"), default="auto")
        verb.add_argument(
            "--unsafe-no-isolation", action="store_true",
            help=f"run patches without any isolation; also needs {UNSAFE_VARIABLE}=1",
        )  # fmt: skip
    check = verbs.add_parser("check", help="visible checks, a line in and a line out")
    check.add_argument("--isolation", choices=("auto", "S", "L", "unsafe"), default="auto")
    verbs.add_parser("probe", help="what this machine can isolate")
    options = parser.parse_args(arguments)
    try:
        return _VERBS[options.verb](options)
    except IsolationUnavailable as reason:
        print(f"sandbox: no isolation on this machine.\n{reason}", file=sys.stderr)
        return NO_ISOLATION


def _isolate(options: Any) -> tuple[Isolation, OpenLane]:
    if options.unsafe_no_isolation:
        if os.environ.get(UNSAFE_VARIABLE) != "1":
            raise IsolationUnavailable(
                f"--unsafe-no-isolation also needs {UNSAFE_VARIABLE}=1 in the environment"
            )
        from sandbox.jail.isolation import no_isolation

        return _opener(no_isolation())
    return _opener(detect(options.profile))


def _opener(isolation: Isolation) -> tuple[Isolation, OpenLane]:
    return isolation, lambda slot, seed: open_lane(isolation, slot=slot, hash_seed=seed)


def _card(isolation: Isolation) -> dict[str, Any]:
    """The card with null for a filter that does not exist, as the protocol has it."""
    card = dict(isolation.card())
    return {**card, "seccomp": card["seccomp"] or None}


def _corpus(overlay: str | None) -> Any:
    from sandbox.drawing import AuthoringError, Corpus

    try:
        return Corpus(overlay)
    except AuthoringError as error:
        sys.exit(f"sandbox: the categories cannot be listed: {error}")


def _harden() -> None:
    """Keys are in this process: no other one of the same user may read its memory, no core."""
    if sys.platform.startswith("linux"):
        from sandbox.jail.syscalls import set_undumpable

        set_undumpable()


def _serve(options: Any) -> int:
    from sandbox.server import SandboxServer, log
    from sandbox.service import Service

    if options.token_file:
        token = options.token_file.read_text(encoding="utf-8").strip()
    else:
        token = os.environ.pop("SANDBOX_TOKEN", "").strip()
    if len(token) < 16 or options.lanes < 1:
        print("sandbox: a token of at least 16 characters and one lane are needed", file=sys.stderr)
        return USAGE
    if options.unsafe_no_isolation and options.host not in ("127.0.0.1", "::1", "localhost"):
        print("sandbox: without isolation only loopback is served", file=sys.stderr)
        return USAGE
    isolation, opener = _isolate(options)
    _harden()
    service = Service(_corpus(options.overlay), _card(isolation), opener, options.lanes)
    with SandboxServer((options.host, options.port), service, token) as server:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = f"{server.server_address[0]}:{server.server_address[1]}"
        log("ready", address=address, profile=isolation.profile, lanes=options.lanes)
        stop.wait()
        server.shutdown()
        drained = server.drain(DRAIN_SECONDS)
        service.close()
        log("stopped", drained=drained)
    return 0 if drained else 1


def _shard(options: Any) -> int:
    from sandbox.problem import Refusal, problem_json
    from sandbox.service import Service, json_bytes

    text = sys.stdin.buffer.read() if str(options.file) == "-" else options.file.read_bytes()
    if options.key_file:
        document = json.loads(text)
        document["epoch"]["key"] = _root_key(options.key_file.read_text(encoding="utf-8"))
        text = json.dumps(document).encode()
    isolation, opener = _isolate(options)
    _harden()
    service = Service(_corpus(options.overlay), _card(isolation), opener, 1)
    try:
        tally = service.judge(service.read(text), 1.0)
        sys.stdout.buffer.write(json_bytes(tally) + b"\n")
        return 0
    except Refusal as refusal:
        sys.stdout.buffer.write(json_bytes(problem_json(refusal.slug)) + b"\n")
        if refusal.reason:
            print(f"sandbox: {refusal.reason}", file=sys.stderr)
        return 1
    finally:
        service.close()


def _root_key(text: str) -> str:
    """The key of a key file: base64url alone, or JSON with a `key`."""
    text = text.strip()
    return json.loads(text)["key"] if text.startswith("{") else text


def _check(options: Any) -> int:
    from sandbox.client_check import serve_lines

    wanted = options.isolation
    if wanted == "unsafe":
        from sandbox.jail.isolation import no_isolation

        isolation = no_isolation()
        lane = open_lane(isolation)
    else:
        isolation, lane = detect_lane(wanted)
    with lane:
        print(json.dumps({"ready": True, "isolation": _card(isolation)}), flush=True)
        serve_lines(sys.stdin, lambda line: print(line, flush=True), lane)
    return 0


def _probe(options: Any) -> int:
    from sandbox.jail.probe import main as probe

    return probe()


_VERBS = {"serve": _serve, "shard": _shard, "check": _check, "probe": _probe}

if __name__ == "__main__":
    sys.exit(main())
