"""Reads Paimon tables with pypaimon and writes the rows of each to standard output as an Arrow stream.

usage: read_paimon.py WAREHOUSE DATABASE.TABLE[@SNAPSHOT]...

Run by lake_table.py with the Python that has pypaimon.
"""

import sys

import pyarrow as pa
from pypaimon import CatalogFactory


def main(warehouse, *names):
    catalog = CatalogFactory.create({"warehouse": warehouse})
    for name in names:
        name, _, snapshot = name.partition("@")
        table = catalog.get_table(name)
        if snapshot:
            table = table.copy({"scan.snapshot-id": snapshot})
        builder = table.new_read_builder()
        splits = builder.new_scan().plan().splits()
        rows = builder.new_read().to_arrow(splits)
        with pa.ipc.new_stream(sys.stdout.buffer, rows.schema) as out:
            out.write_table(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
