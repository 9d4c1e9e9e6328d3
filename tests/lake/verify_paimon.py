#!/usr/bin/env python3
"""Reads with pypaimon what lake_tables has written, writes on top of it, lets lake_tables read that and go on.

usage: verify_paimon.py LAKE_TABLES WORK_FOLDER

Needs pypaimon 2.1 in the interpreter that runs it.
"""

import datetime
import pathlib
import shutil
import subprocess
import sys

import pyarrow
from pypaimon import CatalogFactory

KEYS = {i: f"v{30 + i}" for i in range(10) if i != 3}


def rows_of(catalog, name, columns):
    builder = catalog.get_table(f"db.{name}").new_read_builder()
    table = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    return sorted(tuple(row[column] for column in columns) for row in table.to_pylist())


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: found {found}, not {wanted}")
    print(f"{what}: as expected")


def check_rows(catalog):
    columns = ("id", "name", "more", "__bucket", "__offset")
    log = [(1, "a", None, 0, 100), (2, "b", None, 0, 101), (3, "c", 7, 0, 100)]
    expect("log", rows_of(catalog, "log", columns), log)
    expect("buckets", rows_of(catalog, "buckets", ("id", "name", "__bucket")), [(1, "y", 1), (42, "x", 0)])
    expect("keys", rows_of(catalog, "keys", ("id", "name")), sorted(KEYS.items()))
    compacted = sorted({**KEYS, 99: "late"}.items())
    expect("compacted", rows_of(catalog, "compacted", ("id", "name")), compacted)


def check_partitions(catalog):
    values = {
        "by_text": "eu-1",
        "by_date": datetime.date(2026, 11, 30),
        "by_int": -7,
        "by_bool": True,
        "by_time": datetime.datetime(2026, 11, 30, 12, 34, 56, 700000),
        "by_double": 1.5,
    }
    for name, value in values.items():
        rows = rows_of(catalog, name, ("id", "name", "part"))
        expect(name, rows, [(1, "a", value), (2, "b", value)])


def write_on_top(catalog, name, rows):
    table = catalog.get_table(f"db.{name}")
    builder = table.new_batch_write_builder()
    writer, commit = builder.new_write(), builder.new_commit()
    schema = [
        pyarrow.field("id", pyarrow.int64(), name == "log"),
        ("name", pyarrow.string()),
        ("__bucket", pyarrow.int32()),
        ("__offset", pyarrow.int64()),
        ("__timestamp", pyarrow.timestamp("ms", tz="UTC")),
    ]
    if name == "log":
        schema.insert(2, ("more", pyarrow.int32()))
    schema = pyarrow.schema(schema)
    data = [{"id": key, "name": text} for key, text in rows]
    writer.write_arrow(pyarrow.Table.from_pylist(data, schema=schema))
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([program, "write", folder], check=True)
    catalog = CatalogFactory.create({"warehouse": str(folder)})
    check_rows(catalog)
    check_partitions(catalog)
    on_top = {"log": [(4, "d")], "keys": [(1, "new"), (50, "more")], "compacted": [(1, "new")]}
    wanted = {
        "log": ["1 a", "2 b", "3 c", "4 d"],
        "keys": sorted(f"{key} {text}" for key, text in {**KEYS, 1: "new", 50: "more"}.items()),
        "compacted": sorted(f"{key} {text}" for key, text in {**KEYS, 99: "late", 1: "new"}.items()),
    }
    for name, rows in on_top.items():
        write_on_top(catalog, name, rows)
        found = subprocess.run([program, "read", folder, name], check=True, stdout=subprocess.PIPE, text=True)
        expect(f"{name} with rows of pypaimon", found.stdout.split("\n")[:-1], wanted[name])
        subprocess.run([program, "go-on", folder, name], check=True)
        found = [f"{key} {text}" for key, text in rows_of(catalog, name, ("id", "name"))]
        expect(f"{name} that went on", sorted(found), sorted([*wanted[name], "1000 ours"]))


if __name__ == "__main__":
    main()
