"""Scan sessions, key-value snapshots and their leases by the raw protocol, on a server with short times."""

import time
from pathlib import Path

import pytest

import fluss_raw
from fluss_raw import column
from kv_checks import NON_PRIMARY_KEY_TABLE, Driven
from kv_model import Table, Upsert
from kv_rows import parse_values
from raw_checks import PARTITION_NOT_EXIST, UNKNOWN_BUCKET, error_of
from server import module_server
from waiting import eventually

SCANNER_EXPIRED, UNKNOWN_SCANNER, INVALID_SCAN, TOO_MANY_SCANNERS = 66, 67, 68, 69
SNAPSHOT_NOT_EXIST, NOT_PARTITIONED, TABLE_NOT_EXIST = 41, 37, 7
COLUMNS = [column("id", "INTEGER"), column("name", "STRING")]
PLAIN = Table(COLUMNS, ["id"])
OPTIONS = {
    "kv.scanner.ttl": "1 s",
    "kv.scanner.expiration-interval": "200 ms",
    "kv.scanner.max-per-bucket": "3",
    "kv.scanner.max-per-server": "5",
    "kv.snapshot.interval": "1 s",
    "kv.snapshot.num-retained": "2",
    "kv.snapshot.lease.expiration-check-interval": "200 ms",
}


@pytest.fixture(scope="module")
def short_server(request, tmp_path_factory):
    yield from module_server(request, tmp_path_factory, "kv", OPTIONS)


@pytest.fixture
def server(short_server):
    """In place of the server that other tests share."""
    short_server.revive()
    yield short_server
    short_server.assert_alive()


# --- scan sessions ----------------------------------------------------------------------------------------------------


def open_scan(raw, table_id, bucket=0, batch_size=200, **request):
    scan = {"table_id": table_id, "bucket_id": bucket, **request}
    return raw.call("SCAN_KV", bucket_scan_req=scan, batch_size_bytes=batch_size, call_seq_id=0)


def next_batch(raw, scanner, number, batch_size=200):
    return raw.call("SCAN_KV", scanner_id=scanner, call_seq_id=number, batch_size_bytes=batch_size)


def close_scan(raw, scanner):
    return raw.call("SCAN_KV", scanner_id=scanner, close_scanner=True)


def read_on(driven, answer, batch_size=200):
    """The rows of this answer and all that follow, and how many answers it took."""
    rows, number = [], 0
    while True:
        assert "error_code" not in answer, answer
        batch = parse_values(answer["records"])
        assert batch, "a batch without rows"
        rows += driven.decode_values(batch)
        if not answer["has_more_results"]:
            return rows, number + 1
        number += 1
        answer = next_batch(driven.raw, answer["scanner_id"], number, batch_size)


@pytest.fixture
def driven(raw, database):
    driven = Driven(raw, database, "t", PLAIN)
    driven.upsert(*((i, f"row {i}") for i in range(200)))
    return driven


@pytest.mark.parametrize("batch_size", [1, 300, 1 << 20, 2**31 - 1])
def test_a_scan_reads_everything(driven, batch_size):
    """At least one row an answer, about as many bytes as were asked for."""
    answer = open_scan(driven.raw, driven.id, batch_size=batch_size)
    assert answer["log_offset"] == driven.model.end and answer["scanner_id"]
    assert len(answer["records"]) <= batch_size + 64
    rows, answers = read_on(driven, answer, batch_size)
    assert rows == driven.sorted_rows()
    assert answers == {1: 200, 1 << 20: 1, 2**31 - 1: 1}.get(batch_size, answers) and answers > 0


def test_a_scan_sees_its_moment(driven):
    """What is put later is not seen, whether it changes, deletes or adds."""
    rows = driven.sorted_rows()
    answer = open_scan(driven.raw, driven.id)
    driven.upsert(*((i, "changed") for i in range(100)), (1000, "new"))
    driven.delete(*((i,) for i in range(150, 200)))
    assert read_on(driven, answer)[0] == rows
    assert read_on(driven, open_scan(driven.raw, driven.id))[0] == driven.sorted_rows()


def test_the_log_goes_on_where_a_scan_ends(driven):
    """Scan and changelog from its offset together give the state."""
    answer = open_scan(driven.raw, driven.id)
    driven.delete((3,), (4,))
    state = dict((row[0], row) for row in read_on(driven, answer)[0])
    for change in driven.changes():
        if change.offset >= answer["log_offset"]:
            if change.type == "-D":
                del state[change.row[0]]
            else:
                state[change.row[0]] = change.row
    assert sorted(state.values()) == sorted(driven.sorted_rows())


def test_a_limited_scan(driven):
    for limit in (1, 7, 200, 1000):
        rows, _ = read_on(driven, open_scan(driven.raw, driven.id, limit=limit))
        assert rows == driven.sorted_rows()[:limit]


def test_a_scan_of_an_empty_bucket(raw, database):
    """There is no session, but the offset."""
    driven = Driven(raw, database, "t", PLAIN)
    driven.delete((1,))
    answer = open_scan(raw, driven.id)
    assert answer == {"has_more_results": False, "log_offset": 1}


def test_a_session_ends_with_its_last_row(driven):
    answer = open_scan(driven.raw, driven.id, batch_size=1 << 20)
    assert not answer["has_more_results"]
    assert next_batch(driven.raw, answer["scanner_id"], 1)["error_code"] == UNKNOWN_SCANNER


def test_a_session_is_closed(driven):
    """Once or twice, and one that never was."""
    scanner = open_scan(driven.raw, driven.id)["scanner_id"]
    for _ in range(2):
        answer = close_scan(driven.raw, scanner)
        assert "error_code" not in answer and answer["has_more_results"] is False
    assert next_batch(driven.raw, scanner, 1)["error_code"] == UNKNOWN_SCANNER
    assert "error_code" not in close_scan(driven.raw, b"never was")


@pytest.mark.parametrize("number", [0, 2, -1, 100])
def test_answers_are_asked_for_in_order(driven, number):
    """A wrong number is refused and the session goes on."""
    answer = open_scan(driven.raw, driven.id)
    assert next_batch(driven.raw, answer["scanner_id"], number)["error_code"] == INVALID_SCAN
    assert "error_code" not in next_batch(driven.raw, answer["scanner_id"], 1)
    close_scan(driven.raw, answer["scanner_id"])


def test_one_answer_at_a_time(driven):
    """Of several requests for the same answer one gets it."""
    raw = driven.raw
    scanner = open_scan(raw, driven.id)["scanner_id"]
    requests = [raw.send("SCAN_KV", scanner_id=scanner, call_seq_id=1, batch_size_bytes=200) for _ in range(4)]
    codes = [raw.receive("SCAN_KV", request).get("error_code") for request in requests]
    assert sorted(codes, key=bool) == [None] + [INVALID_SCAN] * 3
    assert "error_code" not in next_batch(raw, scanner, 2)
    close_scan(raw, scanner)


def test_requests_that_make_no_sense(driven):
    bucket = {"table_id": driven.id, "bucket_id": 0}
    scanner = open_scan(driven.raw, driven.id)["scanner_id"]
    for request in (
        {"call_seq_id": 0, "batch_size_bytes": 100},
        {"bucket_scan_req": bucket, "scanner_id": scanner, "call_seq_id": 0, "batch_size_bytes": 100},
        {"bucket_scan_req": bucket, "close_scanner": True},
        {"bucket_scan_req": bucket, "call_seq_id": 0},
        {"bucket_scan_req": bucket, "call_seq_id": 0, "batch_size_bytes": 0},
        {"bucket_scan_req": bucket, "call_seq_id": 0, "batch_size_bytes": -5},
        {"bucket_scan_req": bucket, "call_seq_id": 1, "batch_size_bytes": 100},
        {"bucket_scan_req": bucket, "batch_size_bytes": 100},
        {"scanner_id": scanner, "call_seq_id": 1},
        {"scanner_id": scanner, "batch_size_bytes": 100},
    ):
        answer = driven.raw.call("SCAN_KV", **request)
        assert answer.get("error_code") == INVALID_SCAN and answer["error_message"], request
    close_scan(driven.raw, scanner)
    # None of them has kept a session.
    opened = [open_scan(driven.raw, driven.id) for _ in range(3)]
    assert all("error_code" not in answer for answer in opened)
    for answer in opened:
        close_scan(driven.raw, answer["scanner_id"])


def test_sessions_are_limited(raw, driven, database):
    """Per bucket and per server; a closed one makes room."""
    other = Driven(raw, database, "other", PLAIN)
    other.upsert(*((i, f"row {i}") for i in range(200)))
    sessions = [open_scan(raw, driven.id)["scanner_id"] for _ in range(3)]
    assert open_scan(raw, driven.id)["error_code"] == TOO_MANY_SCANNERS
    sessions += [open_scan(raw, other.id)["scanner_id"] for _ in range(2)]
    assert open_scan(raw, other.id)["error_code"] == TOO_MANY_SCANNERS
    close_scan(raw, sessions.pop(0))
    sessions.append(open_scan(raw, other.id)["scanner_id"])
    for scanner in sessions:
        close_scan(raw, scanner)


def test_an_idle_session_expires(driven):
    """Requests that fail do not keep it."""
    scanner = open_scan(driven.raw, driven.id)["scanner_id"]
    begin = time.monotonic()

    def expired():
        code = next_batch(driven.raw, scanner, 77)["error_code"]
        assert code in (INVALID_SCAN, SCANNER_EXPIRED), code
        return code == SCANNER_EXPIRED

    eventually(expired, "the session expires")
    assert time.monotonic() - begin > 0.5


def test_a_session_ends_with_its_table(driven, database):
    scanner = open_scan(driven.raw, driven.id)["scanner_id"]
    driven.raw.call("DROP_TABLE", table_path=driven.path, ignore_if_not_exists=False)
    known = (UNKNOWN_SCANNER, SCANNER_EXPIRED, UNKNOWN_BUCKET, 12)
    eventually(lambda: next_batch(driven.raw, scanner, 1).get("error_code") in known, "the session ends")


def test_a_session_belongs_to_nobody(server, driven):
    """Another connection may go on, and the session does not end with the connection that opened it."""
    with fluss_raw.connect(server.address) as other:
        answer = open_scan(other, driven.id)
    rows, _ = read_on(driven, answer)
    assert rows == driven.sorted_rows()


# --- snapshots --------------------------------------------------------------------------------------------------------


def latest(driven):
    (entry,) = driven.raw.call("GET_LATEST_KV_SNAPSHOTS", table_path=driven.path)["latest_snapshots"]
    assert entry["bucket_id"] == 0
    return entry


def wait_for_snapshot(driven):
    """A snapshot of everything that was put so far."""
    return eventually(lambda: (e := latest(driven)).get("log_offset") == driven.model.end and e, "a snapshot")


def files_of(driven, snapshot):
    return driven.raw.call(
        "GET_KV_SNAPSHOT_METADATA", table_id=driven.id, bucket_id=0, snapshot_id=snapshot["snapshot_id"]
    )


def listed(driven):
    answer = driven.raw.call("LIST_KV_SNAPSHOTS", table_id=driven.id)
    return {s["snapshot_id"] for s in answer["active_snapshots"]}


def local(path):
    return Path(path.removeprefix("file://"))


def test_snapshots_are_taken(driven):
    """They name a complete database in the remote directory, and only what changed is written again."""
    first = wait_for_snapshot(driven)
    metadata = files_of(driven, first)
    assert metadata["log_offset"] == first["log_offset"]
    names = [f["local_file_name"] for f in metadata["snapshot_files"]]
    assert (
        "CURRENT" in names and any(n.startswith("MANIFEST-") for n in names) and any(n.endswith(".sst") for n in names)
    )
    assert len(set(names)) == len(names)
    assert all(local(f["remote_path"]).is_file() for f in metadata["snapshot_files"])
    driven.upsert((1000, "later"))
    second = wait_for_snapshot(driven)
    assert second["snapshot_id"] > first["snapshot_id"]
    again = {f["remote_path"] for f in files_of(driven, second)["snapshot_files"]}
    shared = {f["remote_path"] for f in metadata["snapshot_files"] if f["local_file_name"].endswith(".sst")}
    assert again & shared, "nothing of the first snapshot is used again"


def test_only_so_many_snapshots_are_kept(driven):
    snapshots = []
    for i in range(4):
        driven.upsert((i, f"round {i}"))
        snapshots.append(wait_for_snapshot(driven))
    expected = {s["snapshot_id"] for s in snapshots[-2:]}
    eventually(lambda: listed(driven) == expected, "two snapshots are left")
    for snapshot in snapshots[:-2]:
        eventually(lambda: is_gone(driven, snapshot), "an old snapshot goes")  # noqa: B023
    for snapshot in snapshots[-2:]:
        assert all(local(f["remote_path"]).is_file() for f in files_of(driven, snapshot)["snapshot_files"])


def test_no_snapshot_without_changes(driven):
    """An idle table keeps its snapshot."""
    idle = wait_for_snapshot(driven)
    busy = Driven(driven.raw, driven.path["database_name"], "busy", PLAIN)
    for i in range(2):
        busy.upsert((i, "x"))
        wait_for_snapshot(busy)
    assert latest(driven) == idle


def test_a_leased_snapshot_stays(driven):
    """Until it is released."""
    first = wait_for_snapshot(driven)
    bucket = {"table_id": driven.id, "bucket_id": 0}
    answer = lease(driven, "reader-1", 60_000, first)
    assert not any(answer.values())
    for i in range(3):
        driven.upsert((i, f"round {i}"))
        wait_for_snapshot(driven)
    assert all(local(f["remote_path"]).is_file() for f in files_of(driven, first)["snapshot_files"])
    driven.raw.call("RELEASE_KV_SNAPSHOT_LEASE", lease_id="reader-1", buckets_to_release=[bucket])
    driven.upsert((9, "after"))
    wait_for_snapshot(driven)
    eventually(lambda: is_gone(driven, first), "the released snapshot goes")


def lease(driven, lease_id, duration_ms, snapshot):
    buckets = [{"bucket_id": 0, "snapshot_id": snapshot["snapshot_id"]}]
    tables = [{"table_id": driven.id, "bucket_snapshots": buckets}]
    return driven.raw.call(
        "ACQUIRE_KV_SNAPSHOT_LEASE", lease_id=lease_id, lease_duration_ms=duration_ms, snapshots_to_lease=tables
    )


def is_gone(driven, snapshot):
    try:
        files_of(driven, snapshot)
    except fluss_raw.ServerError as error:
        assert error.code == SNAPSHOT_NOT_EXIST
        return True
    return False


def test_an_expired_lease_frees_its_snapshots(driven):
    first = wait_for_snapshot(driven)
    lease(driven, "reader-2", 300, first)

    def gone():
        driven.upsert((5, str(time.monotonic())))
        wait_for_snapshot(driven)
        return is_gone(driven, first)

    eventually(gone, "the snapshot goes with its lease")


def test_leases_that_are_not_there(raw):
    raw.call("RELEASE_KV_SNAPSHOT_LEASE", lease_id="never was", buckets_to_release=[])
    raw.call("DROP_KV_SNAPSHOT_LEASE", lease_id="never was")


def test_snapshots_that_are_not_there(raw, database, driven):
    assert error_of(lambda: files_of(driven, {"snapshot_id": 987654})).code == SNAPSHOT_NOT_EXIST
    log_table = fluss_raw.path(database, "logs")
    raw.create_table(database, "logs", COLUMNS)
    assert error_of(lambda: raw.call("GET_LATEST_KV_SNAPSHOTS", table_path=log_table)).code == NON_PRIMARY_KEY_TABLE
    missing = fluss_raw.path(database, "missing")
    assert error_of(lambda: raw.call("GET_LATEST_KV_SNAPSHOTS", table_path=missing)).code == TABLE_NOT_EXIST
    named = lambda: raw.call("GET_LATEST_KV_SNAPSHOTS", table_path=driven.path, partition_name="p")  # noqa: E731
    assert error_of(named).code in (NOT_PARTITIONED, PARTITION_NOT_EXIST)


def test_dropped_snapshots_leave_the_disk(driven):
    files = [local(f["remote_path"]) for f in files_of(driven, wait_for_snapshot(driven))["snapshot_files"]]
    driven.raw.call("DROP_TABLE", table_path=driven.path, ignore_if_not_exists=False)
    eventually(lambda: not any(f.exists() for f in files), "the files go")


def test_a_bucket_comes_back_from_its_snapshots(server, database):
    """kill -9 twice in a row after two snapshots and more puts: rows, log, count and snapshots are all there."""
    with fluss_raw.connect(server.address) as raw:
        driven = Driven(raw, database, "t", PLAIN)
        writer = raw.call("INIT_WRITER", table_path=[driven.path])["writer_id"]
        driven.upsert(*((i, f"row {i}") for i in range(100)), writer_id=writer, sequence=0)
        wait_for_snapshot(driven)
        driven.delete(*((i,) for i in range(10)), writer_id=writer, sequence=1)
        snapshot = wait_for_snapshot(driven)
        driven.upsert((5, "after"), (200, "after"), writer_id=writer, sequence=2)
    for _ in range(2):
        server.kill()
        server.start()
    with fluss_raw.connect(server.address) as raw:
        raw.wait_for_leaders(database, "t")
        driven.raw = raw
        driven.check()
        driven.upsert((6, "more"), writer_id=writer, sequence=3)
        driven.check()
        assert wait_for_snapshot(driven)["snapshot_id"] > snapshot["snapshot_id"]
        answer = driven.send([Upsert([5, "after"]), Upsert([200, "after"])], writer_id=writer, sequence=2)
        assert answer["log_end_offset"] == driven.model.end - 1


def test_a_lost_database_comes_back(server, database):
    """The local database is removed while the server is down: it is made again from the snapshot and the log."""
    with fluss_raw.connect(server.address) as raw:
        driven = Driven(raw, database, "t", PLAIN)
        driven.upsert(*((i, f"row {i}") for i in range(100)))
        wait_for_snapshot(driven)
        driven.upsert((5, "after"), (200, "after"))
    server.kill()
    databases = [f.parent for f in server.data.rglob("CURRENT") if not f.is_relative_to(server.data / "remote")]
    assert databases
    for folder in databases:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    server.start()
    with fluss_raw.connect(server.address) as raw:
        raw.wait_for_leaders(database, "t")
        driven.raw = raw
        driven.check()
