"""Appends and reads of logs as no official client does them: damaged batches, and the corners of each API.

The rule behind many of these: a refused append leaves nothing behind, and its error ends the client's retries.
"""

import struct
import time

import pyarrow as pa
import pytest

import fluss_raw
from fluss_raw import (
    APPEND_ONLY, EARLIEST, Batch, ServerError, arrow_batch, arrow_message, column, fetch_request, parse_batches, path,
)  # fmt: skip
from raw_checks import (
    ALL, ARROW, COLUMNS, CORRUPT_RECORD, INVALID_ACKS, INVALID_PROJECTION, INVALID_TIMESTAMP, LEADER, NONE,
    OUT_OF_ORDER, OUT_OF_RANGE, UNKNOWN, UNKNOWN_BUCKET, assert_usable, batch, error_of,
)  # fmt: skip
from waiting import eventually


# --- produce ----------------------------------------------------------------------------------------------------------


def assert_refused(raw, table, records, *codes):
    """The append is refused with one of the codes, and the bucket stays as it is."""
    before = raw.offset(table, 1)["offset"]
    answer = raw.produce(table, records)
    assert answer.get("error_code") in codes, answer
    assert answer["error_message"]
    assert answer.get("base_offset", -1) == -1
    assert raw.offset(table, 1)["offset"] == before


@pytest.mark.parametrize("acks", [5, 2, -2, 2**31 - 1])
def test_acks_that_do_not_exist(raw, table, acks):
    error = error_of(lambda: raw.produce(table, batch(0, 1).encode(), acks=acks))
    assert error.code == INVALID_ACKS and str(acks) in error.message
    assert raw.offset(table, 1)["offset"] == 0


def wait_for_end(raw, table, offset, bucket=0):
    """acks=0 waits for nothing: the rows can be read soon, not at once."""
    eventually(lambda: raw.offset(table, 1, bucket)["offset"] >= offset, "rows")


@pytest.mark.parametrize("acks", [ALL, LEADER, NONE])
def test_the_server_stamps_batches(raw, table, acks):
    """Offsets and times are the server's, whatever the client put there."""
    before = int(time.time() * 1000)
    for number in range(3):
        sent = batch(0, 4, base_offset=77, timestamp=5)
        assert raw.produce(table, sent.encode(), acks=acks) == {"bucket_id": 0, "base_offset": number * 4}
    wait_for_end(raw, table, 12)
    batches = raw.fetch_all(table)
    assert [b.base_offset for b in batches] == [0, 4, 8]
    assert all(before <= b.timestamp <= time.time() * 1000 and b.crc_is_right for b in batches)
    assert [r for b in batches for r in b.rows(ARROW)] == [[i, f"row {i}"] for i in range(4)] * 3


def test_all_versions_of_batches(raw, table):
    """Magic 0, 1 and 2 in one log; the row data is the same."""
    for magic in (0, 1, 2):
        assert "error_code" not in raw.produce(table, batch(magic * 2, magic * 2 + 2, magic=magic).encode())
    batches = raw.fetch_all(table)
    assert [b.magic for b in batches] == [0, 1, 2]
    assert all(b.crc_is_right for b in batches)
    assert [r[0] for b in batches for r in b.rows(ARROW)] == list(range(6))


def test_several_batches_in_one_request(raw, table):
    records = batch(0, 2).encode() + batch(2, 3).encode() + batch(3, 7).encode()
    assert raw.produce(table, records)["base_offset"] == 0
    assert [b.base_offset for b in raw.fetch_all(table)] == [0, 2, 3]


def test_an_append_of_several_batches_is_atomic(raw, table):
    damaged = bytearray(batch(2, 3).encode())
    damaged[-1] ^= 1
    assert_refused(raw, table, batch(0, 2).encode() + bytes(damaged), CORRUPT_RECORD)
    assert_refused(raw, table, batch(0, 2).encode() + batch(2, 3, schema_id=9).encode(), UNKNOWN)
    assert_refused(raw, table, batch(0, 2).encode() + batch(2, 3).encode()[:-1], UNKNOWN)
    assert raw.fetch_all(table) == []


def test_one_bad_bucket_does_not_fail_the_others(raw, database):
    table = raw.create_table(database, "t", COLUMNS, buckets=3, bucket_key=["id"])
    damaged = bytearray(batch(0, 1).encode())
    damaged[-1] ^= 1
    answer = raw.call(
        "PRODUCE_LOG", acks=ALL, table_id=table, timeout_ms=5000,
        buckets_req=[
            {"bucket_id": 0, "records": batch(0, 1).encode()},
            {"bucket_id": 1, "records": bytes(damaged)},
            {"bucket_id": 9, "records": batch(0, 1).encode()},
            {"bucket_id": -1, "records": batch(0, 1).encode()},
            {"bucket_id": 2, "records": batch(0, 1).encode()},
        ],
    )  # fmt: skip
    codes = {b["bucket_id"]: b.get("error_code") for b in answer["buckets_resp"]}
    assert codes == {0: None, 1: CORRUPT_RECORD, 9: UNKNOWN_BUCKET, -1: UNKNOWN_BUCKET, 2: None}


@pytest.mark.parametrize("table_id", [987654321, -1, 2**63 - 1])
def test_an_unknown_table_id(raw, table_id):
    assert raw.produce(table_id, batch(0, 1).encode())["error_code"] == UNKNOWN_BUCKET
    assert raw.fetch(table_id, 0)["error_code"] == UNKNOWN_BUCKET
    assert raw.offset(table_id, 1)["error_code"] == UNKNOWN_BUCKET
    answer = raw.call("LIMIT_SCAN", table_id=table_id, bucket_id=0, limit=1)
    assert answer["error_code"] == UNKNOWN_BUCKET


def test_records_that_are_cut_off(raw, table):
    """Every length short of the whole batch, down to nothing."""
    whole = batch(0, 3).encode()
    for length in [0, 1, 11, 12, 13, 47, 48, 49, *range(60, len(whole), 23), len(whole) - 1]:
        assert_refused(raw, table, whole[:length], UNKNOWN)


def test_records_with_something_behind_them(raw, table):
    for rest in (b"\0", b"\0" * 48, b"garbage" * 20):
        assert_refused(raw, table, batch(0, 3).encode() + rest, UNKNOWN, CORRUPT_RECORD)


@pytest.mark.parametrize("length", [-(2**31), -12, -1, 0, 35, 2**31 - 1])
def test_a_batch_that_lies_about_its_length(raw, table, length):
    assert_refused(raw, table, batch(0, 3).encode(length=length), UNKNOWN)


def test_a_wrong_crc(raw, table):
    assert_refused(raw, table, batch(0, 3).encode(crc=0), CORRUPT_RECORD)


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_every_bit_under_the_crc_counts(raw, table, magic):
    whole = batch(0, 3, magic=magic).encode()
    _, crc_at, _ = fluss_raw.HEADERS[magic]
    for position in [*range(8, 13), *range(crc_at, len(whole), 5), len(whole) - 1]:
        damaged = bytearray(whole)
        damaged[position] ^= 0x40
        assert_refused(raw, table, bytes(damaged), CORRUPT_RECORD, UNKNOWN)


# What is wrong though the CRC is right: no retry can mend it.
WRONG = {
    "magic 3": lambda: batch(0, 3).encode()[:12] + b"\x03" + batch(0, 3).encode()[13:],
    "magic -1": lambda: batch(0, 3).encode()[:12] + b"\xff" + batch(0, 3).encode()[13:],
    "schema id 0": lambda: batch(0, 3, schema_id=0).encode(),
    "schema id 2": lambda: batch(0, 3, schema_id=2).encode(),
    "schema id 32767": lambda: batch(0, 3, schema_id=32767).encode(),
    "schema id -1": lambda: batch(0, 3, schema_id=-1).encode(),
    "more records than rows": lambda: changed(batch(0, 3), record_count=4, last_offset_delta=3),
    "fewer records than rows": lambda: changed(batch(0, 3), record_count=2, last_offset_delta=1),
    "negative record count": lambda: changed(batch(0, 3), record_count=-1),
    "huge record count": lambda: changed(batch(0, 3), record_count=2**31 - 1, last_offset_delta=2**31 - 2),
    "no records, but bytes": lambda: changed(batch(0, 3), record_count=0, last_offset_delta=0),
    "records, but no bytes": lambda: changed(batch(0, 3), records=b""),
    "offset delta too small": lambda: changed(batch(0, 3), last_offset_delta=1),
    "offset delta too large": lambda: changed(batch(0, 3), last_offset_delta=5),
    "negative offset delta": lambda: changed(batch(0, 3), last_offset_delta=-1),
    "statistics past the end": lambda: lying_statistics(),
    "records that are no Arrow": lambda: changed(batch(0, 3), records=bytes(200)),
    "Arrow cut off": lambda: changed(batch(0, 3), records=batch(0, 3).records[:-8]),
    "Arrow of other columns": lambda: changed(
        batch(0, 3), records=arrow_message([{"x": 1}] * 3, pa.schema([("x", pa.int32())]))
    ),
}


def changed(batch, **fields):
    for name, value in fields.items():
        setattr(batch, name, value)
    return batch.encode()


def lying_statistics():
    data = bytearray(batch(0, 3, magic=1).encode())
    struct.pack_into("<i", data, 48, 1 << 20)
    struct.pack_into("<I", data, 21, fluss_raw.crc32c(data[25:]))
    return bytes(data)


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_batch_under_a_right_crc(raw, table, case):
    assert_refused(raw, table, WRONG[case](), UNKNOWN)


def test_an_empty_batch_takes_one_offset(raw, table):
    writer = raw.call("INIT_WRITER", table_path=[])["writer_id"]
    empty = Batch(writer_id=writer, sequence=1)
    assert raw.produce(table, batch(0, 2, writer_id=writer, sequence=0).encode())["base_offset"] == 0
    assert raw.produce(table, empty.encode())["base_offset"] == 2
    assert raw.produce(table, batch(2, 3, writer_id=writer, sequence=2).encode())["base_offset"] == 3
    batches = raw.fetch_all(table)
    assert [(b.base_offset, b.record_count) for b in batches] == [(0, 2), (2, 0), (3, 1)]
    assert batches[1].size == 48
    projected = raw.fetch_all(table, columns=[1])
    assert [(b.base_offset, b.record_count) for b in projected] == [(0, 2), (2, 0), (3, 1)]


# --- idempotent writers -----------------------------------------------------------------------------------------------


def test_writer_ids_are_all_different(raw, database):
    ids = [raw.call("INIT_WRITER", table_path=paths)["writer_id"] for paths in ([], [path(database, "t")]) * 20]
    assert len(set(ids)) == len(ids) and min(ids) >= 0


def test_a_repeated_batch_is_not_stored_again(raw, table):
    """The last five batches of a writer are known; a lost answer can be asked for again, in any order."""
    writer = raw.call("INIT_WRITER", table_path=[])["writer_id"]

    def append(sequence):
        return raw.produce(table, batch(sequence, sequence + 2, writer_id=writer, sequence=sequence).encode())

    for sequence in range(6):
        assert append(sequence) == {"bucket_id": 0, "base_offset": sequence * 2}
    for sequence in (1, 5, 3, 2, 4, 1):
        assert append(sequence) == {"bucket_id": 0, "base_offset": sequence * 2}
    assert append(0)["error_code"] == OUT_OF_ORDER
    assert append(7)["error_code"] == OUT_OF_ORDER
    assert append(6) == {"bucket_id": 0, "base_offset": 12}
    assert [b.sequence for b in raw.fetch_all(table)] == list(range(7))


def test_a_writer_begins_with_sequence_0(raw, table):
    writer = raw.call("INIT_WRITER", table_path=[])["writer_id"]
    answer = raw.produce(table, batch(0, 1, writer_id=writer, sequence=3).encode())
    assert answer["error_code"] == OUT_OF_ORDER
    assert raw.offset(table, 1)["offset"] == 0


def test_writers_do_not_disturb_each_other(raw, table):
    writers = [raw.call("INIT_WRITER", table_path=[])["writer_id"] for _ in range(3)]
    for sequence in range(4):
        for writer in writers:
            answer = raw.produce(table, batch(0, 1, writer_id=writer, sequence=sequence).encode())
            assert "error_code" not in answer
    assert raw.offset(table, 1)["offset"] == 12


def test_several_sequences_in_one_request(raw, table):
    writer = raw.call("INIT_WRITER", table_path=[])["writer_id"]

    def encoded(*sequences):
        return b"".join(batch(0, 1, writer_id=writer, sequence=s).encode() for s in sequences)

    assert raw.produce(table, encoded(0, 1, 2))["base_offset"] == 0
    assert raw.produce(table, encoded(3, 5))["error_code"] == OUT_OF_ORDER
    assert raw.produce(table, encoded(3, 4))["base_offset"] == 3
    assert raw.offset(table, 1)["offset"] == 5


def test_pipelined_batches_keep_their_order(raw, table):
    """Two hundred appends of one writer in flight at once."""
    writer = raw.call("INIT_WRITER", table_path=[])["writer_id"]
    ids = []
    for sequence in range(200):
        records = batch(sequence, sequence + 1, writer_id=writer, sequence=sequence).encode()
        bucket = {"bucket_id": 0, "records": records}
        ids.append(raw.send("PRODUCE_LOG", acks=ALL, table_id=table, timeout_ms=10000, buckets_req=[bucket]))
    for sequence, request_id in enumerate(ids):
        (answer,) = raw.receive("PRODUCE_LOG", request_id)["buckets_resp"]
        assert answer == {"bucket_id": 0, "base_offset": sequence}


@pytest.mark.parametrize("acks", [ALL, LEADER, NONE])
@pytest.mark.parametrize("idempotent", [True, False])
def test_pipelined_requests_of_many_buckets_keep_the_order_of_each(raw, database, acks, idempotent):
    """One writer, one connection, requests that overlap in buckets: without sequences nothing else orders them."""
    buckets = 7
    properties = {"table.log.arrow.compression.type": "NONE"}
    table = raw.create_table(database, "t", COLUMNS, buckets=buckets, properties=properties)
    writer = raw.call("INIT_WRITER", table_path=[])["writer_id"] if idempotent else -1
    counts = [0] * buckets
    in_flight = []
    for number in range(150):
        request, bases = [], {}
        for bucket in range(number % 3, buckets, 1 + number % 4):
            bases[bucket] = counts[bucket]
            sequence = counts[bucket] if idempotent else -1
            records = batch(counts[bucket], counts[bucket] + 1, writer_id=writer, sequence=sequence).encode()
            request.append({"bucket_id": bucket, "records": records})
            counts[bucket] += 1
        in_flight.append((bases, raw.send("PRODUCE_LOG", acks=acks, table_id=table, timeout_ms=10000,
                                          buckets_req=request[::-1])))  # fmt: skip
    for bases, request_id in in_flight:
        answers = raw.receive("PRODUCE_LOG", request_id)["buckets_resp"]
        assert sorted(answer["bucket_id"] for answer in answers) == sorted(bases)
        for answer in answers:
            assert not answer.get("error_code"), answer
            assert acks == NONE or answer["base_offset"] == bases[answer["bucket_id"]]
    for bucket, count in enumerate(counts):
        wait_for_end(raw, table, count, bucket)
        assert [row[0] for each in raw.fetch_all(table, bucket) for row in each.rows(ARROW)] == list(range(count))


# --- fetch ------------------------------------------------------------------------------------------------------------


def test_where_a_fetch_may_begin(raw, table):
    raw.produce(table, batch(0, 10).encode())
    for offset in (0, 1, 9, EARLIEST):
        answer = raw.fetch(table, offset)
        assert "error_code" not in answer and answer["high_watermark"] == 10
        assert [b.base_offset for b in parse_batches(answer["records"])] == [0]
    end = raw.fetch(table, 10)
    assert "error_code" not in end and end["records"] == b"" and end["high_watermark"] == 10
    for offset in (11, 10**12, -1, -3, -(2**63), 2**63 - 1):
        answer = raw.fetch(table, offset)
        assert answer["error_code"] == OUT_OF_RANGE and answer["error_message"]
        assert not answer.get("high_watermark") and not answer.get("records")


def test_a_fetch_gives_whole_batches_and_at_least_one(raw, database):
    table = raw.create_table(database, "t", COLUMNS, buckets=2, bucket_key=["id"])
    size = batch(0, 100).encode()
    for bucket in (0, 1):
        for _ in range(5):
            raw.produce(table, size, bucket)
    assert len(parse_batches(raw.fetch(table, 0, max_bytes=1)["records"])) == 1
    assert len(parse_batches(raw.fetch(table, 0, max_bytes=len(size) * 2)["records"])) == 2
    assert len(parse_batches(raw.fetch(table, 250, max_bytes=1 << 20)["records"])) == 3
    # The budget of the whole request holds over all of its buckets, but one batch there always is.
    request = fetch_request(table, [(0, 0), (1, 0)])
    request["max_bytes"] = 1
    (answer,) = raw.call("FETCH_LOG", **request)["tables_resp"]
    counts = [len(parse_batches(b.get("records", b""))) for b in answer["buckets_resp"]]
    assert sorted(counts) == [0, 1]
    request["max_bytes"] = len(size) * 7
    (answer,) = raw.call("FETCH_LOG", **request)["tables_resp"]
    assert sum(len(parse_batches(b.get("records", b""))) for b in answer["buckets_resp"]) == 7


def test_a_fetch_of_several_tables_and_buckets(raw, database):
    """Every bucket is answered under its table, a wrong one with its own error."""
    one = raw.create_table(database, "one", COLUMNS, buckets=2, bucket_key=["id"])
    two = raw.create_table(database, "two", COLUMNS)
    raw.produce(one, batch(0, 1).encode(), bucket=1)
    raw.produce(two, batch(0, 2).encode())
    request = fetch_request(one, [(0, 0), (1, 0), (7, 0)])
    request["tables_req"] += fetch_request(two, [(0, 0)])["tables_req"]
    answer = raw.call("FETCH_LOG", **request)["tables_resp"]
    seen = {
        (t["table_id"], b["bucket_id"]): b.get("error_code") or b["high_watermark"]
        for t in answer
        for b in t["buckets_resp"]
    }
    assert seen == {(one, 0): 0, (one, 1): 1, (one, 7): UNKNOWN_BUCKET, (two, 0): 2}


WIDE_COLUMNS = [column(f"c{i}", "INTEGER" if i % 2 else "STRING") for i in range(6)]
WIDE_ARROW = pa.schema([(f"c{i}", pa.int32() if i % 2 else pa.utf8()) for i in range(6)])
WIDE_ROWS = [{f"c{i}": n * 10 + i if i % 2 else f"{n}/{i}" for i in range(6)} for n in range(20)]


@pytest.mark.parametrize("sent", [None, "lz4", "zstd"])
@pytest.mark.parametrize("property", ["NONE", "LZ4_FRAME", "ZSTD"])
def test_projection_keeps_the_codec_of_the_batch(raw, database, sent, property):
    """Whatever the table's property says, and the CRC is that of the new batch."""
    properties = {"table.log.arrow.compression.type": property}
    table = raw.create_table(database, "t", WIDE_COLUMNS, properties=properties)
    for magic in (0, 1, 2):
        assert "error_code" not in raw.produce(table, arrow_batch(WIDE_ROWS, WIDE_ARROW, sent, magic=magic).encode())
    for columns in ([0], [1, 4], [0, 1, 2, 3, 4, 5]):
        projected = raw.fetch_all(table, columns=columns)
        schema = pa.schema([WIDE_ARROW.field(i) for i in columns])
        assert [b.base_offset for b in projected] == [0, 20, 40]
        for each in projected:
            assert each.crc_is_right and each.schema_id == 1 and each.attributes == APPEND_ONLY
            assert each.rows(schema) == [[row[f"c{i}"] for i in columns] for row in WIDE_ROWS]


@pytest.mark.parametrize("columns", [[], [2], [0, 2], [1, 0], [0, 0], [-1], [2**31 - 1]])
def test_a_projection_that_is_not_one(raw, table, columns):
    """Positions are ascending, without repetition, not empty, and those of columns."""
    raw.produce(table, batch(0, 1).encode())
    try:
        code = raw.fetch(table, 0, columns=columns).get("error_code")
    except ServerError as error:
        code = error.code
    assert code == INVALID_PROJECTION


def test_only_arrow_tables_project(raw, database):
    table = raw.create_table(database, "t", COLUMNS, properties={"table.log.format": "INDEXED"})
    try:
        code = raw.fetch(table, 0, columns=[0]).get("error_code")
    except ServerError as error:
        code = error.code
    assert code == INVALID_PROJECTION


# --- long polls -------------------------------------------------------------------------------------------------------


def timed(call):
    begin = time.monotonic()
    result = call()
    return result, time.monotonic() - begin


@pytest.mark.parametrize("wait", [{}, {"max_wait_ms": 0, "min_bytes": 1}, {"max_wait_ms": 5000}], ids=str)
def test_a_fetch_that_does_not_wait(raw, table, wait):
    """No minimum, or no time: the answer comes at once, also when it is empty."""
    answer, seconds = timed(lambda: raw.fetch(table, 0, **wait))
    assert answer["records"] == b"" and seconds < 0.5


def test_a_fetch_waits_as_long_as_it_may(raw, table):
    answer, seconds = timed(lambda: raw.fetch(table, 0, min_bytes=1, max_wait_ms=400))
    assert answer["records"] == b"" and 0.39 < seconds < 0.9
    answer, seconds = timed(lambda: raw.fetch(table, 0, min_bytes=1))
    assert answer["records"] == b"" and 0.09 < seconds < 0.5


def test_an_append_wakes_a_waiting_fetch(server, raw, table):
    with fluss_raw.connect(server.address) as reader:
        delays = []
        for number in range(20):
            waiting = reader.send("FETCH_LOG", **fetch_request(table, [(0, number)], min_bytes=1, max_wait_ms=20000))
            time.sleep(0.02)
            raw.produce(table, batch(number, number + 1).encode())
            answer, seconds = timed(lambda: reader.receive("FETCH_LOG", waiting))
            delays.append(seconds)
            (bucket,) = answer["tables_resp"][0]["buckets_resp"]
            assert [b.base_offset for b in parse_batches(bucket["records"])] == [number]
        assert sorted(delays)[10] < 0.02 and max(delays) < 1, delays


def test_a_fetch_waits_for_its_minimum(server, raw, table):
    """Three batches are less than the minimum, the fourth makes it up."""
    data = batch(0, 10).encode()
    with fluss_raw.connect(server.address) as reader:
        request = fetch_request(table, [(0, 0)], min_bytes=len(data) * 4, max_wait_ms=20000)
        waiting = reader.send("FETCH_LOG", **request)
        for _ in range(3):
            raw.produce(table, data)
        reader.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            reader.socket.recv(1)
        reader.socket.settimeout(10)
        raw.produce(table, data)
        (bucket,) = reader.receive("FETCH_LOG", waiting)["tables_resp"][0]["buckets_resp"]
        assert len(parse_batches(bucket["records"])) == 4


def test_a_waiting_fetch_does_not_hold_up_its_connection(raw, table):
    waiting = raw.send("FETCH_LOG", **fetch_request(table, [(0, 0)], min_bytes=1, max_wait_ms=20000))
    _, seconds = timed(lambda: assert_usable(raw))
    assert seconds < 0.5
    raw.produce(table, batch(0, 1).encode())
    raw.receive("FETCH_LOG", waiting)


def test_a_fetch_with_a_wrong_bucket_does_not_wait_for_others(raw, table):
    """An offset out of range is told at once, though another bucket could be waited for."""
    request = fetch_request(table, [(0, 0)], min_bytes=1, max_wait_ms=20000)
    request["tables_req"][0]["buckets_req"][0]["fetch_offset"] = 99
    answer, seconds = timed(lambda: raw.call("FETCH_LOG", **request))
    assert answer["tables_resp"][0]["buckets_resp"][0]["error_code"] == OUT_OF_RANGE and seconds < 1


def test_a_dropped_table_ends_waiting_fetches(server, raw, database, table):
    with fluss_raw.connect(server.address) as reader:
        waiting = reader.send("FETCH_LOG", **fetch_request(table, [(0, 0)], min_bytes=1, max_wait_ms=15000))
        time.sleep(0.05)
        raw.call("DROP_TABLE", table_path=path(database, "t"), ignore_if_not_exists=False)
        answer, seconds = timed(lambda: reader.receive("FETCH_LOG", waiting))
        assert seconds < 5
        (bucket,) = answer["tables_resp"][0]["buckets_resp"]
        assert bucket["error_code"] in (12, UNKNOWN_BUCKET)


def test_readers_that_leave_while_they_wait(server, raw, table):
    for _ in range(100):
        reader = fluss_raw.connect(server.address)
        reader.send("FETCH_LOG", **fetch_request(table, [(0, 0)], min_bytes=1, max_wait_ms=60000))
        reader.close()
    raw.produce(table, batch(0, 1).encode())
    assert_usable(raw)


# --- offsets, limit scans, statistics ---------------------------------------------------------------------------------


def test_offsets_by_type(raw, table):
    raw.produce(table, batch(0, 3).encode())
    now = int(time.time() * 1000)
    assert raw.offset(table, 0) == {"bucket_id": 0, "offset": 0}
    assert raw.offset(table, 1) == {"bucket_id": 0, "offset": 3}
    assert raw.offset(table, 2, startTimestamp=0)["offset"] == 0
    assert raw.offset(table, 2, startTimestamp=-5)["offset"] == 0
    assert raw.offset(table, 2, startTimestamp=now + 3_600_000)["error_code"] == INVALID_TIMESTAMP
    assert raw.offset(table, 1, bucket=5)["error_code"] == UNKNOWN_BUCKET


@pytest.mark.parametrize("request_", [{"offset_type": 2}, {"offset_type": 9}, {"offset_type": -1}], ids=str)
def test_offsets_of_no_type(raw, table, request_):
    try:
        code = raw.offset(table, **request_).get("error_code")
    except ServerError as error:
        code = error.code
    assert code == UNKNOWN


def test_limit_scans(raw, table):
    for number in range(4):
        raw.produce(table, batch(number * 10, number * 10 + 10).encode())

    def scan(limit, bucket=0):
        return raw.call("LIMIT_SCAN", table_id=table, bucket_id=bucket, limit=limit)

    for limit, first in [(1, 30), (10, 30), (11, 20), (1000, 0)]:
        answer = scan(limit)
        assert answer["is_log_table"] and "error_code" not in answer
        assert [b.base_offset for b in parse_batches(answer["records"])] == list(range(first, 40, 10))
    assert scan(0)["records"] == b""
    assert scan(-1)["error_code"] == OUT_OF_RANGE
    assert scan(1, bucket=3)["error_code"] == UNKNOWN_BUCKET


def test_row_counts(raw, database):
    table = raw.create_table(database, "t", COLUMNS, buckets=2, bucket_key=["id"])
    raw.produce(table, batch(0, 7).encode(), bucket=1)
    buckets = [{"bucket_id": bucket} for bucket in (0, 1, 5)]
    answer = raw.call("GET_TABLE_STATS", table_id=table, buckets_req=buckets)["buckets_resp"]
    assert {b["bucket_id"]: b.get("error_code") or b["row_count"] for b in answer} == {0: 0, 1: 7, 5: UNKNOWN_BUCKET}


# --- several formats --------------------------------------------------------------------------------------------------


def test_row_formats_are_stored_as_sent(raw, database):
    """INDEXED and COMPACTED records: a length, a change type, a row; their lengths are checked."""
    row = b"\x00\x07\x03abc"  # compacted (7, "abc")
    record = struct.pack("<ib", 1 + len(row), 0) + row
    table = raw.create_table(database, "t", COLUMNS, properties={"table.log.format": "COMPACTED"})
    good = Batch(record_count=2, last_offset_delta=1, records=record * 2)
    assert raw.produce(table, good.encode())["base_offset"] == 0
    (stored,) = raw.fetch_all(table)
    assert stored.records == record * 2 and stored.crc_is_right
    for records in (record, record * 3, record * 2 + b"\0", record[:-1] * 2, b"\xff\xff\xff\x7f" * 4):
        assert_refused(raw, table, Batch(record_count=2, last_offset_delta=1, records=records).encode(), UNKNOWN)
