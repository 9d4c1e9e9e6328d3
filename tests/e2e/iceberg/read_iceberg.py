"""Reads Iceberg tables with pyiceberg and writes the rows of each to standard output as an Arrow stream.

usage: read_iceberg.py CATALOG DATABASE.TABLE[@SNAPSHOT]... [CATALOG ...]

CATALOG is a JSON object of the properties of a catalog as pyiceberg takes them; with "type": "hadoop", which it does
not know, the newest metadata file below the "warehouse" is read. With "reader": "duckdb" it is DuckDB that reads the
data files, all of them, so that it sees the rows of tables without deletes.

Run by iceberg_table.py with the Python that has pyiceberg.
"""

import json
import sys

import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.table import StaticTable


def load(properties, name):
    if properties["type"] == "hadoop":
        folder = f"{properties['warehouse']}/{name.replace('.', '/', 1)}"
        return StaticTable.from_metadata(folder, properties)  # which looks for its version-hint.text
    others = {key: value for key, value in properties.items() if key != "name"}
    return load_catalog(properties.get("name", "default"), **others).load_table(name)


def with_duckdb(table, scan):
    import duckdb

    files = [task.file.file_path for task in scan.plan_files()]
    if not files:
        return table.schema().as_arrow().empty_table()
    connection = duckdb.connect()
    connection.sql("SET TimeZone = 'UTC'")
    options = "union_by_name = true, hive_partitioning = false"
    rows = connection.sql(f"SELECT * FROM read_parquet({files!r}, {options})")
    columns = [field.name for field in table.schema().fields]
    # A column may be younger than all of the files.
    return rows.select(", ".join(f'"{c}"' if c in rows.columns else f'NULL AS "{c}"' for c in columns)).to_arrow_table()


def main(*arguments):
    for argument in arguments:
        if argument.startswith("{"):
            properties = json.loads(argument)
            reader = properties.pop("reader", "pyiceberg")
            continue
        name, _, snapshot = argument.partition("@")
        table = load(properties, name)
        scan = table.scan(snapshot_id=int(snapshot) if snapshot else None)
        rows = with_duckdb(table, scan) if reader == "duckdb" else scan.to_arrow()
        with pa.ipc.new_stream(sys.stdout.buffer, rows.schema) as out:
            out.write_table(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
