"""Clients with log tables: all formats and compressions, partitions that come and go, columns that are added."""

import dataclasses
import struct
import time

import pyarrow as pa

from fluss_raw import Batch, arrow_batch, parse_batches
from kv_checks import records_of
from kv_rows import encode_row
from raw_checks import ARROW, COLUMNS, OUT_OF_ORDER, UNKNOWN_BUCKET
from test_evolution import MORE, add_column
from test_partitions import create, create_table, drop, listed
from test_pushdown import GREATER, filtered_request, leaf, statistics
from waiting import eventually

from soak.world import Client

COMPRESSIONS = {"NONE": None, "LZ4_FRAME": "lz4", "ZSTD": "zstd"}
PARTITIONS_MAX = 3
PATIENCE_S = 300
REPEATED = 5  # newest batches of a writer that the server knows again
NAME_BYTES = [0, 5, 20, 300]


@dataclasses.dataclass
class Place:
    """A bucket, its writer, and what it must hold."""

    partition: int | None
    bucket: int
    writer: int  # -1: one without an id, whose batches may come twice when an answer is lost
    sequence: int = 0
    stored: dict = dataclasses.field(default_factory=dict)  # of what was acknowledged, by offset: (schema id, rows)
    unknown: list = dataclasses.field(default_factory=list)  # whose answer was not awaited: each there or not
    recent: list = dataclasses.field(default_factory=list)  # (bytes, offset)
    end: int = 0  # behind all that was acknowledged

    @property
    def where(self):
        return {"bucket_id": self.bucket} | ({} if self.partition is None else {"partition_id": self.partition})

    def ids(self):
        return {row["id"] for _, rows in self.stored.values() for row in rows}


class LogTables(Client):
    count = 4
    every_s = 0.25
    steps = (60, 400)

    def begin(self):
        super().begin()
        self.format = self.random.choice(["ARROW", "ARROW", "ARROW", "INDEXED", "COMPACTED"])
        self.compression = self.random.choice(list(COMPRESSIONS))
        self.statistics = self.format == "ARROW" and self.chance(0.5)
        self.buckets = self.random.randint(1, 3)
        self.partitions = {} if self.chance(0.4) else None  # name -> id
        self.next_partition = 0
        self.schemas = 1
        self.next_row = 0
        self.places = []
        properties = {"table.log.format": self.format, "table.log.arrow.compression.type": self.compression}
        if self.statistics:
            properties["table.statistics.columns"] = "id"
        descriptor = {"buckets": self.buckets, "properties": properties}
        if self.partitions is None:
            self.table = self.raw.create_table(self.database, "t", COLUMNS, **descriptor)
            self.add_places(None)
        else:
            self.table = create_table(self.raw, self.database, "t", partition_key=["name"], **descriptor)
            self.add_partition()

    def add_places(self, partition):
        for bucket in range(self.buckets):
            writer = self.new_writer() if self.chance(0.7) else -1
            self.places.append(Place(partition, bucket, writer))

    def step(self):
        actions = {
            self.append: 50, self.append_and_leave: 4, self.repeat: 4, self.skip_a_sequence: 2, self.read: 20,
            self.limit_scan: 3, self.offsets: 3, self.reconnect: 1, self.change: 1,
        }  # fmt: skip
        if self.format == "ARROW":
            actions[self.read_ids] = 4
        if self.statistics:
            actions[self.read_some] = 4
        self.one_of(actions)()

    # --- batches

    def columns(self, schema):
        return COLUMNS if schema == 1 else [*COLUMNS, MORE]

    def arrow(self, schema):
        return ARROW if schema == 1 else pa.schema([*ARROW, ("more", pa.int64())])

    def new_rows(self, schema):
        rows = []
        for _ in range(self.random.choice([1, 1, 3, 20, 100])):
            row = {"id": self.next_row, "name": "x" * self.random.choice(NAME_BYTES)}
            rows.append(row | ({"more": self.next_row * 7} if schema == 2 else {}))
            self.next_row += 1
        return rows

    def encode(self, rows, schema, **header):
        header["schema_id"] = schema
        if self.format == "ARROW":
            if self.statistics:
                header |= {"magic": 1, "statistics": statistics(rows[0]["id"], rows[-1]["id"])}
            return arrow_batch(rows, self.arrow(schema), COMPRESSIONS[self.compression], **header).encode()
        columns = self.columns(schema)
        encoded = [encode_row(columns, list(row.values()), self.format.lower()) for row in rows]
        records = b"".join(struct.pack("<ib", 1 + len(row), 0) + row for row in encoded)
        return Batch(
            last_offset_delta=len(rows) - 1, record_count=len(rows), records=records, **header
        ).encode()

    def decode(self, batch):
        assert batch.crc_is_right
        schema = batch.schema_id
        if self.format == "ARROW":
            values = batch.rows(self.arrow(schema))
        else:
            values = [row for _, row in records_of(batch, self.columns(schema), self.format.lower())]
        names = [column["name"] for column in self.columns(schema)]
        return schema, [dict(zip(names, row)) for row in values]

    # --- writes

    def request(self, place, data):
        return {
            "acks": self.random.choice([-1, -1, 1, 0]), "table_id": self.table, "timeout_ms": 10000,
            "buckets_req": [{**place.where, "records": data}],
        }  # fmt: skip

    def send(self, place, data):
        (answer,) = self.raw.call("PRODUCE_LOG", **self.request(place, data))["buckets_resp"]
        return answer

    def append(self, leave=False):
        """`leave`: the connection ends before the answer; then the batch is sent again."""
        place = self.random.choice(self.places)
        schema = self.random.randint(1, self.schemas)
        rows = self.new_rows(schema)
        header = {} if place.writer < 0 else {"writer_id": place.writer, "sequence": place.sequence}
        data = self.encode(rows, schema, **header)
        if leave:
            self.raw.send("PRODUCE_LOG", **self.request(place, data))
            self.reconnect()
            if place.writer < 0:
                place.unknown.append((schema, rows))
        answer = self.send(place, data)
        assert not answer.get("error_code"), answer
        offset = answer["base_offset"]
        assert offset not in place.stored
        place.stored[offset] = schema, rows
        place.end = max(place.end, offset + len(rows))
        place.sequence += 1
        place.recent = [*place.recent, (data, offset)][-REPEATED:]

    def append_and_leave(self):
        self.append(leave=True)

    def repeat(self):
        place = self.random.choice(self.places)
        if place.writer >= 0 and place.recent:
            data, offset = self.random.choice(place.recent)
            answer = self.send(place, data)
            assert answer.get("base_offset") == offset, answer

    def skip_a_sequence(self):
        place = self.random.choice(self.places)
        if place.writer >= 0:
            header = {"writer_id": place.writer, "sequence": place.sequence + self.random.randint(1, 9)}
            rows = [{"id": 0, "name": "lost"}]
            answer = self.send(place, self.encode(rows, 1, **header))
            assert answer.get("error_code") == OUT_OF_ORDER, answer

    # --- reads

    def fetch(self, place, offset, columns=None, max_bytes=1 << 20):
        request = {"table_id": self.table, "projection_pushdown_enabled": columns is not None}
        if columns is not None:
            request["projected_fields"] = columns
        request["buckets_req"] = [{**place.where, "fetch_offset": offset, "max_fetch_bytes": max_bytes}]
        answer = self.raw.call("FETCH_LOG", follower_server_id=-1, max_bytes=1 << 20, tables_req=[request])
        (bucket,) = answer["tables_resp"][0]["buckets_resp"]
        assert not bucket.get("error_code"), bucket
        return bucket

    def batches(self, place):
        """All of them, also those that were acknowledged before they could be seen."""
        offset, deadline = 0, time.monotonic() + PATIENCE_S
        while True:
            bucket = self.fetch(place, offset)
            read = parse_batches(bucket["records"])
            yield from read
            offset = read[-1].next_offset if read else offset
            if offset >= max(place.end, bucket["high_watermark"]):
                return
            assert read or time.monotonic() < deadline, f"{place.where} ends at {offset}, not at {place.end}"

    def offset_in(self, place):
        return self.random.randint(0, max(place.stored, default=0))

    def read(self):
        """From anywhere: batches without a gap, each as it was written."""
        place = self.random.choice(self.places)
        offset = self.offset_in(place)
        bucket = self.fetch(place, offset, max_bytes=self.random.choice([1, 1000, 100_000]))
        read = parse_batches(bucket["records"])
        assert read or offset >= bucket["high_watermark"]
        for batch in read:
            assert batch.base_offset <= offset < batch.next_offset
            offset = batch.next_offset
            self.check_batch(place, batch)

    def check_batch(self, place, batch):
        found = self.decode(batch)
        if batch.base_offset in place.stored:
            assert found == place.stored[batch.base_offset], f"offset {batch.base_offset} of {place.where}"
        else:
            assert found in place.unknown, f"nobody wrote the batch at {batch.base_offset} of {place.where}"

    def read_ids(self):
        place = self.random.choice(self.places)
        for batch in parse_batches(self.fetch(place, self.offset_in(place), columns=[0])["records"]):
            ids = [row[0] for row in batch.rows(pa.schema([ARROW.field(0)]))]
            if batch.base_offset in place.stored:
                assert ids == [row["id"] for row in place.stored[batch.base_offset][1]]

    def read_some(self):
        """With a condition: every row that meets it comes."""
        place = self.random.choice(self.places)
        bound = self.random.randrange(self.next_row + 1)
        found, offset, deadline = set(), 0, time.monotonic() + PATIENCE_S
        while True:
            assert time.monotonic() < deadline, f"{place.where} ends at {offset}, not at {place.end}"
            request = filtered_request(self.table, offset, leaf(GREATER, bound))
            request["tables_req"][0]["buckets_req"][0].update(place.where)
            (bucket,) = self.raw.call("FETCH_LOG", **request)["tables_resp"][0]["buckets_resp"]
            assert not bucket.get("error_code"), bucket
            read = parse_batches(bucket["records"])
            found |= {row["id"] for batch in read for row in self.decode(batch)[1]}
            offset = max([b.next_offset for b in read] + [bucket.get("filtered_end_offset", offset)])
            if offset >= max(place.end, bucket["high_watermark"]):
                break
        assert {i for i in place.ids() if i > bound} <= found

    def limit_scan(self):
        place = self.random.choice(self.places)
        answer = self.raw.call("LIMIT_SCAN", table_id=self.table, limit=self.random.randint(1, 200), **place.where)
        assert not answer.get("error_code"), answer
        known = place.ids() | {row["id"] for _, rows in place.unknown for row in rows}
        assert {row["id"] for b in parse_batches(answer["records"]) for row in self.decode(b)[1]} <= known

    def offsets(self):
        place = self.random.choice(self.places)
        where = {} if place.partition is None else {"partition_id": place.partition}
        offset = lambda kind: self.raw.offset(self.table, kind, place.bucket, **where)["offset"]  # noqa: E731
        assert offset(0) == 0
        eventually(lambda: offset(1) >= place.end, f"the end {place.end} of {place.where}", PATIENCE_S)

    # --- changes of the table

    def change(self):
        if self.partitions is None or self.chance(0.2):
            if self.schemas == 1:
                add_column(self.raw, self.database, "t")
                self.schemas = 2
        elif len(self.partitions) < PARTITIONS_MAX:
            self.add_partition()
        else:
            self.drop_partition()

    def add_partition(self):
        name = f"p{self.next_partition}"
        self.next_partition += 1
        create(self.raw, self.database, "t", name=name)
        self.partitions[name] = listed(self.raw, self.database, "t")[name]
        self.add_places(self.partitions[name])

    def drop_partition(self):
        """What is written to it afterwards is refused."""
        name = self.random.choice(list(self.partitions))
        partition = self.partitions.pop(name)
        gone = [place for place in self.places if place.partition == partition]
        self.places = [place for place in self.places if place.partition != partition]
        for place in gone:
            self.check_place(place)
        drop(self.raw, self.database, "t", name=name)
        assert self.send(gone[0], self.encode([{"id": 0, "name": ""}], 1))["error_code"] == UNKNOWN_BUCKET

    # --- the end

    def check_place(self, place):
        """What was acknowledged is where the answer said, and nothing else but what may be there."""
        found, end = [], 0
        for batch in self.batches(place):
            assert batch.base_offset == end, f"{end} of {place.where} is missing"
            end = batch.next_offset
            self.check_batch(place, batch)
            found.append(batch.base_offset)
        assert place.stored.keys() <= set(found), f"of {place.where} is lost: {place.stored.keys() - set(found)}"
        assert len(found) <= len(place.stored) + len(place.unknown)

    def check(self):
        for place in self.places:
            self.check_place(place)
