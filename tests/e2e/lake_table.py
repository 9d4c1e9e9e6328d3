"""Lake tables as readers see them that know nothing of ours."""

import json
import subprocess
import urllib.parse
from pathlib import Path

import pyarrow as pa

from server import ROOT

PYTHON = ROOT / "build/deps/venv-lake/bin/python"
SYSTEM_COLUMNS = ["__bucket", "__offset", "__timestamp"]
COMMIT_USER = "__fluss_lake_tiering"


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
        command = [PYTHON, ROOT / "tests/e2e/lake/read_paimon.py", self.warehouse, self.name]
        if snapshot is not None:
            command.append(str(snapshot))
        done = subprocess.run([str(part) for part in command], capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr.decode()
        return pa.ipc.open_stream(done.stdout).read_all()

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
        """{(partition id or None, bucket): end offset} of the newest snapshot of ours, from the document it names."""
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
