"""Start, stop, restart and kill: what cannot start says why, and what was acknowledged is there afterwards."""

import asyncio
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

import pyarrow as pa
import pytest
from fluss import TablePath

import fluss_raw
from fluss_raw import Closed, ServerError, arrow_batch, column, fetch_request, path
from raw_checks import OUT_OF_RANGE
from relay import Relay
from server import BINARY
from test_pyfluss import append, connect, create, numbered, scan
from waiting import eventually, files_with

COLUMNS = [column("id", "INTEGER"), column("name", "STRING")]
ARROW = pa.schema([("id", pa.int32()), ("name", pa.utf8())])
START_S = 2
REFUSE_S = 2


def batch(*ids, **header):
    return arrow_batch([{"id": i, "name": f"row {i}"} for i in ids], ARROW, **header)


def ids_of(connection, table, bucket=0):
    batches = connection.fetch_all(table, bucket)
    expected = 0
    for each in batches:
        assert each.crc_is_right and each.base_offset == expected, each
        expected = each.next_offset
    return [row[0] for each in batches for row in each.rows(ARROW)]


def refuses_to_start(server, *words):
    """It ends within seconds, not with 0, and its last line on stderr names the words."""
    begin = time.monotonic()
    server.launch()
    stdout = server.process.stdout.read().decode()
    code = server.wait(10)
    assert time.monotonic() - begin < REFUSE_S
    assert code not in (0, -signal.SIGSEGV, -signal.SIGABRT) and stdout == ""
    last = server.log_tail(1)
    for word in words:
        assert str(word) in last, last


# --- starting ---------------------------------------------------------------------------------------------------------


def test_it_starts_and_stops_quickly(new_server):
    """Empty, and again on what it left."""
    server = new_server()
    for _ in range(2):
        begin = time.monotonic()
        server.start()
        assert time.monotonic() - begin < START_S
        assert re.fullmatch(r"127\.0\.0\.1:\d+", server.address)
        begin = time.monotonic()
        server.stop()
        assert time.monotonic() - begin < START_S


def test_the_data_directory_is_made(new_server):
    server = new_server("some/new/place").start()
    assert server.data.is_dir()


def test_a_port_in_use(new_server):
    first = new_server("first").start()
    refuses_to_start(new_server("second", bind=first.address), first.port)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refuses_to_start(new_server("third", bind=f"127.0.0.1:{port}"), port)
    first.assert_alive()


def test_a_data_directory_in_use(new_server):
    """A second server on the same directory must not touch it."""
    first = new_server().start()
    with fluss_raw.connect(first.address) as connection:
        connection.create_database("db")
        table = connection.create_table("db", "t", COLUMNS)
        refuses_to_start(new_server(), first.data)
        assert connection.produce(table, batch(1).encode())["base_offset"] == 0


def test_a_data_directory_that_is_a_file(new_server, tmp_path):
    (tmp_path / "data").write_text("not a directory")
    refuses_to_start(new_server("data"), tmp_path / "data")
    refuses_to_start(new_server("data/below"), tmp_path / "data")


def test_a_data_directory_that_cannot_be_written(new_server, tmp_path):
    if os.geteuid() == 0:
        refuses_to_start(new_server("/proc/lakestream"), "/proc/lakestream")
        return
    (tmp_path / "data").mkdir(mode=0o500)
    refuses_to_start(new_server("data"), tmp_path / "data")


@pytest.mark.parametrize("options, word", [
    ({"no.such.option": "1"}, "no.such.option"),
    ({"default.bucket.number": "many"}, "default.bucket.number"),
    ({"log.segment.file-size": "-5"}, "log.segment.file-size"),
])  # fmt: skip
def test_a_wrong_option(new_server, options, word):
    refuses_to_start(new_server(options=options), word)


@pytest.mark.parametrize("bind", ["nowhere", "127.0.0.1:99999", "127.0.0.1:port", "203.0.113.1:0"])
def test_an_address_that_cannot_be_bound(new_server, bind):
    refuses_to_start(new_server(bind=bind), bind.rpartition(":")[0] or bind)


def test_a_wrong_command_line(new_server):
    server = new_server(arguments=["--no-such-flag"])
    server.launch()
    assert server.wait(5) == 2
    assert "--no-such-flag" in server.log_tail()


# --- restarting -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["stop", "kill"])
def test_everything_is_there_after_a_restart(new_server, way):
    """Databases, tables, rows in every bucket, offsets, the state of writers; ids are not given again."""
    server = new_server().start()
    with fluss_raw.connect(server.address) as c:
        c.create_database("db")
        c.create_table("db", "dropped", COLUMNS)
        table = c.create_table("db", "t", COLUMNS, buckets=3, bucket_key=["id"], comment="kept")
        c.call("DROP_TABLE", table_path=path("db", "dropped"), ignore_if_not_exists=False)
        writer = c.call("INIT_WRITER", table_path=[])["writer_id"]
        for bucket in range(3):
            for sequence in range(bucket + 1):
                c.produce(table, batch(bucket, sequence, writer_id=writer, sequence=sequence).encode(), bucket)
        before = c.call("GET_TABLE_INFO", table_path=path("db", "t"))
        batches = [c.fetch_all(table, bucket) for bucket in range(3)]
    getattr(server, way)()
    server.start()
    with fluss_raw.connect(server.address) as c:
        assert set(c.call("LIST_DATABASES")["database_name"]) == {"db", "fluss"}
        assert c.call("LIST_TABLES", database_name="db") == {"table_name": ["t"]}
        c.wait_for_leaders("db", "t")
        assert c.call("GET_TABLE_INFO", table_path=path("db", "t")) == before
        assert [c.fetch_all(table, bucket) for bucket in range(3)] == batches
        # The writer goes on: a repetition is known, a gap is refused, the next one fits.
        again = batch(2, 1, writer_id=writer, sequence=1).encode()
        assert c.produce(table, again, 2) == {"bucket_id": 2, "base_offset": 2}
        assert c.produce(table, batch(9, writer_id=writer, sequence=5).encode(), 2)["error_code"] == 31
        assert c.produce(table, batch(9, writer_id=writer, sequence=3).encode(), 2)["base_offset"] == 6
        assert c.create_table("db", "next", COLUMNS) > table
        assert c.call("INIT_WRITER", table_path=[])["writer_id"] > writer


def test_small_segments_survive_restarts(new_server):
    """Many segments, read across their borders before and after."""
    server = new_server(options={"log.segment.file-size": "4kb"}).start()
    count = 300
    with fluss_raw.connect(server.address) as c:
        c.create_database("db")
        table = c.create_table("db", "t", COLUMNS)
        for i in range(count):
            c.produce(table, batch(i).encode(), acks=1)
        assert ids_of(c, table) == list(range(count))
    for way in (server.stop, server.kill):
        way()
        server.start()
        with fluss_raw.connect(server.address) as c:
            c.wait_for_leaders("db", "t")
            assert ids_of(c, table) == list(range(count))
            assert c.offset(table, 1)["offset"] == count
            for offset in range(0, count, 37):
                first = fluss_raw.parse_batches(c.fetch(table, offset)["records"])[0]
                assert first.base_offset == offset


def test_dropped_data_leaves_the_disk(new_server):
    server = new_server().start()
    mark = b"a mark that no other file has"
    with fluss_raw.connect(server.address) as c:
        c.create_database("db")
        table = c.create_table("db", "t", COLUMNS)
        c.produce(table, arrow_batch([{"id": 1, "name": mark.decode()}], ARROW).encode())

        assert files_with(mark, server.data)
        c.call("DROP_TABLE", table_path=path("db", "t"), ignore_if_not_exists=False)
        eventually(lambda: not files_with(mark, server.data), "the rows go")


def test_what_a_dropped_table_left_is_removed_at_the_start(new_server):
    """As a machine may have it that was down while its table was dropped; what is not ours stays."""
    server = new_server().start()
    with fluss_raw.connect(server.address) as c:
        c.create_database("db")
        table = c.create_table("db", "t", COLUMNS, buckets=2)
        c.produce(table, batch(1, 2).encode())
    server.stop()
    (ours,) = (server.data / "db").iterdir()
    left = ours.with_name(f"gone-{table + 1000}")
    shutil.copytree(ours, left)
    (server.data / "notes.txt").write_text("not ours")
    server.start()
    eventually(lambda: not left.exists(), "the residue goes")
    assert (server.data / "notes.txt").exists()
    with fluss_raw.connect(server.address) as c:
        c.wait_for_leaders("db", "t")
        assert ids_of(c, table) == [1, 2]


def test_expired_rows_are_out_of_range(new_server):
    """Segments whose rows are too old go from the start of the log; who asks for them is told, and gets no others."""
    options = {"log.segment.file-size": "4kb", "log.retention.check-interval": "50 ms"}
    server = new_server(options=options).start()
    with fluss_raw.connect(server.address) as c:
        c.create_database("db")
        table = c.create_table("db", "t", COLUMNS, properties={"table.log.ttl": "1 s"})
        for i in range(100):
            c.produce(table, batch(i).encode())
        eventually(lambda: c.offset(table, 0)["offset"] > 0, "segments go")
        answer = c.fetch(table, 0)
        assert answer["error_code"] == OUT_OF_RANGE and "[" in answer["error_message"], answer
        assert not answer.get("records")
        start = c.offset(table, 0)["offset"]
        assert [row[0] for each in c.fetch_all(table, 0, start) for row in each.rows(ARROW)] == list(range(start, 100))
    for way in (server.stop, server.kill):
        way()
        server.start()
        with fluss_raw.connect(server.address) as c:
            c.wait_for_leaders("db", "t")
            assert c.offset(table, 0)["offset"] >= start and c.offset(table, 1)["offset"] == 100
            assert c.fetch(table, start - 1)["error_code"] == OUT_OF_RANGE


class LossyRelay(Relay):
    """Now and then it cuts the connection while answers are due: what they tell of has happened on the server."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.cuts = 0
        self.cutting = True
        super().__init__()

    def watchers(self):
        return lambda piece: False, self.loses

    def loses(self, piece):
        is_lost = self.cutting and self.random.random() < 0.1
        self.cuts += is_lost
        return is_lost


@pytest.mark.parametrize("client", ["pyfluss", "put"])
async def test_answers_that_are_lost(new_server, client):
    """Batches whose acknowledgement never came are sent again: each row is there once and in order."""
    relay = LossyRelay(seed=11)
    server = new_server(options={"advertised.listeners": f"FLUSS://{relay.address}"}).start()
    relay.target = server.address
    count = 1000 if client == "pyfluss" else 10_000
    with fluss_raw.connect(server.address) as c:
        c.create_database("db")
        table = c.create_table("db", "t", COLUMNS, properties={"table.log.arrow.compression.type": "NONE"})
        if client == "put":
            lines = "".join(f'{{"id": {i}, "name": "row {i}"}}\n' for i in range(count))
            command = [str(BINARY), "put", "db.t", "--input-format", "ndjson", "--batch-bytes", "1kb"]
            done = await asyncio.to_thread(
                subprocess.run, [*command, "--server", server.address], input=lines.encode(), capture_output=True
            )
            assert done.returncode == 0, done.stderr
        else:
            async with connect(server) as connection:
                rows = await connection.get_table(TablePath("db", "t"))
                for begin in range(0, count, 50):
                    await append(rows, numbered(begin, begin + 50))
        assert ids_of(c, table) == list(range(count))
    assert relay.cuts > 2
    relay.cutting = False
    relay.close()


async def test_a_client_lives_through_a_restart(new_server):
    """The official client goes on by itself once the server is back at its address."""
    server = new_server().start()
    async with connect(server) as connection:
        await connection.get_admin().create_database("db")
        table = await create(connection, "db", "t")
        await append(table, numbered(0, 10))
        server.restart(same_port=True)
        await append(table, numbered(10, 20))
        assert [r.row["id"] for r in await scan(table, 20)] == list(range(20))


# --- kill -9 ----------------------------------------------------------------------------------------------------------


class Load:
    """Writers that append numbered rows until the connection ends, and the record of what was acknowledged."""

    def __init__(self, server, table, first_id, writers=3, depth=8):
        self.acknowledged = []
        self.sent = first_id
        self.lock = threading.Lock()
        self.errors = []
        self.threads = [
            threading.Thread(target=self.write, args=(server.address, table, depth)) for _ in range(writers)
        ]
        for thread in self.threads:
            thread.start()

    def next_id(self):
        with self.lock:
            self.sent += 1
            return self.sent - 1

    def write(self, address, table, depth):
        """Keeps `depth` appends in flight."""
        try:
            with fluss_raw.connect(address) as connection:
                in_flight = []
                while True:
                    number = self.next_id()
                    bucket = {"bucket_id": 0, "records": batch(number).encode()}
                    request = dict(acks=-1, table_id=table, timeout_ms=30000, buckets_req=[bucket])
                    in_flight.append((number, connection.send("PRODUCE_LOG", **request)))
                    if len(in_flight) >= depth:
                        number, request_id = in_flight.pop(0)
                        (answer,) = connection.receive("PRODUCE_LOG", request_id)["buckets_resp"]
                        if answer.get("error_code"):
                            raise AssertionError(answer)
                        self.acknowledged.append(number)
        except (Closed, OSError):
            pass  # the server is gone
        except ServerError as error:
            # A server that is stopping may say so.
            self.errors.append(error)
        except AssertionError as error:
            self.errors.append(error)

    def join(self):
        for thread in self.threads:
            thread.join(30)
            assert not thread.is_alive()


def check_rows(connection, table, acknowledged):
    rows = ids_of(connection, table)
    assert len(rows) == len(set(rows)), "a row is there twice"
    missing = set(acknowledged) - set(rows)
    assert not missing, f"{len(missing)} acknowledged rows are lost, such as {sorted(missing)[:5]}"


def test_kills(new_server):
    """kill -9 at a random moment under load, again and again: no acknowledged row is lost, none is there twice."""
    server = new_server(options={"log.segment.file-size": "64kb"}).start()
    with fluss_raw.connect(server.address) as connection:
        connection.create_database("db")
        table = connection.create_table("db", "t", COLUMNS)
    generator = random.Random(3)
    acknowledged = []
    next_id = 0
    for round in range(int(os.environ.get("LAKESTREAM_KILL_ROUNDS", "20"))):
        load = Load(server, table, next_id)
        time.sleep(generator.uniform(0.02, 0.4))
        server.kill()
        load.join()
        assert not load.errors, load.errors
        acknowledged += load.acknowledged
        next_id = load.sent
        server.start()
        with fluss_raw.connect(server.address) as connection:
            connection.wait_for_leaders("db", "t")
            check_rows(connection, table, acknowledged)
    assert len(acknowledged) > 500, "too little load for the test to mean anything"


def test_a_torn_tail(new_server):
    """A last batch that is only partly there is dropped, and its offset is given again."""
    server = new_server().start()
    with fluss_raw.connect(server.address) as c:
        c.create_database("db")
        table = c.create_table("db", "t", COLUMNS)
        for i in range(3):
            c.produce(table, batch(i).encode())
        size = c.fetch_all(table)[-1].size
    for cut in (1, 8, size // 2, size - 50, size - 12, size - 1):
        server.kill()
        (segment,) = [f for f in server.data.rglob("*.log") if re.fullmatch(r"\d{20}\.log", f.name)]
        end = end_of_batches(segment)
        os.truncate(segment, end - cut)
        server.start()
        with fluss_raw.connect(server.address) as c:
            c.wait_for_leaders("db", "t")
            assert ids_of(c, table) == [0, 1], f"after a cut of {cut} bytes"
            assert c.produce(table, batch(2).encode())["base_offset"] == 2
            assert ids_of(c, table) == [0, 1, 2]


def end_of_batches(segment):
    """Where the batches of a segment end; the file may be preallocated beyond."""
    data = segment.read_bytes()
    end = 0
    while end + 12 <= len(data):
        (length,) = struct.unpack_from("<i", data, end + 8)
        if length < 36:
            break
        end += 12 + length
    return end


# --- SIGTERM ----------------------------------------------------------------------------------------------------------


def test_sigterm_under_load(new_server):
    """It ends with 0 in seconds, and what it acknowledged is there."""
    server = new_server().start()
    with fluss_raw.connect(server.address) as connection:
        connection.create_database("db")
        table = connection.create_table("db", "t", COLUMNS)
    acknowledged = []
    next_id = 0
    for _ in range(3):
        load = Load(server, table, next_id)
        time.sleep(0.5)
        begin = time.monotonic()
        server.stop()
        assert time.monotonic() - begin < 5
        load.join()
        acknowledged += load.acknowledged
        next_id = load.sent
        server.start()
        with fluss_raw.connect(server.address) as connection:
            connection.wait_for_leaders("db", "t")
            check_rows(connection, table, acknowledged)
    assert acknowledged


def test_sigterm_ends_waiting_fetches(new_server):
    """Readers that would wait a minute do not hold it up, nor do idle connections and half a frame."""
    server = new_server().start()
    with fluss_raw.connect(server.address) as connection:
        connection.create_database("db")
        table = connection.create_table("db", "t", COLUMNS)
        crowd = [fluss_raw.connect(server.address) for _ in range(20)]
        for reader in crowd[:10]:
            reader.send("FETCH_LOG", **fetch_request(table, [(0, 0)], min_bytes=1, max_wait_ms=60000))
        crowd[10].send_bytes(b"\0\0")
        time.sleep(0.1)
        begin = time.monotonic()
        server.stop()
        assert time.monotonic() - begin < 3
        for reader in crowd:
            reader.close()


def test_sigint_stops_it_too(new_server):
    server = new_server().start()
    server.process.send_signal(signal.SIGINT)
    assert server.wait(5) == 0


def test_a_stop_before_it_is_ready(new_server):
    """SIGTERM at any moment of the start ends it, cleanly or by the signal, and the next start works."""
    server = new_server()
    for delay in (0, 0.005, 0.01, 0.02, 0.05, 0.1):
        server.launch()
        time.sleep(delay)
        server.process.terminate()
        assert server.wait(5) in (0, -signal.SIGTERM)
    server.start()
