"""How the server of a soak is set up, and what the simplest tables on it are like."""

from kv_rows import Keys, encode_row, kv_batch
from raw_checks import COLUMNS

# Budgets that are used up soon, intervals that come often.
OPTIONS = {
    "auto-partition.check.interval": "500 ms",
    "kv.rocksdb.shared-block-cache.size": "2 mb",
    "kv.rocksdb.shared-write-buffer.size": "8 mb",
    "kv.scanner.expiration-interval": "1 s",
    "kv.scanner.ttl": "5 s",
    "kv.snapshot.interval": "5 s",
    "kv.snapshot.lease.expiration-check-interval": "1 s",
    "coordinator.producer-offsets.cleanup-interval": "1 s",
    "lakestream.kv.row-cache": "1 mb",
    "lakestream.log.tail-cache": "2 mb",
    "lakestream.remote.serve-reads": "always",
    "lakestream.rpc.memory": "16 mb",
    "lakestream.tiering.heartbeat-interval": "200 ms",
    "lakestream.tiering.memory": "64 mb",
    "log.retention.check-interval": "1 s",
    "log.segment.file-size": "64 kb",
    "remote.log.task-interval-duration": "2 s",
    "datalake.format": "paimon",
}

PLAIN = {"table.log.arrow.compression.type": "NONE"}  # batches are stored as they are sent
KEYS = Keys(COLUMNS, ["id"], properties={"table.datalake.format": OPTIONS["datalake.format"]})


def puts(number, name, **header):
    """A batch with one row for a table of COLUMNS."""
    row = [number, name]
    return kv_batch([(KEYS.key(row), encode_row(COLUMNS, row))], **header)
