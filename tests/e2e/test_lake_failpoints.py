"""The server ends, or a step fails, between any two steps on the way of rows to the lake."""

import json
import os
import random
import subprocess
import time

import fluss_raw
import pytest

from lake_streams import check_union, lake_options, query, settle, streams_of, write_until
from lake_table import PaimonTable
from server import BINARY, Server
from test_s3 import eventually

ROUNDS = int(os.environ.get("LAKESTREAM_FAILPOINT_ROUNDS", "20"))
ROUND_S = 2.5  # the time in which a place is reached, or is not
LAKE = {
    "table.datalake.enabled": "true", "table.datalake.freshness": "30 ms",
    "table.datalake.auto-compaction": "true", "table.datalake.auto-expire-snapshot": "true",
}  # fmt: skip


def failpoints():
    done = subprocess.run([str(BINARY), "failpoints", "--format", "json"], capture_output=True, check=True)
    return [row["failpoint"] for row in json.loads(done.stdout)]


def check_paimon(table, stream):
    """Readers that know nothing of us find the same."""
    assert sorted(table.rows(), key=lambda row: row["id"]) == stream.expected()
    table.check()


class Points:
    """Places in a random order in which each comes once before one comes again; those on the way to the lake first."""

    def __init__(self, rng):
        self.random = rng
        self.names = failpoints()
        self.left = [name for name in self.names if not name.startswith(("log.", "remote_log.", "kv."))]
        self.random.shuffle(self.left)

    def next(self):
        if not self.left:
            self.left = list(self.names)
            self.random.shuffle(self.left)
        return self.left.pop()


def run_round(server, streams, rng, point):
    """Starts it armed, writes until it is gone or the time is over, and says whether the place was reached."""
    action = "error" if rng.random() < 0.25 else "kill"
    times = rng.choice([1, 1, 2, 5])
    armed = f"{point}={action}@{times}"
    if point == "tiering.before_recovery":
        # There is something to recover only behind a commit that was not reported.
        armed += ";tiering.after_lake_commit=error@1"
    server.options["lakestream.failpoints"] = armed
    end = time.monotonic() + ROUND_S
    server.launch()
    line = server.read_line(10)
    is_there = line.startswith("ready ")
    if is_there:
        server.address = line.split()[1]
        is_there = write_until(server.address, streams, lambda: time.monotonic() > end)
    server.kill()
    return not is_there or action == "error"


def start_unarmed(server):
    server.options.pop("lakestream.failpoints", None)
    return server.start()


@pytest.mark.time_limit(120 + 10 * ROUNDS)
@pytest.mark.parametrize("format", ["paimon", "iceberg"])
def test_kills_at_failpoints(new_server, tmp_path, format):
    """At the end and in between each acknowledged row is there once: in lake and log together, and in the lake."""
    seed = int(os.environ.get("LAKESTREAM_FAILPOINT_SEED", "1"))
    rng = random.Random(seed)
    server = new_server(
        options={
            **lake_options(format, tmp_path / "lake"),
            "remote.data.dir": tmp_path / "remote",
            "lakestream.tiering.heartbeat-interval": "20 ms",
            "lakestream.tiering.orphan-age": "1 s",
            "log.segment.file-size": "8 kb",
            "remote.log.task-interval-duration": "100 ms",
            "kv.snapshot.interval": "200 ms",
        }
    )
    start_unarmed(server)
    with fluss_raw.connect(server.address) as raw:
        streams = streams_of(raw, seed, LAKE, format)
    server.kill()
    points = Points(rng)
    reached, missed = set(), set()
    for _ in range(ROUNDS):
        point = points.next()
        (reached if run_round(server, streams, rng, point) else missed).add(point)
        if rng.random() < 0.5:
            start_unarmed(server)
            settle(server.address, streams)
            check_union(server, streams)
            server.kill()
    start_unarmed(server)
    settle(server.address, streams)
    check_union(server, streams)
    for stream in streams:
        text = f'SELECT id, name FROM "{stream.name}$lake" ORDER BY id'
        eventually(lambda: query(server, text) == stream.expected(), f"all of {stream.name} in the lake")
        if format == "paimon":
            check_paimon(PaimonTable(tmp_path / "lake", "fluss", stream.name), stream)
    check_union(server, streams)
    print(f"reached {len(reached)} places, not {sorted(missed - reached)}")
    assert len(missed - reached) <= ROUNDS // 4


def test_a_wrong_failpoint(tmp_path):
    """A server that was to be tested and would not be says so, and does not start."""
    server = Server(tmp_path / "data", tmp_path / "log", options={"lakestream.failpoints": "tiering.nowhere=kill"})
    server.launch()
    assert server.wait(10) == 1
    assert "tiering.nowhere" in server.log_tail() and "lakestream failpoints" in server.log_tail()
