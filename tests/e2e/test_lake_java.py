"""Lake tables that the server made, read with the Java library of Paimon: as written, and as pypaimon reads them."""

import random

import fluss
import pyarrow as pa
import pytest
from fluss import TablePath

from command import cli  # noqa: F401
from lake_table import SYSTEM_COLUMNS, canonical_rows, java_rows, ordered, python_rows
from test_kv_pyfluss import write
from test_lake import SIMPLE, change_rows, create, lake, lake_server, numbered  # noqa: F401
from test_pyfluss import TYPES, append, connect
from waiting import eventually

ID = pa.field("id", pa.int32(), nullable=False)


async def wait(connection, lake, name, partitions=(None,), buckets=(0,)):
    """Until all that was written is in the lake."""
    admin = connection.get_admin()
    path = TablePath("fluss", name)
    expected = {}
    for partition in partitions:
        if partition is None:
            ends = await admin.list_offsets(path, list(buckets), fluss.OffsetSpec.latest())
        else:
            ends = await admin.list_partition_offsets(path, partition, list(buckets), fluss.OffsetSpec.latest())
        ids = {p.partition_name: p.partition_id for p in await admin.list_partition_infos(path)} if partition else {}
        expected.update({(ids.get(partition), bucket): end for bucket, end in ends.items() if end})
    eventually(lambda: lake(name).offsets() == expected, f"{expected} of {name} in the lake")


def of_types(names):
    """A schema with these types of test_pyfluss, and rows of all their values, nulls after them."""
    schema = pa.schema([ID] + [(f"c{i}", TYPES[name][0]) for i, name in enumerate(names)])
    depth = 1 + max(len(TYPES[name][1]) for name in names)
    rows = [
        {"id": n} | {f"c{i}": (TYPES[name][1] + [None] * depth)[n] for i, name in enumerate(names)}
        for n in range(depth)
    ]
    return schema, rows


async def every_type(connection, lake, name, types, keys=None, adapt=lambda rows, schema: rows):
    """Rows with keys come into the lake as nulls first."""
    schema, rows = of_types(types)
    rows = adapt(rows, schema)
    table = await create(connection, name, schema, keys)
    if keys:
        writer = table.new_upsert().create_writer()
        await write(writer, *({**dict.fromkeys(schema.names), "id": row["id"]} for row in rows))
        await wait(connection, lake, name)
        await write(writer, *rows)
    else:
        await append(table, rows)
    await wait(connection, lake, name)
    return pa.Table.from_pylist(rows, schema)


async def buckets(connection, lake, name):
    table = await create(connection, name, bucket_count=3, bucket_keys=["id"])
    await append(table, numbered(0, 100))
    await wait(connection, lake, name, buckets=range(3))
    await append(table, numbered(100, 150))
    await wait(connection, lake, name, buckets=range(3))
    return pa.Table.from_pylist(numbered(0, 150), SIMPLE)


async def changes(connection, lake, name):
    """Updates and deletes over several snapshots."""
    rng = random.Random(11)
    table = await create(connection, name, pa.schema([ID, ("name", pa.utf8())]), ["id"], bucket_count=2)
    model = {}
    for _ in range(4):
        await change_rows(table, rng, model, changes=60, keys=50)
        await wait(connection, lake, name, buckets=range(2))
    return pa.Table.from_pylist([{"id": key, "name": value} for key, value in model.items()], SIMPLE)


async def partitions(connection, lake, name, keys):
    """By two columns; one of them is not text."""
    region = pa.field("region", pa.utf8(), nullable=False)
    day = pa.field("day", pa.date32(), nullable=False)
    schema = pa.schema([ID, region, day, ("name", pa.utf8())])
    table = await create(connection, name, schema, keys, partition_keys=["region", "day"])
    written = [
        {"id": n, "region": region, "day": day, "name": f"{region} {n}"}
        for region in ("eu", "us-east_1")
        for day in (TYPES["date"][1][1], TYPES["date"][1][2])
        for n in range(10)
    ]
    names = []
    for row in written[::10]:
        values = {"region": row["region"], "day": row["day"].isoformat()}
        await connection.get_admin().create_partition(TablePath("fluss", name), values)
        names.append("$".join(values.values()))
    if keys:
        writer = table.new_upsert().create_writer()
        await write(writer, *written)
        for row in written[::3]:
            row["name"] = "new"
        await write(writer, *written[::3])
    else:
        await append(table, written)
    await wait(connection, lake, name, names)
    return pa.Table.from_pylist(written, schema)


async def new_column(connection, lake, name, alter, keys):
    """Rows of before and after it, and updates of those before."""
    table = await create(connection, name, pa.schema([ID, ("name", pa.utf8())]), keys)
    add = (lambda table, rows: write(table.new_upsert().create_writer(), *rows)) if keys else append
    await add(table, numbered(0, 10))
    await wait(connection, lake, name)
    alter(f"fluss.{name}")
    table = await connection.get_table(TablePath("fluss", name))
    more = [{**row, "more": row["id"] * 2} for row in numbered(8 if keys else 10, 20)]
    await add(table, more)
    await wait(connection, lake, name)
    rows = numbered(0, 8 if keys else 10) + more
    return pa.Table.from_pylist(rows, pa.schema([*SIMPLE, ("more", pa.int64())]))


@pytest.mark.time_limit(300)
async def test_rows(lake_server, lake, cli, subtests):  # noqa: F811
    server = lake_server()
    alter = lambda table: cli("table", "alter", table, "ADD COLUMN more BIGINT", address=server.address)  # noqa: E731
    # pypaimon has no nanoseconds.
    exact = [name for name in TYPES if name.endswith("(9)")]
    common = [name for name in TYPES if name not in exact]
    written = {}
    async with connect(server) as connection:
        written["types"] = await every_type(connection, lake, "types", common)
        written["keyed_types"] = await every_type(connection, lake, "keyed_types", common, ["id"])
        written["nanos"] = await every_type(connection, lake, "nanos", exact)
        written["buckets"] = await buckets(connection, lake, "buckets")
        written["changes"] = await changes(connection, lake, "changes")
        written["days"] = await partitions(connection, lake, "days", None)
        written["keyed_days"] = await partitions(connection, lake, "keyed_days", ["id", "region", "day"])
        written["evolving"] = await new_column(connection, lake, "evolving", alter, None)
        written["keyed_evolving"] = await new_column(connection, lake, "keyed_evolving", alter, ["id"])
    tables = {name: lake(name) for name in written}
    by_java = dict(zip(tables, java_rows(*tables.values())))
    del tables["nanos"]
    by_python = dict(zip(tables, python_rows(*tables.values())))
    for name, table in written.items():
        with subtests.test(name):
            rows = [{key: value for key, value in row.items() if key not in SYSTEM_COLUMNS} for row in by_java[name]]
            assert ordered(rows) == ordered(canonical_rows(table))
            assert all(row[column] is not None for row in by_java[name] for column in SYSTEM_COLUMNS)
    for name, table in by_python.items():
        with subtests.test(f"{name} as pypaimon reads it"):
            assert ordered(by_java[name]) == ordered(canonical_rows(table))
