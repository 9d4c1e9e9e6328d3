"""Tables that are copied to a Paimon lake by the server itself, read back with pypaimon."""

import asyncio
import json
import random

import fluss
import pyarrow as pa
import pytest
from fluss import TablePath

from command import cli  # noqa: F401
from lake_table import SYSTEM_COLUMNS, PaimonTable
from test_kv_pyfluss import write
from test_pyfluss import TYPES, append, connect, expect_error, scan
from waiting import eventually

SIMPLE = pa.schema([("id", pa.int32()), ("name", pa.utf8())])
FRESHNESS = "100 ms"


@pytest.fixture
def lake_server(new_server, tmp_path):
    """Makes servers with a lake in `tmp_path`/lake that is looked after ten times a second."""

    def make(**options):
        settings = {
            "datalake.format": "paimon",
            "datalake.paimon.warehouse": str(tmp_path / "lake"),
            "lakestream.tiering.heartbeat-interval": "100 ms",
        }
        settings.update({key.replace("__", "."): value for key, value in options.items()})
        return new_server(options=settings).start()

    return make


@pytest.fixture
def lake(tmp_path):
    return lambda name="t", database="fluss": PaimonTable(tmp_path / "lake", database, name)


async def create(connection, name="t", schema=SIMPLE, keys=None, properties=None, **descriptor):
    path = TablePath("fluss", name)
    properties = {
        "table.datalake.enabled": "true",
        "table.datalake.freshness": FRESHNESS,
        **(properties or {}),
    }
    schema = fluss.Schema(schema, primary_keys=keys or [])
    await connection.get_admin().create_table(path, fluss.TableDescriptor(schema, properties=properties, **descriptor))
    return await connection.get_table(path)


async def change_rows(table, rng, model, changes, keys):
    """So many random upserts and deletes of so many keys, in the table and in the model {key: name}."""
    writer = table.new_upsert().create_writer()
    for _ in range(changes):
        key = rng.randrange(keys)
        if key in model and rng.random() < 0.3:
            writer.delete([key])
            del model[key]
        else:
            model[key] = f"value {rng.random()}"
            writer.upsert([key, model[key]])
    await writer.flush()


def tiered_to(table, offsets):
    """Waits until the lake has everything up to these ends: {bucket: offset}."""
    eventually(lambda: table.offsets() == {(None, b): end for b, end in offsets.items()}, f"{offsets} in the lake")
    table.check()


def numbered(begin, end):
    return [{"id": i, "name": f"row {i}"} for i in range(begin, end)]


# --- log tables -------------------------------------------------------------------------------------------------------


async def test_a_log_table(lake_server, lake):
    """Rows are in the lake once, in order, with bucket, offset and time; more of them in a later snapshot."""
    async with connect(lake_server()) as connection:
        table = await create(connection)
        await append(table, numbered(0, 100))
        tiered_to(lake(), {0: 100})
        await append(table, numbered(100, 250))
        tiered_to(lake(), {0: 250})
        bucket = fluss.TableBucket(table.get_table_info().table_id, 0)
        latest = connection.get_admin().get_latest_lake_snapshot
        while (await latest(TablePath("fluss", "t"))).get_bucket_offset(bucket) < 250:
            await asyncio.sleep(0.02)  # the server hears of it after the lake
    rows = lake().arrow()
    assert rows.column_names == ["id", "name", *SYSTEM_COLUMNS]
    assert lake().rows() == numbered(0, 250)
    assert rows["__offset"].to_pylist() == list(range(250)) and set(rows["__bucket"].to_pylist()) == {0}
    times = rows["__timestamp"].to_pylist()
    assert times == sorted(times) and None not in times
    assert len(lake().snapshots()) >= 2 and lake().tiered()["totalRecordCount"] == 250


@pytest.mark.parametrize("bucket_keys", [[], ["id"]], ids=["any bucket", "by key"])
async def test_buckets(lake_server, lake, bucket_keys):
    """Each row is in the bucket that it has in the stream."""
    async with connect(lake_server()) as connection:
        table = await create(connection, bucket_count=3, bucket_keys=bucket_keys)
        await append(table, numbered(0, 300))
        ends = await connection.get_admin().list_offsets(
            TablePath("fluss", "t"), [0, 1, 2], fluss.OffsetSpec.latest()
        )
        tiered_to(lake(), {bucket: end for bucket, end in ends.items() if end})
    assert sorted(lake().rows(), key=lambda row: row["id"]) == numbered(0, 300)
    found = lake().arrow()
    for bucket, end in ends.items():
        offsets = [o for o, b in zip(found["__offset"].to_pylist(), found["__bucket"].to_pylist()) if b == bucket]
        assert sorted(offsets) == list(range(end))


async def test_a_bucket_without_rows(lake_server, lake):
    """A snapshot says of it that it ends at 0: readers that know nothing of it would wait for its first row."""
    async with connect(lake_server()) as connection:
        table = await create(connection, bucket_count=4)
        await append(table, numbered(0, 1))
        eventually(lambda: lake().offsets(), "a snapshot")
        assert sorted(lake().all_offsets().values()) == [0, 0, 0, 1]
        await append(table, numbered(1, 200))
        eventually(lambda: sum(lake().offsets().values()) == 200, "all rows in the lake")
    assert sorted(row["id"] for row in lake().rows()) == list(range(200))


async def test_every_type(lake_server, lake):
    """Extremes and nulls of every type; INDEXED and COMPACTED logs as well as ARROW ones."""
    names = [name for name in TYPES if not name.endswith("(9)")]
    schema = pa.schema([("id", pa.int32())] + [(f"c{i}", TYPES[name][0]) for i, name in enumerate(names)])
    depth = max(len(TYPES[name][1]) for name in names)
    rows = [
        {"id": n} | {f"c{i}": (TYPES[name][1] + [None] * depth)[n] for i, name in enumerate(names)}
        for n in range(depth)
    ]
    async with connect(lake_server()) as connection:
        table = await create(connection, schema=schema)
        await append(table, rows)
        tiered_to(lake(), {0: depth})
    found = lake().rows()
    for i, name in enumerate(names):
        assert [row[f"c{i}"] for row in found] == [row[f"c{i}"] for row in rows], name


async def test_a_new_column(lake_server, lake, cli):
    """It stands before the system columns; older rows have no value."""
    server = lake_server()
    async with connect(server) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
        cli("table", "alter", "fluss.t", "ADD COLUMN more BIGINT", address=server.address)
        table = await connection.get_table(TablePath("fluss", "t"))
        await append(table, [{**row, "more": row["id"] * 2} for row in numbered(10, 20)])
        tiered_to(lake(), {0: 20})
    assert [f["name"] for f in lake().schema()["fields"]] == ["id", "name", "more", *SYSTEM_COLUMNS]
    assert [row["more"] for row in lake().rows()] == [None] * 10 + [2 * i for i in range(10, 20)]


# --- primary-key tables -----------------------------------------------------------------------------------------------


async def test_a_keyed_table(lake_server, lake):
    """Updates replace rows and deletes remove them, over many snapshots; the model is a dict."""
    rng = random.Random(5)
    async with connect(lake_server()) as connection:
        table = await create(connection, keys=["id"], bucket_count=2)
        model = {}
        for _ in range(6):
            await change_rows(table, rng, model, changes=50, keys=40)
            ends = await connection.get_admin().list_offsets(
                TablePath("fluss", "t"), [0, 1], fluss.OffsetSpec.latest()
            )
            tiered_to(lake(), {bucket: end for bucket, end in ends.items() if end})
            assert {row["id"]: row["name"] for row in lake().rows()} == model
    assert lake().schema()["primaryKeys"] == ["id"]


async def test_a_first_row_table(lake_server, lake):
    """Batches without records move the offset of the lake, too."""
    async with connect(lake_server(), writer__batch_timeout_ms="1") as connection:
        table = await create(connection, keys=["id"], properties={"table.merge-engine": "first_row"})
        await write(table.new_upsert().create_writer(), [1, "first"])
        for i in range(10):
            await write(table.new_upsert().create_writer(), [1, f"later {i}"])
        tiered_to(lake(), {0: 11})
    assert lake().rows() == [{"id": 1, "name": "first"}]


# --- partitions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [None, ["id", "day"]], ids=["log", "keyed"])
async def test_partitions(lake_server, lake, keys):
    """Each row is in the partition of its values; a partition that is dropped stays in the lake."""
    schema = pa.schema([pa.field("id", pa.int32(), nullable=False), pa.field("day", pa.utf8(), nullable=False)])
    path = TablePath("fluss", "t")
    async with connect(lake_server()) as connection:
        table = await create(connection, schema=schema, keys=keys, partition_keys=["day"])
        admin = connection.get_admin()
        rows = [{"id": i, "day": day} for day in ("2026-11-29", "2026-11-30") for i in range(20)]
        for day in ("2026-11-29", "2026-11-30"):
            await admin.create_partition(path, {"day": day})
        if keys:
            await write(table.new_upsert().create_writer(), *rows)
        else:
            await append(table, rows)
        ids = {p.partition_name: p.partition_id for p in await admin.list_partition_infos(path)}
        expected = {(ids[day], 0): 20 for day in ids}
        eventually(lambda: lake().offsets() == expected, "both partitions in the lake")
        await admin.drop_partition(path, {"day": "2026-11-29"})
        more = [{"id": i, "day": "2026-11-30"} for i in range(20, 30)]
        if keys:
            await write(table.new_upsert().create_writer(), *more)
        else:
            await append(table, more)
        eventually(lambda: lake().offsets().get((ids["2026-11-30"], 0)) == 30, "the partition that is left")
    lake().check()
    key = lambda row: (row["day"], row["id"])  # noqa: E731
    assert sorted(lake().rows(), key=key) == sorted(rows + more, key=key)
    folders = {path.name for path in lake().folder.iterdir() if path.name.startswith("day=")}
    assert folders == {"day=2026-11-29", "day=2026-11-30"}


# --- life -------------------------------------------------------------------------------------------------------------


async def append_and_kill(server, lake, rounds):
    """Rows while the server is killed at any time: how many, when all of them are in the lake."""
    count = 0
    for round in range(rounds):
        async with connect(server) as connection:
            if round == 0:
                await create(connection)
            table = await connection.get_table(TablePath("fluss", "t"))
            await append(table, numbered(count, count + 200))
            count += 200
        if round % 2:
            eventually(lambda: lake().offsets(), "a snapshot")
        server.kill()
        server.start()
    tiered_to(lake(), {0: count})
    return count


async def test_kills(lake_server, lake):
    """kill -9 at any time: no row is in the lake twice, none is missing."""
    count = await append_and_kill(lake_server(), lake, rounds=8)
    assert lake().rows() == numbered(0, count)
    assert lake().arrow()["__offset"].to_pylist() == list(range(count))


async def test_a_lake_that_can_not_be_written(lake_server, lake, tmp_path):
    """Rows are taken and read all the same; the lake goes on from where it was when it can be reached again."""
    server = lake_server()
    async with connect(server) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
        (tmp_path / "lake").rename(tmp_path / "away")
        (tmp_path / "lake").write_text("no folder")
        await append(table, numbered(10, 20))
        eventually(lambda: b"tiering: failed" in server.log.read_bytes(), "a failure in the log")
        await append(table, numbered(20, 30))
        assert [r.row["id"] for r in await scan(table, 30)] == list(range(30))
        (tmp_path / "lake").unlink()
        (tmp_path / "away").rename(tmp_path / "lake")
        tiered_to(lake(), {0: 30})
    assert lake().rows() == numbered(0, 30)


async def test_switched_on_and_off(lake_server, lake, cli):
    """A table that has rows is copied from the moment that its lake is switched on, and no further when it is off."""
    server = lake_server()
    options = {"table.datalake.enabled": "false"}
    async with connect(server) as connection:
        table = await create(connection, properties=options)
        await append(table, numbered(0, 10))
        assert not lake().folder.exists()
        cli("table", "alter", "fluss.t", "SET ('table.datalake.enabled' = 'true')", address=server.address)
        tiered_to(lake(), {0: 10})
        cli("table", "alter", "fluss.t", "SET ('table.datalake.enabled' = 'false')", address=server.address)
        await append(table, numbered(10, 20))
        await create(connection, name="other")
        await append(await connection.get_table(TablePath("fluss", "other")), numbered(0, 5))
        tiered_to(lake("other"), {0: 5})
        assert lake().offsets() == {(None, 0): 10}
        cli("table", "alter", "fluss.t", "SET ('table.datalake.enabled' = 'true')", address=server.address)
        tiered_to(lake(), {0: 20})
    assert lake().rows() == numbered(0, 20)


async def test_a_dropped_table(lake_server, lake):
    """Its lake table stays; one of the same name is refused as long as that has rows."""
    async with connect(lake_server()) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
        await connection.get_admin().drop_table(TablePath("fluss", "t"))
        await expect_error(fluss.ErrorCode.LAKE_TABLE_ALREADY_EXIST, create(connection), "fluss.db/t", "not empty")
        assert lake().rows() == numbered(0, 10)


async def test_a_lake_that_was_set_back(lake_server, lake):
    """Somebody takes the newest snapshots away: nothing is copied on top, and the log says why."""
    server = lake_server()
    async with connect(server) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
        first = lake().snapshots()[-1]["id"]
        await append(table, numbered(10, 20))
        tiered_to(lake(), {0: 20})
        for snapshot in lake().snapshots():
            if snapshot["id"] > first:
                (lake().folder / f"snapshot/snapshot-{snapshot['id']}").unlink()
        (lake().folder / "snapshot/LATEST").write_text(str(first))
        await append(table, numbered(20, 30))
        eventually(lambda: b"set back by somebody else" in server.log.read_bytes(), "the reason in the log")
    assert lake().rows() == numbered(0, 10)


async def test_status(lake_server, lake, cli, tmp_path):
    """The command says how far each table is, and what is wrong when one lags."""
    server = lake_server()

    def status():
        rows = json.loads(cli("tiering", "status", "--format", "json", address=server.address))
        return {row["table"]: row for row in rows}

    async with connect(server) as connection:
        assert status() == {}
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
        row = eventually(lambda: (row := status()["fluss.t"])["snapshot"] and row, "a snapshot that is known")
        assert (row["in_lake"], row["behind"], row["reason"], row["failures"]) == (10, 0, "", 0)
        (tmp_path / "lake").rename(tmp_path / "away")
        (tmp_path / "lake").write_text("no folder")
        await append(table, numbered(10, 15))
        row = eventually(lambda: (row := status()["fluss.t"])["reason"] and row, "a reason")
        assert (row["in_lake"], row["behind"]) == (10, 5) and str(tmp_path / "lake") in row["reason"]
        (tmp_path / "lake").unlink()
        (tmp_path / "away").rename(tmp_path / "lake")
        tiered_to(lake(), {0: 15})
        row = eventually(lambda: (row := status()["fluss.t"])["behind"] == 0 and row, "nothing behind")
        assert eventually(lambda: status()["fluss.t"]["reason"] == "", "no reason any more")
    assert b"fluss.t" in cli("tiering", "status", address=server.address)
