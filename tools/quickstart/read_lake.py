"""Reads the lake tables of the quickstart with pypaimon, which knows nothing of Lakestream.

usage: read_lake.py WAREHOUSE FLIGHTS PLANES

The last two are how many rows the tables have to have.
"""

import sys

from pypaimon import CatalogFactory


def rows_of(catalog, table):
    builder = catalog.get_table(table).new_read_builder()
    return builder.new_read().to_arrow(builder.new_scan().plan().splits())


def main(warehouse, *expected):
    catalog = CatalogFactory.create({"warehouse": warehouse})
    for table, count in zip(("flights", "planes"), expected):
        rows = rows_of(catalog, f"fluss.{table}")
        columns = len(rows.column_names)
        print(f"pypaimon reads {rows.num_rows} rows of {columns} columns from {warehouse}/fluss.db/{table}")
        if rows.num_rows != int(count):
            sys.exit(f"read_lake: {table} has {rows.num_rows} rows and not {count}")


if __name__ == "__main__":
    main(*sys.argv[1:])
