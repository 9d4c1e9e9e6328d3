"""Appends rows to an Iceberg table of ours with pyiceberg and expires snapshots of its own, until standard input ends.

usage: write_iceberg.py CATALOG DATABASE.TABLE

CATALOG is as in read_iceberg.py. Prints the id of each row that is committed, from 1000000 on.
"""

import datetime as dt
import json
import select
import sys

import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import CommitFailedException


def rows(table, number):
    values = {
        "id": number,
        "name": "another's",
        "__bucket": 0,
        "__offset": -1,
        "__timestamp": dt.datetime.now(dt.timezone.utc),
    }
    return pa.Table.from_pylist([values], table.schema().as_arrow())


def expire(table):
    """Snapshots of this writer that nobody needs any more; the tiering looks for its own."""
    current = table.metadata.current_snapshot_id
    old = [
        snapshot.snapshot_id
        for snapshot in table.snapshots()
        if snapshot.snapshot_id != current and "commit-user" not in snapshot.summary.additional_properties
    ]
    if old:
        table.maintenance.expire_snapshots().by_ids(old).commit()


def main(catalog, name):
    properties = json.loads(catalog)
    table = load_catalog(properties.pop("name", "default"), **properties).load_table(name)
    number = 1_000_000
    while not select.select([sys.stdin], [], [], 0.05)[0]:
        try:
            table.refresh()
            table.append(rows(table, number))
        except CommitFailedException:
            continue
        print(number, flush=True)
        number += 1
        try:
            table.refresh()
            expire(table)
        except CommitFailedException:
            pass


if __name__ == "__main__":
    main(*sys.argv[1:])
