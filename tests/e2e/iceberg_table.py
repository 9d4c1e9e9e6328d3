"""Iceberg catalogs of each kind, and their tables as readers see them that know nothing of ours."""

import json
import sqlite3
import subprocess
import urllib.request
from pathlib import Path

from lake_table import COMMIT_USER, LakeTable, arrow_tables, java_program, local_path, printed_rows
from server import ROOT

PYTHON = ROOT / "build/deps/venv-iceberg/bin/python"
PROGRAMS = ["iceberg/ReadIceberg", "iceberg/RestServer", "lake/LakeText"]
NAME = "fluss-iceberg-catalog"
SECRET = "sesame-open"


class Catalog:
    """Its options as Java's Iceberg and our server take them."""

    def __init__(self, **options):
        self.options = options

    def server_options(self):
        options = {f"datalake.iceberg.{key}": value for key, value in self.options.items()}
        return {"datalake.format": "iceberg", **options}

    def python_options(self):
        return self.options

    def metadata_file(self, database, table):
        """The metadata file of the table, or None when there is no table."""
        raise NotImplementedError

    def start(self):
        return self

    def stop(self):
        pass


class HadoopCatalog(Catalog):
    def __init__(self, folder):
        super().__init__(type="hadoop", warehouse=str(folder / "lake"))

    def metadata_file(self, database, table):
        folder = Path(self.options["warehouse"], database, table, "metadata")
        files = folder.glob("v*.metadata.json")
        return max(files, key=lambda path: int(path.name[1:].partition(".")[0]), default=None)


def sql_metadata_location(database, **where):
    """What an SQLite catalog says of a table, or None."""
    if not database.exists():
        return None
    query = "SELECT metadata_location FROM iceberg_tables WHERE " + " AND ".join(f"{key} = ?" for key in where)
    connection = sqlite3.connect(database)
    try:
        row = connection.execute(query, list(where.values())).fetchone()
    except sqlite3.OperationalError:  # it has no tables yet
        return None
    finally:
        connection.close()
    return row and row[0]


class JdbcCatalog(Catalog):
    def __init__(self, folder):
        self.database = folder / "catalog.db"
        super().__init__(type="jdbc", uri=f"jdbc:sqlite:{self.database}", warehouse=str(folder / "lake"))

    def python_options(self):
        return {**self.options, "type": "sql", "uri": f"sqlite:///{self.database}", "name": NAME}

    def metadata_file(self, database, table):
        found = sql_metadata_location(
            self.database, catalog_name=NAME, table_namespace=database, table_name=table
        )
        return found and local_path(found)


class RestCatalog(Catalog):
    """A service of its own (iceberg/RestServer.java), which wants tokens."""

    def __init__(self, folder):
        self.folder = folder
        self.process = None
        super().__init__(type="rest", credential=f"me:{SECRET}")

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        # An answer's two pieces go at once.
        command = java_program("RestServer", "java-iceberg", PROGRAMS, ["-Dsun.net.httpserver.nodelay=true"])
        command += [f"uri=jdbc:sqlite:{self.folder}/rest.db", f"warehouse={self.folder}/lake", "prefix=a-lake"]
        with open(self.folder / "rest-log", "ab") as log:
            command.append(f"credential={self.options['credential']}")
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        line = self.process.stdout.readline()
        assert line.strip().isdigit(), (self.folder / "rest-log").read_text()
        self.options["uri"] = f"http://127.0.0.1:{int(line)}"
        return self

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def post(self, path, body=""):
        request = urllib.request.Request(f"{self.options['uri']}/{path}", body.encode(), method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read()

    def faults(self, *words):
        """What happens to the next commits, one word each; see iceberg/RestServer.java."""
        self.post("test/faults", " ".join(words))

    def expire_tokens(self):
        self.post("test/expire")

    def metadata_file(self, database, table):
        found = sql_metadata_location(self.folder / "rest.db", table_namespace=database, table_name=table)
        return found and local_path(found)


CATALOGS = {"hadoop": HadoopCatalog, "jdbc": JdbcCatalog, "rest": RestCatalog}


def python_rows(*tables, snapshot=None, reader="pyiceberg"):
    """Rows of tables of one catalog as pyiceberg, or DuckDB, reads them: an Arrow table of each."""
    suffix = "" if snapshot is None else f"@{snapshot}"
    options = json.dumps({**tables[0].catalog.python_options(), "reader": reader})
    command = [PYTHON, ROOT / "tests/e2e/iceberg/read_iceberg.py", options]
    return arrow_tables(command + [table.name + suffix for table in tables], len(tables))


def java_rows(*tables, snapshot=None):
    """Rows of tables of one catalog as the Java library reads them: canonical, of each a list."""
    suffix = "" if snapshot is None else f"@{snapshot}"
    command = java_program("ReadIceberg", "java-iceberg", PROGRAMS)
    command += [f"{key}={value}" for key, value in tables[0].catalog.options.items()]
    return printed_rows(command, [table.name + suffix for table in tables])


class IcebergTable(LakeTable):
    """Rows by pyiceberg; what it can not read (equality deletes) by java_rows. Metadata by its own files."""

    def __init__(self, catalog, database, table):
        self.catalog = catalog
        self.path = database, table
        self.name = f"{database}.{table}"

    def arrow(self, snapshot=None):
        (rows,) = python_rows(self, snapshot=snapshot)
        return rows

    def exists(self):
        return self.catalog.metadata_file(*self.path) is not None

    def metadata(self):
        return json.loads(self.catalog.metadata_file(*self.path).read_text())

    def columns(self):
        metadata = self.metadata()
        (schema,) = [s for s in metadata["schemas"] if s["schema-id"] == metadata["current-schema-id"]]
        return [field["name"] for field in schema["fields"]]

    def snapshots(self):
        """The oldest first."""
        snapshots = self.metadata().get("snapshots", []) if self.exists() else []
        return sorted(snapshots, key=lambda snapshot: snapshot["sequence-number"])

    def tiered(self):
        """The newest snapshot of ours."""
        ours = [s for s in self.snapshots() if s["summary"].get("commit-user") == COMMIT_USER]
        return ours[-1] if ours else None

    def offsets_document(self):
        snapshot = self.tiered()
        return snapshot and snapshot["summary"]["fluss-offsets"]

    def check(self):
        """What must hold of every table that we write."""
        metadata = self.metadata()
        assert metadata["format-version"] == 2
        assert all(column in self.columns()[-3:] for column in ("__bucket", "__offset", "__timestamp"))
        numbers = [snapshot["sequence-number"] for snapshot in self.snapshots()]
        assert numbers == sorted(set(numbers)) and (not numbers or numbers[-1] <= metadata["last-sequence-number"])
        for snapshot in self.snapshots():
            assert local_path(snapshot["manifest-list"]).exists()
            if snapshot["summary"].get("commit-user") == COMMIT_USER:
                assert "fluss-offsets" in snapshot["summary"]
