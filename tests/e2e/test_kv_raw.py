"""Puts, lookups and reads of primary-key tables as no official client sends them.

A refused put leaves nothing behind: neither a row nor an offset. What no retry can mend is answered with an error that
clients do not retry.
"""

import struct

import pytest

import fluss_raw
from fluss_raw import arrow_batch, column, parse_batches, varint
from kv_checks import DELETION_DISABLED, INVALID_TARGET_COLUMN, NON_PRIMARY_KEY_TABLE, Driven, changes_of
from kv_model import Delete, Table, Upsert
from kv_rows import encode_row, kv_batch, kv_record, parse_values
from raw_checks import (
    ALL, ARROW, CORRUPT_RECORD, INVALID_ACKS, LEADER, NONE, OUT_OF_ORDER, SCHEMA_NOT_EXIST, UNKNOWN, UNKNOWN_BUCKET,
    UNSUPPORTED_VERSION, assert_usable, error_of, retriable_codes,
)  # fmt: skip

COLUMNS = [column("id", "INTEGER"), column("name", "STRING")]
PLAIN = Table(COLUMNS, ["id"])


@pytest.fixture
def driven(raw, database):
    """A bucket of an (id, name) table with one row in it, beside its model."""
    driven = Driven(raw, database, "t", PLAIN)
    driven.upsert((1, "one"))
    return driven


def row(*values):
    return encode_row(COLUMNS, list(values))


def key(number):
    return varint(number & 0xFFFFFFFF)


def one(number=2, name="two"):
    return [(key(number), row(number, name))]


def assert_refused(driven, records, *codes, **more):
    """The put fails with one of the codes, and the bucket stays as it is."""
    answer = driven.raw.put_kv(driven.id, records, **more)
    assert answer.get("error_code") in codes, answer
    assert answer["error_message"]
    driven.check()


# --- puts that are answered -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("acks", [ALL, LEADER, NONE])
def test_every_version_and_acknowledgement(driven, version, acks):
    answer = driven.raw.put_kv(driven.id, kv_batch(one()), acks=acks, version=version)
    answer.pop("pressure", None)
    assert answer == {"bucket_id": 0, "log_end_offset": 2}


def test_a_put_is_seen_at_once(driven):
    """An acknowledged row is found by the next lookup, prefix of nothing else in between."""
    for i in range(50):
        driven.upsert((i % 3, f"value {i}"))
        assert driven.lookup((i % 3,)) == [[i % 3, f"value {i}"]]
    driven.check()


def test_an_empty_batch_takes_one_offset(driven):
    """Without records, and with records that change nothing."""
    driven.put([])
    driven.delete((5,), (6,))
    driven.upsert((2, "two"))
    driven.check()
    counts = [(b.base_offset, b.record_count, b.size == 48) for b in driven.raw.fetch_all(driven.id)]
    assert counts == [(0, 1, False), (1, 0, True), (2, 0, True), (3, 1, False)]


def test_a_writer_goes_on_after_an_empty_batch(driven):
    """The delete of an absent key counts as a batch of its writer."""
    writer = driven.raw.call("INIT_WRITER", table_path=[driven.path])["writer_id"]
    driven.put([Delete([7])], writer_id=writer, sequence=0)
    driven.put([Upsert([7, "x"])], writer_id=writer, sequence=1)
    driven.put([Delete([8])], writer_id=writer, sequence=2)
    driven.put([Upsert([7, "y"])], writer_id=writer, sequence=3)
    driven.check()
    batches = driven.raw.fetch_all(driven.id)[1:]
    assert [(b.writer_id, b.sequence, b.record_count) for b in batches] == [
        (writer, 0, 0), (writer, 1, 1), (writer, 2, 0), (writer, 3, 2),
    ]  # fmt: skip


def test_changelog_batches_tell_the_schema_and_the_time(driven):
    (batch,) = driven.raw.fetch_all(driven.id)
    assert (batch.magic, batch.schema_id, batch.attributes) == (0, 1, 0) and batch.timestamp > 1.6e12


def test_several_buckets_in_one_request(raw, database):
    """Each bucket has its own answer; the bad ones do not fail the others."""
    driven = Driven(raw, database, "t", PLAIN, buckets=4)
    damaged = kv_batch(one(), crc=1)
    answer = raw.call(
        "PUT_KV", 2, acks=ALL, table_id=driven.id, timeout_ms=5000,
        buckets_req=[
            {"bucket_id": 0, "records": kv_batch(one(1) + one(2))},
            {"bucket_id": 1, "records": damaged},
            {"bucket_id": 9, "records": kv_batch(one())},
            {"bucket_id": -1, "records": kv_batch(one())},
            {"bucket_id": 2, "records": kv_batch(one(), schema_id=5)},
            {"bucket_id": 3, "records": kv_batch([(key(9), None)])},
        ],
    )  # fmt: skip
    outcome = {b["bucket_id"]: b.get("error_code", ("end", b.get("log_end_offset"))) for b in answer["buckets_resp"]}
    assert outcome == {
        0: ("end", 2), 1: CORRUPT_RECORD, 9: UNKNOWN_BUCKET, -1: UNKNOWN_BUCKET, 2: SCHEMA_NOT_EXIST, 3: ("end", 1),
    }  # fmt: skip


# --- writers ----------------------------------------------------------------------------------------------------------


def test_repetitions_answer_the_original_offset(driven):
    """Of the last five batches; the rows are not put a second time."""
    writer = driven.raw.call("INIT_WRITER", table_path=[driven.path])["writer_id"]
    batches = [[Upsert([i, f"v{i}"]), Delete([i - 1])] for i in range(6)]
    ends = []
    for sequence, records in enumerate(batches):
        driven.put(records, writer_id=writer, sequence=sequence)
        ends.append(driven.model.end)
    driven.upsert((5, "of somebody else"))
    for sequence in (1, 3, 5, 2, 4):
        answer = driven.send(batches[sequence], writer_id=writer, sequence=sequence)
        answer.pop("pressure", None)
        assert answer == {"bucket_id": 0, "log_end_offset": ends[sequence]}
    driven.check()
    driven.put([Upsert([1, "next"])], writer_id=writer, sequence=6)
    driven.check()


@pytest.mark.parametrize("sequences", [[1], [0, 2], [0, 1, 3], [0, 1, 2, 3, 4, 5, 6, 1]], ids=str)
def test_a_gap_is_refused(driven, sequences):
    writer = driven.raw.call("INIT_WRITER", table_path=[driven.path])["writer_id"]
    for sequence in sequences[:-1]:
        driven.put([Upsert([sequence, "x"])], writer_id=writer, sequence=sequence)
    assert_refused(driven, kv_batch(one(), writer_id=writer, sequence=sequences[-1]), OUT_OF_ORDER)


def test_a_refused_batch_does_not_use_up_its_sequence(driven):
    writer = driven.raw.call("INIT_WRITER", table_path=[driven.path])["writer_id"]
    assert_refused(driven, kv_batch(one(), writer_id=writer, sequence=0, crc=7), CORRUPT_RECORD)
    driven.put([Upsert([2, "two"])], writer_id=writer, sequence=0)
    driven.check()


def test_a_lost_answer(driven):
    """A batch is sent again though later ones of its writer are stored: success, and nothing twice."""
    writer = driven.raw.call("INIT_WRITER", table_path=[driven.path])["writer_id"]
    requests = []
    for sequence in range(5):
        records = driven.records([Upsert([1, f"v{sequence}"])])
        bucket = {"bucket_id": 0, "records": kv_batch(records, writer_id=writer, sequence=sequence)}
        fields = dict(acks=ALL, table_id=driven.id, timeout_ms=5000, buckets_req=[bucket])
        requests.append((driven.raw.send("PUT_KV", 2, **fields), fields))
        driven.model.put([Upsert([1, f"v{sequence}"])])
    ends = [driven.raw.receive("PUT_KV", id)["buckets_resp"][0]["log_end_offset"] for id, _ in requests]
    assert ends == [3, 5, 7, 9, 11]
    assert driven.raw.call("PUT_KV", 2, **requests[0][1])["buckets_resp"][0]["log_end_offset"] == 3
    driven.check()


# --- puts that are refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("acks", [5, 2, -2, 2**31 - 1])
def test_acks_that_do_not_exist(driven, acks):
    error = error_of(lambda: driven.raw.put_kv(driven.id, kv_batch(one()), acks=acks))
    assert error.code == INVALID_ACKS and str(acks) in error.message
    driven.check()


@pytest.mark.parametrize("table_id", [987654321, -1, 2**63 - 1])
def test_an_unknown_table_id(raw, table_id):
    assert raw.put_kv(table_id, kv_batch(one()))["error_code"] == UNKNOWN_BUCKET
    bucket = {"bucket_id": 0, "keys": [key(1)]}
    for api in ("LOOKUP", "PREFIX_LOOKUP"):
        assert (
            raw.call(api, 1, table_id=table_id, buckets_req=[bucket])["buckets_resp"][0]["error_code"] == UNKNOWN_BUCKET
        )
    scan = {"table_id": table_id, "bucket_id": 0}
    answer = raw.call("SCAN_KV", bucket_scan_req=scan, batch_size_bytes=1, call_seq_id=0)
    assert answer["error_code"] == UNKNOWN_BUCKET


def test_a_log_table_takes_no_puts(raw, table):
    assert raw.put_kv(table, kv_batch(one()))["error_code"] == NON_PRIMARY_KEY_TABLE
    bucket = {"bucket_id": 0, "keys": [key(1)]}
    for api in ("LOOKUP", "PREFIX_LOOKUP"):
        (answer,) = raw.call(api, 1, table_id=table, buckets_req=[bucket])["buckets_resp"]
        assert answer["error_code"] == NON_PRIMARY_KEY_TABLE
    scan = {"table_id": table, "bucket_id": 0}
    answer = raw.call("SCAN_KV", bucket_scan_req=scan, batch_size_bytes=1, call_seq_id=0)
    assert answer["error_code"] == NON_PRIMARY_KEY_TABLE
    assert raw.offset(table, 1)["offset"] == 0


def test_a_primary_key_table_takes_no_appends(driven):
    """They would spoil its changelog."""
    answer = driven.raw.produce(driven.id, arrow_batch([{"id": 1, "name": "x"}], ARROW).encode())
    assert answer["error_message"] and answer["error_code"] not in retriable_codes()
    driven.check()


@pytest.mark.parametrize("schema_id", [2, 3, 32767])
def test_an_unknown_schema(driven, schema_id):
    """A client retries: the server may not have heard of it yet."""
    assert_refused(driven, kv_batch(one(), schema_id=schema_id), SCHEMA_NOT_EXIST)
    assert_refused(driven, kv_batch([(key(1), None)], schema_id=schema_id), SCHEMA_NOT_EXIST)


def test_a_wrong_crc(driven):
    assert_refused(driven, kv_batch(one(), crc=0), CORRUPT_RECORD)
    whole = kv_batch(one())
    for position in range(5, len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 0x10
        answer = driven.raw.put_kv(driven.id, bytes(damaged))
        assert answer.get("error_code") == CORRUPT_RECORD, (position, answer)
    driven.check()


def test_records_that_are_cut_off(driven):
    whole = kv_batch(one() + one(3))
    for length in range(len(whole)):
        answer = driven.raw.put_kv(driven.id, whole[:length])
        assert answer.get("error_code") == UNKNOWN and answer["error_message"], (length, answer)
    driven.check()


def test_records_with_something_behind_them(driven):
    """One batch is one put: what follows it is an error, another batch too."""
    for rest in (b"\0", b"garbage" * 20, kv_batch(one(3))):
        assert_refused(driven, kv_batch(one()) + rest, UNKNOWN, CORRUPT_RECORD)


@pytest.mark.parametrize("length", [-(2**31), -1, 0, 4, 23, 2**31 - 1])
def test_a_batch_that_lies_about_its_length(driven, length):
    assert_refused(driven, kv_batch(one(), length=length), UNKNOWN)


ROW = row(2, "two")
# What is wrong though the CRC is right: no retry can mend it.
WRONG = {
    "schema id -1": lambda: kv_batch(one(), schema_id=-1),
    "schema id -32768": lambda: kv_batch(one(), schema_id=-32768),
    "magic 1": lambda: kv_batch(one(), magic=1),
    "magic -1": lambda: kv_batch(one(), magic=-1),
    "more records than there are": lambda: kv_batch(one(), count=2),
    "fewer records than there are": lambda: kv_batch(one() + one(3), count=1),
    "negative record count": lambda: kv_batch(one(), count=-1),
    "huge record count": lambda: kv_batch(one(), count=2**31 - 1),
    "no records, but bytes": lambda: kv_batch(b"\0\0\0\0", count=0),
    "a record of no bytes": lambda: kv_batch(struct.pack("<i", 0), count=1),
    "a record of negative size": lambda: kv_batch(struct.pack("<i", -5) + ROW, count=1),
    "a record past the end": lambda: kv_batch(struct.pack("<i", 1000) + ROW, count=1),
    "a key past its record": lambda: kv_batch(struct.pack("<i", 3) + varint(5) + b"ab", count=1),
    "a key of huge length": lambda: kv_batch(struct.pack("<i", 5) + b"\xff\xff\xff\xff\x0f", count=1),
    "a key length without end": lambda: kv_batch(struct.pack("<i", 8) + b"\xff" * 8, count=1),
    "an empty key": lambda: kv_batch([(b"", ROW)]),
    "an empty key to delete": lambda: kv_batch([(b"", None)]),
    "a row cut off": lambda: kv_batch([(key(2), ROW[:-1])]),
    "a row of its null bits alone": lambda: kv_batch([(key(2), ROW[:1])]),
    "bytes behind a row": lambda: kv_batch([(key(2), ROW + b"x")]),
    "a text that lies about its length": lambda: kv_batch([(key(2), b"\0\2\xff\xff\xff\xff\x07two")]),
    "a row whose key is null": lambda: kv_batch([(key(2), b"\1\3two")]),
    "the second record is wrong": lambda: kv_batch([*one(2), (key(3), ROW[:-1])]),
    "the second record ends early": lambda: kv_batch(kv_record(*one()[0]) + b"\1\0", count=2),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_batch_under_a_right_crc(driven, case):
    assert_refused(driven, WRONG[case](), UNKNOWN)
    assert_usable(driven.raw)


def test_wrong_rows_in_indexed_format(raw, database):
    driven = Driven(raw, database, "t", PLAIN, kv_format="indexed", log_format="indexed")
    driven.upsert((1, "one"))
    good = encode_row(COLUMNS, [2, "two"], "indexed")
    for bad in (
        good[:-1],
        good + b"x",
        good[:1] + struct.pack("<i", 4) + good[5:],
        good[:1] + struct.pack("<i", -1) + good[5:],
        good[:1] + struct.pack("<i", 2**31 - 1) + good[5:],
        b"\1" + good[1:],
        good[:3],
    ):
        assert_refused(driven, kv_batch([(key(2), bad)]), UNKNOWN)


def test_refused_deletes(raw, database):
    """One delete among upserts refuses the whole batch, also of a key that is not there."""
    driven = Driven(raw, database, "t", Table(COLUMNS, ["id"], delete="disable"))
    driven.upsert((1, "one"))
    assert_refused(driven, kv_batch(driven.records([Upsert([2, "x"]), Delete([1])])), DELETION_DISABLED)
    assert_refused(driven, kv_batch(driven.records([Delete([9])])), DELETION_DISABLED)


@pytest.mark.parametrize("engine", ["first_row", "versioned"])
def test_engines_without_partial_updates(raw, database, engine):
    version = "id2" if engine == "versioned" else None
    columns = [*COLUMNS, column("id2", "BIGINT")]
    driven = Driven(raw, database, "t", Table(columns, ["id"], engine=engine, version_column=version))
    driven.upsert((1, "one", 1))
    driven.upsert((1, "two", 2), target=[0, 1])
    driven.check()


def test_target_columns(driven):
    assert_refused(driven, kv_batch(one()), INVALID_TARGET_COLUMN, target=[1])
    assert_refused(driven, kv_batch(one()), INVALID_TARGET_COLUMN, UNKNOWN, target=[0, 7])


# --- lookups ----------------------------------------------------------------------------------------------------------


def test_lookups_answer_in_order(driven):
    driven.upsert(*((i, f"row {i}") for i in range(100)))
    numbers = [5, 200, 5, 99, -1, 0]
    assert driven.lookup(*((n,) for n in numbers)) == [[n, f"row {n}"] if 0 <= n < 100 else None for n in numbers]
    assert driven.raw.lookup(driven.id, []) == []
    assert driven.raw.lookup(driven.id, [b"", b"\xff" * 100, key(5) + b"\0"]) == [None] * 3


def test_lookups_of_several_buckets(raw, database):
    driven = Driven(raw, database, "t", PLAIN, buckets=3)
    for bucket in range(3):
        driven.send([Upsert([bucket, f"in {bucket}"])], bucket)
    request = [{"bucket_id": b, "keys": [key(0), key(1), key(2)]} for b in (2, 0, 7, 1)]
    answers = raw.call("LOOKUP", 1, table_id=driven.id, buckets_req=request)["buckets_resp"]
    found = {a["bucket_id"]: a.get("error_code") or [bool(v) for v in a["values"]] for a in answers}
    assert found == {0: [1, 0, 0], 1: [0, 1, 0], 2: [0, 0, 1], 7: UNKNOWN_BUCKET}


def test_a_value_begins_with_its_schema(driven):
    assert driven.raw.lookup(driven.id, [key(1)]) == [struct.pack("<h", 1) + row(1, "one")]


def insert_missing(driven, keys, acks=ALL, **more):
    buckets = [{"bucket_id": 0, "keys": [driven.keys.key_of(k) for k in keys]}]
    request = {"insert_if_not_exists": True, "acks": acks, "timeout_ms": 5000, **more}
    return driven.raw.call("LOOKUP", 1, table_id=driven.id, buckets_req=buckets, **request)["buckets_resp"][0]


@pytest.mark.parametrize("acks", [ALL, LEADER])
def test_lookups_that_insert(driven, acks):
    """What is missing is put with its key alone, and answered; what is there stays."""
    answer = insert_missing(driven, [1, 2, 3], acks)
    assert [v["values"][2:] for v in answer["values"]] == [row(1, "one"), row(2, None), row(3, None)]
    driven.model.put([Upsert([2, None]), Upsert([3, None])], target=[0])
    insert_missing(driven, [2, 1, 3], acks)
    driven.check()


def test_lookups_that_give_ids(raw, database):
    columns = [column("name", "STRING"), column("id", "BIGINT")]
    driven = Driven(raw, database, "t", Table(columns, ["name"], auto_increment="id"))
    texts = ["a", "b", "a", "c"]
    answers = [
        v["values"] for text in texts for v in insert_missing(driven, [text])["values"]
    ]  # fmt: skip
    assert [v[2:] for v in answers] == [encode_row(columns, [t, i]) for t, i in zip(texts, [1, 2, 1, 3])]


def test_lookups_that_insert_the_same_key_at_once(server, raw, database):
    """All of them are told the same id, and there is one row."""
    columns = [column("name", "STRING"), column("id", "BIGINT")]
    driven = Driven(raw, database, "t", Table(columns, ["name"], auto_increment="id"))
    request = {
        "table_id": driven.id, "insert_if_not_exists": True, "acks": ALL, "timeout_ms": 5000,
        "buckets_req": [{"bucket_id": 0, "keys": [driven.keys.key_of(name) for name in ("a", "b")]}],
    }  # fmt: skip
    connections = [fluss_raw.connect(server.address) for _ in range(4)]
    sent = [(c, c.send("LOOKUP", 1, **request)) for c in connections for _ in range(5)]
    answers = [c.receive("LOOKUP", id)["buckets_resp"][0]["values"] for c, id in sent]
    assert all(answer == answers[0] for answer in answers)
    assert len(driven.limit_scan(10)) == 2
    assert {change.type for change in driven.changes()} <= {"+I", "-U", "+U"}
    for connection in connections:
        connection.close()


def test_lookups_that_insert_nothing_without_a_way(driven):
    """They need acks and a timeout, and columns that may be null."""
    for lacking in ("acks", "timeout_ms"):
        request = {"insert_if_not_exists": True, "acks": ALL, "timeout_ms": 5000}
        del request[lacking]
        buckets = [{"bucket_id": 0, "keys": [key(2)]}]
        try:
            (answer,) = driven.raw.call("LOOKUP", 1, table_id=driven.id, buckets_req=buckets, **request)["buckets_resp"]
            assert answer["error_code"] == UNKNOWN
        except Exception as error:
            assert getattr(error, "code", None) in (UNKNOWN, INVALID_ACKS), error
    driven.check()


def test_prefix_lookups(raw, database):
    """A prefix is whole columns: 'ab' does not find 'abc'."""
    columns = [column("a", "STRING"), column("b", "INTEGER"), column("v", "STRING")]
    driven = Driven(raw, database, "t", Table(columns, ["a", "b"]), bucket_key=["a"])
    rows = [("ab", 2, "x"), ("ab", 1, "y"), ("abc", 1, "z"), ("a", 1, "w"), ("", 5, "v"), ("ab", 300, "u")]
    driven.upsert(*rows)
    prefixes = ["ab", "abc", "none", "", "a"]
    found = raw.prefix_lookup(driven.id, [driven.keys.prefix_of(p) for p in prefixes])
    for prefix, values in zip(prefixes, found):
        expected = sorted((r for r in rows if r[0] == prefix), key=driven.keys.key)
        assert values == [struct.pack("<h", 1) + encode_row(columns, list(r)) for r in expected], prefix
    driven.delete(("ab", 1))
    (values,) = raw.prefix_lookup(driven.id, [driven.keys.prefix_of("ab")])
    assert len(values) == 2
    driven.check()


LAKE = {"table.datalake.format": "paimon"}


def test_old_clients_and_keys_of_a_lake(raw, database):
    """A client that would write Paimon's keys is refused where the table has compacted ones."""
    columns = [column("a", "STRING"), column("b", "STRING")]
    table = Table(columns, ["a", "b"])
    driven = Driven(raw, database, "t", table, bucket_key=["a"], properties=LAKE)
    driven.upsert(("longer than seven", "x"), version=1)
    assert error_of(lambda: driven.send([Upsert(["a", "b"])], version=0)).code == UNSUPPORTED_VERSION
    bucket = {"bucket_id": 0, "keys": [b"x"]}
    for api in ("LOOKUP", "PREFIX_LOOKUP"):
        old = lambda: raw.call(api, 0, table_id=driven.id, buckets_req=[bucket])  # noqa: B023, E731
        assert error_of(old).code == UNSUPPORTED_VERSION
    (values,) = raw.prefix_lookup(driven.id, [driven.keys.prefix_of("longer than seven")])
    assert len(values) == 1
    driven.check()
    same = Driven(raw, database, "same", table, properties=LAKE)
    same.upsert(("a", "b"), version=0)
    assert raw.lookup(same.id, [same.keys.key_of("a", "b")], version=0) != [None]
    same.check()


# --- reads of the changelog -------------------------------------------------------------------------------------------


def test_chosen_columns_of_a_changelog(raw, database):
    """Change types and batches without records stay."""
    columns = [column(f"c{i}", "INTEGER" if i % 2 == 0 else "STRING") for i in range(5)]
    driven = Driven(raw, database, "t", Table(columns, ["c2"]))
    driven.upsert((1, "a", 2, "b", 3), (4, "c", 2, "d", 5))
    driven.delete((77,))
    driven.delete((2,))
    driven.check()
    for chosen in ([0, 4], [2], [1, 3], [0, 1, 2, 3, 4]):
        batches = raw.fetch_all(driven.id, columns=chosen)
        assert [b.record_count for b in batches] == [3, 0, 1]
        read = changes_of(batches, [columns[i] for i in chosen])
        full = changes_of(raw.fetch_all(driven.id), columns)
        assert [(c.offset, c.type, c.row) for c in read] == [
            (c.offset, c.type, tuple(c.row[i] for i in chosen)) for c in full
        ]


def test_a_changelog_from_its_middle(driven):
    """A batch that begins before the offset is given whole."""
    driven.upsert((1, "a"), (2, "b"), (3, "c"))
    assert [b.base_offset for b in parse_batches(driven.raw.fetch(driven.id, 3)["records"])] == [1]
    assert driven.raw.fetch(driven.id, driven.model.end)["records"] == b""


# --- scans and counts -------------------------------------------------------------------------------------------------


def test_limit_scans(driven):
    """The first rows in the order of their keys' bytes."""
    driven.upsert(*((i, f"row {i}") for i in (5, 300, -1, 128, 127, 0)))
    rows = driven.sorted_rows()
    for limit in (1, 2, 6, 7, 100):
        assert driven.limit_scan(limit) == rows[:limit]
    for limit in (0, -1):
        answer = driven.raw.call("LIMIT_SCAN", table_id=driven.id, bucket_id=0, limit=limit)
        assert parse_values(answer["records"]) == []


def test_counts(driven):
    """Rows are counted, not changes."""
    driven.upsert(*((i, "x") for i in range(20)))
    driven.upsert(*((i, "y") for i in range(20)))
    driven.delete(*((i,) for i in range(5)), (99,))
    assert driven.row_count() == {"bucket_id": 0, "row_count": 15}
    assert driven.row_count(4)["error_code"] == UNKNOWN_BUCKET
