"""Partitions: by the raw protocol, and with the official Python client (pyfluss 1.0.0)."""

import asyncio
import datetime as dt
import shutil
import time
import zoneinfo

import fluss
import pyarrow as pa
import pytest
from fluss import EARLIEST_OFFSET, ErrorCode, OffsetSpec, TablePath

import fluss_raw
from fluss_raw import column, parse_batches, partition_spec, path, table_json
from kv_rows import Keys, decode_row, decode_value, encode_row, kv_batch, parse_values
from raw_checks import (
    ARROW, COLUMNS, PARTITION_NOT_EXIST, TABLE_NOT_EXIST, TOO_MANY_BUCKETS, UNKNOWN, UNKNOWN_BUCKET, batch, error_of,
)  # fmt: skip
from test_evolution import INVALID_CONFIG, add_column, alter, config, wide_batch
from test_pyfluss import append, connect, expect_error
from waiting import entries_below, eventually

NOT_PARTITIONED, EXISTS, SPEC_INVALID, TOO_MANY = 37, 42, 43, 45
READ_TIMEOUT_S = 20
BY_NAME = {"partition_key": ["name"], "properties": {"table.log.arrow.compression.type": "NONE"}}
PAIR = [column("id", "INTEGER"), column("region", "STRING"), column("day", "STRING"), column("v", "BIGINT")]


def create_table(raw, database, name, columns=COLUMNS, **descriptor):
    """Creates a partitioned table, which has no buckets of its own, and returns its id."""
    json = table_json(columns, **descriptor)
    raw.call("CREATE_TABLE", table_path=path(database, name), table_json=json, ignore_if_exists=False)
    (metadata,) = raw.call("GET_METADATA", table_path=[path(database, name)])["table_metadata"]
    assert metadata["bucket_metadata"] == []
    return metadata["table_id"]


def create(raw, database, name, /, ignore=False, **values):
    raw.call(
        "CREATE_PARTITION", table_path=path(database, name), partition_spec=partition_spec(**values),
        ignore_if_not_exists=ignore,
    )  # fmt: skip


def drop(raw, database, name, /, ignore=False, **values):
    raw.call(
        "DROP_PARTITION", table_path=path(database, name), partition_spec=partition_spec(**values),
        ignore_if_not_exists=ignore,
    )  # fmt: skip


def listed(raw, database, name, /, **partial):
    """{partition name: id} in the order of the answer."""
    request = {"partial_partition_spec": partition_spec(**partial)} if partial else {}
    infos = raw.call("LIST_PARTITION_INFOS", table_path=path(database, name), **request)["partitions_info"]
    values = lambda info: [entry["value"] for entry in info["partition_spec"]["partition_key_values"]]  # noqa: E731
    return {"$".join(values(info)): info["partition_id"] for info in infos}


def metadata_of(raw, database, name, partition):
    request = {**path(database, name), "partition_name": partition}
    (found,) = raw.call("GET_METADATA", partitions_path=[request])["partition_metadata"]
    return found


def produce(raw, table, partition, records, bucket=0):
    buckets = [{"partition_id": partition, "bucket_id": bucket, "records": records}]
    (answer,) = raw.call("PRODUCE_LOG", acks=-1, table_id=table, timeout_ms=10000, buckets_req=buckets)["buckets_resp"]
    return answer


def fetch(raw, table, partition, offset=0, bucket=0):
    wanted = {"partition_id": partition, "bucket_id": bucket, "fetch_offset": offset, "max_fetch_bytes": 1 << 20}
    request = {"table_id": table, "projection_pushdown_enabled": False, "buckets_req": [wanted]}
    answer = raw.call("FETCH_LOG", follower_server_id=-1, max_bytes=1 << 20, tables_req=[request])
    return answer["tables_resp"][0]["buckets_resp"][0]


def ids_of(answer):
    return [i for read in parse_batches(answer["records"]) for i, *_ in read.rows(ARROW)]


# --- the life of a partition ------------------------------------------------------------------------------------------


def test_life(raw, database):
    table = create_table(raw, database, "t", PAIR, buckets=2, partition_key=["region", "day"])
    create(raw, database, "t", region="eu", day="1")
    create(raw, database, "t", day="2", region="eu")
    create(raw, database, "t", region="us", day="1")
    names = listed(raw, database, "t")
    assert list(names) == ["eu$1", "eu$2", "us$1"]
    assert listed(raw, database, "t", region="eu") == {n: names[n] for n in ("eu$1", "eu$2")}
    assert listed(raw, database, "t", day="1", region="us") == {"us$1": names["us$1"]}
    assert listed(raw, database, "t", day="3") == {}

    found = metadata_of(raw, database, "t", "eu$2")
    assert (found["table_id"], found["partition_id"], found["bucket_count"]) == (table, names["eu$2"], 2)
    assert [b["bucket_id"] for b in found["bucket_metadata"]] == [0, 1]
    assert all(b["leader_id"] >= 0 and b["leader_epoch"] == 0 for b in found["bucket_metadata"])
    by_id = raw.call("GET_METADATA", table_path=[path(database, "t")], partitions_id=list(names.values()))
    assert [p["partition_name"] for p in by_id["partition_metadata"]] == list(names)

    drop(raw, database, "t", region="eu", day="2")
    assert list(listed(raw, database, "t")) == ["eu$1", "us$1"]
    create(raw, database, "t", region="eu", day="2")
    assert listed(raw, database, "t")["eu$2"] > max(names.values())


def test_nothing_is_acknowledged_after_a_drop(raw, database):
    table = create_table(raw, database, "t", buckets=32, **BY_NAME)
    records = batch(0, 1).encode()
    for i in range(20):
        create(raw, database, "t", name=str(i))
        partition = listed(raw, database, "t")[str(i)]
        assert "error_code" not in produce(raw, table, partition, records)
        drop(raw, database, "t", name=str(i))
        buckets = [{"partition_id": partition, "bucket_id": bucket, "records": records} for bucket in range(32)]
        answer = raw.call("PRODUCE_LOG", acks=-1, table_id=table, timeout_ms=10000, buckets_req=buckets)
        assert {read.get("error_code") for read in answer["buckets_resp"]} == {UNKNOWN_BUCKET}


def test_errors(raw, database):
    create_table(raw, database, "t", **BY_NAME)
    raw.create_table(database, "plain", COLUMNS)
    code = lambda call, *args, **kwargs: error_of(lambda: call(raw, database, *args, **kwargs)).code  # noqa: E731
    for call in (create, drop):
        assert code(call, "none", name="x") == TABLE_NOT_EXIST
        assert code(call, "plain", name="x") == NOT_PARTITIONED
        for wrong in ({}, {"id": "1"}, {"name": "x", "id": "1"}, {"name": "a.b"}, {"name": ""}, {"name": "x" * 201}):
            assert code(call, "t", **wrong) == SPEC_INVALID, wrong
    assert code(create, "t", name="__x") == SPEC_INVALID
    assert code(drop, "t", name="__historical__") == SPEC_INVALID
    assert code(drop, "t", name="x") == PARTITION_NOT_EXIST
    drop(raw, database, "t", ignore=True, name="x")
    create(raw, database, "t", name="x")
    assert code(create, "t", name="x") == EXISTS
    create(raw, database, "t", ignore=True, name="x")
    assert len(listed(raw, database, "t")) == 1

    assert code(listed, "plain") == NOT_PARTITIONED
    assert code(listed, "none") == TABLE_NOT_EXIST
    assert code(listed, "t", nothing="x") == SPEC_INVALID
    assert code(metadata_of, "t", "y") == PARTITION_NOT_EXIST
    assert code(metadata_of, "none", "x") == PARTITION_NOT_EXIST
    error = error_of(lambda: raw.call("GET_METADATA", partitions_id=[987654321]))
    assert error.code == PARTITION_NOT_EXIST and "987654321" in error.message


def test_limits(new_server):
    server = new_server(options={"max.partition.num": "3"}).start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("d")
        create_table(raw, "d", "t", buckets=2, **BY_NAME)
        for name in "abc":
            create(raw, "d", "t", name=name)
        assert error_of(lambda: create(raw, "d", "t", name="d")).code == TOO_MANY
        create(raw, "d", "t", ignore=True, name="a")
        drop(raw, "d", "t", name="a")
        create(raw, "d", "t", name="d")
        drop(raw, "d", "t", name="d")
    server.stop()
    server.options["max.bucket.num"] = "1"
    with fluss_raw.connect(server.start().address) as raw:
        assert error_of(lambda: create(raw, "d", "t", name="e")).code == TOO_MANY_BUCKETS


# --- rows -------------------------------------------------------------------------------------------------------------


def test_logs_are_apart(raw, database):
    table = create_table(raw, database, "t", buckets=2, **BY_NAME)
    for name in ("x", "y"):
        create(raw, database, "t", name=name)
    x, y = listed(raw, database, "t").values()
    assert produce(raw, table, x, batch(0, 3).encode())["base_offset"] == 0
    assert produce(raw, table, y, batch(10, 12).encode()) == {"partition_id": y, "bucket_id": 0, "base_offset": 0}
    assert produce(raw, table, x, batch(3, 4).encode())["base_offset"] == 3
    assert ids_of(fetch(raw, table, x)) == [0, 1, 2, 3]
    answer = fetch(raw, table, y)
    assert answer["partition_id"] == y and ids_of(answer) == [10, 11]
    assert fetch(raw, table, y, bucket=1)["high_watermark"] == 0
    for partition, end in ((x, 4), (y, 2)):
        assert raw.offset(table, 1, partition_id=partition)["offset"] == end
    scanned = raw.call("LIMIT_SCAN", table_id=table, partition_id=y, bucket_id=0, limit=5)
    assert ids_of(scanned) == [10, 11]
    for unknown in (None, y + 1000):
        where = {} if unknown is None else {"partition_id": unknown}
        assert raw.offset(table, 1, **where)["error_code"] == UNKNOWN_BUCKET
        buckets = [{**where, "bucket_id": 0, "records": batch(0, 1).encode()}]
        answer = raw.call("PRODUCE_LOG", acks=-1, table_id=table, timeout_ms=1000, buckets_req=buckets)
        assert answer["buckets_resp"][0]["error_code"] == UNKNOWN_BUCKET


def test_keyed_rows_are_apart(new_server):
    """One key in two partitions is two rows, through every API; both survive kills and go with their partitions."""
    server = new_server(options={"kv.snapshot.interval": "1 s"}).start()
    columns, key = PAIR, ["region", "id"]
    keys = Keys(columns, key, partition_key=["region"])

    def send(raw, table, partition, *rows):
        records = kv_batch([(keys.key(row), encode_row(columns, row)) for row in rows])
        buckets = [{"partition_id": partition, "bucket_id": 0, "records": records}]
        answer = raw.call("PUT_KV", 2, acks=-1, table_id=table, timeout_ms=10000, buckets_req=buckets)
        return answer["buckets_resp"][0]

    def lookup(raw, table, partition, *ids):
        wanted = [keys.key_of(i) for i in ids]
        buckets = [{"partition_id": partition, "bucket_id": 0, "keys": wanted}]
        (answer,) = raw.call("LOOKUP", 1, table_id=table, buckets_req=buckets)["buckets_resp"]
        assert answer["partition_id"] == partition
        return [decode_value(columns, value.get("values")) for value in answer["values"]]

    def check(raw, table, names):
        for partition, rows in names.items():
            assert lookup(raw, table, partition, 1, 2, 3) == rows
            present = [row for row in rows if row]
            scanned = raw.call("LIMIT_SCAN", table_id=table, partition_id=partition, bucket_id=0, limit=9)
            assert len(parse_values(scanned["records"])) == len(present)
            scan = {"table_id": table, "partition_id": partition, "bucket_id": 0}
            page = raw.call("SCAN_KV", bucket_scan_req=scan, call_seq_id=0, batch_size_bytes=1000)
            assert len(parse_values(page["records"])) == len(present)
            wanted = [{"partition_id": partition, "bucket_id": 0}]
            stats = raw.call("GET_TABLE_STATS", table_id=table, buckets_req=wanted)["buckets_resp"]
            assert stats == [{"partition_id": partition, "bucket_id": 0, "row_count": len(present)}]

    with fluss_raw.connect(server.address) as raw:
        raw.create_database("d")
        table = create_table(raw, "d", "k", columns, primary_key=key, partition_key=["region"])
        for region in ("eu", "us"):
            create(raw, "d", "k", region=region)
        names = listed(raw, "d", "k")
        eu, us = names["eu"], names["us"]
        assert send(raw, table, eu, [1, "eu", "a", 1], [2, "eu", "a", 2]) == {
            "partition_id": eu, "bucket_id": 0, "log_end_offset": 2,
        }  # fmt: skip
        send(raw, table, us, [1, "us", "b", 10])
        rows = {eu: [[1, "eu", "a", 1], [2, "eu", "a", 2], None], us: [[1, "us", "b", 10], None, None]}
        check(raw, table, rows)
        wait_for_snapshot(raw, "eu", 2)
        assert error_of(lambda: snapshots(raw, None)).code == PARTITION_NOT_EXIST
        assert error_of(lambda: snapshots(raw, "none")).code == PARTITION_NOT_EXIST
        (snapshot,) = raw.call("LIST_KV_SNAPSHOTS", table_id=table, partition_id=eu)["active_snapshots"]
        files = raw.call("GET_KV_SNAPSHOT_METADATA", table_id=table, partition_id=eu, bucket_id=0,
                         snapshot_id=snapshot["snapshot_id"])  # fmt: skip
        assert files["log_offset"] == 2 and all(f"/eu-p{eu}/" in f["remote_path"] for f in files["snapshot_files"])
    server.kill()
    with fluss_raw.connect(server.start().address) as raw:
        check(raw, table, rows)
        send(raw, table, us, [3, "us", "c", 30])
        rows[us][2] = [3, "us", "c", 30]
        check(raw, table, rows)
        drop(raw, "d", "k", region="eu")
        wait_until_gone(server, f"eu-p{eu}")
        check(raw, table, {us: rows[us]})
        raw.call("DROP_TABLE", table_path=path("d", "k"), ignore_if_not_exists=False)
        wait_until_gone(server, f"us-p{us}")


def snapshots(raw, partition):
    name = {} if partition is None else {"partition_name": partition}
    return raw.call("GET_LATEST_KV_SNAPSHOTS", table_path=path("d", "k"), **name)


def wait_for_snapshot(raw, partition, offset):
    eventually(lambda: snapshots(raw, partition)["latest_snapshots"][0].get("log_offset") == offset, "a snapshot")


def wait_until_gone(server, name):
    """Nothing of the partition is below the data directory, remote storage included."""
    eventually(lambda: not list(entries_below(server.data, f"*{name}*")), f"{name} goes")


def test_dropped_while_the_server_was_killed(new_server):
    """What is dropped and not removed yet is removed by the next start."""
    server = new_server().start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("d")
        table = create_table(raw, "d", "t", buckets=4, **BY_NAME)
        for i in range(30):
            create(raw, "d", "t", name=f"n{i}")
        kept = listed(raw, "d", "t")["n7"]
        produce(raw, table, kept, batch(0, 5).encode())
        for i in range(30):
            if i != 7:
                drop(raw, "d", "t", name=f"n{i}")
    server.kill()
    with fluss_raw.connect(server.start().address) as raw:
        assert listed(raw, "d", "t") == {"n7": kept}
        assert ids_of(fetch(raw, table, kept)) == [0, 1, 2, 3, 4]
        folders = lambda: [f.name for f in entries_below(server.data, "n*-p*")]  # noqa: E731
        eventually(lambda: folders() == [f"n7-p{kept}"], "the others go")


# --- changes of the table ---------------------------------------------------------------------------------------------


def test_new_columns_reach_all_partitions(raw, database):
    """Partitions that are there and those that come later take batches of the new schema, and of the old one."""
    table = create_table(raw, database, "t", buckets=2, **BY_NAME)
    for name in ("x", "y"):
        create(raw, database, "t", name=name)
    x, y = listed(raw, database, "t").values()
    for partition in (x, y):
        assert produce(raw, table, partition, batch(0, 3).encode())["base_offset"] == 0
        assert produce(raw, table, partition, wide_batch(3, 4).encode())["error_code"] == UNKNOWN
    add_column(raw, database)
    create(raw, database, "t", name="z")
    for partition in listed(raw, database, "t").values():
        for bucket in (0, 1):
            first = 3 if (partition, bucket) in ((x, 0), (y, 0)) else 0
            answer = produce(raw, table, partition, wide_batch(first, first + 2).encode(), bucket)
            assert answer.get("base_offset") == first, answer
            assert produce(raw, table, partition, batch(5, 6).encode(), bucket)["base_offset"] == first + 2
    batches = parse_batches(fetch(raw, table, y)["records"])
    schemas = [read.schema_id for read in batches]
    assert schemas == [1, 2, 1]


def test_new_columns_of_keyed_partitions(raw, database):
    """Rows of before and after the change are found in each partition."""
    key, wide = ["region", "id"], [*PAIR, column("more", "BIGINT")]
    table = create_table(raw, database, "t", PAIR, primary_key=key, partition_key=["region"])
    for region in ("eu", "us"):
        create(raw, database, "t", region=region)
    keys = Keys(PAIR, key, partition_key=["region"])

    def put(partition, columns, row, schema_id):
        records = kv_batch([(keys.key(row), encode_row(columns, row))], schema_id=schema_id)
        buckets = [{"partition_id": partition, "bucket_id": 0, "records": records}]
        answer = raw.call("PUT_KV", 2, acks=-1, table_id=table, timeout_ms=10000, buckets_req=buckets)
        assert answer["buckets_resp"][0].get("error_code", 0) == 0, answer

    names = listed(raw, database, "t")
    for region, partition in names.items():
        put(partition, PAIR, [1, region, "a", 1], 1)
    add_column(raw, database)
    for region, partition in names.items():
        put(partition, wide, [2, region, "b", 2, 20], 2)
        wanted = [{"partition_id": partition, "bucket_id": 0, "keys": [keys.key_of(1), keys.key_of(2)]}]
        (answer,) = raw.call("LOOKUP", 1, table_id=table, buckets_req=wanted)["buckets_resp"]
        old, new = (value["values"] for value in answer["values"])
        assert new[:2] == b"\x02\0" and decode_row(wide, new[2:]) == [2, region, "b", 2, 20]
        assert decode_value(PAIR, old) == [1, region, "a", 1]


# --- the Python client ------------------------------------------------------------------------------------------------


async def create_with(connection, database, name, schema, keys, primary=None, **descriptor):
    where = TablePath(database, name)
    schema = fluss.Schema(schema, primary_keys=primary)
    descriptor = fluss.TableDescriptor(schema, partition_keys=keys, **descriptor)
    await connection.get_admin().create_table(where, descriptor)
    return await connection.get_table(where)


async def names_of(connection, table):
    infos = await connection.get_admin().list_partition_infos(table.get_table_path())
    return {info.partition_name: info.partition_id for info in infos}


async def read_all(table, partitions, buckets, count):
    """The rows of all partitions: {partition id: rows}."""
    scanner = await table.new_scan().create_log_scanner()
    scanner.subscribe_partition_buckets({(p, b): EARLIEST_OFFSET for p in partitions for b in range(buckets)})
    rows = {p: [] for p in partitions}
    deadline = time.monotonic() + READ_TIMEOUT_S
    while sum(map(len, rows.values())) < count:
        assert time.monotonic() < deadline, rows
        polled = await scanner.poll(500)
        for bucket in polled.buckets():
            rows[bucket.partition_id] += [record.row for record in polled.records(bucket)]
    return rows


async def test_client_admin(server, database):
    schema = pa.schema([("id", pa.int32()), ("region", pa.utf8()), ("day", pa.utf8())])
    async with connect(server) as connection:
        admin = connection.get_admin()
        table = await create_with(connection, database, "t", schema, ["region", "day"], bucket_count=3)
        where = table.get_table_path()
        await admin.create_partition(where, {"region": "eu", "day": "1"})
        await admin.create_partition(where, {"region": "us", "day": "1"})
        await admin.create_partition(where, {"region": "us", "day": "1"}, ignore_if_exists=True)
        again = admin.create_partition(where, {"region": "us", "day": "1"})
        await expect_error(ErrorCode.PARTITION_ALREADY_EXISTS, again, "us$1")
        assert list(await names_of(connection, table)) == ["eu$1", "us$1"]
        some = await admin.list_partition_infos(where, {"region": "us"})
        assert [info.partition_name for info in some] == ["us$1"]
        offsets = await admin.list_partition_offsets(where, "us$1", [0, 1, 2], OffsetSpec.latest())
        assert offsets == {0: 0, 1: 0, 2: 0}
        await admin.drop_partition(where, {"region": "eu", "day": "1"})
        missing = admin.drop_partition(where, {"region": "eu", "day": "1"})
        await expect_error(ErrorCode.PARTITION_NOT_EXISTS, missing, "eu$1")
        await admin.drop_partition(where, {"region": "eu", "day": "1"}, ignore_if_not_exists=True)
        assert list(await names_of(connection, table)) == ["us$1"]


async def create_partitions(connection, table, *values, key="region"):
    for value in values:
        await connection.get_admin().create_partition(table.get_table_path(), {key: value}, ignore_if_exists=True)


async def test_racing_clients(server, database):
    """Several connections create the same partitions and write to them; each is created once and no row is lost."""
    schema = pa.schema([("id", pa.int32()), ("region", pa.utf8())])
    writers, per_writer = 6, 40
    async with connect(server) as first:
        table = await create_with(first, database, "t", schema, ["region"], bucket_count=2)

        async def write(number):
            async with connect(server) as connection:
                mine = await connection.get_table(table.get_table_path())
                await create_partitions(connection, mine, *(f"r{i}" for i in range(7)))
                ids = range(number * per_writer, (number + 1) * per_writer)
                await append(mine, [{"id": i, "region": f"r{i % 7}"} for i in ids])

        await asyncio.gather(*(write(number) for number in range(writers)))
        names = await names_of(first, table)
        assert sorted(names) == [f"r{i}" for i in range(7)]
        rows = await read_all(table, names.values(), 2, writers * per_writer)
        for name, partition in names.items():
            assert {row["region"] for row in rows[partition]} == {name}
        assert sorted(row["id"] for part in rows.values() for row in part) == list(range(writers * per_writer))


async def test_a_write_waits_for_its_partition(server, database):
    """This client creates no partitions: a row of one that is not there waits until somebody has created it."""
    schema = pa.schema([("id", pa.int32()), ("region", pa.utf8())])
    async with connect(server) as connection, connect(server) as other:
        table = await create_with(connection, database, "t", schema, ["region"], bucket_count=1)
        await create_partitions(connection, table, "eu")
        write = asyncio.ensure_future(append(table, [{"id": 1, "region": "us"}, {"id": 2, "region": "eu"}]))
        done, _ = await asyncio.wait([write], timeout=1)
        assert not done
        await create_partitions(other, table, "us")
        await asyncio.wait_for(write, READ_TIMEOUT_S)
        names = await names_of(connection, table)
        rows = await read_all(table, names.values(), 1, 2)
        assert [row["id"] for row in rows[names["us"]]] == [1]
        assert [row["id"] for row in rows[names["eu"]]] == [2]


async def test_keyed_table(server, database):
    schema = pa.schema([("region", pa.utf8()), ("id", pa.int32()), ("v", pa.int64())])
    async with connect(server, writer__batch_timeout_ms="1") as connection:
        table = await create_with(connection, database, "t", schema, ["region"], ["region", "id"], bucket_count=2)
        await create_partitions(connection, table, "eu", "us")
        writer = table.new_upsert().create_writer()
        for region in ("eu", "us"):
            for i in range(20):
                writer.upsert([region, i, i * 10])
        writer.upsert(["eu", 3, 33])
        await writer.flush()
        await writer.delete(["us", 4]).wait()
        assert sorted(await names_of(connection, table)) == ["eu", "us"]
        lookuper = table.new_lookup().create_lookuper()
        assert (await lookuper.lookup(["eu", 3]))["v"] == 33
        assert (await lookuper.lookup(["us", 3]))["v"] == 30
        assert await lookuper.lookup(["us", 4]) is None
        assert await lookuper.lookup(["none", 4]) is None


# Values, and the name of the partition they make.
KEY_TYPES = {
    "boolean": (pa.bool_(), True, "true"),
    "tinyint": (pa.int8(), -5, "-5"),
    "smallint": (pa.int16(), 300, "300"),
    "int": (pa.int32(), -70000, "-70000"),
    "bigint": (pa.int64(), 2**40, str(2**40)),
    "string": (pa.utf8(), "a-b_c", "a-b_c"),
    "bytes": (pa.binary(), b"\x00\xff", "00ff"),
    "date": (pa.date32(), dt.date(2026, 11, 30), "2026-11-30"),
    "time": (pa.time32("ms"), dt.time(1, 2, 3, 4000), "01-02-03_004"),
    "float": (pa.float32(), 1.5, "1_5"),
    "double": (pa.float64(), -2.75, "-2_75"),
    "timestamp": (pa.timestamp("ms"), dt.datetime(2023, 11, 14, 22, 13, 20, 123000), "2023-11-14-22-13-20_123"),
    "whole timestamp": (pa.timestamp("ms"), dt.datetime(2023, 11, 14, 22, 13, 20), "2023-11-14-22-13-20_"),
}


@pytest.mark.parametrize("kind", KEY_TYPES)
async def test_key_types(server, database, kind):
    type, value, name = KEY_TYPES[kind]
    schema = pa.schema([("id", pa.int32()), ("p", type)])
    async with connect(server) as connection:
        table = await create_with(connection, database, "t", schema, ["p"], bucket_count=1)
        await create_partitions(connection, table, name, key="p")
        await append(table, [{"id": 1, "p": value}, {"id": 2, "p": value}])
        names = await names_of(connection, table)
        assert list(names) == [name]
        (rows,) = (await read_all(table, names.values(), 1, 2)).values()
        assert [row["id"] for row in rows] == [1, 2]


# --- automatic partitions ---------------------------------------------------------------------------------------------


def auto_table(raw, database, name, /, **options):
    properties = {f"table.auto-partition.{key.replace('_', '-')}": value for key, value in options.items()}
    return create_table(
        raw, database, name, partition_key=["name"],
        properties={"table.auto-partition.enabled": "true", **properties, **BY_NAME["properties"]},
    )  # fmt: skip


def days_from(now, begin, end, format="%Y%m%d"):
    return [(now + dt.timedelta(days=i)).strftime(format) for i in range(begin, end)]


def today():
    """The present moment, at which no day is about to end."""
    while (now := dt.datetime.now(dt.timezone.utc)).strftime("%H:%M") == "23:59":
        time.sleep(1)
    return now


def test_automatic_partitions(raw, database):
    """They are there when the table is, also after the options were changed, and too old ones go."""
    now = today()
    auto_table(raw, database, "t", num_precreate="3", num_retention="2")
    assert list(listed(raw, database, "t")) == days_from(now, 0, 3)
    create(raw, database, "t", name=days_from(now, -2, -1)[0])
    for value in (days_from(now, -3, -2)[0], "2024-03-25", "x"):
        assert error_of(lambda: create(raw, database, "t", name=value)).code == SPEC_INVALID, value
    change = lambda key, value: alter(  # noqa: E731
        raw, database, config_changes=[config(f"table.auto-partition.{key}", value)]
    )
    change("num-retention", "1")
    assert list(listed(raw, database, "t")) == days_from(now, 0, 3)
    change("num-precreate", "5")
    assert list(listed(raw, database, "t")) == days_from(now, 0, 5)

    auto_table(raw, database, "dashes", time_format="yyyy-MM-dd", num_precreate="1")
    assert list(listed(raw, database, "dashes")) == days_from(now, 0, 1, "%Y-%m-%d")
    auto_table(raw, database, "berlin", time_zone="Europe/Berlin", time_unit="HOUR", num_precreate="1")
    local = [dt.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin")) - dt.timedelta(hours=i) for i in (0, 1)]
    assert list(listed(raw, database, "berlin"))[0] in [hour.strftime("%Y%m%d%H") for hour in local]
    error = error_of(lambda: auto_table(raw, database, "mars", time_zone="Mars/Olympus"))
    assert error.code == INVALID_CONFIG and "Mars/Olympus" in error.message


def test_automatic_partitions_are_looked_after(new_server):
    """The check makes what is missing, and a restart begins with one."""
    server = new_server(options={"auto-partition.check.interval": "200 ms"}).start()
    now = today()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("d")
        auto_table(raw, "d", "t", num_precreate="1")
        drop(raw, "d", "t", name=days_from(now, 0, 1)[0])
        wait_for_partitions(raw, days_from(now, 0, 1))
    server.stop()
    server.options["auto-partition.check.interval"] = "1 h"
    with fluss_raw.connect(server.start().address) as raw:
        drop(raw, "d", "t", name=days_from(now, 0, 1)[0])
    server.kill()
    with fluss_raw.connect(server.start().address) as raw:
        wait_for_partitions(raw, days_from(now, 0, 1))


def wait_for_partitions(raw, names):
    eventually(lambda: list(listed(raw, "d", "t")) == names, f"partitions {names}")


# --- what is left on the disk -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("keyed", [False, True])
def test_residue_is_deleted_at_the_start(new_server, keyed):
    """Folders of partitions that are not there any more, as a crash may leave them, are deleted by the next start."""
    server = new_server().start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("d")
        keys = {"primary_key": ["name", "id"], "partition_key": ["name"]} if keyed else BY_NAME
        columns = [column("id", "INTEGER"), column("name", "STRING")]
        create_table(raw, "d", "t", columns, **keys)
        for name in ("kept", "gone"):
            create(raw, "d", "t", name=name)
        ids = listed(raw, "d", "t")
    server.stop()
    (folder,) = server.data.rglob(f"kept-p{ids['kept']}")
    if keyed:
        (folder / "kv-0").mkdir(exist_ok=True)
        (folder / "kv-0" / "CURRENT").write_text("MANIFEST-000001\n")
    shutil.copytree(folder, folder.parent / "left-p987")
    with fluss_raw.connect(server.start().address) as raw:
        wait_until_gone(server, "left-p987")
        assert listed(raw, "d", "t") == ids
        assert folder.exists()
