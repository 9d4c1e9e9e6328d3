"""The server ends, or a step fails, between any two steps on the way of rows to the lake."""

import json
import os
import random
import subprocess
import time

import fluss_raw
import pytest

from iceberg_table import CATALOGS, SECRET, IcebergTable, java_rows
from lake_streams import check_union, query, settle, streams_of, write_until
from lake_table import PaimonTable
from server import BINARY, Server
from waiting import eventually

ROUNDS = int(os.environ.get("LAKESTREAM_FAILPOINT_ROUNDS", "20"))
COMMIT = [
    "tiering.after_prepare", "tiering.after_lake_commit", "tiering.before_recovery", "tiering.after_report",
    "lake.after_manifests", "iceberg.after_metadata", "lake.after_snapshot", "lake.after_compaction",
]  # fmt: skip
FAULTS = ["409", "500", "503", "500-done", "lost", "lost-done"]  # of commits in a REST catalog
ROUND_S = 2.5  # the time in which a place is reached, or is not
LAKE = {
    "table.datalake.enabled": "true", "table.datalake.freshness": "30 ms",
    "table.datalake.auto-compaction": "true", "table.datalake.auto-expire-snapshot": "true",
}  # fmt: skip


def failpoints():
    done = subprocess.run([str(BINARY), "failpoints", "--format", "json"], capture_output=True, check=True)
    return [row["failpoint"] for row in json.loads(done.stdout)]


class PaimonLake:
    format = "paimon"
    rounds = ROUNDS
    first = ()

    def __init__(self, folder):
        self.folder = folder / "lake"

    def has(self, point):
        return not point.startswith("iceberg.")

    def server_options(self):
        return {"datalake.format": "paimon", "datalake.paimon.warehouse": self.folder}

    def disturb(self, faults):
        pass

    def check(self, streams):
        """Readers that know nothing of us find the same."""
        for stream in streams:
            table = PaimonTable(self.folder, "fluss", stream.name)
            assert sorted(table.rows(), key=lambda row: row["id"]) == stream.expected()
            table.check()


class IcebergLake:
    """Rounds of the other catalogs than the first are about commits: what else there is does not depend on them."""

    format = "iceberg"

    def __init__(self, catalog):
        self.catalog = catalog
        self.kind = catalog.options["type"]
        self.server_options = catalog.server_options
        self.rounds = ROUNDS if self.kind == "hadoop" else ROUNDS * 2 // 5
        self.first = () if self.kind == "hadoop" else COMMIT

    def has(self, point):
        return point != "iceberg.after_metadata" or self.kind != "rest"

    def disturb(self, faults):
        """What happens to the next commits, where the catalog is a service that may fail."""
        if self.kind == "rest":
            self.catalog.faults(*faults)

    def check(self, streams):
        tables = [IcebergTable(self.catalog, "fluss", stream.name) for stream in streams]
        for table, stream, rows in zip(tables, streams, java_rows(*tables)):
            found = [{"id": row["id"], "name": row["name"]} for row in rows]
            assert sorted(found, key=lambda row: row["id"]) == stream.expected()
            table.check()
        log = sorted(tables[0].rows(), key=lambda row: row["id"])
        assert log == streams[0].expected()


@pytest.fixture(params=["paimon", *CATALOGS])
def lake(request, tmp_path, monkeypatch):
    """Paimon, and Iceberg in a catalog of each kind."""
    if request.param == "paimon":
        yield PaimonLake(tmp_path)
        return
    # Clients are not told it.
    monkeypatch.setenv("LAKESTREAM_ICEBERG_CREDENTIAL", f"me:{SECRET}")
    catalog = CATALOGS[request.param](tmp_path).start()
    yield IcebergLake(catalog)
    catalog.stop()


class Points:
    """Places in a random order in which each comes once before one comes again: those that the lake wants first, those
    on the way to it before others, and last of these what happens to snapshots that are old."""

    def __init__(self, rng, lake):
        self.random = rng
        self.names = [name for name in failpoints() if lake.has(name)]
        self.left = [name for name in self.names if not name.startswith(("log.", "remote_log.", "kv."))]
        self.random.shuffle(self.left)
        self.left.sort(key=lambda name: (name in lake.first, "_expired_" not in name))

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
    # A step that fails ends nothing; else there is no need to wait long.
    end = time.monotonic() + (ROUND_S if action == "error" else 2 * ROUND_S)
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
def test_kills_at_failpoints(new_server, tmp_path, lake):
    """At the end and in between each acknowledged row is there once: in lake and log together, and in the lake."""
    seed = int(os.environ.get("LAKESTREAM_FAILPOINT_SEED", "1"))
    rng = random.Random(seed)
    server = new_server(
        options={
            **lake.server_options(),
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
        streams = streams_of(raw, seed, LAKE, lake.format)
    server.kill()
    points = Points(rng, lake)
    reached, missed = set(), set()
    for _ in range(lake.rounds):
        point = points.next()
        lake.disturb(["ok"] * rng.randrange(3) + rng.choices(FAULTS))
        (reached if run_round(server, streams, rng, point) else missed).add(point)
        lake.disturb(["ok"])
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
        eventually(lambda: query(server, text) == stream.expected(), f"all of {stream.name} in the lake", 120)
    lake.check(streams)
    check_union(server, streams)
    print(f"reached {len(reached)} places, not {sorted(missed - reached)}")
    assert len(missed - reached) <= max(3, lake.rounds // 4)


def test_a_wrong_failpoint(tmp_path):
    """A server that was to be tested and would not be says so, and does not start."""
    server = Server(tmp_path / "data", tmp_path / "log", options={"lakestream.failpoints": "tiering.nowhere=kill"})
    server.launch()
    assert server.wait(10) == 1
    assert "tiering.nowhere" in server.log_tail() and "lakestream failpoints" in server.log_tail()
