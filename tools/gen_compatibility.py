#!/usr/bin/env python3
"""Makes the tables of docs/compatibility.md:

    APIs        which client asked for which version: src/wire/api.tsv, tests/e2e/compatibility.tsv
    options     of tables, and which clients and tests set them: src/table/options.tsv, tests/e2e/compatibility.tsv
    types       which clients wrote and read them, and where: tests/e2e/compatibility.tsv
    behaviours  of the official clients' own tests: tests/e2e/behaviours.tsv, whose tests have to exist

`make compatibility` records tests/e2e/compatibility.tsv. What is served and what no official client asked for, and
options that no test sets, are errors unless a reason stands here. The rest of the document is written by hand.

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

OFFICIAL = ("java 1.0.0", "java 0.9.1", "pyfluss 1.0.0")
CLIENTS = (*OFFICIAL, "native", "raw")
ROLES = {"C": "coordinator", "T": "tablet server", "CT": "both"}

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

# Public APIs that a client has no call for.
SINCE_ONE = (
    "ALTER_DATABASE SCAN_KV GET_CLUSTER_HEALTH LIST_REMOTE_LOG_MANIFESTS LIST_KV_SNAPSHOTS ADD_SERVER_TAG_BY_RACK"
    " REMOVE_SERVER_TAG_BY_RACK"
)
NO_CALL = {
    "java 1.0.0": set(),
    "java 0.9.1": set(SINCE_ONE.split()),
    "pyfluss 1.0.0": set(
        f"{SINCE_ONE} GET_LATEST_KV_SNAPSHOTS GET_KV_SNAPSHOT_METADATA CREATE_ACLS LIST_ACLS DROP_ACLS ALTER_TABLE"
        " DESCRIBE_CLUSTER_CONFIGS ALTER_CLUSTER_CONFIGS ADD_SERVER_TAG REMOVE_SERVER_TAG REBALANCE"
        " LIST_REBALANCE_PROGRESS CANCEL_REBALANCE REGISTER_PRODUCER_OFFSETS GET_PRODUCER_OFFSETS"
        " DELETE_PRODUCER_OFFSETS ACQUIRE_KV_SNAPSHOT_LEASE RELEASE_KV_SNAPSHOT_LEASE DROP_KV_SNAPSHOT_LEASE"
        " GET_TABLE_STATS".split()
    ),
}
# Versions of public APIs that no official client here asks for, since it knows a higher one; raw frames do.
OLDER_CLIENTS = {("PUT_KV", 0), ("PUT_KV", 2), ("LOOKUP", 0), ("PREFIX_LOOKUP", 0)}

# Options of tables that CREATE TABLE refuses, and why.
REFUSED = {
    "table.kv.ttl": "rows do not expire yet",
    "table.kv.ttl.time-column": "as table.kv.ttl",
    "table.datalake.historical-partition.enabled": "expired partitions are not looked up in the lake yet",
}
TYPES = {
    "BOOLEAN": "BOOLEAN", "TINYINT": "TINYINT", "SMALLINT": "SMALLINT", "INTEGER": "INT", "BIGINT": "BIGINT",
    "FLOAT": "FLOAT", "DOUBLE": "DOUBLE", "DECIMAL": "DECIMAL", "CHAR": "CHAR", "STRING": "STRING",
    "BINARY": "BINARY", "BYTES": "BYTES", "DATE": "DATE", "TIME_WITHOUT_TIME_ZONE": "TIME",
    "TIMESTAMP_WITHOUT_TIME_ZONE": "TIMESTAMP", "TIMESTAMP_WITH_LOCAL_TIME_ZONE": "TIMESTAMP_LTZ",
    "ARRAY": "ARRAY", "MAP": "MAP", "ROW": "ROW",
}  # fmt: skip
# Types that a client can not write.
NO_TYPE = {("pyfluss 1.0.0", "CHAR")}
USES = {
    "log": "log table", "value": "primary-key table", "key": "primary key", "partition key": "partition key",
    "paimon": "Paimon lake", "iceberg": "Iceberg lake",
}  # fmt: skip


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def complain(what, found):
    if found:
        sys.exit(f"gen_compatibility.py: {what}: {', '.join(map(str, sorted(found)))}")


def table(head, rows):
    lines = [f"| {' | '.join(map(str, line))} |" for line in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]]) + "\n"


def named(clients):
    return ", ".join(clients).replace("java 1.0.0, java 0.9.1", "java").replace("pyfluss 1.0.0", "pyfluss")


class Record:
    """tests/e2e/compatibility.tsv: outcomes and tests by kind, name and use, and client."""

    def __init__(self):
        self.kinds = {"api": {}, "option": {}, "type": {}}
        for row in rows_of(E2E / "compatibility.tsv"):
            found = set(row["outcomes"].split(", ")), set(row["tests"].split(", "))
            self.kinds[row["kind"]].setdefault((row["name"], row["use"]), {})[row["client"]] = found

    def names(self, kind):
        return {name for name, _ in self.kinds[kind]}

    def clients(self, kind, name, use, *outcomes):
        """Those that had all these outcomes; with none, any."""
        found = self.kinds[kind].get((name, str(use)), {})
        return [each for each in CLIENTS if each in found and found[each][0].issuperset(outcomes)]

    def tests(self, kind, name):
        found = [clients for (known, _), clients in self.kinds[kind].items() if known == name]
        return sorted({test for clients in found for _, tests in clients.values() for test in tests})


# --- APIs


def versions(low, high):
    return str(low) if low == high else f"{low} to {high}"


def range_of(row):
    return range(int(row["min"]), int(row["max"]) + 1)


def check_apis(rows, record):
    later = {row["name"] for row in rows if row["state"] != "served"}
    complain("APIs that api.tsv does not have", (set(FEATURE_OF) | set(NOTES)) - {row["name"] for row in rows})
    complain("APIs without the feature that they come with", later - set(FEATURE_OF))
    public = [row for row in rows if row["name"] not in later and row["visibility"] == "public"]
    for client, without in NO_CALL.items():
        answered = {name for (name, _), found in record.kinds["api"].items() if "ok" in found.get(client, ((), ()))[0]}
        asked = answered & {row["name"] for row in public}
        unasked = {row["name"] for row in public} - asked - without
        complain(f"not answered to {client} in the tests, and no reason why", unasked)
        complain(f"asked by {client}, which is said to have no call", asked & without)
    for row in public:
        for version in range_of(row):
            answered = record.clients("api", row["name"], version, "ok")
            old = (row["name"], version) in OLDER_CLIENTS
            if not answered or old == any(client in OFFICIAL for client in answered):
                complain("answered to no official client, or though no one should ask", {f"{row['name']} {version}"})


def asked_cell(row, client, record):
    """The versions in which the client got answers; in brackets those that gave errors only."""
    if row["name"] in NO_CALL.get(client, ()):
        return "–"
    cell = []
    for version in range_of(row):
        if client in record.clients("api", row["name"], version, "ok"):
            cell.append(str(version))
        elif client in record.clients("api", row["name"], version):
            cell.append(f"({version})")
    return ", ".join(cell)


def api_line(row, record):
    known = versions(row["min"], row["max"])
    role = ROLES[row["role"]] + (", internal" if row["visibility"] == "internal" else "")
    if row["state"] == "served":
        cells = [asked_cell(row, client, record) for client in CLIENTS]
        return [row["key"], row["name"], f"**{known}**", *cells, role, NOTES.get(row["name"], "")]
    return [row["key"], row["name"], known, *[""] * len(CLIENTS), role, "comes with " + FEATURE_OF[row["name"]]]


def apis(record):
    rows = rows_of(ROOT / "src/wire/api.tsv")
    check_apis(rows, record)
    served = sum(1 for row in rows if row["state"] == "served")
    head = ["key", "API", "versions", *CLIENTS, "role", "note"]
    return f"{served} of {len(rows)} APIs are served.\n\n" + table(head, [api_line(row, record) for row in rows])


# --- options and types


def option_line(row, record):
    key = row["key"]
    default = "" if row["default"] == "-" else f"`{row['default']}`"
    made = record.clients("option", key, "create", "ok")
    changed = record.clients("option", key, "alter", "ok") if row["alterable"] == "yes" else []
    effect = f"refused: {REFUSED[key]}" if key in REFUSED else row["meaning"]
    tests = ", ".join(record.tests("option", key))
    return [f"`{key}`", default, named(made), named(changed), tests, effect.replace("|", "\\|")]


def options(record):
    rows = rows_of(ROOT / "src/table/options.tsv")
    keys = {row["key"] for row in rows}
    complain("no such options", set(REFUSED) - keys)
    complain("options that no test sets", keys - record.names("option"))
    for row in rows:
        made = record.clients("option", row["key"], "create", "ok")
        changed = record.clients("option", row["key"], "alter", "ok")
        if bool(made) == (row["key"] in REFUSED):
            complain("options that are taken and said to be refused, or the other way round", {row["key"]})
        # "ok" may also be of a table that did not exist, when the client says that this is fine; raw ones do not.
        if ("raw" in changed) != (row["alterable"] == "yes") and row["key"] not in REFUSED:
            complain("options that are altered and said not to be, or the other way round", {row["key"]})
    head = ["option", "default", "created with it by", "altered by", "tests", "effect"]
    return table(head, [option_line(row, record) for row in rows])


def check_types(record):
    complain("types that are not known", record.names("type") - set(TYPES))
    lost = {
        f"{TYPES[name]} in {USES[use]} by {client}"
        for name in TYPES
        for use in ("log", "value")
        for client in set(OFFICIAL) - set(record.clients("type", name, use, "wrote", "read"))
        if (client, name) not in NO_TYPE
    }
    complain("types that a client did not write and read", lost)


def type_cell(name, use, record):
    if use in ("paimon", "iceberg"):  # who reads there is no client of the server
        return named(record.clients("type", name, use, "wrote"))
    cell = record.clients("type", name, use, "wrote", "read")
    return named(client if client in cell else f"({client})" for client in record.clients("type", name, use))


def types(record):
    check_types(record)
    rows = [[shown, *(type_cell(name, use, record) for use in USES)] for name, shown in TYPES.items()]
    return table(["type", *USES.values()], rows)


# --- behaviours


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
    rows = rows_of(E2E / "behaviours.tsv")
    named = {test for row in rows for test in row["tests"].split("; ") if test}
    complain("behaviours.tsv names tests that there are not", {test for test in named if not exists(test)})
    bare = {row["behaviour"] for row in rows if not row["tests"] and not row["note"]}
    complain("behaviours.tsv has neither a test nor a reason for", bare)
    passing = sum(1 for row in rows if row["tests"])
    lines = []
    for row in rows:
        state = ", ".join(filter(None, ["holds" if row["tests"] else "–", row["note"]]))
        lines.append([row["suite"], row["behaviour"], row["tests"].replace("; ", ", "), state])
    return f"{passing} of {len(rows)} behaviours are tested and hold.\n\n" + table(
        ["of", "behaviour", "tests", "state"], lines
    )


def replaced(text, source, part):
    before, begin, rest = text.partition(BEGIN.format(source))
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{DOCUMENT} lacks the marks of the part that is made from {source}")
    return before + begin + part + end + after


def main():
    text = DOCUMENT.read_text()
    record = Record()
    made = replaced(text, "src/wire/api.tsv", apis(record))
    made = replaced(made, "src/table/options.tsv", options(record))
    made = replaced(made, "tests/e2e/compatibility.tsv", types(record))
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
