#!/usr/bin/env python3
"""Makes the API table of docs/compatibility.md from src/wire/api.tsv; the rest of the document is written by hand.

usage: gen_compatibility.py [--check]   --check: write nothing, exit 1 when the table is stale
"""

import csv
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs/compatibility.md"
BEGIN = "<!-- Made by tools/gen_compatibility.py from src/wire/api.tsv. -->\n"
END = "<!-- End of the made part. -->\n"

# What the released Fluss 1.0.0 serves where that is more than an API's row here.
FLUSS_MAX = {"PRODUCE_LOG": 1, "PUT_KV": 3, "ALTER_TABLE": 1, "GET_KV_SNAPSHOT_METADATA": 1}
LESS = "clients negotiate down"

# With which feature an API that is not served yet comes.
COMES_WITH = {
    "primary-key tables": "PUT_KV LOOKUP PREFIX_LOOKUP SCAN_KV",
    "snapshots of primary-key tables": "COMMIT_KV_SNAPSHOT NOTIFY_KV_SNAPSHOT_OFFSET GET_LATEST_KV_SNAPSHOTS"
    " GET_KV_SNAPSHOT_METADATA ACQUIRE_KV_SNAPSHOT_LEASE RELEASE_KV_SNAPSHOT_LEASE DROP_KV_SNAPSHOT_LEASE"
    " LIST_KV_SNAPSHOTS",
    "a cluster of several servers": "UPDATE_METADATA NOTIFY_LEADER_AND_ISR STOP_REPLICA ADJUST_ISR CONTROLLED_SHUTDOWN"
    " ADD_SERVER_TAG REMOVE_SERVER_TAG ADD_SERVER_TAG_BY_RACK REMOVE_SERVER_TAG_BY_RACK REBALANCE"
    " LIST_REBALANCE_PROGRESS CANCEL_REBALANCE COMMIT_REMOTE_LOG_MANIFEST NOTIFY_REMOTE_LOG_OFFSETS"
    " NOTIFY_LAKE_TABLE_OFFSET",
    "access control": "CREATE_ACLS LIST_ACLS DROP_ACLS",
    "options that change while the server runs": "ALTER_CLUSTER_CONFIGS",
    "exactly-once jobs that undo their writes": "REGISTER_PRODUCER_OFFSETS GET_PRODUCER_OFFSETS"
    " DELETE_PRODUCER_OFFSETS",
}
FEATURE_OF = {name: feature for feature, names in COMES_WITH.items() for name in names.split()}
ROLES = {"C": "coordinator", "T": "tablet server", "CT": "both"}


def versions(low, high):
    return str(low) if low == high else f"{low} to {high}"


def line_of(row):
    name, low, high = row["name"], int(row["min"]), int(row["max"])
    fluss = versions(0, FLUSS_MAX.get(name, high))
    note = LESS if name in FLUSS_MAX and FLUSS_MAX[name] > high else ""
    role = ROLES[row["role"]] + (", internal" if row["visibility"] == "internal" else "")
    if row["state"] == "served":
        served = f"**{versions(low, high)}**"
    else:
        served = "–"
        note = "comes with " + FEATURE_OF[name]
    return f"| {row['key']} | {name} | {served} | {fluss} | {role} | {note} |"


def table():
    with open(ROOT / "src/wire/api.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    known = {row["name"] for row in rows}
    if lost := (set(FEATURE_OF) | set(FLUSS_MAX)) - known:
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


def main():
    text = DOCUMENT.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{DOCUMENT} lacks the marks of the part that is made")
    made = before + begin + table() + end + after
    if made == text:
        return 0
    if "--check" in sys.argv:
        print(f"{DOCUMENT.relative_to(ROOT)} is stale; run tools/gen_compatibility.py")
        return 1
    DOCUMENT.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
