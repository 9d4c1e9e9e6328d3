#!/usr/bin/env python3
"""Writes the first inputs of format_fuzz into a folder: golden vectors behind a selector byte.

usage: format_corpus.py FOLDER
"""
import json
import os
import sys
from pathlib import Path

VECTORS = Path(__file__).resolve().parents[1] / "golden" / "vectors"
LOG = {"arrow": 0, "indexed": 1, "compacted": 2}


def selector(vector):
    """What the bytes are, as format_fuzz.cc numbers it."""
    kind = vector["kind"]
    if kind in ("log_batch", "projected_log_batch"):
        return LOG[vector.get("format", "arrow")]
    return {"kv_batch": 3, "row": 4, "kv_value": 5, "value_batch": 5, "log_stream": 6}.get(kind)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    index = Path(os.environ.get("LAKESTREAM_VECTORS", VECTORS)) / "index.json"
    for vector in json.loads(index.read_text())["vectors"]:
        low = selector(vector)
        if low is None:
            continue
        for schema in range(3):
            path = folder / f"{vector['id']}-{schema}"
            path.write_bytes(bytes([schema << 4 | low]) + bytes.fromhex(vector["hex"]))


if __name__ == "__main__":
    main()
