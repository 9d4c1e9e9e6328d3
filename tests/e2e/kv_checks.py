"""A bucket of a server driven beside its model (kv_model.py), and what is compared between the two."""

import json
import random
import struct

import pyarrow as pa

import kv_model
from fluss_raw import APPEND_ONLY, path
from kv_model import Change, Delete, Refused, Upsert
from kv_rows import Keys, decode_row, decode_value, encode_row, kv_batch, parse_values, plain

NON_PRIMARY_KEY_TABLE, INVALID_TABLE, INVALID_TARGET_COLUMN, DELETION_DISABLED = 20, 15, 35, 57
CHANGE_TYPES = {1: "+I", 2: "-U", 3: "+U", 4: "-D"}
OVERWRITE = 1
ARROW_TYPES = {
    "BOOLEAN": pa.bool_(), "TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INTEGER": pa.int32(), "BIGINT": pa.int64(),
    "FLOAT": pa.float32(), "DOUBLE": pa.float64(), "CHAR": pa.utf8(), "STRING": pa.utf8(), "BYTES": pa.binary(),
    "DATE": pa.date32(),
}  # fmt: skip
UNITS = ["s", "ms", "ms", "ms", "us", "us", "us", "ns", "ns", "ns"]


def arrow_type(type):
    root = type["type"]
    if root == "DECIMAL":
        return pa.decimal128(type["precision"], type["scale"])
    if root == "BINARY":
        return pa.binary(type["length"])
    if root.startswith("TIMESTAMP"):
        return pa.timestamp(UNITS[type["precision"]])
    if root.startswith("TIME"):
        unit = UNITS[type["precision"]]
        return pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)
    return ARROW_TYPES[root]


def arrow_schema(columns):
    return pa.schema([(c["name"], arrow_type(c["data_type"])) for c in columns])


def canonical(columns, row):
    """A row in a form that compares, however it was read."""
    return tuple(plain(c["data_type"], v) for c, v in zip(columns, row))


def records_of(batch, columns, log_format):
    """(change type, row) of each record of a changelog batch."""
    if batch.record_count == 0:
        return []
    if log_format == "arrow":
        types = batch.records[: batch.record_count]
        return list(zip(types, batch.rows(arrow_schema(columns))))
    records, at = [], 0
    while at < len(batch.records):
        size, type = struct.unpack_from("<ib", batch.records, at)
        records.append((type, decode_row(columns, batch.records[at + 5 : at + 4 + size], log_format)))
        at += 4 + size
    assert len(records) == batch.record_count
    return records


def changes_of(batches, columns, log_format="arrow", first=0):
    """The changes in batches that must follow each other without a gap."""
    changes = []
    for batch in batches:
        assert batch.crc_is_right and not batch.attributes & APPEND_ONLY
        assert batch.base_offset == first
        assert batch.last_offset_delta == max(0, batch.record_count - 1)
        for i, (type, row) in enumerate(records_of(batch, columns, log_format)):
            changes.append(Change(first + i, CHANGE_TYPES[type], canonical(columns, row)))
        first = batch.next_offset
    return changes


class Driven:
    """A bucket of a table on a server, and a model that gets the same puts."""

    def __init__(self, raw, database, name, table, kv_format="compacted", log_format="arrow", **descriptor):
        self.raw = raw
        self.table = table
        self.columns = table.columns
        self.kv_format = kv_format
        self.log_format = log_format
        self.path = path(database, name)
        properties = {
            "table.log.arrow.compression.type": "NONE",
            **table.properties,
            **descriptor.pop("properties", {}),
        }
        if (kv_format, log_format) != ("compacted", "arrow"):
            properties |= {"table.kv.format": kv_format, "table.log.format": log_format}
        self.id = raw.create_table(
            database, name, table.columns, primary_key=table.primary_key, properties=properties,
            auto_increment=table.auto_increment, **descriptor,
        )  # fmt: skip
        info = raw.call("GET_TABLE_INFO", table_path=self.path)
        stored = json.loads(info["table_json"])
        self.keys = Keys(table.columns, table.primary_key, stored["bucket_key"], properties=stored["properties"])
        self.model = kv_model.Bucket(table)

    # --- puts

    def records(self, records):
        """(key bytes, row bytes or None) of upserts and deletes."""
        encoded = []
        for record in records:
            if isinstance(record, Delete):
                encoded.append((self.keys.key_of(*record.key), None))
            else:
                encoded.append((self.keys.key(record.row), encode_row(self.columns, record.row, self.kv_format)))
        return encoded

    def send(self, records, bucket=0, target=None, overwrite=None, acks=-1, version=2, **header):
        """Puts past the model."""
        mode = None if overwrite is None else int(overwrite)
        batch = kv_batch(self.records(records), **header)
        return self.raw.put_kv(self.id, batch, bucket, acks=acks, version=version, target=target, agg_mode=mode)

    def put(self, records, target=None, overwrite=None, **more):
        """Puts into both; they must agree on the outcome."""
        answer = self.send(records, target=target, overwrite=overwrite, **more)
        try:
            end = self.model.put(records, target, bool(overwrite))
        except Refused as refused:
            assert answer.get("error_code") == refused.code, (answer, refused)
            assert answer["error_message"]
        else:
            assert "error_code" not in answer, answer
            assert answer["log_end_offset"] == end

    def upsert(self, *rows, **more):
        self.put([Upsert(list(row)) for row in rows], **more)

    def delete(self, *keys, **more):
        self.put([Delete(list(key)) for key in keys], **more)

    # --- reads

    def lookup(self, *keys):
        values = self.raw.lookup(self.id, [self.keys.key_of(*key) for key in keys])
        return [decode_value(self.columns, value, self.kv_format) for value in values]

    def limit_scan(self, limit, bucket=0):
        answer = self.raw.call("LIMIT_SCAN", table_id=self.id, bucket_id=bucket, limit=limit)
        assert "error_code" not in answer and answer["is_log_table"] is False, answer
        return self.decode_values(parse_values(answer["records"]))

    def decode_values(self, values):
        assert all(schema_id == 1 for schema_id, _ in values)
        return [canonical(self.columns, decode_row(self.columns, data, self.kv_format)) for _, data in values]

    def changes(self):
        return changes_of(self.raw.fetch_all(self.id), self.columns, self.log_format)

    def row_count(self, bucket=0):
        (answer,) = self.raw.call("GET_TABLE_STATS", table_id=self.id, buckets_req=[{"bucket_id": bucket}])[
            "buckets_resp"
        ]
        return answer

    def sorted_rows(self):
        """The model's rows in the order of their key bytes."""
        rows = sorted(self.model.rows.values(), key=self.keys.key)
        return [canonical(self.columns, row) for row in rows]

    def check_rows(self, more_keys=()):
        """Every key, also those that are gone, the whole bucket in its order, and the count."""
        keys = list(
            dict.fromkeys([*self.model.rows, *(self.table.key_of(c.row) for c in self.model.changes), *more_keys])
        )
        for key, row in zip(keys, self.lookup(*keys)):
            expected = self.model.rows.get(key)
            if expected is None:
                assert row is None, key
            else:
                assert canonical(self.columns, row) == canonical(self.columns, expected), key
        assert self.limit_scan(1_000_000) == self.sorted_rows()
        if self.table.image == "wal":
            assert self.row_count()["error_code"] == INVALID_TABLE
        else:
            assert self.row_count() == {"bucket_id": 0, "row_count": len(self.model.rows)}

    def check(self):
        """State and changelog are what the model says."""
        expected = [Change(c.offset, c.type, canonical(self.columns, c.row)) for c in self.model.changes]
        assert self.changes() == expected
        assert self.raw.offset(self.id, 1)["offset"] == self.model.end
        self.check_rows()


# --- random puts ------------------------------------------------------------------------------------------------------


class RandomPuts:
    """Batches of upserts and deletes on few keys. `values`: column name -> the values to choose from."""

    def __init__(self, driven, values, seed):
        self.driven = driven
        self.values = values
        self.random = random.Random(seed)

    def row(self, target):
        table = self.driven.table
        row = []
        for i, name in enumerate(table.names):
            unset = name == table.auto_increment or (target and i not in target and table.engine == "aggregation")
            row.append(None if unset else self.random.choice(self.values[name]))
        return row

    def record(self, target, deletes):
        row = self.row(target)
        if deletes and self.random.random() < 0.3:
            return Delete(list(self.driven.table.key_of(row)))
        return Upsert(row)

    def target(self):
        table = self.driven.table
        others = [i for i in range(len(table.names)) if i not in table.key_positions]
        others = [i for i in others if table.names[i] != table.auto_increment]
        if table.auto_increment or self.random.random() < 0.4:
            return sorted(table.key_positions + self.random.sample(others, self.random.randint(0, len(others))))
        return None

    def run(self, batches):
        table = self.driven.table
        for _ in range(batches):
            target = self.target()
            overwrite = self.random.random() < 0.1 and not table.auto_increment
            # Whether such a write deletes where deletes are ignored or refused is a test of its own.
            deletes = not overwrite or table.delete == "allow"
            records = [self.record(target, deletes) for _ in range(self.random.randint(0, 5))]
            self.driven.put(records, target, overwrite)
