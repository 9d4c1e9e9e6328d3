#!/usr/bin/env python3
"""Makes two tables of docs/compatibility.md: APIs, from src/wire/api.tsv, and behaviours of the official clients'
own tests, from tests/e2e/behaviours.tsv, whose tests have to exist. The rest of the document is written by hand.

usage: gen_compatibility.py [--check]   --check: write nothing, exit 1 when a table is stale
"""

import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs/compatibility.md"
E2E = ROOT / "tests/e2e"
BEGIN = "<!-- Made by tools/gen_compatibility.py from {}. -->\n"
END = "<!-- End of the made part. -->\n"

# What is said of APIs that are served.
NOTES = {
    "PRODUCE_LOG": "no rows for expired partitions: there are no tables that have such",
    "PUT_KV": "as PRODUCE_LOG",
    "REBALANCE": "of one server: there is nothing to move",
}

# With which feature an API that is not served yet comes.
COMES_WITH = {
    "a cluster of several servers": "COMMIT_KV_SNAPSHOT NOTIFY_KV_SNAPSHOT_OFFSET"
    " UPDATE_METADATA NOTIFY_LEADER_AND_ISR STOP_REPLICA ADJUST_ISR CONTROLLED_SHUTDOWN"
    " COMMIT_REMOTE_LOG_MANIFEST NOTIFY_REMOTE_LOG_OFFSETS NOTIFY_LAKE_TABLE_OFFSET",
}
FEATURE_OF = {name: feature for feature, names in COMES_WITH.items() for name in names.split()}
ROLES = {"C": "coordinator", "T": "tablet server", "CT": "both"}


def versions(low, high):
    return str(low) if low == high else f"{low} to {high}"


def line_of(row):
    name, low, high = row["name"], int(row["min"]), int(row["max"])
    note = NOTES.get(name, "")
    role = ROLES[row["role"]] + (", internal" if row["visibility"] == "internal" else "")
    if row["state"] == "served":
        served = f"**{versions(low, high)}**"
    else:
        served = "–"
        note = "comes with " + FEATURE_OF[name]
    return f"| {row['key']} | {name} | {served} | {versions(low, high)} | {role} | {note} |"


def apis():
    with open(ROOT / "src/wire/api.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    known = {row["name"] for row in rows}
    if lost := (set(FEATURE_OF) | set(NOTES)) - known:
        sys.exit(f"gen_compatibility.py names APIs that api.tsv does not have: {sorted(lost)}")
    later = {row["name"] for row in rows if row["state"] != "served"}
    if unsaid := later - set(FEATURE_OF):
        sys.exit(f"gen_compatibility.py does not say what these APIs come with: {sorted(unsaid)}")
    served = len(rows) - len(later)
    lines = [
        f"{served} of {len(rows)} APIs are served.",
        "",
        "| key | API | versions here | in Fluss 1.0.0 | role | note |",
        "|---|---|---|---|---|---|",
        *map(line_of, rows),
    ]
    return "\n".join(lines) + "\n"


def exists(test):
    """Whether there is "test_x.py::name", or the check of a Java program: "Check: name"."""
    if "::" in test:
        file, name = test.split("::")
        path, pattern = E2E / file, rf"^(async )?def {re.escape(name)}\("
    else:
        program, name = test.split(": ")
        path, pattern = E2E / f"java/{program}.java", rf'check\("{re.escape(name)}'
    return path.exists() and re.search(pattern, path.read_text(), re.M)


def behaviours():
    with open(E2E / "behaviours.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    named = {test for row in rows for test in row["tests"].split("; ") if test}
    if lost := sorted(test for test in named if not exists(test)):
        sys.exit(f"behaviours.tsv names tests that there are not: {lost}")
    if bare := [row["behaviour"] for row in rows if not row["tests"] and not row["note"]]:
        sys.exit(f"behaviours.tsv has neither a test nor a reason for: {bare}")
    passing = sum(1 for row in rows if row["tests"])
    lines = [f"{passing} of {len(rows)} behaviours are tested and hold.", ""]
    lines += ["| of | behaviour | tests | state |", "|---|---|---|---|"]
    for row in rows:
        state = ", ".join(filter(None, ["holds" if row["tests"] else "–", row["note"]]))
        lines.append(f"| {row['suite']} | {row['behaviour']} | {row['tests'].replace('; ', ', ')} | {state} |")
    return "\n".join(lines) + "\n"


def replaced(text, source, part):
    before, begin, rest = text.partition(BEGIN.format(source))
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{DOCUMENT} lacks the marks of the part that is made from {source}")
    return before + begin + part + end + after


def main():
    text = DOCUMENT.read_text()
    made = replaced(text, "src/wire/api.tsv", apis())
    made = replaced(made, "tests/e2e/behaviours.tsv", behaviours())
    if made == text:
        return 0
    if "--check" in sys.argv:
        print(f"{DOCUMENT.relative_to(ROOT)} is stale; run tools/gen_compatibility.py")
        return 1
    DOCUMENT.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
