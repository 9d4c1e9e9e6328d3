#!/usr/bin/env python3
"""Makes metadata, list and manifests beside it: of a table that pyiceberg 0.12 wrote, with a deletion.

usage: make_table.py
"""

import datetime
import pathlib
import shutil

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import IntegerType, LongType, NestedField, StringType, TimestamptzType

HERE = pathlib.Path(__file__).parent
WAREHOUSE = pathlib.Path("/tmp/lakestream-pyiceberg")


def rows(*values):
    time = datetime.datetime(2026, 11, 30, tzinfo=datetime.timezone.utc)
    count = len(values)
    return pa.table(
        {
            "id": pa.array([v[0] for v in values], pa.int64()),
            "day": pa.array([v[1] for v in values], pa.string()),
            "__bucket": pa.array([0] * count, pa.int32()),
            "__offset": pa.array(range(count), pa.int64()),
            "__timestamp": pa.array([time] * count, pa.timestamp("us", tz="UTC")),
        },
        schema=pa.schema(
            [
                pa.field("id", pa.int64(), False),
                pa.field("day", pa.string(), False),
                pa.field("__bucket", pa.int32(), False),
                pa.field("__offset", pa.int64(), False),
                pa.field("__timestamp", pa.timestamp("us", tz="UTC"), False),
            ]
        ),
    )


def main():
    shutil.rmtree(WAREHOUSE, ignore_errors=True)
    WAREHOUSE.mkdir()
    catalog = SqlCatalog("golden", uri=f"sqlite:///{WAREHOUSE}/catalog.db", warehouse=str(WAREHOUSE))
    catalog.create_namespace("db")
    schema = Schema(
        NestedField(1, "id", LongType(), required=True),
        NestedField(2, "day", StringType(), required=True),
        NestedField(3, "__bucket", IntegerType(), required=True),
        NestedField(4, "__offset", LongType(), required=True),
        NestedField(5, "__timestamp", TimestamptzType(), required=True),
        identifier_field_ids=[1],
    )
    spec = PartitionSpec(
        PartitionField(2, 1000, IdentityTransform(), "day"),
        PartitionField(3, 1001, IdentityTransform(), "__bucket"),
    )
    table = catalog.create_table("db.t", schema, partition_spec=spec, properties={"a": "b"})
    table.append(rows((1, "2026-11-29"), (2, "2026-11-30")))
    table.append(rows((3, "2026-11-30"), (4, "2026-11-30")))
    table.delete("id = 2")
    shutil.copy(table.metadata_location.removeprefix("file://"), HERE / "table.metadata.json")
    with (HERE / "table.metadata.json").open("a") as file:
        file.write("\n")
    snapshot = table.current_snapshot()
    shutil.copy(snapshot.manifest_list.removeprefix("file://"), HERE / "list.avro")
    for number, manifest in enumerate(snapshot.manifests(table.io)):
        shutil.copy(manifest.manifest_path.removeprefix("file://"), HERE / f"manifest-{number}.avro")


main()
