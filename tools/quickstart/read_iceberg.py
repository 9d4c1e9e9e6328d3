"""Reads the lake tables of the quickstart with pyiceberg, which knows nothing of Lakestream.

usage: read_iceberg.py CATALOG.DB FLIGHTS PLANES

The last two are how many rows the tables have to have.
"""

import sys

from pyiceberg.catalog import load_catalog


def main(database, *expected):
    catalog = load_catalog("fluss-iceberg-catalog", type="sql", uri=f"sqlite:///{database}")
    for name, count in zip(("flights", "planes"), expected):
        table = catalog.load_table(f"fluss.{name}")
        rows = table.scan().to_arrow()
        print(f"pyiceberg reads {rows.num_rows} rows of {rows.num_columns} columns from {table.location()}")
        if rows.num_rows != int(count):
            sys.exit(f"read_iceberg: {name} has {rows.num_rows} rows and not {count}")


if __name__ == "__main__":
    main(*sys.argv[1:])
