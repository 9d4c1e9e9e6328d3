"""kill -9 of a server with primary-key tables, again and again, with damage to its files while it is down.

Each table has one writer with an id, so what must be in the table is known to the batch: after each kill the state is
that of all batches up to one that was not acknowledged yet, and the rest is sent again.
"""

import collections
import dataclasses
import hashlib
import os
import random
import shutil
import threading
import time

import fluss_raw
from fluss_raw import Closed, column
from kv_checks import Driven, RandomPuts, canonical, changes_of
from kv_model import Change, Table
from kv_rows import kv_batch

BACKPRESSURE = 72
DEPTH = 5  # puts of a writer on their way
OPTIONS = {
    "kv.snapshot.interval": "200ms",
    "kv.rocksdb.shared-write-buffer.size": "1mb",
    "log.segment.file-size": "64kb",
    "log.retention.check-interval": "200ms",
}
KEY = column("k", "INTEGER")
COLUMNS = [KEY, column("a", "STRING"), column("b", "BIGINT"), column("c", "STRING")]


def aggregated(name, type, function):
    return {**column(name, type), "agg_function": {"type": function}}


AGGREGATED = [
    KEY, aggregated("a", "BIGINT", "sum"), aggregated("b", "INTEGER", "max"), aggregated("c", "STRING", "last_value"),
]  # fmt: skip
COMPOSITE = [column("a", "STRING"), column("b", "BIGINT"), column("k", "INTEGER"), column("c", "STRING")]


def digest_of(changes, digest=None):
    digest = digest or hashlib.sha256()
    for change in changes:
        digest.update(repr(change).encode())
    return digest


@dataclasses.dataclass
class Put:
    records: list
    target: list | None
    overwrite: bool
    sequence: int
    end: int | None = None  # the offset behind it, when the model has it


class Killed:
    """A table, what is on its way to it, and how much of its changelog was compared."""

    def __init__(self, raw, name, table, values, seed, short=False, **formats):
        # A short changelog is deleted as soon as snapshots allow it.
        properties = {"table.log.ttl": "1s"} if short else {}
        self.driven = Driven(raw, "db", name, table, properties=properties, **formats)
        self.puts = RandomPuts(self.driven, values, seed)
        self.key_values = [values[n] for n in table.primary_key]
        self.name = name
        self.short = short
        self.writer = raw.call("INIT_WRITER", table_path=[])["writer_id"]
        self.next_sequence = 0
        self.pending = collections.deque()
        self.compared = 0
        self.digest = hashlib.sha256()
        self.snapshots = set()  # that the server knew when it was last asked
        self.error = None
        self.resend(raw, [self.next_put()])

    @property
    def model(self):
        return self.driven.model

    # --- the writer

    def next_put(self):
        table, generator = self.driven.table, self.puts.random
        overwrite = generator.random() < 0.1
        target = None if table.engine in ("first_row", "versioned") and not overwrite else self.puts.target()
        deletes = table.delete == "allow"  # where it is not, a write past the engine would delete all the same
        records = [self.puts.record(target, deletes) for _ in range(generator.randint(1, 20))]
        put = Put(records, target, overwrite, self.next_sequence)
        self.next_sequence += 1
        self.pending.append(put)
        return put

    def send(self, connection, put):
        batch = kv_batch(self.driven.records(put.records), writer_id=self.writer, sequence=put.sequence)
        request = {"acks": -1, "table_id": self.driven.id, "timeout_ms": 30000, "agg_mode": int(put.overwrite)}
        if put.target:
            request["target_columns"] = put.target
        return connection.send("PUT_KV", 2, **request, buckets_req=[{"bucket_id": 0, "records": batch}])

    def take_answer(self, connection, request_id):
        """Whether the oldest put was acknowledged, which ends it."""
        (answer,) = connection.receive("PUT_KV", request_id)["buckets_resp"]
        if answer.get("error_code"):
            assert answer["error_code"] == BACKPRESSURE, answer
            return False
        put = self.pending.popleft()
        self.apply(put)
        assert answer["log_end_offset"] == put.end, (answer, put)
        return True

    def apply(self, put):
        if put.end is None:
            put.end = self.model.put(put.records, put.target, put.overwrite)

    def resend(self, connection, puts):
        """One at a time, as often as it takes."""
        for put in list(puts):
            while not self.take_answer(connection, self.send(connection, put)):
                time.sleep(0.01)

    def write(self, address):
        """Puts until the server is gone."""
        try:
            with fluss_raw.connect(address) as connection:
                while True:
                    self.resend(connection, self.pending)
                    self.write_fast(connection)
        except (Closed, OSError):
            pass
        except BaseException as error:
            self.error = error

    def write_fast(self, connection):
        """Several puts at a time, until one is refused because the server is busy: those behind it are, too."""
        sent = collections.deque()
        while True:
            while len(sent) < DEPTH:
                sent.append(self.send(connection, self.next_put()))
            if not self.take_answer(connection, sent.popleft()):
                for request_id in sent:
                    (answer,) = connection.receive("PUT_KV", request_id)["buckets_resp"]
                    assert answer.get("error_code"), answer
                return

    # --- what must be there

    def check(self, raw):
        self.driven.raw = raw
        assert self.error is None, self.error
        all_keys = [tuple(key) for key in self.sample_keys()]
        end = raw.offset(self.driven.id, 1)["offset"]
        for put in self.pending:
            if self.model.end >= end:
                break
            self.apply(put)
        assert self.model.end == end, f"{self.name}: the changelog ends at {end}, not {self.model.end}"
        if not self.short:
            changes = changes_of(
                raw.fetch_all(self.driven.id, offset=self.compared), self.driven.columns, self.driven.log_format,
                first=self.compared,
            )  # fmt: skip
            assert changes == self.expected_changes()
            self.digest = digest_of(changes, self.digest)
        self.compared = end
        self.driven.check_rows(all_keys)
        self.model.changes.clear()
        listed = raw.call("LIST_KV_SNAPSHOTS", table_id=self.driven.id)["active_snapshots"]
        self.snapshots = {snapshot["snapshot_id"] for snapshot in listed}

    def sample_keys(self):
        """Keys that may be there or not."""
        generator = self.puts.random
        return [[generator.choice(values) for values in self.key_values] for _ in range(50)]

    def expected_changes(self):
        columns = self.driven.columns
        return [Change(c.offset, c.type, canonical(columns, c.row)) for c in self.model.changes]

    def check_whole_changelog(self, raw):
        """It is still what was compared piece by piece."""
        if self.short:
            return
        self.driven.raw = raw
        assert digest_of(self.driven.changes()).digest() == self.digest.digest()


def make_tables(raw, generator):
    """A table of each engine, the rest as it comes."""
    texts = [None, *("x" * generator.randrange(800) + str(i) for i in range(60))]
    numbers = [None, *range(-20, 20)]
    values = {"k": range(150), "a": texts, "b": numbers, "c": texts}
    sums = {"k": range(150), "a": numbers, "b": numbers, "c": texts}
    composite = {"a": [f"key {i}" for i in range(20)], "b": range(10), "k": numbers, "c": texts}

    def formats():
        pairs = [("compacted", "arrow"), ("indexed", "arrow"), ("indexed", "indexed"), ("compacted", "compacted")]
        return dict(zip(("kv_format", "log_format"), generator.choice(pairs)))

    def image():
        return generator.choice(["full", "wal"])

    def seed():
        return generator.randrange(1 << 32)

    versioned = Table(COLUMNS, ["k"], engine="versioned", version_column="b", image=image())
    return [
        Killed(raw, "full", Table(COLUMNS, ["k"]), values, seed(), **formats()),
        Killed(raw, "wal", Table(COLUMNS, ["k"], image="wal"), values, seed(), **formats()),
        Killed(raw, "composite", Table(COMPOSITE, ["b", "a"], image=image()), composite, seed()),
        Killed(
            raw, "first_row", Table(COLUMNS, ["k"], engine="first_row", image=image()),
            {**values, "k": range(100_000)}, seed(), **formats(),
        ),
        Killed(raw, "versioned", versioned, values, seed(), **formats()),
        Killed(
            raw, "aggregation", Table(AGGREGATED, ["k"], engine="aggregation", delete="allow"), sums, seed(),
            **formats(),
        ),
        Killed(raw, "short", Table(COLUMNS, ["k"]), values, seed(), short=True),
    ]  # fmt: skip


# --- damage while the server is down ----------------------------------------------------------------------------------


class Vandal:
    """Removes and damages key-value files; what is left must suffice."""

    def __init__(self, data, generator):
        self.data = data
        self.random = generator
        self.spoiled = set()  # (table, snapshot)

    def visit(self, tables):
        for table in tables:
            if self.random.random() < 0.3:
                self.spoil_database(table)
            if self.random.random() < 0.3:
                self.spoil_snapshot(table)

    def spoil_database(self, table):
        (folder,) = (self.data / "db").glob(f"{table.name}-*/kv-0")
        if self.random.random() < 0.4:
            shutil.rmtree(folder)
        else:
            files = [f for f in folder.iterdir() if f.is_file()]
            self.spoil_file(self.random.choice(files), ["remove", "cut", "empty"])

    def spoil_snapshot(self, table):
        """The newest one. Of a short changelog the one before must stay, and with it the files that both have."""
        folders = (self.data / "remote/kv/db").glob(f"{table.name}-*/0/snap-*")
        numbered = {int(folder.name.partition("-")[2]): folder for folder in folders}
        # Folders alone do not tell: the server may have been killed before it took one for a snapshot.
        whole = {number for number in table.snapshots if (table.name, number) not in self.spoiled}
        if not numbered or (table.short and (len(whole) < 2 or whole != table.snapshots)):
            return
        newest = numbered[max(numbered)]
        self.spoiled.add((table.name, max(numbered)))
        if self.random.random() < 0.3:
            shutil.rmtree(newest)
            return
        files = list(newest.iterdir())
        if not table.short:
            files += (newest.parent / "shared").iterdir()
        if files:
            self.spoil_file(self.random.choice(files), ["remove", "cut", "empty", "flip"])

    def spoil_file(self, file, ways):
        way = self.random.choice(ways)
        size = file.stat().st_size
        if way == "remove":
            file.unlink()
        elif way == "flip" and size:
            data = bytearray(file.read_bytes())
            data[self.random.randrange(size)] ^= 1 << self.random.randrange(8)
            file.write_bytes(data)
        else:
            os.truncate(file, self.random.randrange(size + 1) if way == "cut" else 0)


# --- the test ---------------------------------------------------------------------------------------------------------


def load_and_kill(server, tables, seconds):
    threads = [threading.Thread(target=table.write, args=(server.address,)) for table in tables]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    server.kill()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def start_with_a_fall(server, generator):
    """Some starts are killed, too."""
    while generator.random() < 0.2:
        server.launch()
        time.sleep(generator.uniform(0, 0.2))
        server.kill()
    server.start()


def run_rounds(server, seed, rounds):
    generator = random.Random(seed)
    server.start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        tables = make_tables(raw, generator)
    vandal = Vandal(server.data, generator)
    for _ in range(rounds):
        load_and_kill(server, tables, generator.uniform(0.02, 0.5))
        if generator.random() < 0.5:
            vandal.visit(tables)
        start_with_a_fall(server, generator)
        check_tables(server, tables)
    server.restart()
    check_tables(server, tables)
    with fluss_raw.connect(server.address) as raw:
        for table in tables:
            table.check_whole_changelog(raw)
    server.stop()


def check_tables(server, tables):
    with fluss_raw.connect(server.address) as raw:
        for table in tables:
            raw.wait_for_leaders("db", table.name)
            table.check(raw)


def test_kills(new_server):
    """Under load, in snapshots, flushes, compactions and starts; sometimes the database or the newest snapshot is
    damaged or gone afterwards. Every 40 rounds begin anew with other tables."""
    rounds = int(os.environ.get("LAKESTREAM_KILL_ROUNDS", "20"))
    for seed in range(0, rounds, 40):
        run_rounds(new_server(f"data-{seed}", options=OPTIONS), seed, min(40, rounds - seed))
