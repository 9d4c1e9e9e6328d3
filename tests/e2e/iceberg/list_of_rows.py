"""Writes lists of rows into a table with pyiceberg and reads them with it; prints both.

usage: list_of_rows.py FOLDER
"""

import json
import sys

import pyarrow as pa
from pyiceberg.catalog import load_catalog


def main(folder):
    lists = [None, [], [{"x": 1}]]
    rows = pa.table({"a": pa.array(lists, pa.list_(pa.struct([("x", pa.int64())])))})
    catalog = load_catalog("c", type="sql", uri=f"sqlite:///{folder}/c.db", warehouse=folder)
    catalog.create_namespace("d")
    table = catalog.create_table("d.t", rows.schema)
    table.append(rows)
    print(json.dumps({"written": lists, "read": table.scan().to_arrow()["a"].to_pylist()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
