"""Log segments in remote storage: copied, announced, deleted here and read there, with nothing lost or seen twice."""

import contextlib
import json
import os
import shutil
import subprocess
import threading
import time

import pyarrow as pa
import pytest
from fluss import EARLIEST_OFFSET

import fluss_raw
import test_partitions as partitions
from fluss_raw import parse_batches
from kv_checks import Driven
from object_store import ObjectStore
from raw_checks import ALL, ARROW, COLUMNS, OUT_OF_RANGE, batch
from server import BINARY
from test_java import EXTRA, run_checks
from test_pyfluss import TablePath, connect
from test_s3 import PLAIN, free_port
from waiting import eventually

EARLIEST, LATEST, BY_TIME = 0, 1, 2
LOCAL_FIRST, REMOTE_FIRST, AT_SERVER = 0, 1, 2
PLAIN_BATCHES = {"table.log.arrow.compression.type": "NONE"}
TINY = {
    "log.segment.file-size": "3kb", "log.index.interval-size": "500b", "log.retention.check-interval": "200ms",
    "remote.log.task-interval-duration": "100ms",
}  # fmt: skip


class Log:
    """A table of one bucket whose rows are numbered from 0 on, and a reader that goes where it is sent."""

    def __init__(self, raw, name="t", columns=COLUMNS, **properties):
        self.raw = raw
        self.name = name
        self.id = raw.create_table("db", name, columns, properties={**PLAIN_BATCHES, **properties})
        self.count = 0
        self.sent_away = 0

    def append(self, batches=30, rows=3):
        for _ in range(batches):
            self.raw.produce(self.id, batch(self.count, self.count + rows).encode(), acks=ALL)
            self.count += rows

    def manifests(self):
        return self.raw.call("LIST_REMOTE_LOG_MANIFESTS", table_id=self.id)["manifests"]

    def copied_end(self):
        return sum(m["remote_log_end_offset"] for m in self.manifests())

    def wait_for_copies(self, behind=2000):
        """Until all but the last segments are there and only there."""
        eventually(lambda: self.copied_end() >= self.count - behind // 50, "copies")
        eventually(lambda: self.local_start() > 0, "local segments that go")

    def local_start(self):
        """The earliest offset that is answered with records."""
        answer = self.raw.fetch(self.id, 0)
        info = answer.get("remote_log_fetch_info")
        if info is None:
            return 0
        return max(s["remote_log_end_offset"] for s in info["remote_log_segments"])

    def read_segments(self, info, offset):
        """What a client does with what it is told."""
        batches = []
        position = info["first_start_pos"]
        for segment in info["remote_log_segments"]:
            folder = info["remote_log_tablet_dir"].removeprefix("file://")
            name = f"{segment['remote_log_start_offset']:020}.log"
            with open(f"{folder}/{segment['remote_log_segment_id']}/{name}", "rb") as file:
                data = file.read()
            assert len(data) == segment["segment_size_in_bytes"]
            read = parse_batches(data[position:])
            assert read[-1].next_offset == segment["remote_log_end_offset"]
            assert batches or read[0].base_offset <= offset
            batches += [b for b in read if b.next_offset > offset]
            position = 0
        return batches

    def read(self, offset=0, schema=ARROW, **request):
        """All rows from there on."""
        rows, next_offset = [], offset
        while True:
            answer = self.raw.fetch(self.id, next_offset, **request)
            assert not answer.get("error_code"), answer
            info = answer.get("remote_log_fetch_info")
            if info:
                assert "records" not in answer
                self.sent_away += 1
                batches = self.read_segments(info, next_offset)
            else:
                batches = parse_batches(answer["records"])
            for b in batches:
                assert b.base_offset <= next_offset or b is not batches[0]
                assert not rows or b.base_offset == next_offset
                got = b.rows(schema)
                rows += got[max(0, next_offset - b.base_offset) :]
                next_offset = b.next_offset
            if next_offset >= answer["high_watermark"]:
                return rows

    def check(self, offset=0, **request):
        assert self.read(offset, **request) == [[i, f"row {i}"] for i in range(offset, self.count)]


@pytest.fixture
def remote_server(new_server, tmp_path):
    def make(options=None):
        return new_server(options={**TINY, "remote.data.dir": tmp_path / "remote", **(options or {})}).start()

    return make


@contextlib.contextmanager
def copied_log(server, batches=30, **properties):
    """A connection, and a log of which all that may be is in remote storage."""
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        log = Log(raw, **properties)
        log.append(batches=batches)
        log.wait_for_copies()
        yield raw, log


def segments_of(tmp_path):
    return sorted(p.parent for p in (tmp_path / "remote/log").rglob("*.log"))


def test_the_border(remote_server, tmp_path):
    """Readers find every record once on both sides, from any offset, by either preference and by time."""
    server = remote_server()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        log = Log(raw)
        log.append()
        time.sleep(0.01)
        middle = int(time.time() * 1000)
        log.append()
        log.wait_for_copies()
        for offset in (0, 1, 2, 50, 88, log.count - 2):
            log.check(offset)
        assert log.sent_away > 0
        log.check(0, read_preference=REMOTE_FIRST)
        assert raw.fetch(log.id, fluss_raw.EARLIEST)["remote_log_fetch_info"]["first_start_pos"] == 0
        assert raw.offset(log.id, EARLIEST)["offset"] == 0
        assert raw.offset(log.id, LATEST)["offset"] == log.count
        assert raw.offset(log.id, BY_TIME, startTimestamp=middle - 600_000)["offset"] == 0
        assert raw.offset(log.id, BY_TIME, startTimestamp=middle)["offset"] == 90
        for offset in (-1, -3, log.count + 1):
            assert raw.fetch(log.id, offset)["error_code"] == OUT_OF_RANGE
        (rows,) = raw.call(
            "GET_TABLE_STATS", table_id=log.id, buckets_req=[{"bucket_id": 0}])["buckets_resp"]  # fmt: skip
        assert rows["row_count"] == log.count
        # What is told is read by position.
        info = raw.fetch(log.id, 7)["remote_log_fetch_info"]
        assert [s["remote_log_start_offset"] for s in info["remote_log_segments"][1:]] == [
            s["remote_log_end_offset"] for s in info["remote_log_segments"][:-1]
        ]
        log.check(7)


def test_files(remote_server, tmp_path):
    """The layout and the manifest are those of the protocol; a drop removes all of it."""
    server = remote_server()
    with copied_log(server) as (raw, log):
        (entry,) = log.manifests()
        assert entry["table_bucket"] == {"table_id": log.id, "bucket_id": 0}
        folder = tmp_path / f"remote/log/db/t-{log.id}/0"
        path = entry["remote_log_manifest_path"].removeprefix("file://")
        assert path.startswith(f"{folder}/metadata/") and path.endswith(".manifest")
        with open(path) as file:
            manifest = json.load(file)
        segments = manifest.pop("remote_log_segments")
        assert manifest == {"version": 1, "database": "db", "table": "t", "table_id": log.id, "bucket_id": 0}
        assert segments[0]["start_offset"] == 0
        assert segments[-1]["end_offset"] == entry["remote_log_end_offset"]
        for segment in segments:
            names = {p.name for p in (folder / segment["segment_id"]).iterdir()}
            start, end = f"{segment['start_offset']:020}", f"{segment['end_offset']:020}"
            assert names == {f"{start}.log", f"{start}.index", f"{start}.timeindex", f"{end}.writer_snapshot"}
        raw.call("DROP_TABLE", table_path=fluss_raw.path("db", "t"), ignore_if_not_exists=False)
        eventually(lambda: not (tmp_path / f"remote/log/db/t-{log.id}").exists(), "an empty store")


def test_partitions(remote_server, tmp_path):
    """A partition's log has a folder of its own, which goes with it."""
    server = remote_server()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        table = partitions.create_table(raw, "db", "p", **partitions.BY_NAME)
        partitions.create(raw, "db", "p", name="x")
        (partition,) = partitions.listed(raw, "db", "p").values()
        buckets = {"partition_id": partition, "bucket_id": 0}
        leads = lambda: "leader_id" in partitions.metadata_of(raw, "db", "p", "x")["bucket_metadata"][0]  # noqa: E731
        eventually(leads, "a leader")
        for _ in range(40):
            partitions.produce(raw, table, partition, batch(0, 3).encode())
        request = dict(table_id=table, partition_id=partition)

        def listed():
            return raw.call("LIST_REMOTE_LOG_MANIFESTS", **request)["manifests"]

        (entry,) = eventually(listed, "a copy")
        assert entry["table_bucket"] == {"table_id": table, **buckets}
        folder = tmp_path / f"remote/log/db/p-{table}/x-p{partition}"
        assert entry["remote_log_manifest_path"].startswith(f"file://{folder}/0/metadata/")

        def info():
            return partitions.fetch(raw, table, partition).get("remote_log_fetch_info")

        assert eventually(info, "a reader that is sent away")["partition_name"] == "x"
        partitions.drop(raw, "db", "p", name="x")
        eventually(lambda: not folder.exists(), "a folder that goes")


def test_retention(remote_server, tmp_path):
    """What is too old is gone for readers, with the right error, and then from the store."""
    server = remote_server()
    with copied_log(server, **{"table.log.ttl": "4s"}) as (raw, log):
        first = segments_of(tmp_path)
        assert first
        eventually(lambda: raw.fetch(log.id, 0).get("error_code") == OUT_OF_RANGE, "an end")
        log.append(batches=3)
        start = raw.offset(log.id, EARLIEST)["offset"]
        assert 0 < start < log.count
        answer = raw.fetch(log.id, start - 1)
        assert answer["error_code"] == OUT_OF_RANGE and f"[{start}, " in answer["error_message"]
        log.check(start)
        eventually(lambda: not set(first) & set(segments_of(tmp_path)), "files that go")


def test_server_reads(remote_server, tmp_path):
    """With the option, and for who asks so, the server reads for clients: records as of a local log, projected, too."""
    server = remote_server()
    with copied_log(server) as (raw, log):
        log.check(0, read_preference=AT_SERVER)
        assert log.sent_away == 0
    server.stop()
    server.options["lakestream.remote.serve-reads"] = "always"
    server.start()
    with fluss_raw.connect(server.address) as raw:
        raw.wait_for_leaders("db", "t")
        log.raw = raw
        log.check()
        log.check(31)
        assert log.sent_away == 0
        names = pa.schema([("name", pa.utf8())])
        assert log.read(0, names, columns=[1]) == [[f"row {i}"] for i in range(log.count)]
        small = log.read(0, max_bytes=1)
        assert len(small) == log.count
        answer = raw.call(
            "LIMIT_SCAN", table_id=log.id, bucket_id=0, limit=log.count - 1)  # fmt: skip
        assert parse_batches(answer["records"])[0].base_offset == 0


def test_restart_and_orphans(remote_server, tmp_path):
    """A start goes on where the last one was; what nobody knows of in the folder is removed."""
    server = remote_server()
    with copied_log(server) as (raw, log):
        folder = segments_of(tmp_path)[0].parent
    server.kill()
    orphan = folder / "00000000-0000-4000-8000-00000000abcd"
    orphan.mkdir()
    (orphan / f"{0:020}.log").write_bytes(b"half of it")
    (folder / "metadata/00000000-0000-4000-8000-00000000abce.manifest").write_text("{}")
    server.start()
    with fluss_raw.connect(server.address) as raw:
        raw.wait_for_leaders("db", "t")
        log.raw = raw
        log.check()
        log.append()
        eventually(lambda: not orphan.exists() and len(list((folder / "metadata").iterdir())) == 1, "cleaning up")
        log.wait_for_copies()
        log.check()
    # A log whose end the disk lost goes on behind what was copied.
    server.stop()
    for path in server.data.rglob("log-0"):
        shutil.rmtree(path)
    server.start()
    with fluss_raw.connect(server.address) as raw:
        raw.wait_for_leaders("db", "t")
        log.raw = raw
        (entry,) = log.manifests()
        log.count = entry["remote_log_end_offset"]
        assert raw.offset(log.id, LATEST)["offset"] == log.count
        log.check()
        log.append()
        log.check()


def test_kills(remote_server):
    """kill -9 at any moment of copying and deleting: all that was acknowledged is there once."""
    server = remote_server()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        log = Log(raw)
    for i in range(8):
        with fluss_raw.connect(server.address) as raw:
            raw.wait_for_leaders("db", "t")
            log.raw = raw
            log.check()
            log.append(batches=12)
            time.sleep(0.05 * i)
            log.check()
        server.kill()
        server.start()


def test_readers_while_it_moves(remote_server):
    """Readers at the border never hear of an offset out of range while segments are copied and deleted."""
    server = remote_server({"remote.log.task-interval-duration": "20ms"})
    failures, done = [], threading.Event()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        log = Log(raw, **{"table.log.tiered.local-segments": "1"})

        def read_all():
            try:
                with fluss_raw.connect(server.address) as own:
                    reader = object.__new__(Log)
                    reader.raw, reader.id, reader.sent_away = own, log.id, 0
                    while not done.is_set():
                        rows = reader.read(0)
                        assert rows == [[i, f"row {i}"] for i in range(len(rows))]
            except BaseException as error:
                failures.append(error)

        readers = [threading.Thread(target=read_all) for _ in range(4)]
        for reader in readers:
            reader.start()
        end = time.monotonic() + 6
        while time.monotonic() < end and not failures:
            log.append(batches=5)
        done.set()
        for reader in readers:
            reader.join()
        assert not failures, failures[0]
        log.check()


def test_keys(remote_server, tmp_path):
    """A changelog goes there, too, but for what the state needs; rows survive the loss of the local state and, as the
    whole changelog is there, of all snapshots."""
    server = remote_server({"kv.snapshot.interval": "300ms"})
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        driven = Driven(raw, "db", "t", PLAIN)
        for i in range(30):
            driven.upsert(*((n, f"{i} " + "x" * 60) for n in range(i, i + 10)))

        def copied():
            listed = raw.call("LIST_REMOTE_LOG_MANIFESTS", table_id=driven.id)["manifests"]
            return listed and listed[0]["remote_log_end_offset"] > driven.model.end // 2

        eventually(copied, "a copy")
        driven.check_rows()
    for lost in (server.data, tmp_path / "remote/kv"):
        server.stop()
        for folder in server.data.rglob("kv-0"):
            shutil.rmtree(folder)
        if lost != server.data:
            assert list(lost.rglob("_METADATA"))
            for file in lost.rglob("*"):
                if file.is_file():
                    file.unlink()
        server.start()
        with fluss_raw.connect(server.address) as raw:
            raw.wait_for_leaders("db", "t")
            driven.raw = raw
            driven.check_rows()


async def test_pyfluss(remote_server):
    """The official Python client reads across the border, all columns and some, with two scanners at once."""
    server = remote_server()
    with copied_log(server, batches=60) as (_, log):
        pass
    async with connect(server) as connection:
        table = await connection.get_table(TablePath("db", "t"))
        scanners = [await table.new_scan().create_log_scanner() for _ in range(2)]
        projected = await table.new_scan().project([1]).create_log_scanner()
        for scanner in [*scanners, projected]:
            scanner.subscribe_buckets({0: EARLIEST_OFFSET})
        for scanner in [*scanners, projected]:
            rows = []
            deadline = time.monotonic() + 40
            while len(rows) < log.count and time.monotonic() < deadline:
                rows += [record.row for record in await scanner.poll(500)]
            expected = [{"id": i, "name": f"row {i}"} for i in range(log.count)]
            if scanner is projected:
                expected = [{"name": row["name"]} for row in expected]
            assert rows == expected


@pytest.mark.parametrize("version", EXTRA)
def test_java(remote_server, version, subtests):
    """The official Java clients do, too."""
    server = remote_server()
    with copied_log(server, batches=100):
        pass
    run_checks("RemoteLogCheck", server, "db", version, subtests)
    if version == "1.0.0":
        run_checks("RemoteLogSinceOneCheck", server, "db", version, subtests)


def test_tail(remote_server, tmp_path):
    """`lakestream tail` crosses the border, whether it can see the files or not."""
    server = remote_server()
    with copied_log(server, batches=60) as (_, log):
        pass
    command = [str(BINARY), "tail", "db.t", "--from", "earliest", "--no-follow", "--format", "ndjson"]
    for hidden in (False, True):
        if hidden:
            # As from another machine: the path that clients are told is not there for them.
            hide = f"mount -t tmpfs none {tmp_path / 'remote'}; exec \"$@\""
            command = ["unshare", "-m", "sh", "-c", hide, "-", *command]
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=60, env={**os.environ, "LAKESTREAM_SERVER": server.address}
        )
        if hidden and "unshare" in run.stderr:
            pytest.skip("no name spaces here")
        assert run.returncode == 0, run.stderr
        assert [json.loads(line)["id"] for line in run.stdout.splitlines()] == list(range(log.count))
        some = subprocess.run(
            [*command, "--where", "id >= 20 AND id < 30"], capture_output=True, text=True, timeout=60,
            env={**os.environ, "LAKESTREAM_SERVER": server.address},
        )  # fmt: skip
        assert [json.loads(line)["id"] for line in some.stdout.splitlines()] == list(range(20, 30)), some.stderr


async def test_object_store(new_server, tmp_path):
    """All of it over an S3-compatible store."""
    store = ObjectStore(free_port(), tmp_path / "store-log").start()
    try:
        store.make_bucket("lake")
        server = new_server(options={**TINY, **store.options("s3://lake/r")}).start()
        with copied_log(server, batches=60) as (raw, log):
            log.check(0, read_preference=AT_SERVER)
            info = raw.fetch(log.id, 0)["remote_log_fetch_info"]
            assert info["remote_log_tablet_dir"] == f"s3://lake/r/log/db/t-{log.id}/0"
        async with connect(server) as connection:
            table = await connection.get_table(TablePath("db", "t"))
            scanner = await table.new_scan().create_log_scanner()
            scanner.subscribe_buckets({0: EARLIEST_OFFSET})
            rows = []
            deadline = time.monotonic() + 30
            while len(rows) < log.count and time.monotonic() < deadline:
                rows += [record.row for record in await scanner.poll(500)]
            assert [row["id"] for row in rows] == list(range(log.count))
        with fluss_raw.connect(server.address) as raw:
            # The store is away for a while: appends go on, and so do copies afterwards.
            store.stop()
            log.raw = raw
            log.append(batches=30)
            eventually(lambda: "not brought to remote storage" in server.log.read_text(), "a warning")
    finally:
        store.stop()
