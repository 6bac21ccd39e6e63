"""python3 -m sandbox: serve and shard as an operator starts them."""

import base64
import http.client
import json
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from tasks.kit.draw import draw_task
from tasks.kit.epoch import Keys
from tasks.kit.load import corpus_digest, load_category

ROOT = Path(__file__).parents[2]
TOKEN = "a-token-for-the-command-test"
SLUG, KEY = "ttl-off-by-one-unit", bytes(range(32))
ENVIRONMENT = {"PATH": os.environ["PATH"], "SANDBOX_TOKEN": TOKEN}


def shard(count: int = 4) -> dict[str, Any]:
    """A request of a real category: reference, faulty and known-failing module, no answer."""
    keys = Keys.of("command", KEY, 1, count - 1)
    category = load_category(SLUG)
    patches = []
    for number in range(1, count + 1):
        task = draw_task(keys, category, number, 0)
        modules = (task.reference, task.module, task.known_failing[0][1], None)
        patches.append({"instance_id": task.instance_id, "module": modules[(number - 1) % 4]})
    return {
        "protocol": 1,
        "corpus": corpus_digest(),
        "epoch": {
            "id": "command",
            "key": base64.urlsafe_b64encode(KEY).decode().rstrip("="),
            "practice": 1,
            "sealed": count - 1,
        },
        "category": SLUG,
        "counters": [0] * count,
        "submission": "sub_command",
        "patches": patches,
    }


def run(*arguments: str, given: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """One command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "sandbox", *arguments],
        cwd=ROOT, env={**ENVIRONMENT, **environment}, input=given, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip


def total(tally: dict[str, Any], name: str) -> int:
    """One count over both parts."""
    return sum(part[name] for part in tally["parts"].values())


class ShardCommandTest(unittest.TestCase):
    def test_a_shard_of_a_real_category_gives_the_same_tally_twice_and_in_both_profiles(self):
        text = json.dumps(shard())
        done = run("shard", "-", given=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        tally = json.loads(done.stdout)
        self.assertEqual([part["tasks"] for part in tally["parts"].values()], [1, 3])
        self.assertEqual(
            [total(tally, name) for name in ("fixed", "wrong", "no_answer", "trapped")],
            [1, 2, 1, 1],
        )
        self.assertEqual(run("shard", "-", given=text).stdout, done.stdout)
        other = json.loads(run("shard", "-", "--profile", "L", given=text).stdout)
        self.assertEqual(other["isolation"]["profile"], "L")
        self.assertEqual(other["parts"], tally["parts"])

    def test_a_refused_shard_is_a_problem_and_exit_code_one(self):
        document = shard()
        document["corpus"] = "0" * 64
        done = run("shard", "-", given=json.dumps(document))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["type"], "/problems/corpus-mismatch")

    def test_without_isolation_both_switches_are_needed_and_the_tally_says_so(self):
        text = json.dumps(shard())
        done = run("shard", "-", "--unsafe-no-isolation", given=text)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        done = run(
            "shard", "-", "--unsafe-no-isolation", given=text, FAILMAP_UNSAFE_NO_ISOLATION="1"
        )
        tally = json.loads(done.stdout)
        self.assertEqual(tally["isolation"]["profile"], "unsafe")
        self.assertEqual(total(tally, "fixed"), 1)


class ServeCommandTest(unittest.TestCase):
    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "sandbox", "serve", "--port", "0", *arguments],
            cwd=ROOT, env={**ENVIRONMENT, **environment}, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_it_serves_and_ends_in_order(self):
        process = self.start("--lanes", "1")
        assert process.stderr
        ready = json.loads(process.stderr.readline())
        self.assertEqual(ready["event"], "ready")
        host, _, port = ready["address"].rpartition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        self.addCleanup(connection.close)
        connection.request("GET", "/health")
        health = json.loads(connection.getresponse().read())
        self.assertEqual(health["corpus"], corpus_digest())
        self.assertEqual(health["isolation"]["self_tests"], {"run": 12, "held": 12})
        connection.request(
            "POST", "/shards", json.dumps(shard()), {"Authorization": f"Bearer {TOKEN}"}
        )
        response = connection.getresponse()
        tally = json.loads(response.read())
        self.assertEqual((response.status, total(tally, "fixed")), (200, 1))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), 0)
        log = process.stderr.read()
        process.stderr.close()
        self.assertNotIn(TOKEN, log)
        self.assertNotIn(shard()["epoch"]["key"], log)

    def test_it_refuses_to_start_open_or_without_a_token(self):
        done = run("serve", "--port", "0", SANDBOX_TOKEN="short")
        self.assertEqual(done.returncode, 2)
        done = run(
            "serve", "--port", "0", "--host", "0.0.0.0", "--unsafe-no-isolation",
            FAILMAP_UNSAFE_NO_ISOLATION="1",
        )  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertEqual(run("serve", "--port", "0", "--unsafe-no-isolation").returncode, 3)


if __name__ == "__main__":
    unittest.main()
