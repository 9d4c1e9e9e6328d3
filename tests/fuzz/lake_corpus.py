#!/usr/bin/env python3
"""Writes the first inputs of lake_fuzz into a folder: files that fastavro, pypaimon and pyiceberg made, and rows.

usage: lake_corpus.py FOLDER
"""
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "src" / "lake" / "testdata"
FILES = {
    "a": sorted(DATA.glob("avro/*.avro")),
    "m": [DATA / "pypaimon" / "pk.manifest"],
    "l": [DATA / "pypaimon" / "pk.delta-list"],
    "c": [DATA / "pypaimon" / "pk.schema-0"],
    "s": [DATA / "pypaimon" / "pk.snapshot-2"],
    "M": sorted(DATA.glob("pyiceberg/manifest-*.avro")),
    "L": [DATA / "pyiceberg" / "list.avro"],
    "J": [DATA / "pyiceberg" / "table.metadata.json"],
}
# BIGINT 5, STRING 'a-longer-string', TIMESTAMP(6) of one millisecond.
ROW = (
    "00000003" + "00" * 8 + "0500000000000000" + "0f00000020000000" + "0000000030000000"
    "612d6c6f6e6765722d737472696e6700" + "0100000000000000"
)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for kind, paths in FILES.items():
        for path in paths:
            (folder / f"{kind}-{path.name}").write_bytes(kind.encode() + path.read_bytes())
    (folder / "r-row").write_bytes(b"r" + bytes.fromhex(ROW))


if __name__ == "__main__":
    main()
