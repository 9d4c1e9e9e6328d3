"""The tiering service of Fluss 0.9.1, a Flink job, in the place of our own worker."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

import fluss_raw  # noqa: E402
import java_programs  # noqa: E402
from lake_streams import check_union, settle, streams_of, write_until  # noqa: E402
from lake_table import PaimonTable  # noqa: E402
from test_flink import OPTIONS, SOURCES, new_server  # noqa: E402, F401
from test_s3 import eventually  # noqa: E402
from tiering_worker import Worker  # noqa: E402

LAKE = {"table.datalake.enabled": "true", "table.datalake.freshness": "2 s"}


@pytest.fixture
def service(tmp_path):
    """Starts the job for a server and its warehouse."""
    processes = []

    def start(server, warehouse):
        arguments = {
            "fluss.bootstrap.servers": server.address, "fluss.tiering.poll.table.interval": "500ms",
            "datalake.format": "paimon", "datalake.paimon.metastore": "filesystem",
            "datalake.paimon.warehouse": warehouse,
        }  # fmt: skip
        path = java_programs.class_path(ROOT / "build/deps/flink", ROOT / "build/flink/classes", SOURCES)
        command = ["java", *OPTIONS, "--add-opens=java.base/java.nio=ALL-UNNAMED"]
        command += ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", path, "TieringService"]
        for key, value in arguments.items():
            command += [f"--{key}", str(value)]
        with open(tmp_path / "service", "wb") as log:
            processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def lake_server(new_server, tmp_path):  # noqa: F811
    """Whose own worker is off."""
    options = {
        "datalake.format": "paimon", "datalake.paimon.metastore": "filesystem",
        "datalake.paimon.warehouse": str(tmp_path / "lake"), "lakestream.tiering.enabled": "false",
    }  # fmt: skip
    return new_server(options)


def write_and_wait(server, streams, warehouse, rng):
    """Writes, and waits until all of it is in the lake, as readers see it who know nothing of us."""
    left = iter(range(rng.randrange(10, 40)))
    assert write_until(server.address, streams, lambda: next(left, None) is None)
    settle(server.address, streams)
    check_union(server, streams)
    for stream in streams:
        table = PaimonTable(warehouse, "fluss", stream.name)

        def is_all_there(stream=stream, table=table):
            return table.tiered() and sorted(table.rows(), key=lambda row: row["id"]) == stream.expected()

        eventually(is_all_there, f"all of {stream.name} in the lake", timeout_s=90)
        table.check()
    check_union(server, streams)


def test_the_tiering_service(lake_server, service, tmp_path):
    """It takes tables from our coordinator and copies them: a log and one with keys, first all of it, then changes."""
    rng = random.Random(5)
    with fluss_raw.connect(lake_server.address) as raw:
        streams = streams_of(raw, 5, LAKE)
    service(lake_server, tmp_path / "lake")
    for _ in range(3):
        write_and_wait(lake_server, streams, tmp_path / "lake", rng)


def test_in_turn(lake_server, service, tmp_path):
    """The service and a worker of ours go on from where the other was killed, each twice."""
    rng = random.Random(6)
    warehouse = tmp_path / "lake"
    with fluss_raw.connect(lake_server.address) as raw:
        streams = streams_of(raw, 6, LAKE)
    worker = Worker(lake_server, tmp_path / "worker")
    try:
        for _ in range(2):
            job = service(lake_server, warehouse)
            write_and_wait(lake_server, streams, warehouse, rng)
            job.kill()
            # What either has when it is killed comes to the other after two minutes, or with a new coordinator.
            lake_server.restart(same_port=True)
            worker.start()
            write_and_wait(lake_server, streams, warehouse, rng)
            worker.kill()
            lake_server.restart(same_port=True)
    finally:
        worker.kill()
