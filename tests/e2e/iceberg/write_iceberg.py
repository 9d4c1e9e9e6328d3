"""Appends rows to an Iceberg table of ours with pyiceberg and expires snapshots of its own, until standard input ends.

usage: write_iceberg.py CATALOG DATABASE.TABLE

CATALOG is as in read_iceberg.py. Every other row comes as a file of somebody else, without ids of columns. Prints the
id of each row that is committed, from 1000000 on.
"""

import datetime as dt
import json
import select
import sys

import pyarrow as pa
import pyarrow.parquet
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


def commit(table, number):
    row = rows(table, number)
    if number % 2:
        table.append(row)
        return
    path = f"{table.location()}/data/theirs-{number}.parquet"
    plain = pa.schema([field.remove_metadata() for field in row.schema])
    with table.io.new_output(path).create(overwrite=True) as file:
        pyarrow.parquet.write_table(row.cast(plain), file)
    table.add_files([path])


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
    # Its pauses let others commit, however slow the machine is.
    while not select.select([sys.stdin], [], [], 0.2)[0]:
        try:
            table.refresh()
            commit(table, number)
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
