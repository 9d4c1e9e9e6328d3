"""Disks that fill up, are full, or cannot be written: what was acknowledged stays, and work goes on when there is room.

Each test has a small file system of its own, which takes the right to mount one.
"""

import asyncio
import subprocess
import threading
import time

import pyarrow as pa
import pytest

import fluss_raw
from fluss_raw import ServerError, arrow_batch, column
from test_lifecycle import refuses_to_start
from test_pyfluss import append as append_rows
from test_pyfluss import connect, create, numbered, scan
from waiting import eventually

COLUMNS = [column("id", "INTEGER"), column("name", "STRING")]
ARROW = pa.schema([("id", pa.int32()), ("name", pa.utf8())])
DISK_BYTES = 32 << 20
STORAGE, LOCKED = 10, 70  # both are retriable: clients send again
WAIT_S = 10


class Disk:
    """A mounted file system of 32 MiB. The ballast fills it."""

    def __init__(self, folder):
        self.folder = folder
        self.ballast = folder / "ballast"

    def mount(self, *options):
        return subprocess.run(["mount", *options, str(self.folder)], capture_output=True, check=False)

    def space(self):
        line = subprocess.run(
            ["df", "--output=size,avail", "-B1", str(self.folder)], capture_output=True, check=True, text=True
        ).stdout.splitlines()[1]
        return map(int, line.split())

    def fill_to(self, ratio):
        """Makes the ballast such that this part of the disk is in use."""
        size, available = self.space()
        ballast = self.ballast.stat().st_size if self.ballast.exists() else 0
        self.write_ballast(int(ballast + available - (1 - ratio) * size))

    def fill(self):
        """To the last byte."""
        with open(self.ballast, "ab", buffering=0) as file:
            for piece in (1 << 20, 1 << 12, 1):
                try:
                    while file.write(b"x" * piece) == piece:
                        pass
                except OSError:
                    pass

    def write_ballast(self, size):
        with open(self.ballast, "ab") as file:
            held = file.tell()
            if size < held:
                file.truncate(size)
            else:
                file.write(b"x" * (size - held))


@pytest.fixture
def disk(tmp_path):
    made = Disk(tmp_path / "disk")
    made.folder.mkdir()
    done = made.mount("-t", "tmpfs", "-o", f"size={DISK_BYTES}", "lakestream-test")
    if done.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {done.stderr.decode().strip()}")
    yield made
    subprocess.run(["umount", "-l", str(made.folder)], check=True)


@pytest.fixture
def small_server(disk, new_server):
    def make(options=None):
        settings = {"log.segment.file-size": "1mb", "server.data-disk.check-interval": "20 ms"}
        return new_server("disk/data", options=settings | (options or {}))

    return make


def records(number, sequence=-1, writer=-1, size=2000):
    return arrow_batch([{"id": number, "name": "x" * size}], ARROW, writer_id=writer, sequence=sequence).encode()


def produce(connection, table, batch):
    """The answer of the bucket; an error of the whole request looks the same."""
    try:
        return connection.produce(table, batch)
    except ServerError as error:
        return {"error_code": error.code, "error_message": error.message}


class Writer(threading.Thread):
    """An idempotent writer that sends the next row when the last one was acknowledged, and again what was refused."""

    def __init__(self, address, table):
        super().__init__()
        self.connection = fluss_raw.connect(address)
        self.table = table
        self.id = self.connection.call("INIT_WRITER", table_path=[])["writer_id"]
        self.acknowledged = 0
        self.refusals = []
        self.failure = None
        self.ended = threading.Event()
        self.start()

    def run(self):
        try:
            while not self.ended.is_set():
                batch = records(self.acknowledged, self.acknowledged, self.id)
                answer = produce(self.connection, self.table, batch)
                if answer.get("error_code"):
                    self.refusals.append(answer["error_code"])
                    time.sleep(0.005)
                    continue
                assert answer["base_offset"] == self.acknowledged
                self.acknowledged += 1
        except Exception as error:
            self.failure = error

    def wait_for_refusal(self):
        count = len(self.refusals)
        eventually(lambda: len(self.refusals) > count or self.failure, "a refusal")

    def wait_for_rows(self, more=20):
        count = self.acknowledged + more
        eventually(lambda: self.acknowledged >= count or self.failure, "rows")

    def end(self):
        self.ended.set()
        self.join(WAIT_S)
        assert not self.is_alive() and self.failure is None, self.failure
        self.connection.close()


def new_table(server):
    with fluss_raw.connect(server.address) as c:
        c.create_database("db")
        properties = {"table.log.arrow.compression.type": "NONE"}
        return c.create_table("db", "t", COLUMNS, properties=properties)


def append(server, table, number):
    """The code of its error."""
    with fluss_raw.connect(server.address) as c:
        return produce(c, table, records(number)).get("error_code")


def check_rows(server, table, count):
    """The rows that were acknowledged, each once, in order, and no other one."""
    with fluss_raw.connect(server.address) as c:
        c.wait_for_leaders("db", "t")
        rows = [row[0] for batch in c.fetch_all(table) for row in batch.rows(ARROW)]
    assert rows == list(range(count))


@pytest.mark.parametrize("way", ["stop", "kill"])
def test_a_disk_above_the_limit(small_server, disk, way):
    """Appends are refused before the disk is full, reads go on; below the lower limit all is normal again."""
    server = small_server().start()
    table = new_table(server)
    writer = Writer(server.address, table)
    writer.wait_for_rows()
    disk.fill_to(0.87)
    writer.wait_for_refusal()
    assert set(writer.refusals) == {LOCKED}
    disk.fill_to(0.82)
    time.sleep(0.1)  # several checks
    count = writer.acknowledged
    writer.wait_for_refusal()
    assert writer.acknowledged == count
    check_rows(server, table, count)
    with fluss_raw.connect(server.address) as c:
        answer = produce(c, table, records(0))
        assert answer["error_code"] == LOCKED
        for word in ("% full", "server.data-disk.write-limit-ratio 0.85", "free space"):
            assert word in answer["error_message"], answer
    disk.fill_to(0.5)
    writer.wait_for_rows()
    disk.fill_to(0.87)
    writer.wait_for_refusal()
    writer.end()
    assert set(writer.refusals) == {LOCKED}
    # It is locked from the beginning when it starts on such a disk.
    getattr(server, way)()
    server.start()
    check_rows(server, table, writer.acknowledged)
    assert append(server, table, 0) == LOCKED
    disk.fill_to(0.5)
    eventually(lambda: append(server, table, writer.acknowledged) is None, "space")
    check_rows(server, table, writer.acknowledged + 1)


async def test_the_official_client_waits_for_room(small_server, disk):
    """Its rows are not lost, doubled or failed by a disk that is too full for a while."""
    server = small_server().start()
    async with connect(server) as connection:
        await connection.get_admin().create_database("db")
        table = await create(connection, "db", "t")
        await append_rows(table, numbered(0, 10))
        disk.fill_to(0.87)
        with fluss_raw.connect(server.address) as c:
            eventually(lambda: produce(c, 0, b"").get("error_code") == LOCKED, "the lock")
        appended = asyncio.create_task(append_rows(table, numbered(10, 20)))
        await asyncio.sleep(0.5)
        assert not appended.done()
        disk.fill_to(0.5)
        await asyncio.wait_for(appended, WAIT_S)
        assert [record.row["id"] for record in await scan(table, 20)] == list(range(20))


def test_a_disk_that_is_full(small_server, disk):
    """What does not fit is refused as a whole and can be sent again; nothing acknowledged is lost, nor at a kill."""
    server = small_server({"server.data-disk.check-interval": "1 h"}).start()
    table = new_table(server)
    writer = Writer(server.address, table)
    writer.wait_for_rows()
    for _ in range(3):
        disk.fill()
        writer.wait_for_refusal()
        check_rows(server, table, writer.acknowledged)
        with fluss_raw.connect(server.address) as c:
            answer = produce(c, table, records(0, size=100_000))
            assert answer["error_code"] == STORAGE and "no space left" in answer["error_message"], answer
            with pytest.raises(ServerError) as refused:
                for i in range(200):
                    c.create_table("db", f"t{i}", COLUMNS)
            assert refused.value.message
        disk.write_ballast(0)
        writer.wait_for_rows()
    disk.fill()
    writer.wait_for_refusal()
    writer.end()
    assert set(writer.refusals) == {STORAGE}
    server.kill()
    disk.write_ballast(0)
    server.start()
    check_rows(server, table, writer.acknowledged)
    assert append(server, table, writer.acknowledged) is None
    check_rows(server, table, writer.acknowledged + 1)


def test_a_start_on_a_full_disk(small_server, disk):
    """It says why it cannot start; with room again nothing is missing."""
    server = small_server().start()
    table = new_table(server)
    writer = Writer(server.address, table)
    writer.wait_for_rows()
    writer.end()
    server.kill()
    disk.fill()
    refuses_to_start(server, server.data, "no space left on the disk")
    disk.write_ballast(0)
    server.start()
    check_rows(server, table, writer.acknowledged)


def test_a_disk_that_cannot_be_written(small_server, disk):
    """A start says so at once, also as root; nothing is harmed."""
    server = small_server().start()
    table = new_table(server)
    writer = Writer(server.address, table)
    writer.wait_for_rows()
    writer.end()
    server.stop()
    assert disk.mount("-o", "remount,ro").returncode == 0
    refuses_to_start(server, server.data)
    assert disk.mount("-o", "remount,rw").returncode == 0
    server.start()
    check_rows(server, table, writer.acknowledged)
