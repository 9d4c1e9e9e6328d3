"""The tiering service of Fluss 0.9.1, a Flink job, in the place of our own worker."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

import fluss_raw  # noqa: E402
from lake_streams import settle, streams_of, write_until  # noqa: E402
from lake_table import PaimonTable  # noqa: E402
from test_flink import OPTIONS, new_server  # noqa: E402, F401
from test_lake_failpoints import check_union  # noqa: E402
from test_s3 import eventually  # noqa: E402

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
        command = ["java", *OPTIONS, "-cp", f"{ROOT}/build/deps/flink/*"]
        command += ["org.apache.fluss.flink.tiering.FlussLakeTieringEntrypoint"]
        for key, value in arguments.items():
            command += [f"--{key}", str(value)]
        with open(tmp_path / "service", "wb") as log:
            processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


def test_the_tiering_service(new_server, service, tmp_path):  # noqa: F811
    """It takes tables from our coordinator and copies them: a log and one with keys, first all of it, then changes."""
    warehouse = tmp_path / "lake"
    server = new_server(
        {
            "datalake.format": "paimon",
            "datalake.paimon.metastore": "filesystem",
            "datalake.paimon.warehouse": str(warehouse),
            "lakestream.tiering.enabled": "false",
        }
    )
    rng = random.Random(5)
    with fluss_raw.connect(server.address) as raw:
        streams = streams_of(raw, 5, LAKE)
    job = service(server, warehouse)
    for _ in range(3):
        left = iter(range(rng.randrange(10, 40)))
        assert write_until(server.address, streams, lambda: next(left, None) is None)
        settle(server.address, streams)
        check_union(server, streams)
        for stream in streams:
            table = PaimonTable(warehouse, "fluss", stream.name)

            def is_all_there(stream=stream, table=table):
                assert job.poll() is None, (tmp_path / "service").read_text()[-4000:]
                return table.tiered() and sorted(table.rows(), key=lambda row: row["id"]) == stream.expected()

            eventually(is_all_there, f"all of {stream.name} in the lake", timeout_s=90)
        check_union(server, streams)
    assert b"committed" not in server.log.read_bytes()
