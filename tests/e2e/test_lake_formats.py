"""A server with lakes of two formats: each table is in that of its own, and everything works for both at once."""

import json
import random

import pyarrow as pa
import pytest

import fluss_raw
import iceberg_table
import lake_table
from command import cli  # noqa: F401
from iceberg_table import CATALOGS, IcebergTable
from lake_streams import query
from lake_table import PaimonTable
from test_cluster import alter_table
from test_kv_pyfluss import lookup_all
from test_lake import change_rows, create, numbered
from test_lake_java import ID
from test_lake_tables import properties_of
from test_pyfluss import append, connect
from waiting import eventually

SCHEMA = pa.schema([ID, ("name", pa.utf8())])
FORMATS = ["paimon", "iceberg"]


@pytest.fixture
def lakes(tmp_path):
    """The tables of each format."""
    catalog = CATALOGS["hadoop"](tmp_path / "iceberg")
    return {
        "paimon": lambda name: PaimonTable(tmp_path / "paimon", "fluss", name),
        "iceberg": lambda name: IcebergTable(catalog, "fluss", name),
    }


@pytest.fixture(params=FORMATS)
def server(request, new_server, tmp_path):
    """One whose tables get this format when they do not say which."""
    options = {
        **CATALOGS["hadoop"](tmp_path / "iceberg").server_options(),
        "datalake.paimon.warehouse": tmp_path / "paimon",
        "datalake.format": request.param,
        "lakestream.tiering.heartbeat-interval": "100 ms",
        "remote.data.dir": tmp_path / "remote",
    }
    return new_server(options=options).start()


def of_format(format):
    return {"table.datalake.format": format, "table.lakestream.iceberg.deletes": "position"}


def java_rows(format, table):
    reader = {"paimon": lake_table, "iceberg": iceberg_table}[format]
    (rows,) = reader.java_rows(table)
    return sorted(({"id": row["id"], "name": row["name"]} for row in rows), key=lambda row: row["id"])


def model_rows(model):
    return [{"id": key, "name": model[key]} for key in sorted(model)]


async def changed(tables, models, rng):
    for format in FORMATS:
        end = len(models[f"log_{format}"])
        more = numbered(end, end + 100)
        await append(tables[f"log_{format}"], more)
        models[f"log_{format}"].update({row["id"]: row["name"] for row in more})
        await change_rows(tables[f"keyed_{format}"], rng, models[f"keyed_{format}"], changes=200, keys=80)


@pytest.mark.time_limit(180)
async def test_both_at_once(server, lakes, cli):  # noqa: F811
    """Log tables and tables with keys of each format, read by pyfluss, in SQL, and by readers of the formats."""
    rng = random.Random(7)
    tables, models = {}, {}
    async with connect(server) as connection:
        for format in FORMATS:
            properties = of_format(format)
            tables[f"log_{format}"] = await create(
                connection, f"log_{format}", SCHEMA, None, properties, bucket_count=2, bucket_keys=["id"]
            )
            tables[f"keyed_{format}"] = await create(
                connection, f"keyed_{format}", SCHEMA, ["id"], properties, bucket_count=3
            )
        models = {name: {} for name in tables}
        for _ in range(3):
            await changed(tables, models, rng)

        def status():
            rows = json.loads(cli("tiering", "status", "--format", "json", address=server.address))
            return {row["table"].removeprefix("fluss."): row for row in rows}

        def tiered():
            return all(row["behind"] == 0 and row["snapshot"] for row in status().values())

        eventually(tiered, "all of it in the lakes")
        assert {name: row["format"] for name, row in status().items()} == {
            name: name.partition("_")[2] for name in models
        }
        for name, model in models.items():
            format = name.partition("_")[2]
            table = lakes[format](name)
            found = sorted(table.rows(), key=lambda row: row["id"])
            assert found == model_rows(model) == java_rows(format, table), name
            table.check()
            assert query(server, f'SELECT id, name FROM "{name}$lake" ORDER BY id') == model_rows(model)
            others = [other for other in FORMATS if other != format]
            assert not any(lakes[other](name).exists() for other in others)
        server.restart(same_port=True)
        await changed(tables, models, rng)
        for name, model in models.items():
            assert query(server, f"SELECT id, name FROM {name} ORDER BY id") == model_rows(model), name
        both = "SELECT count(*) AS n FROM keyed_paimon p JOIN keyed_iceberg i USING (id)"
        common = models["keyed_paimon"].keys() & models["keyed_iceberg"].keys()
        assert query(server, both) == [{"n": len(common)}]
        for format in FORMATS:
            model = models[f"keyed_{format}"]
            found = await lookup_all(tables[f"keyed_{format}"], [[key] for key in model])
            assert [row["name"] for row in found] == list(model.values())
        first = server.options["datalake.format"]
        await create(connection, "plain", SCHEMA)
    with fluss_raw.connect(server.address) as raw:
        for name, format in {"plain": first, "log_paimon": "paimon", "log_iceberg": "iceberg"}.items():
            properties = properties_of(raw, "fluss", name)
            told = {key.split(".")[2] for key in properties if key.endswith(".warehouse")}
            assert properties["table.datalake.format"] == format and told == {format}


@pytest.mark.time_limit(120)
async def test_a_format_that_goes(new_server, tmp_path):
    """Tables of a format that the server has no more are readable and writable as before; their lake stands still."""
    catalog = CATALOGS["hadoop"](tmp_path / "iceberg")
    paimon = {"datalake.format": "paimon", "datalake.paimon.warehouse": tmp_path / "paimon"}
    server = new_server(options={**catalog.server_options(), **paimon}).start()
    async with connect(server) as connection:
        table = await create(connection, "t", SCHEMA, None, of_format("iceberg"))
        await append(table, numbered(0, 10))
        lake = IcebergTable(catalog, "fluss", "t")
        eventually(lambda: lake.offsets() == {(None, 0): 10}, "rows in the lake")
        for key in list(server.options):
            if key.startswith("datalake.iceberg."):
                del server.options[key]
        server.restart(same_port=True)
        await append(table, numbered(10, 20))
        assert query(server, 'SELECT count(*) AS n FROM "t$changelog"') == [{"n": 20}]
        with fluss_raw.connect(server.address) as raw:
            alter_table(raw, "t", "table.datalake.enabled", "false")
        assert query(server, "SELECT id, name FROM t ORDER BY id") == numbered(0, 20)
    assert len(lake.rows()) == 10


def test_text_of_a_length(server, lakes):
    """CHAR, which pyfluss can not write."""
    rows = [{"id": 1, "c": "abcd"}, {"id": 2, "c": None}]
    batch = fluss_raw.arrow_batch(rows, pa.schema([("id", pa.int32()), ("c", pa.utf8())]))
    columns = [fluss_raw.column("id", "INTEGER"), fluss_raw.column("c", "CHAR", length=4)]
    with fluss_raw.connect(server.address) as raw:
        for format in FORMATS:
            properties = {"table.datalake.enabled": "true", "table.datalake.freshness": "100 ms",
                          "table.datalake.format": format, "table.log.arrow.compression.type": "NONE"}
            raw.produce(raw.create_table("fluss", f"char_{format}", columns, properties=properties), batch.encode())
            table = lakes[format](f"char_{format}")
            eventually(lambda: table.exists() and table.rows() == rows, f"the rows of {format}")  # noqa: B023
