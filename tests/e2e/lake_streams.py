"""Writers whose every batch counts once, whatever breaks: the record of what a table must hold.

Each writes one bucket in order under a writer id, and sends a batch again until it is acknowledged. So between two
batches the table is exactly what the record says.
"""

import json
import random
import subprocess

import fluss_raw
from kv_rows import Keys, encode_row, kv_batch
from raw_checks import COLUMNS, batch, rows
from server import BINARY

PLAIN = {"table.log.arrow.compression.type": "NONE"}


class Stream:
    """A table of one bucket and its writer."""

    def __init__(self, raw, name, properties, custom=None, primary_key=None):
        self.name = name
        self.writer = raw.call("INIT_WRITER", table_path=[fluss_raw.path("fluss", name)])["writer_id"]
        self.sequence = 0
        self.pending = None  # a batch that is not acknowledged yet
        self.table_id = raw.create_table(
            "fluss", name, COLUMNS, primary_key=primary_key, properties={**PLAIN, **properties},
            custom_properties=custom or {},
        )  # fmt: skip

    def step(self, raw):
        """Sends a batch, the pending one first, and says whether it was acknowledged."""
        if self.pending is None:
            self.pending = self.next_batch()
        answer = self.send(raw, self.pending)
        if answer.get("error_code"):
            return False
        self.applied()
        self.pending = None
        self.sequence += 1
        return True


class LogStream(Stream):
    """`expected()` is all rows, in order."""

    def __init__(self, raw, name, properties, rng, custom=None):
        super().__init__(raw, name, properties, custom)
        self.random = rng
        self.end = 0

    def next_batch(self):
        self.next_end = self.end + self.random.randint(1, 50)
        return batch(self.end, self.next_end, writer_id=self.writer, sequence=self.sequence).encode()

    def send(self, raw, data):
        return raw.produce(self.table_id, data)

    def applied(self):
        self.end = self.next_end

    def expected(self):
        return rows(0, self.end)


class KeyedStream(Stream):
    """Upserts and deletes of few keys; `expected()` is the rows that are left, by key."""

    def __init__(self, raw, name, properties, rng, custom=None, format="paimon", keys=60):
        super().__init__(raw, name, properties, custom, primary_key=["id"])
        self.random = rng
        self.keys = keys
        self.rows = {}
        self.encoder = Keys(COLUMNS, ["id"], properties={"table.datalake.format": format})

    def next_batch(self):
        self.next_rows = dict(self.rows)
        records = []
        for _ in range(self.random.randint(1, 20)):
            key = self.random.randrange(self.keys)
            if self.random.random() < 0.3:
                records.append((self.encoder.key_of(key), None))
                self.next_rows.pop(key, None)
            else:
                row = [key, f"value {self.random.random()}"]
                records.append((self.encoder.key(row), encode_row(COLUMNS, row, "compacted")))
                self.next_rows[key] = row[1]
        return kv_batch(records, writer_id=self.writer, sequence=self.sequence)

    def send(self, raw, data):
        return raw.put_kv(self.table_id, data)

    def applied(self):
        self.rows = self.next_rows

    def expected(self):
        return [{"id": key, "name": self.rows[key]} for key in sorted(self.rows)]


def write_until(address, streams, is_over):
    """Batches of all of them in turn until `is_over()` or the server is gone; whether it is there still."""
    try:
        with fluss_raw.connect(address) as raw:
            while not is_over():
                for stream in streams:
                    stream.step(raw)
    except (fluss_raw.Closed, OSError):
        return False
    return True


def settle(address, streams):
    """Sends what is pending until it is acknowledged."""
    with fluss_raw.connect(address) as raw:
        for stream in streams:
            while stream.pending is not None:
                stream.step(raw)


# Snapshots get as old as a query may take, and no older.
SHORT_LIVES = {
    "paimon": {"paimon.snapshot.num-retained.min": "2", "paimon.snapshot.time-retained": "10 s"},
    "iceberg": {"iceberg.history.expire.max-snapshot-age-ms": "10000"},
}


def streams_of(raw, seed, lake, format="paimon", prefix=""):
    """A log table and a table with keys, both with a lake."""
    rng = random.Random(seed)
    custom = SHORT_LIVES[format]
    return [
        LogStream(raw, f"{prefix}log", lake, rng, custom),
        KeyedStream(raw, f"{prefix}keyed", lake, rng, custom, format),
    ]


def query(server, text):
    command = [str(BINARY), "sql", "--server", server.address, "--format", "ndjson", "-c", text]
    done = subprocess.run(command, capture_output=True, timeout=300)
    complaints = [line for line in done.stderr.decode().splitlines() if not line.startswith("inserted ")]
    assert done.returncode == 0 and not complaints, complaints
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_union(server, streams):
    """Lake and log together are what the record says, each row once."""
    for stream in streams:
        found = query(server, f"SELECT id, name FROM {stream.name} ORDER BY id")
        assert found == stream.expected(), stream.name
