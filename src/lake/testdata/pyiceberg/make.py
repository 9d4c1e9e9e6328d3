"""Writes a data file with pyiceberg 0.12 that has every type, and what its manifest says of it.

A line of every.metrics: field id, values, nulls, lower and upper bound in hex (- when empty).

usage: make.py OUT
"""

import datetime as dt
import decimal
import pathlib
import shutil
import sys
import tempfile

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg import types as t

D = decimal.Decimal
TIMES = [
    dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
    dt.datetime(2026, 11, 30, 1, 2, 3, 4),
    dt.datetime(1970, 1, 1),
]
FIELDS = [
    ("boolean", t.BooleanType(), [False, True, True]),
    ("int", t.IntegerType(), [-(2**31), 2**31 - 1, 7]),
    ("long", t.LongType(), [-(2**63), 2**63 - 1, 7]),
    ("float", t.FloatType(), [-3.5, 1e30, 1.5]),
    ("double", t.DoubleType(), [-3.5, 1e300, 0.1]),
    ("decimal9", t.DecimalType(9, 2), [D("-9999999.99"), D("1.28"), D("-0.01")]),
    ("decimal18", t.DecimalType(18, 4), [D("-1.0000"), D("99999999999999.9999"), D("0")]),
    ("decimal38", t.DecimalType(38, 10), [D("-12345678901234567890.0123456789"), D("0.0000000128"), D("0")]),
    ("date", t.DateType(), [dt.date(1969, 12, 31), dt.date(2026, 11, 30), dt.date(1970, 1, 1)]),
    ("time", t.TimeType(), [dt.time(0, 0, 0), dt.time(23, 59, 59, 999000), dt.time(1, 2, 3)]),
    ("timestamp", t.TimestampType(), TIMES),
    ("timestamptz", t.TimestamptzType(), [time.replace(tzinfo=dt.timezone.utc) for time in TIMES]),
    ("string", t.StringType(), ["", "\u00e9 text of more than sixteen characters", "abc"]),
    ("binary", t.BinaryType(), [b"", b"\xff\xff" + bytes(20), b"\x00\x01"]),
    ("list", t.ListType(101, t.IntegerType(), element_required=False), [[], [1, None, 3], [7]]),
    (
        "map",
        t.MapType(102, t.StringType(), 103, t.LongType(), value_required=False),
        [{}, {"a": 1, "b": None}, {"c": 3}],
    ),
    (
        "struct",
        t.StructType(t.NestedField(104, "a", t.IntegerType()), t.NestedField(105, "b", t.StringType())),
        [{"a": 1, "b": "x"}, {"a": None, "b": ""}, {"a": 3, "b": None}],
    ),
]


def main(out):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}/w")
        catalog.create_namespace("d")
        schema = Schema(*[t.NestedField(i + 1, name, kind, required=False) for i, (name, kind, _) in enumerate(FIELDS)])
        table = catalog.create_table("d.every", schema)
        arrow = table.schema().as_arrow()
        columns = [pa.array([*values, None], arrow.field(i).type) for i, (_, _, values) in enumerate(FIELDS)]
        table.append(pa.table(columns, schema=arrow))
        (entry,) = [e for m in table.current_snapshot().manifests(table.io) for e in m.fetch_manifest_entry(table.io)]
        file = entry.data_file
        shutil.copy(file.file_path.removeprefix("file://"), out / "every.parquet")
        lines = []
        for field in table.schema().fields:
            i = field.field_id
            if field.field_type.is_primitive:
                bounds = [(file.lower_bounds[i].hex() or "-"), (file.upper_bounds[i].hex() or "-")]
                lines.append(" ".join(map(str, [i, file.value_counts[i], file.null_value_counts[i], *bounds])))
        (out / "every.metrics").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
