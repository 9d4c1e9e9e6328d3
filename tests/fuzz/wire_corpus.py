#!/usr/bin/env python3
"""Writes the first inputs of wire_fuzz into a folder: messages of the official client as frames.

usage: wire_corpus.py FOLDER
"""
import struct
import sys
from pathlib import Path

WIRE = Path(__file__).resolve().parents[2] / "src" / "wire"


def rows(path):
    head, *lines = path.read_text().splitlines()
    return [dict(zip(head.split("\t"), line.split("\t"))) for line in lines]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    keys = {row["message"]: int(row["key"]) for row in rows(WIRE / "api.tsv")}
    for row in rows(WIRE / "testdata" / "official_messages.tsv"):
        name, payload = row["message"], bytes.fromhex(row["bytes"])
        if name == "ErrorResponse":
            frame = struct.pack(">bi", 1, 7) + payload
        else:
            is_response = name.endswith("Response")
            key = keys[name.removesuffix("Response").removesuffix("Request")]
            frame = struct.pack(">hhi", key, int(is_response), 7) + payload
        (folder / f"{name}-{row['fields']}").write_bytes(frame)


if __name__ == "__main__":
    main()
