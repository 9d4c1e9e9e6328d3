#!/usr/bin/env python3
"""Writes the first inputs of disk_fuzz into a folder: a log's directory, files of logs, records and documents.

usage: disk_corpus.py FOLDER
"""
import json
import struct
import sys
from pathlib import Path

VECTORS = Path(__file__).resolve().parents[1] / "golden" / "vectors" / "index.json"
LOG, INDEX, TIME_INDEX, WRITERS, STATE = range(5)


def batches(count):
    """Of one golden vector, over and over, with offsets that follow each other; where they begin, and their end."""
    vectors = json.loads(VECTORS.read_text())["vectors"]
    batch = min((bytes.fromhex(v["hex"]) for v in vectors if v["kind"] == "log_batch"), key=len)
    (delta,) = struct.unpack_from("<i", batch, 28)
    starts = [i * (delta + 1) for i in range(count)]
    return b"".join(struct.pack("<q", start) + batch[8:] for start in starts), starts, len(batch)


def file(kind, offset, content):
    return struct.pack("<BBH", kind, offset, len(content)) + content


def writers(*ids):
    out = b"lswrite1" + struct.pack("<I", len(ids))
    for id in ids:
        out += struct.pack("<qB", id, 2) + struct.pack("<iiqq", 0, 0, 0, 5) + struct.pack("<iiqq", 1, 0, 1, 6)
    return out


def state(pending=0):
    head = struct.pack("<qqBq", 1, (1 << 63) - 1, pending, 1)
    return b"lsstate1" + head + struct.pack("<I", 2) + struct.pack("<iq", 0, 0) + struct.pack("<iq", 3, 1)


def directories():
    log, starts, size = batches(4)
    index = b"".join(struct.pack(">ii", start, i * size) for i, start in enumerate(starts))
    times = b"".join(struct.pack(">qi", 1, start) for start in starts)
    segment = file(LOG, 0, log) + file(INDEX, 0, index) + file(TIME_INDEX, 0, times)
    yield "log-alone", b"\0" + file(LOG, 0, log)
    yield "log-with-index", b"\0" + segment
    yield "log-with-all", b"\x02" + segment + file(WRITERS, 0, writers(7)) + file(STATE, 0, state())
    yield "log-torn", b"\0" + file(LOG, 0, log[:-5]) + file(WRITERS, 1, writers(7, 9))
    # The index is out of order and the first batch is another one; its search ends at the last batch all the same.
    points = [(90, i * size) for i in range(4)] + [(starts[-1], 3 * size)] * 4
    index = b"".join(struct.pack(">ii", *point) for point in points)
    times = b"".join(struct.pack(">qi", 1, offset) for offset, _ in points)
    other = struct.pack("<q", 200) + log[8:]
    yield "log-out-of-order", b"\x04" + file(LOG, 0, other) + file(INDEX, 0, index) + file(TIME_INDEX, 0, times)
    for pending in (1, 2):
        yield f"log-truncation-{pending}", b"\0" + segment + file(STATE, 0, state(pending))


def logs():
    segment = struct.pack("<qqQqqI", 0, 4, 400, 1, 2, 3)
    clean = struct.pack("<qB", 1, 1) + struct.pack("<I", 1) + segment + struct.pack("<Iiq", 1, 0, 0)
    yield "1", writers(1, 2, 3)
    yield "2", b"lsclean1" + struct.pack("<I", 1) + struct.pack("<I", 3) + b"a/b" + clean
    yield "3", b"lspoint1" + struct.pack("<I", 1) + struct.pack("<I", 3) + b"a/b" + struct.pack("<qq", 1, 7)
    yield "4", struct.pack("<BqBqI", 1, 9, 1, 3, 1) + struct.pack("<iqq", 2, 1, 10)


COLUMN = {"name": "a", "data_type": {"type": "DECIMAL", "nullable": False, "precision": 10, "scale": 2}, "id": 0}
NESTED = {"type": "ARRAY", "element_type": {"type": "ROW", "fields": [
    {"name": "x", "field_type": {"type": "MAP", "key_type": {"type": "STRING", "nullable": False},
                                 "value_type": {"type": "BIGINT"}}, "field_id": 2}]}}
SCHEMA = {"version": 1, "columns": [COLUMN, {"name": "b", "data_type": NESTED, "id": 1}], "primary_key": ["a"],
          "highest_field_id": 3}
FILE = {"kv_file_handle": {"path": "s3://b/t1.sst", "size": 1}, "local_path": "1.sst"}
TABLE = {"version": 1, "table_id": 7, "comment": "c", "partition_key": ["p"], "bucket_key": ["a"], "bucket_count": 4,
         "properties": {"table.log.ttl": "1 d"}, "custom_properties": {"k": "v"}, "remote_data_dir": "/r",
         "bucket_count_epoch": 2, "created_time": 5, "modified_time": 6}
DOCUMENTS = {
    "a": {"version": 1, "database": "d", "table": "t", "partition_name": "p", "table_id": 1, "partition_id": 2,
          "bucket_id": 0, "highest_copied_end_offset": 9, "remote_log_segments": [
              {"segment_id": "5d2c2d3e-0000-0000-0000-000000000000", "start_offset": 0, "end_offset": 9,
               "max_timestamp": 5, "size_in_bytes": 100}]},
    "b": {"version": 1, "table_id": 1, "bucket_offsets": [1, -1, 3]},
    "c": {"version": 1, "table_id": 1, "bucket_id": 1, "snapshot_id": 1, "snapshot_location": "s3://b/snapshot",
          "kv_snapshot_handle": {"shared_file_handles": [FILE], "private_file_handles": [FILE],
                                 "snapshot_incremental_size": 5}, "log_offset": 10},
    "d": {"version": 1, "table_id": 1, "bucket_snapshots": [1, -1]},
    "e": NESTED,
    "f": SCHEMA,
    "g": {"version": 1, "schema": SCHEMA, "comment": "c", "partition_key": [], "bucket_key": ["a"],
          "bucket_count": 3, "properties": {"table.log.format": "ARROW"}, "custom_properties": {}},
    "h": {"version": 1, "comment": "c", "custom_properties": {"k": "v"}},
    "A": {"version": 1, "configs": {"datalake.format": None, "kv.snapshot.interval": "1 s"}},
    "B": {"version": 1, "server_tags": {"0": 1, "7": 0}},
    "C": {"version": 1, "rebalance_id": "r", "rebalance_status": 3, "rebalance_plan": []},
    "D": {"version": 1, "comment": "c", "custom_properties": {"k": "v"}, "created_time": 5, "modified_time": 6},
    "E": TABLE,
    "F": {"version": 1, "table_id": 7, "partition_id": 3, "remote_data_dir": "s3://b/r"},
    "G": {"version": 1, "table_id": 9, "buckets": {"0": [0], "1": [2, 1]}},
    "H": {"version": 2, "leader": 1, "leader_epoch": 3, "isr": [1, 2], "coordinator_epoch": 4, "bucket_epoch": 5,
          "standby_replicas": [2]},
    "I": {"version": 1, "snapshot_id": 1, "log_offset": 1002, "metadata_path": "oss://test/a2"},
    "J": {"version": 1, "remote_log_manifest_path": "s3://b/log/d/t-1/0/metadata/u.manifest",
          "remote_log_end_offset": 7},
    "K": {"version": 1, "expiration_time": 17, "tables": [{"table_id": 1, "lease_metadata_path": "s3://m"}]},
    "L": {"version": 1, "expiration_time": 17, "tables": [{"table_id": 1, "offsets_path": "s3://o"}]},
    "M": {"version": 2, "lake_snapshots": [
        {"snapshot_id": 3, "tiered_offsets": "s3://x.offsets", "readable_offsets": "s3://y.offsets"}]},
    "N": {"version": 1, "acls": [{"principal_name": "a", "principal_type": "User", "permission_type": "ALLOW",
                                  "host": "*", "operation": "READ"}]},
}
NUMBERS = {"O": b"\0\0\0\0\0\0\0\x07", "O-text": b"12"}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in directories():
        (folder / name).write_bytes(b"0" + data)
    for kind, data in logs():
        (folder / f"file-{kind}").write_bytes(kind.encode() + data)
    for kind, document in DOCUMENTS.items():
        text = json.dumps(document, separators=(",", ":"))
        (folder / f"document-{kind}").write_text(kind + text)
    for name, data in NUMBERS.items():
        (folder / f"number-{name}").write_bytes(name[:1].encode() + data)


if __name__ == "__main__":
    main()
