"""Lake tables as readers see them that know nothing of ours."""

import datetime as dt
import json
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


def python_rows(*tables, snapshot=None):
    """Rows of Paimon tables of one warehouse as pypaimon reads them: an Arrow table of each."""
    suffix = "" if snapshot is None else f"@{snapshot}"
    command = [PYTHON, ROOT / "tests/e2e/lake/read_paimon.py", tables[0].warehouse]
    command += [table.name + suffix for table in tables]
    done = subprocess.run([str(part) for part in command], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    source = pa.BufferReader(done.stdout)
    return [pa.ipc.open_stream(source).read_all() for _ in tables]


def java_rows(*tables):
    """Rows of Paimon tables of one warehouse as the Java library reads them: canonical, of each a list."""
    sources = [ROOT / f"tests/e2e/lake/{name}.java" for name in ("ReadPaimon", "LakeText")]
    path = java_programs.class_path(ROOT / "build/deps/java-paimon", ROOT / "build/e2e/java-paimon", sources)
    command = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", path]
    command += ["ReadPaimon", str(tables[0].warehouse), *(table.name for table in tables)]
    done = subprocess.run(command, capture_output=True, timeout=120)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0 and lines[-1:] == ["end"], done.stderr.decode()[-4000:]
    rows = {table.name: [] for table in tables}
    for line in lines[:-1]:
        name, row = json.loads(line)
        rows[name].append(row)
    return [rows[table.name] for table in tables]


def local_path(uri):
    return Path(urllib.parse.unquote(urllib.parse.urlparse(uri).path))


class PaimonTable:
    """A table of a filesystem catalog: rows by pypaimon, metadata by its own files."""

    def __init__(self, warehouse, database, table):
        self.warehouse = Path(warehouse)
        self.name = f"{database}.{table}"
        self.folder = self.warehouse / f"{database}.db" / table

    def arrow(self, snapshot=None):
        """All rows, merged by key where the table has one."""
        (rows,) = python_rows(self, snapshot=snapshot)
        return rows

    def rows(self, columns=None, snapshot=None):
        """As dicts, without the system columns unless they are named."""
        rows = self.arrow(snapshot)
        columns = columns or [name for name in rows.column_names if name not in SYSTEM_COLUMNS]
        return rows.select(columns).to_pylist()

    def schema(self):
        newest = max(self.folder.glob("schema/schema-*"), key=lambda path: int(path.name.split("-")[1]))
        return json.loads(newest.read_text())

    def snapshots(self):
        """Their documents, the oldest first."""
        paths = self.folder.glob("snapshot/snapshot-*")
        return [json.loads(p.read_text()) for p in sorted(paths, key=lambda p: int(p.name.split("-")[1]))]

    def tiered(self):
        """The newest snapshot of ours."""
        ours = [s for s in self.snapshots() if s["commitUser"] == COMMIT_USER]
        return ours[-1] if ours else None

    def offsets(self):
        """{(partition id or None, bucket): end offset} of the newest snapshot of ours, of buckets with rows."""
        return {place: end for place, end in self.all_offsets().items() if end}

    def all_offsets(self):
        """The same of all buckets that the snapshot says something of: what the document says that it names."""
        snapshot = self.tiered()
        if snapshot is None:
            return {}
        document = json.loads(local_path(snapshot["properties"]["fluss-offsets"]).read_text())
        assert document["version"] == 1
        lists = {None: document.get("bucket_offsets", [])}
        for partition in document.get("partition_offsets", []):
            lists[partition["partition_id"]] = partition["bucket_offsets"]
        return {(p, b): end for p, ends in lists.items() for b, end in enumerate(ends) if end >= 0}

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
