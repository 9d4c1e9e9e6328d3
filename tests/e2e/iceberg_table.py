"""Iceberg catalogs of each kind, and their tables as readers see them that know nothing of ours."""

import itertools
import json
import sqlite3
import subprocess
import urllib.request
from pathlib import Path

import pyarrow as pa

from lake_table import COMMIT_USER, LakeTable, arrow_tables, canonical_rows, java_program, local_path, ordered
from lake_table import printed_lakes
from server import ROOT

PYTHON = ROOT / "build/deps/venv-iceberg/bin/python"
PROGRAMS = ["iceberg/CopiedStore", "iceberg/ReadIceberg", "iceberg/RestServer", "lake/LakeText"]
NAME = "fluss-iceberg-catalog"
SECRET = "sesame-open"
ROWS_MAX = 10_000  # of a table that is read when all tests are over


class Catalog:
    """Its options as Java's Iceberg and our server take them."""

    made = []  # all of them

    def __init__(self, **options):
        self.options = options
        Catalog.made.append(self)

    def server_options(self):
        options = {f"datalake.iceberg.{key}": value for key, value in self.options.items()}
        return {"datalake.format": "iceberg", **options}

    def java_options(self):
        return self.options

    def python_options(self):
        return self.options

    def metadata_file(self, database, table):
        """The metadata file of the table, or None when there is no table."""
        raise NotImplementedError

    def left(self):
        """Its tables when nothing runs any more."""
        return []

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

    def left(self):
        folders = Path(self.options["warehouse"]).glob("*/*/metadata")
        return [IcebergTable(self, *folder.parts[-3:-1]) for folder in sorted(folders)]


def sql_tables(database, **where):
    """The tables of an SQLite catalog with such values: (namespace, name, metadata_location) of each."""
    if not database.exists():
        return []
    query = "SELECT table_namespace, table_name, metadata_location FROM iceberg_tables WHERE "
    connection = sqlite3.connect(database)
    try:
        condition = " AND ".join(f"{key} = ?" for key in where)
        return connection.execute(query + condition, list(where.values())).fetchall()
    except sqlite3.OperationalError:  # it has no tables yet
        return []
    finally:
        connection.close()


def sql_metadata_location(database, **where):
    """What an SQLite catalog says of a table, or None."""
    found = sql_tables(database, **where)
    return found[0][2] if found else None


class JdbcCatalog(Catalog):
    def __init__(self, folder, file="catalog.db", **options):
        self.database = folder / file
        super().__init__(type="jdbc", uri=f"jdbc:sqlite:{self.database}", warehouse=str(folder / "lake"), **options)

    def python_options(self):
        return {"name": NAME, **self.options, "type": "sql", "uri": f"sqlite:///{self.database}"}

    def left(self):
        found = sql_tables(self.database, catalog_name=self.options.get("name", NAME))
        return [IcebergTable(self, database, table) for database, table, _ in found]

    def metadata_file(self, database, table):
        found = sql_metadata_location(
            self.database,
            catalog_name=self.options.get("name", NAME),
            table_namespace=database,
            table_name=table,
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

    def left(self):
        """In the catalog below the service."""
        return JdbcCatalog(self.folder, "rest.db", name="rest").left()


CATALOGS = {"hadoop": HadoopCatalog, "jdbc": JdbcCatalog, "rest": RestCatalog}


def by_catalog(tables):
    """Each catalog with those of the tables that are next to each other in it."""
    return [(catalog, list(of_it)) for catalog, of_it in itertools.groupby(tables, key=lambda table: table.catalog)]


def python_rows(*tables, snapshot=None, reader="pyiceberg"):
    """Rows of tables as pyiceberg, or DuckDB, reads them: an Arrow table of each."""
    suffix = "" if snapshot is None else f"@{snapshot}"
    command = [PYTHON, ROOT / "tests/e2e/iceberg/read_iceberg.py"]
    for catalog, of_it in by_catalog(tables):
        command.append(json.dumps({**catalog.python_options(), "reader": reader}))
        command += [table.name + suffix for table in of_it]
    return arrow_tables(command, len(tables))


def java_rows(*tables, snapshot=None, **options):
    """Rows of tables as the Java library reads them: canonical, of each a list. Options: iceberg/ReadIceberg.java."""
    suffix = "" if snapshot is None else f"@{snapshot}"
    command = java_program("ReadIceberg", "java-iceberg", PROGRAMS, ["-XX:TieredStopAtLevel=1"])
    lakes = []
    for catalog, of_it in by_catalog(tables):
        command += [f"{key}={value}" for key, value in {**catalog.java_options(), **options}.items()]
        lakes.append([table.name + suffix for table in of_it])
        command += lakes[-1]
    return printed_lakes(command, lakes)


def without_null_lists(rows, schema):
    """Rows with an empty list of rows in place of none, which pyiceberg cannot tell apart (test_a_list_of_rows)."""
    lists = [f.name for f in schema if pa.types.is_list(f.type) and pa.types.is_struct(f.type.value_type)]
    return [{**row, **{name: row[name] or [] for name in lists}} for row in rows]


def check_what_is_left():
    """Every table of every catalog that tests have left, all the same to each reader that can read it. Tests with many
    rows do that themselves."""
    tables = [table for catalog in list(Catalog.made) for table in catalog.left()]
    tables = [table for table in tables if table.snapshots() and table.total("records") <= ROWS_MAX]
    if not tables:
        return
    by_java = dict(zip(tables, java_rows(*tables)))
    for table in tables:
        table.check()
    not_read = {"pyiceberg": ["equality-deletes"], "duckdb": ["equality-deletes", "position-deletes"]}
    for reader, kinds in not_read.items():
        readable = [table for table in tables if not any(table.total(kind) for kind in kinds)]
        for table, rows in zip(readable, python_rows(*readable, reader=reader)):
            location = table.metadata()["location"]
            assert ordered(canonical_rows(rows)) == ordered(by_java[table]), f"{location} by {reader}"


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

    def total(self, what):
        """Of the newest snapshot."""
        return int(self.snapshots()[-1]["summary"][f"total-{what}"])

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
