"""Conditions of fetches: batches of which no row can match are left out, by their statistics, and nothing else is.

The statistics are made here, from their description; those of the Java client are in test_java.py.
"""

import os
import pathlib
import struct
import time

import pytest

import fluss_raw
from fluss_raw import arrow_batch, column, connect, fetch_request, parse_batches
from raw_checks import ARROW, COLUMNS, UNKNOWN, assert_usable, batch, error_of, rows

LEAF, COMPOUND, AND, OR = 0, 1, 0, 1
EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, IS_NULL, IS_NOT_NULL = range(8)
STARTS_WITH, CONTAINS, ENDS_WITH, IN, NOT_IN = range(8, 13)
INTEGER, STRING = 3, 8
STATISTICS = {"table.statistics.columns": "id", "table.log.arrow.compression.type": "NONE"}


def statistics(low, high, nulls=0):
    """The block of one INTEGER column, the first: aligned rows of 8 bytes of null bits and a slot."""
    row = struct.pack("<iqi4x", 16, 0, low) + struct.pack("<iqi4x", 16, 0, high)
    return struct.pack("<bhhi", 1, 1, 0, nulls) + row


def sorted_batch(begin, end, **header):
    return batch(begin, end, magic=1, statistics=statistics(begin, end - 1), **header)


def leaf(function, *values, field=0, type=INTEGER):
    name = "int_value" if type == INTEGER else "string_value"
    literals = [{"literal_type": type, "is_null": v is None, **({} if v is None else {name: v})} for v in values]
    return {"type": LEAF, "leaf": {"function": function, "field_id": field, "literals": literals}}


def compound(function, *children):
    return {"type": COMPOUND, "compound": {"function": function, "children": list(children)}}


def filtered_request(table, offset, predicate, schema_id=1, columns=None, max_bytes=1 << 20, **request):
    values = fetch_request(table, [(0, offset)], columns, max_bytes, **request)
    values["tables_req"][0].update(filter_predicate=predicate, filter_schema_id=schema_id)
    return values


def bucket_of(answer):
    (bucket,) = answer["tables_resp"][0]["buckets_resp"]
    assert "error_code" not in bucket, bucket
    return bucket


def fetch(raw, table, predicate, offset=0, **more):
    return bucket_of(raw.call("FETCH_LOG", **filtered_request(table, offset, predicate, **more)))


def offsets(bucket):
    return [b.base_offset for b in parse_batches(bucket["records"])]


@pytest.fixture
def table(raw, database):
    """Ten batches of ten rows, in the order of id."""
    table = raw.create_table(database, "t", COLUMNS, properties=STATISTICS)
    for begin in range(0, 100, 10):
        assert "error_code" not in raw.produce(table, sorted_batch(begin, begin + 10).encode())
    return table


@pytest.mark.parametrize(
    ("predicate", "begins"),
    [
        (leaf(EQUAL, 42), [40]),
        (leaf(GREATER, 79), [80, 90]),
        (leaf(GREATER_OR_EQUAL, 79), [70, 80, 90]),
        (leaf(LESS, 10), [0]),
        (leaf(LESS_OR_EQUAL, 10), [0, 10]),
        (leaf(IN, 3, 55, 1000), [0, 50]),
        (leaf(NOT_IN, 3), list(range(0, 100, 10))),
        (leaf(IS_NULL), []),
        (leaf(IS_NOT_NULL), list(range(0, 100, 10))),
        (leaf(EQUAL, None), []),
        (compound(AND, leaf(GREATER, 15), leaf(LESS, 25)), [10, 20]),
        (compound(OR, leaf(EQUAL, 5), leaf(EQUAL, 95)), [0, 90]),
        (compound(AND, leaf(EQUAL, 5), leaf(EQUAL, "row 7", field=1, type=STRING)), [0]),
        (compound(OR, leaf(EQUAL, 5), leaf(EQUAL, "row 7", field=1, type=STRING)), list(range(0, 100, 10))),
    ],
    ids=str,
)
def test_batches_that_cannot_match_are_left_out(raw, table, predicate, begins):
    bucket = fetch(raw, table, predicate)
    assert offsets(bucket) == begins
    assert all(b.crc_is_right and b.statistics for b in parse_batches(bucket["records"]))
    end = begins[-1] + 10 if begins else 0
    assert bucket.get("filtered_end_offset", end) == 100


def test_a_reader_comes_to_the_end_by_what_was_left_out(raw, table):
    """Small answers: the next offset is behind the records or behind what was left out after them."""
    seen, offset, fetches = [], 0, 0
    while offset < 100:
        bucket = fetch(raw, table, leaf(IN, 15, 35, 36, 75), offset=offset, max_bytes=1)
        read = parse_batches(bucket["records"])
        seen += [b.base_offset for b in read]
        step = max([b.next_offset for b in read] + [bucket.get("filtered_end_offset", -1)])
        assert step > offset
        offset, fetches = step, fetches + 1
    assert seen == [10, 30, 70] and fetches <= 4


def test_an_offset_inside_of_a_batch(raw, table):
    assert offsets(fetch(raw, table, leaf(GREATER, 40), offset=45)) == [40, 50, 60, 70, 80, 90]
    bucket = fetch(raw, table, leaf(LESS, 40), offset=45)
    assert offsets(bucket) == [] and bucket["filtered_end_offset"] == 100


@pytest.mark.parametrize(
    "predicate",
    [
        leaf(99, 5),
        leaf(-1, 5),
        leaf(EQUAL, 5, field=77),
        leaf(EQUAL, "5", type=STRING),
        leaf(EQUAL),
        leaf(STARTS_WITH, 5),
        {"type": 7},
        {"type": LEAF},
        compound(9, leaf(EQUAL, 5)),
        compound(AND),
        {"type": LEAF, "leaf": {"function": EQUAL, "field_id": 0, "literals": [{"literal_type": 3, "is_null": False}]}},
        leaf(IN, *[None] * 9999),
    ],
    ids=lambda p: str(p)[:60],
)
def test_what_is_not_understood_leaves_nothing_out(raw, table, predicate):
    bucket = fetch(raw, table, predicate)
    assert offsets(bucket) == list(range(0, 100, 10)) and "filtered_end_offset" not in bucket


def test_the_nests_of_the_java_client(raw, table):
    """It makes a condition of many parts by putting the first ones in one, that one in another, and so on."""
    predicate = leaf(EQUAL, 42)
    for i in range(100):
        predicate = compound(OR, predicate, leaf(EQUAL, 1000 + i))
    assert offsets(fetch(raw, table, predicate)) == [40]


@pytest.mark.parametrize("schema_id", [0, 2, -1, 2**31 - 1, 65537])
def test_an_unknown_schema_leaves_nothing_out(raw, table, schema_id):
    assert len(offsets(fetch(raw, table, leaf(EQUAL, 5), schema_id=schema_id))) == 10


@pytest.mark.parametrize("missing", ["filter_predicate", "filter_schema_id"])
def test_condition_and_schema_come_together(raw, table, missing):
    request = filtered_request(table, 0, leaf(EQUAL, 5))
    del request["tables_req"][0][missing]
    error = error_of(lambda: raw.call("FETCH_LOG", **request))
    assert error.code == UNKNOWN and "filter_predicate and filter_schema_id" in error.message
    assert_usable(raw)


def test_batches_without_usable_statistics_are_kept(raw, table):
    """Magic 0, an empty block, blocks that are no statistics or contradict themselves."""
    for header in (
        {"magic": 0},
        {"magic": 1},
        {"magic": 1, "statistics": b"\x02" + statistics(100, 109)[1:]},
        {"magic": 1, "statistics": statistics(100, 109)[:-1]},
        {"magic": 1, "statistics": statistics(109, 100)},
        {"magic": 1, "statistics": statistics(100, 109, nulls=11)},
        {"magic": 1, "statistics": b"\xff" * 100},
    ):
        assert "error_code" not in raw.produce(table, batch(100, 110, **header).encode())
    assert offsets(fetch(raw, table, leaf(EQUAL, 5))) == [0, *range(100, 170, 10)]


def test_an_empty_batch_is_left_out(raw, table):
    writer = raw.call("INIT_WRITER", table_path=[])["writer_id"]
    raw.produce(table, fluss_raw.Batch(writer_id=writer, sequence=0).encode())
    bucket = fetch(raw, table, leaf(GREATER, 90))
    assert offsets(bucket) == [90] and bucket["filtered_end_offset"] == 101


def test_columns_and_a_condition(raw, table):
    """The statistics go with the columns that are left out; the condition may be on one of those."""
    bucket = fetch(raw, table, leaf(EQUAL, 42), columns=[1])
    (only,) = parse_batches(bucket["records"])
    assert only.base_offset == 40 and only.magic == 1 and only.statistics == b"" and only.crc_is_right
    assert only.rows(ARROW.remove(0)) == [[r["name"]] for r in rows(40, 50)]
    assert bucket["filtered_end_offset"] == 100


def test_columns_are_known_by_id_under_every_schema(raw, database, table):
    """What was written before a column was added has nulls in it."""
    change = {"column_name": "late", "data_type_json": b'{"type":"INTEGER"}', "column_position_type": 0}
    raw.call(
        "ALTER_TABLE", table_path=fluss_raw.path(database, "t"), ignore_if_not_exists=False, add_columns=[change]
    )
    late = arrow_batch([{"id": 1, "name": "x", "late": 5}], ARROW.append(fluss_raw.pa.field("late", "int32")),
                       schema_id=2, magic=1, statistics=statistics(1, 1))  # fmt: skip
    assert "error_code" not in raw.produce(table, late.encode())
    assert offsets(fetch(raw, table, leaf(EQUAL, 5, field=2), schema_id=2)) == [100]
    assert offsets(fetch(raw, table, leaf(IS_NULL, field=2), schema_id=2)) == [*range(0, 100, 10), 100]
    assert offsets(fetch(raw, table, leaf(EQUAL, 1), schema_id=2)) == [0, 100]


# --- waiting ----------------------------------------------------------------------------------------------------------


def timed(call):
    begin = time.monotonic()
    result = call()
    return result, time.monotonic() - begin


def test_a_reader_hears_soon_of_what_was_left_out(raw, table):
    """Not at the end of its wait: it may want to know that it has come to the end."""
    bucket, seconds = timed(lambda: fetch(raw, table, leaf(GREATER, 1000), min_bytes=1, max_wait_ms=20000))
    assert bucket["records"] == b"" and bucket["filtered_end_offset"] == 100 and seconds < 2
    bucket, seconds = timed(lambda: fetch(raw, table, leaf(GREATER, 1000), 100, min_bytes=1, max_wait_ms=300))
    assert bucket["records"] == b"" and "filtered_end_offset" not in bucket and seconds > 0.29


def test_appends_that_cannot_match_do_not_end_a_wait(server, raw, table):
    """They are told of at its end; one that can match ends it at once."""
    with connect(server.address) as reader:
        request = filtered_request(table, 100, leaf(GREATER, 1000), min_bytes=1, max_wait_ms=500)
        begin = time.monotonic()
        waiting = reader.send("FETCH_LOG", **request)
        for i in range(5):
            time.sleep(0.02)
            raw.produce(table, sorted_batch(i, i + 2).encode())
        bucket = bucket_of(reader.receive("FETCH_LOG", waiting))
        assert time.monotonic() - begin > 0.49
        assert bucket["records"] == b"" and bucket["filtered_end_offset"] == 110
        request = filtered_request(table, 110, leaf(GREATER, 1000), min_bytes=1, max_wait_ms=20000)
        begin = time.monotonic()
        waiting = reader.send("FETCH_LOG", **request)
        time.sleep(0.02)
        raw.produce(table, sorted_batch(5, 7).encode())
        raw.produce(table, sorted_batch(2000, 2002).encode())
        raw.produce(table, sorted_batch(7, 9).encode())
        bucket = bucket_of(reader.receive("FETCH_LOG", waiting))
        assert offsets(bucket) == [112] and time.monotonic() - begin < 5


# --- what it costs ----------------------------------------------------------------------------------------------------


def bytes_read_by(server):
    """Of files and sockets, by the server."""
    text = pathlib.Path(f"/proc/{server.process.pid}/io").read_text()
    return int(text.split("rchar:")[1].split()[0])


def forget_files(directory):
    """Takes the logs out of the page cache, as far as the system allows it."""
    for name in pathlib.Path(directory).rglob("*.log"):
        file = os.open(name, os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


@pytest.mark.parametrize("cold", [False, True], ids=["page cache", "disk"])
@pytest.mark.parametrize("columns", [None, [0]], ids=["all columns", "one column"])
def test_what_is_left_out_is_not_read(new_server, columns, cold):
    """Sorted rows of which 1 % of the batches match: at most 5 % of the bytes are read."""
    server = new_server().start()
    count, batch_rows, padding = 100, 40, "x" * 1000
    with connect(server.address) as raw:
        table = raw.create_table("fluss", "sorted", [*COLUMNS, column("more", "STRING")], properties=STATISTICS)
        schema = ARROW.append(fluss_raw.pa.field("more", "string"))
        size = 0
        for begin in range(0, count * batch_rows, batch_rows):
            content = [{**row, "more": padding} for row in rows(begin, begin + batch_rows)]
            block = statistics(begin, begin + batch_rows - 1)
            data = arrow_batch(content, schema, magic=1, statistics=block).encode()
            assert "error_code" not in raw.produce(table, data)
            size += len(data)
    server.stop()  # and nothing is in its memory any more
    if cold:
        forget_files(server.data)
    server.start()
    with connect(server.address) as raw:
        raw.wait_for_leaders("fluss", "sorted")
        before = bytes_read_by(server)
        bucket = fetch(raw, table, leaf(EQUAL, 50 * batch_rows + 7), columns=columns)
        assert offsets(bucket) == [50 * batch_rows] and bucket["filtered_end_offset"] == count * batch_rows
        assert bytes_read_by(server) - before <= 0.05 * size
    server.stop()
    assert f"rows_skipped={99 * batch_rows}" in server.log_tail(200)
