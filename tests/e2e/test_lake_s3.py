"""A lake in an S3-compatible store, beside remote segments and snapshots of keys, while requests to the store fail."""

import contextlib
import json
import random
import re

import pyarrow as pa
import pytest
from fluss import TablePath

from iceberg_table import NAME, Catalog, IcebergTable, java_rows, sql_metadata_location
from lake_streams import query
from lake_table import PaimonTable, ordered
from object_store import KEY, REGION, SECRET, Flaky
from test_iceberg import POSITIONS, sorted_rows
from test_lake import SIMPLE, change_rows, create, numbered
from test_lake_formats import model_rows
from test_lake_java import ID
from test_pyfluss import append, connect
from test_s3 import store  # noqa: F401
from waiting import eventually

WAREHOUSE = "s3://lake/warehouse"
REMOTE = {
    "kv.snapshot.interval": "300ms",
    "log.segment.file-size": "8kb",
    "remote.log.task-interval-duration": "100ms",
    "lakestream.tiering.heartbeat-interval": "100 ms",
}


class InStore:
    """What is read in the store may be gone when it is looked at: then there is something newer."""

    def read_text(self, path):
        return self.store.read(path).decode()

    def offsets(self):
        while True:
            with contextlib.suppress(FileNotFoundError):
                return super().offsets()


class PaimonInStore(InStore, PaimonTable):
    """Read from a copy: its metadata names files without their folder."""

    def __init__(self, store, folder, table):
        super().__init__(folder / "copy", "fluss", table)
        self.store = store

    def copy(self):
        (self.folder / "snapshot/LATEST").unlink(missing_ok=True)
        self.store.download("lake", "warehouse/", self.warehouse)

    def arrow(self, snapshot=None):
        self.copy()
        return super().arrow(snapshot)

    def offsets_document(self):
        self.copy()
        return super().offsets_document()


class IcebergInStore(InStore, IcebergTable):
    """Read by pyiceberg where it is."""

    def __init__(self, store, catalog, table):
        super().__init__(catalog, "fluss", table)
        self.store = store

    def metadata(self):
        return json.loads(self.read_text(self.catalog.metadata_file(*self.path)))


class CatalogInStore(Catalog):
    """What readers need for the store is not what the server is told."""

    def __init__(self, store, folder, **options):
        super().__init__(warehouse=WAREHOUSE, **options)
        self.store = store
        self.folder = folder

    def java_options(self):
        """Its library is without what it takes to read from S3: it gets a copy."""
        self.store.download("lake", "", self.folder / "copy/lake")
        copied = {"hadoop.fs.s3.impl": "CopiedStore", "hadoop.copied.store": str(self.folder / "copy")}
        return {**self.options, **copied}

    def python_options(self):
        keys = {"s3.access-key-id": KEY, "s3.secret-access-key": SECRET, "s3.region": REGION}
        return {**self.options, **keys, "s3.endpoint": self.store.endpoint}


class HadoopInStore(CatalogInStore):
    def __init__(self, store, folder):
        super().__init__(store, folder, type="hadoop")

    def metadata_file(self, database, table):
        pattern = re.compile(rf"warehouse/{database}/{table}/metadata/v(\d+)\.metadata\.json")
        found = [match for match in map(pattern.fullmatch, self.store.names("lake")) if match]
        newest = max(found, key=lambda match: int(match[1]), default=None)
        return newest and f"s3://lake/{newest[0]}"


class JdbcInStore(CatalogInStore):
    def __init__(self, store, folder):
        self.database = folder / "catalog.db"
        super().__init__(store, folder, type="jdbc", uri=f"jdbc:sqlite:{self.database}")

    def python_options(self):
        return {**super().python_options(), "type": "sql", "uri": f"sqlite:///{self.database}", "name": NAME}

    def metadata_file(self, database, table):
        return sql_metadata_location(self.database, table_namespace=database, table_name=table)


def lake_of(kind, store, folder):  # noqa: F811
    """The options of the server, and what gives its tables."""
    if kind == "paimon":
        options = {"datalake.format": "paimon", "datalake.paimon.warehouse": WAREHOUSE}
        return options, lambda name: PaimonInStore(store, folder / name, name)
    catalog = {"hadoop": HadoopInStore, "jdbc": JdbcInStore}[kind](store, folder)
    return catalog.server_options(), lambda name: IcebergInStore(store, catalog, name)


@pytest.mark.time_limit(300)
@pytest.mark.parametrize("kind", ["paimon", "hadoop", "jdbc"])
async def test_a_store_that_fails(new_server, store, tmp_path, kind):  # noqa: F811
    """Every tenth request fails, some after they were done, and the server is killed: each row is in the lake once."""
    flaky = Flaky(store, seed=7)
    lake_options, table_of = lake_of(kind, store, tmp_path)
    options = {**REMOTE, **store.options("s3://lake/remote"), **lake_options, "s3.endpoint": flaky.endpoint}
    server = new_server(options=options).start()
    rng = random.Random(9)
    model = {}
    count = 0
    in_lake = table_of("log"), table_of("keyed")
    keyed_properties = {} if kind == "paimon" else POSITIONS
    try:
        for round in range(6):
            async with connect(server) as connection:
                if round == 0:
                    await create(connection, "log", SIMPLE)
                    schema = pa.schema([ID, ("name", pa.utf8())])
                    await create(connection, "keyed", schema, ["id"], keyed_properties)
                flaky.share = 0.1
                log = await connection.get_table(TablePath("fluss", "log"))
                await append(log, numbered(count, count + 300))
                count += 300
                keyed = await connection.get_table(TablePath("fluss", "keyed"))
                await change_rows(keyed, rng, model, changes=100, keys=60)
            before = in_lake[0].offsets()
            if round % 2:
                server.kill()
                server.start()
            eventually(lambda: in_lake[0].offsets() != before, "progress", 60)  # noqa: B023
        eventually(lambda: flaky.failed > 20, "failures")
        flaky.share = 0
        eventually(lambda: in_lake[0].offsets() == {(None, 0): count}, "all rows in the lake", 60)
        # pyiceberg believes the hint of a table in folders, which is written behind the table.
        eventually(lambda: sorted_rows(in_lake[0]) == numbered(0, count), "all rows")

        def has_all_keys():
            rows = in_lake[1].rows()
            return len(rows) == len(model) and {row["id"]: row["name"] for row in rows} == model

        eventually(has_all_keys, "all keys in the lake", 60)
        if kind != "paimon":
            for rows, expected in zip(java_rows(*in_lake), (numbered(0, count), model_rows(model))):
                found = [{"id": row["id"], "name": row["name"]} for row in rows]
                assert ordered(found) == ordered(expected)
        names = store.names("lake")
        assert any(name.startswith("remote/log/") for name in names), names
        assert any(name.startswith("remote/kv/") for name in names), names
    finally:
        flaky.stop()


async def test_read_in_sql(new_server, store, tmp_path, monkeypatch):  # noqa: F811
    """Tables of both formats, by a command that has its keys from the environment; it says nothing else."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    options = {**REMOTE, **store.options("s3://lake/remote")}
    tables = {}
    for format, kind in (("iceberg", "hadoop"), ("paimon", "paimon")):
        lake, table_of = lake_of(kind, store, tmp_path)
        options |= lake | {f"datalake.{format}.s3.endpoint": store.endpoint}
        tables[format] = table_of(format)
    server = new_server(options=options).start()
    async with connect(server) as connection:
        for format, lake in tables.items():
            table = await create(connection, format, properties={"table.datalake.format": format})
            await append(table, numbered(0, 100))
            eventually(lambda: lake.offsets() == {(None, 0): 100}, "all rows in the lake")  # noqa: B023
            await append(table, numbered(100, 110))
            assert query(server, f"SELECT id, name FROM {format} ORDER BY id") == numbered(0, 110)
            eventually(lambda: sorted_rows(lake) == numbered(0, 110), "all rows as others read them")  # noqa: B023
