"""What went wrong elsewhere on the way of rows to a lake and back, each with what is right."""

import json
import random
import shutil
import subprocess
import time

import fluss_raw
import pyarrow as pa
import pytest
from fluss import TablePath

from command import REFUSED, SUCCESS
from fluss_raw import path
from kv_rows import Keys, encode_row, kv_batch
from lake_streams import LogStream, check_union, query, settle, streams_of, write_until
from raw_checks import COLUMNS, batch
from server import BINARY
from test_lake import FRESHNESS, create, lake, lake_server, tiered_to  # noqa: F401
from test_pyfluss import connect
from waiting import eventually

LAKE = {"table.datalake.enabled": "true", "table.datalake.freshness": FRESHNESS}
EARLIEST = 0
PLAIN = {"table.log.arrow.compression.type": "NONE"}
PAIMON_KEYS = Keys(COLUMNS, ["id"], properties={"table.datalake.format": "paimon"})


def upserts(*rows):
    return kv_batch([(PAIMON_KEYS.key(row), encode_row(COLUMNS, row, "compacted")) for row in rows])


def statuses(server):
    command = [str(BINARY), "tiering", "status", "--format", "json", "--server", server.address]
    done = subprocess.run(command, capture_output=True, check=True, timeout=30)
    return {row["table"]: row for row in json.loads(done.stdout)}


# --- batches without records ------------------------------------------------------------------------------------------


def test_only_empty_batches_are_left(lake_server, lake):
    """Deletes of keys that there are not take offsets and no rows: the lake moves past them, and nothing lags."""
    server = lake_server()
    with fluss_raw.connect(server.address) as raw:
        table = raw.create_table("fluss", "t", COLUMNS, primary_key=["id"], properties={**LAKE, **PLAIN})
        raw.put_kv(table, upserts([1, "a"]))
        tiered_to(lake(), {0: 1})
        for _ in range(3):
            answer = raw.put_kv(table, kv_batch([(PAIMON_KEYS.key_of(7), None)]))
        assert answer["log_end_offset"] == 4
        tiered_to(lake(), {0: 4})
        eventually(lambda: statuses(server)["fluss.t"]["behind"] == 0, "nothing behind")
    assert lake().rows() == [{"id": 1, "name": "a"}]


def test_a_bucket_of_empty_batches_beside_one_with_rows(lake_server, lake):
    """One commit has the ends of both."""
    server = lake_server()
    properties = {**LAKE, **PLAIN, "table.merge-engine": "first_row", "table.datalake.freshness": "2 s"}
    with fluss_raw.connect(server.address) as raw:
        table = raw.create_table("fluss", "t", COLUMNS, primary_key=["id"], buckets=2, properties=properties)
        for bucket in (0, 1):
            raw.put_kv(table, upserts([bucket, "first"]), bucket)
        tiered_to(lake(), {0: 1, 1: 1})
        known = len(lake().snapshots())
        raw.put_kv(table, upserts([10, "new"]), 0)
        for _ in range(2):
            raw.put_kv(table, upserts([1, "again"]), 1)
        tiered_to(lake(), {0: 2, 1: 3})
        assert len(lake().snapshots()) <= known + 2
    assert sorted((row["id"], row["name"]) for row in lake().rows()) == [(0, "first"), (1, "first"), (10, "new")]


def test_a_bounded_read_of_empty_buckets(lake_server, lake):
    """A query over a table with rows in one bucket of four ends, before rows are in the lake, with them, and after."""
    server = lake_server()
    with fluss_raw.connect(server.address) as raw:
        table = raw.create_table("fluss", "t", COLUMNS, buckets=4, properties={**LAKE, **PLAIN})
        assert query(server, "SELECT count(*) AS n FROM t") == [{"n": 0}]
        raw.produce(table, batch(0, 5).encode(), bucket=2)
        assert query(server, "SELECT count(*) AS n FROM t") == [{"n": 5}]
        eventually(lambda: lake().offsets() == {(None, 2): 5}, "the rows in the lake")
        assert query(server, "SELECT count(*) AS n FROM t") == [{"n": 5}]
        raw.produce(table, batch(5, 7).encode(), bucket=2)
        assert query(server, "SELECT count(*) AS n FROM t") == [{"n": 7}]


# --- partitions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [None, ["id", "p"]], ids=["log", "keyed"])
@pytest.mark.parametrize(
    "type, names",
    [
        (pa.date32(), ["2026-11-30", "1969-12-31"]),
        (pa.int32(), ["7", "-1"]),
        (pa.int64(), ["9007199254740993"]),
        (pa.bool_(), ["true", "false"]),
        (pa.timestamp("ms"), ["2026-11-30-12-34-56_789"]),
        (pa.timestamp("us"), ["2026-11-30-12-34-56_789012"]),
    ],
    ids=str,
)
async def test_partitions_of_a_type(lake_server, lake, type, names, keys):
    """Each row is there once when one part of its partition is in the lake and one is not: values count, not texts."""
    server = lake_server(**{"lakestream.tiering.heartbeat-interval": "20 ms"})
    schema = pa.schema([pa.field("id", pa.int32(), nullable=False), pa.field("p", type, nullable=False)])
    table = TablePath("fluss", "t")
    async with connect(server) as connection:
        await create(connection, schema=schema, keys=keys, partition_keys=["p"])
        for name in names:
            await connection.get_admin().create_partition(table, {"p": name})
    values = [sql_value(type, name) for name in names]
    rows = ", ".join(f"({i}, {value})" for value in values for i in range(3))
    query(server, f"INSERT INTO t VALUES {rows}")
    eventually(lambda: sum(lake().offsets().values()) == 3 * len(names), "all in the lake")
    assert query(server, "SELECT count(*) AS n FROM t") == [{"n": 3 * len(names)}]
    rows = ", ".join(f"({i}, {value})" for value in values for i in range(3, 5))
    query(server, f"INSERT INTO t VALUES {rows}")
    for _ in range(3):
        assert query(server, "SELECT count(*) AS n, count(DISTINCT id) AS ids, count(DISTINCT p) AS ps FROM t") == [
            {"n": 5 * len(names), "ids": 5, "ps": len(names)}
        ]
    for value in values:
        assert query(server, f"SELECT count(*) AS n FROM t WHERE p = {value}") == [{"n": 5}]


def sql_value(type, name):
    """What the name of a partition stands for."""
    if pa.types.is_date(type):
        return f"DATE '{name}'"
    if pa.types.is_timestamp(type):
        day, time = name[:10], name[11:].replace("-", ":").replace("_", ".")
        return f"TIMESTAMP '{day} {time}'"
    return name


# --- a changelog that is too short ------------------------------------------------------------------------------------


def switch_lake(raw, on):
    changes = [{"config_key": "table.datalake.enabled", "config_value": "true" if on else "false", "op_type": 0}]
    raw.call("ALTER_TABLE", table_path=path("fluss", "t"), ignore_if_not_exists=False, config_changes=changes)


FORGETFUL = {
    "log.segment.file-size": "2kb", "log.retention.check-interval": "100ms", "kv.snapshot.interval": "100ms",
    "remote.log.task-interval-duration": "0 ms",
}  # fmt: skip


def test_changes_that_are_gone(lake_server, lake, tmp_path):
    """While the lake was off changes expired: which keys were deleted is not known, so nothing is copied on top, and
    the reason says what to do. Done so, the lake gets the state."""
    server = lake_server(**FORGETFUL, **{"remote.data.dir": tmp_path / "remote"})
    properties = {**LAKE, **PLAIN, "table.log.ttl": "1 s"}
    with fluss_raw.connect(server.address) as raw:
        table = raw.create_table("fluss", "t", COLUMNS, primary_key=["id"], properties=properties)
        raw.put_kv(table, upserts(*([i, "old"] for i in range(10))))
        tiered_to(lake(), {0: 10})
        switch_lake(raw, on=False)
        raw.put_kv(table, kv_batch([(PAIMON_KEYS.key_of(3), None)]))

        def is_gone():
            raw.put_kv(table, upserts([5, f"new {time.monotonic()} {'x' * 500}"]))
            return raw.offset(table, EARLIEST)["offset"] > 11

        eventually(is_gone, "changes that expire")
        switch_lake(raw, on=True)
        reason = eventually(lambda: statuses(server)["fluss.t"]["reason"], "a reason")
        assert "the lake has its changes below 10" in reason and "switch the lake off and on again" in reason
        assert len(lake().rows()) == 10
        switch_lake(raw, on=False)
        shutil.rmtree(lake().folder)
        switch_lake(raw, on=True)
        eventually(lambda: lake().tiered() and len(lake().rows()) == 9, "the state in the lake")
    assert {row["id"] for row in lake().rows()} == set(range(10)) - {3}


def run_sql(server, text, code=SUCCESS):
    command = [str(BINARY), "sql", "--server", server.address, "-c", text]
    done = subprocess.run(command, capture_output=True, timeout=60, text=True)
    assert done.returncode == code, done.stderr
    return done.stderr


def test_a_partition_that_the_lake_does_not_have(lake_server, tmp_path):
    """While the lake was off a partition came, and its first changes expired; those of another one, too, so that no
    round can make it good: a query of lake and log says so, and leaves no row out."""
    server = lake_server(**FORGETFUL, **{"remote.data.dir": tmp_path / "remote"})
    lake = f"'table.datalake.enabled' = 'true', 'table.datalake.freshness' = '{FRESHNESS}', 'table.log.ttl' = '1 s'"
    keys = "PRIMARY KEY (id, p) NOT ENFORCED"
    run_sql(server, f"CREATE TABLE t (id INT, s STRING, p STRING, {keys}) PARTITIONED BY (p) WITH ({lake})")
    run_sql(server, "ALTER TABLE t ADD PARTITION (p = 'old'); INSERT INTO t VALUES (1, 'a', 'old')")
    snapshots = """SELECT * FROM "t$lake$snapshots" WHERE readable"""
    eventually(lambda: query(server, snapshots), "a snapshot")
    run_sql(server, "ALTER TABLE t SET ('table.datalake.enabled' = 'false'); ALTER TABLE t ADD PARTITION (p = 'new')")
    with fluss_raw.connect(server.address) as raw:
        table = raw.call("GET_TABLE_INFO", table_path=path("fluss", "t"))["table_id"]
        partitions = raw.call("LIST_PARTITION_INFOS", table_path=path("fluss", "t"))["partitions_info"]

        def are_gone():
            rows = ", ".join(f"({i}, repeat('x', 700), '{p}')" for p in ("old", "new") for i in range(3))
            run_sql(server, f"INSERT INTO t VALUES {rows}")
            ids = [info["partition_id"] for info in partitions]
            return all(raw.offset(table, EARLIEST, partition_id=id)["offset"] > 3 for id in ids)

        eventually(are_gone, "changes that expire", 30)
    run_sql(server, "ALTER TABLE t SET ('table.datalake.enabled' = 'true')")
    eventually(lambda: statuses(server)["fluss.t"]["reason"], "a reason")
    error = run_sql(server, "SELECT * FROM t", code=REFUSED)
    assert "partition new of fluss.t: no snapshot of the lake has it yet" in error


# --- two phases -------------------------------------------------------------------------------------------------------


def test_a_commit_that_was_not_reported(lake_server, lake):
    """The next worker finds it in the lake by the path that it carries and makes it known: no row comes twice."""
    server = lake_server(**{"lakestream.failpoints": "tiering.after_lake_commit=kill"})
    with fluss_raw.connect(server.address) as raw:
        stream = LogStream(raw, "t", LAKE, random.Random(1))
        write_until(server.address, [stream], lambda: False)
    eventually(lambda: not server.alive(), "the end of the server")
    committed = lake().snapshots()
    assert len(committed) == 1
    server.kill()
    server.options["lakestream.failpoints"] = ""
    server.start()
    settle(server.address, [stream])
    tiered_to(lake(), {0: stream.end})
    assert lake().snapshots()[0] == committed[0]
    assert b"a lake commit that was not reported is made known" in server.log.read_bytes()
    assert lake().rows() == stream.expected()
    check_union(server, [stream])


def test_nothing_is_left_on_the_disk(new_server, tmp_path, monkeypatch):
    """A round needs no temporary files: the folder for those stays empty, as does what is not of the server's data."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    options = {
        "datalake.format": "paimon", "datalake.paimon.warehouse": tmp_path / "lake",
        "lakestream.tiering.heartbeat-interval": "20 ms",
    }  # fmt: skip
    server = new_server(options=options).start()
    with fluss_raw.connect(server.address) as raw:
        streams = streams_of(raw, 9, LAKE)
    left = iter(range(100))
    assert write_until(server.address, streams, lambda: next(left, None) is None)
    check_union(server, streams)
    server.stop()
    assert not list(temporary.iterdir())
    assert not list((tmp_path / "lake").rglob("*.tmp"))
