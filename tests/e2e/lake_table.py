"""Lake tables as readers see them that know nothing of ours."""

import contextlib
import datetime as dt
import itertools
import json
import os
import subprocess
import urllib.parse
from pathlib import Path

import pyarrow as pa

import java_programs
from server import ROOT

PYTHON = ROOT / "build/deps/venv-lake/bin/python"
SYSTEM_COLUMNS = ["__bucket", "__offset", "__timestamp"]
COMMIT_USER = "__fluss_lake_tiering"

NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def canonical_rows(table):
    """Rows of an Arrow table in the form that lake/ReadPaimon.java prints."""
    columns = [[canonical(value) for value in column] for column in table.columns]
    return [dict(zip(table.column_names, row)) for row in zip(*columns)]


def canonical(value):
    """An Arrow scalar in that form."""
    kind = value.type
    if not value.is_valid:
        return None
    if pa.types.is_timestamp(kind):
        seconds, nanos = divmod(value.value * NANOS[kind.unit], 10**9)
        moment = dt.datetime(1970, 1, 1) + dt.timedelta(seconds=seconds)
        return f"{moment.isoformat()}.{nanos:09}{'Z' if kind.tz else ''}"
    if pa.types.is_time(kind):
        seconds, nanos = divmod(value.value * NANOS[kind.unit], 10**9)
        return f"{(dt.datetime.min + dt.timedelta(seconds=seconds)).time().isoformat()}.{nanos:09}"
    if pa.types.is_date(kind) or pa.types.is_decimal(kind):
        return str(value.as_py())
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return value.as_py().hex()
    if pa.types.is_map(kind):
        pairs = [[canonical(pair["key"]), canonical(pair["value"])] for pair in value.values]
        return sorted(pairs, key=lambda pair: json.dumps(pair, ensure_ascii=False))
    if pa.types.is_list(kind):
        return [canonical(element) for element in value.values]
    if pa.types.is_struct(kind):
        return {name: canonical(value[name]) for name in value}
    return value.as_py()


def ordered(rows):
    """Canonical rows as texts, in an order of their own."""
    return sorted(json.dumps(row, ensure_ascii=False) for row in rows)


def arrow_tables(command, count, environment=None):
    """What a reader writes to its standard output: so many tables, each an Arrow stream."""
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, timeout=120, env={**os.environ, **(environment or {})})
    assert done.returncode == 0, done.stderr.decode()
    source = pa.BufferReader(done.stdout)
    return [pa.ipc.open_stream(source).read_all() for _ in range(count)]


def java_program(name, jars, sources, options=()):
    """The command that runs it; the sources are below this folder, without .java."""
    files = [ROOT / f"tests/e2e/{source}.java" for source in sources]
    path = java_programs.class_path(ROOT / f"build/deps/{jars}", ROOT / f"build/e2e/{jars}", files)
    command = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", *options]
    return [*command, "-cp", path, name]


def printed_rows(command, names):
    """The rows that a Java program prints (lake/ReadPaimon.java): canonical, of each table a list."""
    return printed_lakes([*command, *names], [names])


def printed_lakes(command, lakes):
    """The same of several lakes, of each the names of its tables: one list of tables."""
    done = subprocess.run([str(part) for part in command], capture_output=True, timeout=120)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0 and lines.count("end") == len(lakes), done.stderr.decode()[-4000:]
    tables, printed = [], iter(lines)
    for names in lakes:
        rows = {name.partition("@")[0]: [] for name in names}
        for line in itertools.takewhile(lambda line: line != "end", printed):
            name, row = json.loads(line)
            rows[name].append(row)
        tables += rows.values()
    return tables


def python_rows(*tables, snapshot=None):
    """Rows of Paimon tables of one warehouse as pypaimon reads them: an Arrow table of each."""
    suffix = "" if snapshot is None else f"@{snapshot}"
    command = [PYTHON, ROOT / "tests/e2e/lake/read_paimon.py", tables[0].warehouse]
    return arrow_tables(command + [table.name + suffix for table in tables], len(tables))


def java_rows(*tables):
    """Rows of Paimon tables of one warehouse as the Java library reads them: canonical, of each a list."""
    command = java_program("ReadPaimon", "java-paimon", ["lake/ReadPaimon", "lake/LakeText"])
    return printed_rows([*command, str(tables[0].warehouse)], [table.name for table in tables])


def local_path(uri):
    return Path(urllib.parse.unquote(urllib.parse.urlparse(uri).path))


class LakeTable:
    """What tables of every format have: each says how to read all rows and where the newest snapshot of ours ends."""

    def arrow(self, snapshot=None):
        """All rows, merged by key where the table has one."""
        raise NotImplementedError

    def offsets_document(self):
        """The path of the document that the newest snapshot of ours names, or None without such a snapshot."""
        raise NotImplementedError

    def read_text(self, path):
        """Of a file that metadata names."""
        return local_path(path).read_text()

    def rows(self, columns=None, snapshot=None):
        """As dicts, without the system columns unless they are named."""
        rows = self.arrow(snapshot)
        columns = columns or [name for name in rows.column_names if name not in SYSTEM_COLUMNS]
        return rows.select(columns).to_pylist()

    def offsets(self):
        """{(partition id or None, bucket): end offset} of the newest snapshot of ours, of buckets with rows."""
        return {place: end for place, end in self.all_offsets().items() if end}

    def all_offsets(self):
        """The same of all buckets that the snapshot says something of: what the document says that it names."""
        path = self.offsets_document()
        if path is None:
            return {}
        document = json.loads(self.read_text(path))
        assert document["version"] == 1
        lists = {None: document.get("bucket_offsets", [])}
        for partition in document.get("partition_offsets", []):
            lists[partition["partition_id"]] = partition["bucket_offsets"]
        return {(p, b): end for p, ends in lists.items() for b, end in enumerate(ends) if end >= 0}


class PaimonTable(LakeTable):
    """A table of a filesystem catalog: rows by pypaimon, metadata by its own files."""

    def __init__(self, warehouse, database, table):
        self.warehouse = Path(warehouse)
        self.name = f"{database}.{table}"
        self.folder = self.warehouse / f"{database}.db" / table

    def arrow(self, snapshot=None):
        (rows,) = python_rows(self, snapshot=snapshot)
        return rows

    def exists(self):
        return self.folder.exists()

    def schema(self):
        newest = max(self.folder.glob("schema/schema-*"), key=lambda path: int(path.name.split("-")[1]))
        return json.loads(newest.read_text())

    def snapshots(self):
        """Their documents, the oldest first."""
        texts = {}
        for path in self.folder.glob("snapshot/snapshot-*"):
            with contextlib.suppress(FileNotFoundError):  # it went meanwhile
                texts[int(path.name.split("-")[1])] = path.read_text()
        return [json.loads(text) for _, text in sorted(texts.items())]

    def tiered(self):
        """The newest snapshot of ours."""
        ours = [s for s in self.snapshots() if s["commitUser"] == COMMIT_USER]
        return ours[-1] if ours else None

    def offsets_document(self):
        snapshot = self.tiered()
        return snapshot and snapshot["properties"]["fluss-offsets"]

    def check(self):
        """What must hold of every table that we write."""
        snapshots = self.snapshots()
        ids = [s["id"] for s in snapshots]
        assert ids == list(range(ids[0], ids[0] + len(ids))) if ids else True
        hint = self.folder / "snapshot/LATEST"
        assert not hint.exists() or int(hint.read_text()) <= ids[-1]
        for snapshot in snapshots:
            if snapshot["commitUser"] == COMMIT_USER:
                assert "fluss-offsets" in snapshot["properties"]
