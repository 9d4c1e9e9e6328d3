"""What the worker does for a lake table beside its rows: what is too old or left over goes."""

import datetime as dt
import os
import random
import time

import fluss_raw
import pyarrow as pa
import pytest
from fluss import TablePath

from lake_streams import LogStream
from test_lake import FRESHNESS, create, lake, lake_server, numbered, tiered_to  # noqa: F401
from test_pyfluss import append, connect
from waiting import eventually

DAYS = pa.schema([pa.field("id", pa.int32()), pa.field("dt", pa.utf8(), nullable=False)])
LAKE = {"table.datalake.enabled": "true", "table.datalake.freshness": FRESHNESS}
TWO_DAYS_S = 2 * 86400


def left_behind(folder, age_s):
    """Files as a round that crashed leaves them: data, a manifest, a list, and one that was being written."""
    files = [
        folder / "bucket-0/data-00000000-0000-4000-8000-000000000000-0.parquet",
        folder / "bucket-0/.data-1.parquet.1234-1.tmp",
        folder / "manifest/manifest-00000000-0000-4000-8000-000000000000-0",
        folder / "manifest/manifest-list-00000000-0000-4000-8000-000000000000-0",
    ]
    for file in files:
        file.write_bytes(b"left")
        os.utime(file, (time.time() - age_s,) * 2)
    return files


async def test_files_of_rounds_that_crashed(lake_server, lake):
    """What no snapshot names goes when it is a day old; what is younger, and what is no file of ours, stays."""
    server = lake_server()
    async with connect(server) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
    server.stop()
    folder = lake().folder
    foreign = folder / "statistics/stat-1"
    foreign.parent.mkdir()
    foreign.write_bytes(b"mine")
    old = left_behind(folder, TWO_DAYS_S)
    for file in (foreign, *folder.glob("bucket-0/data-*"), *folder.glob("manifest/*")):
        os.utime(file, (time.time() - TWO_DAYS_S,) * 2)
    young = folder / "bucket-0/data-00000000-0000-4000-8000-000000000001-0.parquet"
    young.write_bytes(b"on its way")
    async with connect(server.start()) as connection:
        table = await connection.get_table(TablePath("fluss", "t"))
        await append(table, numbered(10, 20))
        tiered_to(lake(), {0: 20})
        eventually(lambda: not any(file.exists() for file in old), "files that go")
    assert young.exists() and foreign.exists()
    assert lake().rows() == numbered(0, 20)
    assert b"4 files that no snapshot names are gone" in server.log.read_bytes()


async def test_orphans_are_kept_for_ever(lake_server, lake):
    """When the server is told so."""
    server = lake_server(**{"lakestream.tiering.orphan-age": "0 s"})
    async with connect(server) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
        old = left_behind(lake().folder, TWO_DAYS_S)
        await append(table, numbered(10, 20))
        tiered_to(lake(), {0: 20})
        await append(table, numbered(20, 30))
        tiered_to(lake(), {0: 30})
    assert all(file.exists() for file in old)


@pytest.mark.parametrize("who", ["nobody", "the table", "the cluster"])
def test_old_snapshots(lake_server, lake, who):
    """They go when the table or the cluster asks for it, and not otherwise."""
    server = lake_server(**({"lake.tiering.auto-expire-snapshot": "true"} if who == "the cluster" else {}))
    properties = {**LAKE, **({"table.datalake.auto-expire-snapshot": "true"} if who == "the table" else {})}
    custom = {
        "paimon.snapshot.num-retained.min": "2", "paimon.snapshot.num-retained.max": "3",
        "paimon.snapshot.time-retained": "1 ms",
    }  # fmt: skip
    with fluss_raw.connect(server.address) as raw:
        stream = LogStream(raw, "t", properties, random.Random(1), custom)
        for _ in range(7):
            assert stream.step(raw)
            tiered_to(lake(), {0: stream.end})
    assert lake().rows() == stream.expected()
    if who == "nobody":
        assert len(lake().snapshots()) == 7
    else:
        eventually(lambda: len(lake().snapshots()) <= 3, "snapshots that go")


@pytest.mark.parametrize("who", ["nobody", "the table", "the cluster"])
async def test_old_partitions(lake_server, lake, who):
    """A partition whose time is over by the options of the lake table goes there, with the next commit."""
    server = lake_server(**({"lake.tiering.auto-expire-snapshot": "true"} if who == "the cluster" else {}))
    properties = {"table.datalake.auto-expire-snapshot": "true"} if who == "the table" else {}
    options = {"paimon.partition.expiration-time": "1 d", "paimon.partition.timestamp-formatter": "yyyyMMdd"}
    today = dt.datetime.now(dt.timezone.utc).strftime("%Y%m%d")
    path = TablePath("fluss", "t")
    async with connect(server) as connection:
        table = await create(
            connection, schema=DAYS, properties=properties, partition_keys=["dt"], custom_properties=options
        )
        for day in ("20200101", today):
            await connection.get_admin().create_partition(path, {"dt": day})
        old = [{"id": i, "dt": "20200101"} for i in range(5)]
        new = [{"id": i, "dt": today} for i in range(5)]
        await append(table, old + new)
        eventually(lambda: sum(lake().offsets().values()) == 10, "all in the lake")
        more = [{"id": 5, "dt": today}]
        await append(table, more)
        eventually(lambda: sum(lake().offsets().values()) == 11, "all in the lake")
    left = (old if who == "nobody" else []) + new + more
    key = lambda row: (row["dt"], row["id"])  # noqa: E731
    eventually(lambda: sorted(lake().rows(), key=key) == sorted(left, key=key), f"{len(left)} rows in the lake")
    lake().check()


def test_rules_that_can_not_be_followed(lake_server, lake):
    """Options of the lake table that the upkeep would stumble over are refused when the table is made."""
    server = lake_server()
    with fluss_raw.connect(server.address) as raw:
        for key, value in (
            ("partition.expiration-time", "soon"),
            ("partition.expiration-time", "1 d"),  # of a table without partitions
            ("snapshot.time-retained", "long"),
        ):
            with pytest.raises(fluss_raw.ServerError) as refused:
                raw.create_table(
                    "fluss", "t", [fluss_raw.column("id", "INTEGER")], properties=LAKE,
                    custom_properties={f"paimon.{key}": value},
                )  # fmt: skip
            assert key in str(refused.value), refused.value
            assert not (lake().folder / "schema").exists()
