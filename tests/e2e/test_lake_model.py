"""Random writes, kills and queries while tables are copied to the lake, beside a model in memory."""

import json
import os
import random
import subprocess

import pyarrow as pa
import pytest
from fluss import TablePath

from lake_table import PaimonTable
from server import BINARY
from test_lake import change_rows, create
from test_pyfluss import append, connect
from waiting import eventually

STEPS = int(os.environ.get("LAKESTREAM_LAKE_STEPS", "24"))
SCHEMA = pa.schema([("id", pa.int32()), ("name", pa.utf8())])


class Tables:
    """A log table `log` and a table with keys `keyed`, with what their rows have to be."""

    def __init__(self, server, rng):
        self.server = server
        self.rng = rng
        self.log = []
        self.keyed = {}

    def query(self, text):
        command = [str(BINARY), "sql", "--server", self.server.address, "--format", "ndjson", "-c", text]
        done = subprocess.run(command, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr.decode()
        return [json.loads(line) for line in done.stdout.splitlines()]

    async def write(self, connection):
        log = await connection.get_table(TablePath("fluss", "log"))
        rows = [{"id": len(self.log) + i, "name": f"n{self.rng.random()}"} for i in range(self.rng.randrange(1, 200))]
        await append(log, rows)
        self.log += rows
        keyed = await connection.get_table(TablePath("fluss", "keyed"))
        await change_rows(keyed, self.rng, self.keyed, changes=self.rng.randrange(1, 80), keys=60)

    def check(self):
        """The union has every row once, and a part of it is the part of the model."""
        assert self.query("SELECT id, name FROM log ORDER BY id") == self.log
        found = {row["id"]: row["name"] for row in self.query("SELECT id, name FROM keyed")}
        assert found == self.keyed
        limit = self.rng.randrange(len(self.log) + 1)
        (row,) = self.query(f"SELECT count(*) AS n FROM log WHERE id < {limit}")
        assert row["n"] == limit


@pytest.mark.time_limit(60 + 10 * STEPS)
@pytest.mark.parametrize("seed", range(2))
async def test_queries_see_the_model(new_server, tmp_path, seed):
    """After every step, and whatever ended in the middle, a query over lake and log is what the model says."""
    options = {
        "datalake.format": "paimon",
        "datalake.paimon.warehouse": str(tmp_path / "lake"),
        "lakestream.tiering.heartbeat-interval": "20 ms",
        "log.segment.file-size": "16 kb",
    }
    server = new_server(options=options).start()
    tables = Tables(server, random.Random(seed))
    properties = {"table.datalake.auto-compaction": "true", "table.datalake.freshness": "50 ms"}
    async with connect(server) as connection:
        await create(connection, "log", SCHEMA, bucket_count=3, properties=properties)
        await create(connection, "keyed", SCHEMA, keys=["id"], bucket_count=2, properties=properties)
    for _ in range(STEPS):
        async with connect(server) as connection:
            for _ in range(tables.rng.randrange(1, 4)):
                await tables.write(connection)
        tables.check()
        if tables.rng.random() < 0.4:
            server.kill()
            server.start()
            tables.check()
    lake = PaimonTable(tmp_path / "lake", "fluss", "log")
    eventually(lambda: sum(lake.offsets().values()) == len(tables.log), "all of the log in the lake")
    assert sorted(lake.rows(), key=lambda row: row["id"]) == tables.log
    lake.check()
    tables.check()
    keyed = PaimonTable(tmp_path / "lake", "fluss", "keyed")
    eventually(lambda: {r["id"]: r["name"] for r in keyed.rows()} == tables.keyed, "all changes in the lake")
