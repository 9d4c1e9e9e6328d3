"""What the tests of the raw protocol share: error codes, a simple table, and how errors are caught."""

import csv

import pyarrow as pa
import pytest

from fluss_raw import ServerError, arrow_batch, column
from server import ROOT

UNKNOWN, UNSUPPORTED_VERSION, TABLE_NOT_EXIST, SCHEMA_NOT_EXIST = -1, 2, 7, 9
CORRUPT_RECORD, INVALID_TABLE, INVALID_ACKS, OUT_OF_RANGE, UNKNOWN_BUCKET = 14, 15, 18, 19, 21
OUT_OF_ORDER, INVALID_PROJECTION, PARTITION_NOT_EXIST, INVALID_TIMESTAMP = 31, 34, 36, 38
AUTHENTICATION, TOO_MANY_BUCKETS = 46, 49
ALL, LEADER, NONE = -1, 1, 0

COLUMNS = [column("id", "INTEGER"), column("name", "STRING")]
ARROW = pa.schema([("id", pa.int32()), ("name", pa.utf8())])


def rows(begin, end):
    return [{"id": i, "name": f"row {i}"} for i in range(begin, end)]


def batch(begin, end, **header):
    return arrow_batch(rows(begin, end), ARROW, **header)


def retriable_codes():
    with open(ROOT / "src/base/errors.tsv", newline="") as file:
        return {int(row["code"]) for row in csv.DictReader(file, delimiter="\t") if row["retriable"] == "yes"}


def assert_usable(connection):
    connection.call("DATABASE_EXISTS", database_name="fluss")


def error_of(call):
    """The error that answers a whole request."""
    with pytest.raises(ServerError) as caught:
        call()
    return caught.value
