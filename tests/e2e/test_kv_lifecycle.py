"""Primary-key tables over stops, kills and restarts: what was acknowledged is there, once, and writers go on."""

import asyncio
import itertools
import os
import random
import threading
import time

import pytest
from fluss import FlussError, TablePath

import fluss_raw
from fluss_raw import Closed, column
from kv_checks import Driven, RandomPuts, canonical, changes_of
from kv_model import Table, Upsert
from kv_rows import Keys, decode_value, encode_row, kv_batch
from test_kv_engines import aggregation_columns
from test_pyfluss import connect
from waiting import eventually, files_with

STORAGE_BACKPRESSURE = 72
COLUMNS = [column("id", "INTEGER"), column("name", "STRING")]
PLAIN = Table(COLUMNS, ["id"])


@pytest.mark.parametrize("way", ["stop", "kill"])
def test_everything_is_there_after_a_restart(new_server, way):
    """Tables of every engine: rows, changelogs, counts at once, ids and writers."""
    server = new_server().start()
    columns, values = aggregation_columns()
    plain = {"id": [1, 2, 3, 4, 5], "name": ["a", "b", None]}
    cases = {
        "plain": (PLAIN, plain, {}),
        "wal": (Table(COLUMNS, ["id"], image="wal"), plain, {}),
        "indexed": (PLAIN, plain, {"kv_format": "indexed", "log_format": "indexed"}),
        "first": (Table(COLUMNS, ["id"], engine="first_row"), plain, {}),
        "versioned": (Table(COLUMNS, ["id"], engine="versioned", version_column="id"), plain, {}),
        "sums": (Table(columns, ["k"], engine="aggregation"), values, {}),
        "ids": (
            Table([*COLUMNS, column("n", "BIGINT")], ["id"], auto_increment="n"), {**plain, "n": [None]}, {}
        ),
    }  # fmt: skip
    driven = {}
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        writer = raw.call("INIT_WRITER", table_path=[])["writer_id"]
        for seed, (name, (table, choice, formats)) in enumerate(cases.items()):
            driven[name] = Driven(raw, "db", name, table, **formats)
            RandomPuts(driven[name], choice, seed).run(30)
        driven["plain"].put([Upsert([1, "x"])], writer_id=writer, sequence=0)
        end = driven["plain"].model.end
    getattr(server, way)()
    server.start()
    with fluss_raw.connect(server.address) as raw:
        for name, each in driven.items():
            raw.wait_for_leaders("db", name)
            each.raw = raw
            each.check()
        # The writer goes on: a repetition is known, a gap is refused, the next one fits.
        again = driven["plain"].send([Upsert([1, "x"])], writer_id=writer, sequence=0)
        assert again["log_end_offset"] == end
        assert driven["plain"].send([Upsert([1, "x"])], writer_id=writer, sequence=5)["error_code"] == 31
        driven["plain"].put([Upsert([1, "y"])], writer_id=writer, sequence=1)
        # Ids of before are not given again.
        ids = {row[2] for row in driven["ids"].model.rows.values()} | {driven["ids"].model.last_id}
        assert "error_code" not in driven["ids"].send([Upsert([77, "new", None])], target=[0, 1])
        ((_, _, number),) = driven["ids"].lookup((77,))
        assert number > max(ids)
        for seed, (name, (table, choice, _)) in enumerate(cases.items()):
            if name != "ids":
                RandomPuts(driven[name], choice, seed + 100).run(10)
                driven[name].check()


class Load:
    """Threads that put numbered versions of their own keys until the connection ends.

    history[key] = the values sent, in order; acknowledged[key] = how many of them were answered.
    """

    KEYS = 5
    numbers = itertools.count()

    def __init__(self, server, table, keys, history, acknowledged, writers=3, depth=6):
        self.table, self.keys = table, keys
        self.history, self.acknowledged = history, acknowledged
        self.errors = []
        self.threads = [
            threading.Thread(target=self.write, args=(server.address, number, depth)) for number in range(writers)
        ]
        for thread in self.threads:
            thread.start()

    def next_record(self, number, generator):
        """A version of one of the writer's keys, or the key's absence."""
        key = number * self.KEYS + generator.randrange(self.KEYS)
        versions = self.history.setdefault(key, [])
        value = None if generator.random() < 0.2 else f"version {next(self.numbers)} " + "x" * generator.randrange(200)
        versions.append(value)
        return key, value

    def write(self, address, number, depth):
        generator = random.Random(number)
        try:
            with fluss_raw.connect(address) as connection:
                in_flight = []
                while True:
                    key, value = self.next_record(number, generator)
                    row = None if value is None else encode_row(COLUMNS, [key, value])
                    records = kv_batch([(self.keys.key_of(key), row)])
                    bucket = {"bucket_id": 0, "records": records}
                    request = dict(acks=-1, table_id=self.table, timeout_ms=30000, buckets_req=[bucket])
                    in_flight.append((key, len(self.history[key]), connection.send("PUT_KV", 2, **request)))
                    if len(in_flight) >= depth:
                        key, count, request_id = in_flight.pop(0)
                        (answer,) = connection.receive("PUT_KV", request_id)["buckets_resp"]
                        assert not answer.get("error_code"), answer
                        self.acknowledged[key] = count
        except (Closed, OSError):
            pass  # the server is gone
        except Exception as error:
            self.errors.append(error)

    def join(self):
        for thread in self.threads:
            thread.join(30)
            assert not thread.is_alive()
        assert not self.errors, self.errors


def read_state(connection, table, keys, numbers):
    values = connection.lookup(table, [keys.key_of(n) for n in numbers])
    rows = [decode_value(COLUMNS, v) for v in values]
    return {n: row and row[1] for n, row in zip(numbers, rows)}


class Replay:
    """The state that a changelog leads to, which must be one history; it goes on where it was."""

    def __init__(self):
        self.state = {}
        self.end = 0

    def go_on(self, connection, table):
        batches = connection.fetch_all(table, offset=self.end)
        for change in changes_of(batches, COLUMNS, first=self.end):
            key, value = change.row
            if change.type == "+I":
                assert key not in self.state
            elif change.type in ("-U", "-D"):
                assert self.state[key] == value
            if change.type == "-D":
                del self.state[key]
            else:
                self.state[key] = value
        self.end = batches[-1].next_offset if batches else self.end
        return {key: value.decode() for key, value in self.state.items()}


def test_kills(new_server):
    """kill -9 under load, again and again: each key has a version that is not older than the last acknowledged one,
    and the changelog leads to that very state."""
    server = new_server(options={"log.segment.file-size": "64kb"}).start()
    keys = Keys(COLUMNS, ["id"])
    with fluss_raw.connect(server.address) as connection:
        connection.create_database("db")
        properties = {"table.log.arrow.compression.type": "NONE"}
        table = connection.create_table("db", "t", COLUMNS, primary_key=["id"], properties=properties)
    history, acknowledged = {}, {}
    generator = random.Random(5)
    replay = Replay()
    for _ in range(int(os.environ.get("LAKESTREAM_KV_KILL_ROUNDS", "8"))):
        load = Load(server, table, keys, history, acknowledged)
        time.sleep(generator.uniform(0.02, 0.3))
        server.kill()
        load.join()
        server.start()
        with fluss_raw.connect(server.address) as connection:
            connection.wait_for_leaders("db", "t")
            numbers = sorted(history)
            state = read_state(connection, table, keys, numbers)
            present = {k: v for k, v in state.items() if v is not None}
            assert present == replay.go_on(connection, table)
            (count,) = connection.call("GET_TABLE_STATS", table_id=table, buckets_req=[{"bucket_id": 0}])[
                "buckets_resp"
            ]
            assert count["row_count"] == sum(v is not None for v in state.values())
            for key, value in state.items():
                possible = history[key][max(0, acknowledged.get(key, 0) - 1) :]
                if not acknowledged.get(key):
                    possible = [None, *possible]
                assert value in possible, f"key {key} has {value!r}, not one of {possible}"
                # What was in flight is settled now.
                history[key], acknowledged[key] = [value], 1
    with fluss_raw.connect(server.address) as connection:
        assert present == Replay().go_on(connection, table)
    assert sum(acknowledged.values()) and len(history) == 3 * Load.KEYS


async def upsert_known(writer, row):
    """The client knows no table, and takes no row, between the loss of a leader and the news of the next one."""
    for _ in range(1000):
        try:
            return writer.upsert(row)
        except FlussError as error:
            if "Table not found" not in str(error):
                raise
        await asyncio.sleep(0.01)
    raise AssertionError("the client does not find the table again")


async def test_a_client_lives_through_a_kill(new_server):
    """The official client goes on by itself; no put of it is lost or applied twice."""
    server = new_server().start()
    columns = [*COLUMNS, {**column("sum", "BIGINT"), "agg_function": {"type": "sum"}}]
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        properties = {"table.merge-engine": "aggregation", "table.log.arrow.compression.type": "NONE"}
        table_id = raw.create_table("db", "t", columns, primary_key=["id"], properties=properties)
    async with connect(server, writer__batch_timeout_ms="1") as connection:
        table = await connection.get_table(TablePath("db", "t"))
        writer = table.new_upsert().create_writer()
        handles = []
        for round in range(3):
            for i in range(30):
                handles.append(await upsert_known(writer, [i % 10, f"round {round}", 1]))
                if i == 15:
                    await asyncio.sleep(0.02)
                    address = server.address
                    server.kill()
                    server.bind = address
                    server.start()
        for handle in handles:
            await handle.wait()
        lookuper = table.new_lookup().create_lookuper()
        for i in range(10):
            assert await lookuper.lookup([i]) == {"id": i, "name": "round 2", "sum": 9}
    with fluss_raw.connect(server.address) as raw:
        changes = changes_of(raw.fetch_all(table_id), columns)
        last = {c.row[0]: c.row for c in changes}
        assert last == {i: canonical(columns, [i, "round 2", 9]) for i in range(10)}


async def test_several_clients_and_a_restart(new_server):
    """Writers of their own keys keep writing over a stop and a start; lookups see the last acknowledged value."""
    server = new_server().start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        raw.create_table("db", "t", COLUMNS, buckets=3, primary_key=["id"])
    async with connect(server, writer__batch_timeout_ms="1") as admin:
        table = await admin.get_table(TablePath("db", "t"))
        lookuper = table.new_lookup().create_lookuper()
        begun = asyncio.Event()

        async def work(number):
            async with connect(server, writer__batch_timeout_ms="1") as connection:
                writer = (await connection.get_table(TablePath("db", "t"))).new_upsert().create_writer()
                for i in range(60):
                    await writer.upsert([number, f"{number}-{i}"]).wait()
                    if i == 20:
                        begun.set()
            return f"{number}-59"

        tasks = [asyncio.ensure_future(work(n)) for n in range(4)]
        await begun.wait()
        await asyncio.to_thread(server.restart, same_port=True)
        for number, last in enumerate(await asyncio.gather(*tasks)):
            assert await lookuper.lookup([number]) == {"id": number, "name": last}


def test_dropped_data_leaves_the_disk(new_server):
    """Rows, changelog and database of a dropped table are removed."""
    server = new_server().start()
    mark = "a mark that no other file has"
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        driven = Driven(raw, "db", "t", PLAIN)
        driven.upsert((1, mark))

        assert files_with(mark.encode(), server.data)
        raw.call("DROP_TABLE", table_path=driven.path, ignore_if_not_exists=False)
        eventually(lambda: not files_with(mark.encode(), server.data), "the rows go")
        again = Driven(raw, "db", "t", PLAIN)
        assert again.id > driven.id
        again.upsert((2, "new"))
        again.check_rows([(1,)])


def test_buckets_share_little_memory(new_server):
    """Rows of many buckets that nobody writes to do not keep the others from being written."""
    server = new_server(options={"kv.rocksdb.shared-write-buffer.size": "1mb", "lakestream.durability": "os"}).start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        tables = [Driven(raw, "db", f"t{i}", PLAIN) for i in range(6)]
        text = "x" * 40_000
        deadline = time.monotonic() + 30
        for n in range(90):
            while "error_code" in (answer := tables[n % 6].send([Upsert([n, text])])):
                assert answer["error_code"] == STORAGE_BACKPRESSURE, answer
                assert time.monotonic() < deadline, "puts are refused without end"
        for i, table in enumerate(tables):
            assert table.lookup((i,)) == [[i, text]]
