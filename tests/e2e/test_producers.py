"""Offsets that jobs register before they write, so that they can undo what they wrote: raw requests."""

import time

import pytest

import fluss_raw
from raw_checks import COLUMNS, TABLE_NOT_EXIST, UNKNOWN_BUCKET, error_of
from waiting import eventually

CREATED, ALREADY_EXISTS = 0, 1
NOTHING = {"table_offsets": []}
INVALID_PRODUCER = 63


def offsets(table, *ends):
    return {"table_id": table, "bucket_offsets": [{"bucket_id": b, "log_end_offset": end} for b, end in ends]}


def register(raw, producer, *tables, **more):
    return raw.call("REGISTER_PRODUCER_OFFSETS", producer_id=producer, table_offsets=list(tables), **more)["result"]


def test_register_get_delete(new_server):
    """The first offsets stay, over a restart, until they are deleted."""
    server = new_server().start()
    with fluss_raw.connect(server.address) as raw:
        table = raw.create_table("fluss", "t", COLUMNS, buckets=2)
        assert register(raw, "job-1", offsets(table, (0, 5), (1, 0))) == CREATED
        assert register(raw, "job-1", offsets(table, (0, 9))) == ALREADY_EXISTS
    server.restart()
    with fluss_raw.connect(server.address) as raw:
        answer = raw.call("GET_PRODUCER_OFFSETS", producer_id="job-1")
        assert answer["producer_id"] == "job-1"
        assert 0 < answer["expiration_time"] / 1000 - time.time() <= 24 * 3600
        assert answer["table_offsets"] == [offsets(table, (0, 5), (1, 0))]
        raw.call("DELETE_PRODUCER_OFFSETS", producer_id="job-1")
        raw.call("DELETE_PRODUCER_OFFSETS", producer_id="job-1")
        assert raw.call("GET_PRODUCER_OFFSETS", producer_id="job-1") == NOTHING


def test_expiration(new_server):
    """Offsets end when they say so; those that say nothing when the server says so."""
    options = {"coordinator.producer-offsets.ttl": "1 s", "coordinator.producer-offsets.cleanup-interval": "50 ms"}
    with fluss_raw.connect(new_server(options=options).start().address) as raw:
        table = raw.create_table("fluss", "t", COLUMNS)
        assert register(raw, "long", offsets(table, (0, 1)), ttl_ms=600_000) == CREATED
        assert register(raw, "short", offsets(table, (0, 1))) == CREATED
        known = lambda: raw.call("GET_PRODUCER_OFFSETS", producer_id="short") != NOTHING  # noqa: E731
        eventually(lambda: not known(), "the end of a producer")
        assert register(raw, "long") == ALREADY_EXISTS


@pytest.mark.parametrize("name", ["", "a/b", "..", "x" * 201])
def test_names(raw, name):
    assert error_of(lambda: register(raw, name)).code == INVALID_PRODUCER
    assert error_of(lambda: raw.call("GET_PRODUCER_OFFSETS", producer_id=name)).code == INVALID_PRODUCER


def test_places(raw, table):
    """What the document could not say is refused."""
    for wrong, code in (
        (offsets(1 << 40, (0, 1)), TABLE_NOT_EXIST),
        (offsets(table, (7, 1)), UNKNOWN_BUCKET),
        (offsets(table, (0, -1)), UNKNOWN_BUCKET),
        ({"table_id": table, "bucket_offsets": [{"bucket_id": 0}]}, UNKNOWN_BUCKET),
    ):
        assert error_of(lambda: register(raw, "job-2", wrong)).code == code
    assert raw.call("GET_PRODUCER_OFFSETS", producer_id="job-2") == NOTHING
