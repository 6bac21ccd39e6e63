"""The sandbox behind its transports: takes shard requests, gives tallies."""

import hashlib
import json
import platform
from pathlib import Path
from typing import Any

from sandbox.drawing import Corpus
from sandbox.judge import Judge
from sandbox.lanes import Busy, OpenLane, Pool
from sandbox.material import MaterialCache, QuarantinedError
from sandbox.problem import Refusal
from sandbox.shard import BodyInvalid, ProtocolMismatch, ShardRequest, read_request
from sandbox.tally import PROTOCOL, Identity


def sources_digest() -> str:
    """SHA-256 over path and bytes of every Python file of the sandbox, in hexadecimal."""
    folder = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        content = path.read_bytes()
        name = path.relative_to(folder).as_posix()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def json_bytes(document: Any) -> bytes:
    """Canonical JSON of whole numbers, text and containers: equal documents, equal bytes."""
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


class Service:
    """Judges shards on a fixed number of workers."""

    def __init__(
        self, corpus: Corpus, isolation: dict[str, Any], open_lane: OpenLane, workers: int
    ) -> None:
        runtime = {"python": platform.python_version(), "sandbox": sources_digest()}
        self.identity = Identity(corpus.digest, runtime, isolation)
        self.workers = workers
        self._corpus = corpus
        self._pool = Pool(workers, open_lane)
        self._cache = MaterialCache()

    def health(self) -> dict[str, Any]:
        """Versions and isolation, as every tally states them."""
        return {
            "status": "ok",
            "protocol": PROTOCOL,
            "corpus": self.identity.corpus,
            "runtime": self.identity.runtime,
            "isolation": self.identity.isolation,
        }

    def read(self, body: bytes) -> ShardRequest:
        """The request in a body; raises `Refusal`."""
        try:
            request = read_request(body)
        except ProtocolMismatch:
            raise Refusal("protocol-mismatch") from None
        except BodyInvalid:
            raise Refusal("body-invalid") from None
        if request.corpus != self.identity.corpus:
            raise Refusal("corpus-mismatch")
        return request

    def judge(self, request: ShardRequest, wait_seconds: float) -> dict[str, Any]:
        """The tally of a shard; raises `Refusal`."""
        try:
            with self._pool.worker(wait_seconds) as lanes:
                category = self._cache.get(request, self._corpus.draw)
                return Judge(self.identity, lanes).judge(request, category)
        except Busy:
            raise Refusal("busy") from None
        except BodyInvalid:
            raise Refusal("body-invalid") from None
        except QuarantinedError as error:
            raise Refusal("quarantined", str(error)) from None

    def close(self) -> None:
        """Ends every lane."""
        self._pool.close()
