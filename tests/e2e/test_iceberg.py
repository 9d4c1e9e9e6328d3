"""Tables that are copied to an Iceberg lake by the server itself, in a catalog of each kind, read with the Java library
of Iceberg, with pyiceberg and with DuckDB."""

import json
import random
import subprocess

import fluss
import pyarrow as pa
import pytest
from fluss import TablePath

import fluss_raw
from command import cli  # noqa: F401
from iceberg_table import CATALOGS, PYTHON, SECRET, IcebergTable, java_rows, python_rows, without_null_lists
from lake_streams import query
from lake_table import SYSTEM_COLUMNS, canonical_rows, ordered
from server import ROOT
from test_kv_pyfluss import write
from test_lake import append_and_kill, change_rows, create, numbered, tiered_to
from test_lake_java import ID, buckets, changes, every_type, new_column, wait
from test_lake_tables import properties_of
from test_pyfluss import TYPES, append, connect, expect_error
from waiting import eventually

# Microseconds are all that the format has.
EXACT = [name for name in TYPES if not name.endswith("(9)")]
POSITIONS = {"table.lakestream.iceberg.deletes": "position"}


@pytest.fixture
def catalog_of(tmp_path):
    """Makes a running catalog of a kind, below `tmp_path`."""
    made = []

    def make(kind):
        made.append(CATALOGS[kind](tmp_path).start())
        return made[-1]

    yield make
    for catalog in made:
        catalog.stop()


@pytest.fixture(params=CATALOGS)
def catalog(request, catalog_of):
    return catalog_of(request.param)


@pytest.fixture
def iceberg_server(new_server):
    """Makes servers with a lake in a catalog that is looked after ten times a second."""

    def make(catalog, **options):
        settings = {**catalog.server_options(), "lakestream.tiering.heartbeat-interval": "100 ms"}
        settings.update({key.replace("__", "."): value for key, value in options.items()})
        return new_server(options=settings).start()

    return make


def tables_of(catalog, database="fluss"):
    return lambda name="t": IcebergTable(catalog, database, name)


def without_system_columns(rows):
    return [{key: value for key, value in row.items() if key not in SYSTEM_COLUMNS} for row in rows]


def sorted_rows(table):
    return sorted(table.rows(), key=lambda row: row["id"])


async def days(connection, lake, name, keys):
    """Two partitions of a text."""
    schema = pa.schema([ID, pa.field("day", pa.utf8(), nullable=False), ("name", pa.utf8())])
    table = await create(connection, name, schema, keys, partition_keys=["day"])
    written = [{"id": n, "day": day, "name": f"{day} {n}"} for day in ("2026-11-29", "2026-11-30") for n in range(20)]
    partitions = sorted({row["day"] for row in written})
    for day in partitions:
        await connection.get_admin().create_partition(TablePath("fluss", name), {"day": day})
    if keys:
        await write(table.new_upsert().create_writer(), *written)
        for row in written[::3]:
            row["name"] = "new"
        await write(table.new_upsert().create_writer(), *written[::3])
    else:
        await append(table, written)
    await wait(connection, lake, name, partitions)
    return pa.Table.from_pylist(written, schema)


@pytest.mark.time_limit(300)
async def test_rows(iceberg_server, catalog, cli, subtests):  # noqa: F811
    """Java reads every table, pyiceberg and DuckDB those without deletes; a second snapshot of some has old columns."""
    server = iceberg_server(catalog)
    lake = tables_of(catalog)
    alter = lambda table: cli("table", "alter", table, "ADD COLUMN more BIGINT", address=server.address)  # noqa: E731
    written = {}
    async with connect(server) as connection:
        written["types"] = await every_type(connection, lake, "types", EXACT, adapt=without_null_lists)
        written["buckets"] = await buckets(connection, lake, "buckets")
        written["days"] = await days(connection, lake, "days", None)
        written["evolving"] = await new_column(connection, lake, "evolving", alter, None)
        appended = list(written)
        written["keyed_types"] = await every_type(connection, lake, "keyed_types", EXACT, ["id"])
        written["changes"] = await changes(connection, lake, "changes")
        written["keyed_days"] = await days(connection, lake, "keyed_days", ["id", "day"])
        written["keyed_evolving"] = await new_column(connection, lake, "keyed_evolving", alter, ["id"])
    tables = {name: lake(name) for name in written}
    by_java = dict(zip(tables, java_rows(*tables.values(), conditions="check")))
    for name, table in written.items():
        with subtests.test(name):
            tables[name].check()
            assert ordered(without_system_columns(by_java[name])) == ordered(canonical_rows(table))
            assert all(row[column] is not None for row in by_java[name] for column in SYSTEM_COLUMNS)
    for reader in ("pyiceberg", "duckdb"):
        found = python_rows(*(tables[name] for name in appended), reader=reader)
        for name, table in zip(appended, found):
            with subtests.test(f"{name} as {reader} reads it"):
                assert ordered(canonical_rows(table)) == ordered(by_java[name])


def test_a_list_of_rows(tmp_path):
    """pyiceberg reads no list of rows as an empty one, of its own tables, too; docs/operations.md says so. When this
    changes, `without_null_lists` is needed no more."""
    command = [PYTHON, ROOT / "tests/e2e/iceberg/list_of_rows.py", tmp_path]
    done = subprocess.run(command, capture_output=True, check=True)
    assert json.loads(done.stdout) == {"written": [None, [], [{"x": 1}]], "read": [[], [], [{"x": 1}]]}


@pytest.mark.time_limit(120)
async def test_position_deletes(iceberg_server, catalog):
    """Tables with keys for readers that know no equality deletes."""
    lake = tables_of(catalog)
    rng = random.Random(3)
    async with connect(iceberg_server(catalog)) as connection:
        schema = pa.schema([ID, ("name", pa.utf8())])
        table = await create(connection, "t", schema, ["id"], POSITIONS, bucket_count=2)
        model = {}
        for _ in range(4):
            await change_rows(table, rng, model, changes=60, keys=50)
            await wait(connection, lake, "t", buckets=range(2))
            rows = lake().rows()
            assert {row["id"]: row["name"] for row in rows} == model
            assert len(rows) == len(model)
    (by_java,) = java_rows(lake())
    assert ordered(by_java) == ordered(canonical_rows(lake().arrow()))
    lake().check()


async def test_kills(iceberg_server, catalog):
    """kill -9 at any time: no row is in the lake twice, none is missing."""
    lake = tables_of(catalog)
    count = await append_and_kill(iceberg_server(catalog), lake, rounds=6)
    assert sorted_rows(lake()) == numbered(0, count)


async def test_refused(iceberg_server, catalog):
    """A table that the lake has, and is not empty, is not taken."""
    server = iceberg_server(catalog)
    lake = tables_of(catalog)
    async with connect(server) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
        await connection.get_admin().drop_table(TablePath("fluss", "t"))
        await expect_error(fluss.ErrorCode.LAKE_TABLE_ALREADY_EXIST, create(connection), "fluss", "t")
        assert sorted_rows(lake()) == numbered(0, 10)


# --- others ---------------------------------------------------------------------------------------------------------


class OtherWriter:
    """pyiceberg, which appends rows and expires snapshots in a loop (iceberg/write_iceberg.py)."""

    def __init__(self, table):
        self.ids = []
        options = json.dumps(table.catalog.python_options())
        command = [PYTHON, ROOT / "tests/e2e/iceberg/write_iceberg.py", options, table.name]
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def wait(self):
        """Until it has committed one more row."""
        self.ids.append(int(self.process.stdout.readline()))

    def stop(self):
        """The ids of the rows that it has committed."""
        self.process.stdin.close()
        rest = [int(line) for line in self.process.stdout]
        assert self.process.wait() == 0
        return self.ids + rest


@pytest.mark.time_limit(180)
@pytest.mark.parametrize("kind", ["jdbc", "rest"])
async def test_another_writer(iceberg_server, catalog_of, kind, cli, monkeypatch):  # noqa: F811
    """Who writes and expires at the same time loses nothing, and we lose nothing, whatever files they are."""
    monkeypatch.setenv("LAKESTREAM_ICEBERG_CREDENTIAL", f"me:{SECRET}")  # which clients are not told
    catalog = catalog_of(kind)
    lake = tables_of(catalog)
    server = iceberg_server(catalog)
    async with connect(server) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
        other = OtherWriter(lake())
        for begin in range(10, 110, 10):
            await append(table, numbered(begin, begin + 10))
            other.wait()
            eventually(lambda: lake().offsets() == {(None, 0): begin + 10}, "rows in the lake", 60)
        theirs = other.stop()
        await append(table, numbered(110, 120))
        tiered_to(lake(), {0: 120})
        rows = sorted_rows(lake())
        assert [row["id"] for row in rows] == [*range(120), *theirs]
        text = 'SELECT id, name FROM "t$lake" ORDER BY id'
        eventually(lambda: query(server, text) == rows, "the same in SQL")
        assert len(lake().metadata()["snapshots"]) < 12 + len(theirs)
        # A compaction, which goes with a round of rows, makes files of ours of theirs.
        cli("table", "alter", "fluss.t", "SET ('table.datalake.auto-compaction' = 'true')", address=server.address)
        end = 120
        while lake().total("data-files") > 3:
            await append(table, numbered(end, end + 10))
            end += 10
            tiered_to(lake(), {0: end})
        assert sorted_rows(lake()) == sorted([*rows, *numbered(120, end)], key=lambda row: row["id"])


# --- a REST catalog that fails ----------------------------------------------------------------------------------------


@pytest.mark.time_limit(120)
@pytest.mark.parametrize("fault", ["409", "500", "503", "500-done", "lost", "lost-done"])
async def test_commits_that_fail(iceberg_server, catalog_of, fault):
    """A refusal, an error and no answer at all, whether the commit was done or not: each row is there once."""
    catalog = catalog_of("rest")
    lake = tables_of(catalog)
    async with connect(iceberg_server(catalog)) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
        catalog.faults(fault)
        await append(table, numbered(10, 20))
        tiered_to(lake(), {0: 20})
        catalog.faults(fault, fault, "ok", fault)
        for begin in (20, 30):
            await append(table, numbered(begin, begin + 10))
            tiered_to(lake(), {0: begin + 10})
    assert sorted_rows(lake()) == numbered(0, 40)


async def test_tokens(iceberg_server, catalog_of):
    """An expired token is replaced; secrets are neither in the log nor in what clients are told."""
    catalog = catalog_of("rest")
    lake = tables_of(catalog)
    server = iceberg_server(catalog)
    async with connect(server) as connection:
        table = await create(connection)
        for begin in range(0, 30, 10):
            await append(table, numbered(begin, begin + 10))
            tiered_to(lake(), {0: begin + 10})
            catalog.expire_tokens()
    with fluss_raw.connect(server.address) as raw:
        told = properties_of(raw, "fluss", "t")
        assert told["table.datalake.iceberg.uri"] == catalog.options["uri"] and SECRET not in str(told)
    assert sorted_rows(lake()) == numbered(0, 30)
    assert SECRET not in server.log.read_text()


async def test_a_catalog_that_is_away(iceberg_server, catalog_of):
    """Rows are taken and read all the same; the log says what does not answer, and what to look at."""
    catalog = catalog_of("rest")
    server = iceberg_server(catalog)
    async with connect(server) as connection:
        table = await create(connection)
        catalog.stop()
        await append(table, numbered(0, 10))
        eventually(lambda: b"no answer" in server.log.read_bytes(), "a warning")
        assert "datalake.iceberg.uri" in server.log.read_text() and catalog.options["uri"] in server.log.read_text()
        with pytest.raises(fluss.FlussError):
            await create(connection, "other")
