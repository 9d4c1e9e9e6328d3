"""`lakestream sql` over tables that lie partly in the lake: every row once, wherever it is."""

import json
import random
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from fluss import TablePath

import test_kv_pyfluss
import test_pyfluss
from command import REFUSED, SUCCESS
from iceberg_table import HadoopCatalog, without_null_lists
from server import BINARY, module_server
from test_pyfluss import append, connect
from waiting import eventually
from test_sql import all_types, expect_rows, one

WITH = "WITH ('bucket.num' = '2', 'table.datalake.enabled' = 'true', 'table.datalake.freshness' = '1 s'{})"


@pytest.fixture(scope="module", params=["paimon", "iceberg"])
def lake_server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("warehouse")
    warehouse = folder / "lake"
    options = {"datalake.format": "paimon", "datalake.paimon.warehouse": warehouse}
    if request.param == "iceberg":
        options = HadoopCatalog(folder).server_options()
    options["lakestream.tiering.heartbeat-interval"] = "50 ms"
    for server in module_server(request, tmp_path_factory, f"sql_{request.param}", options):
        server.lake, server.warehouse = request.param, warehouse
        yield server


@pytest.fixture
def server(lake_server):
    lake_server.revive()
    yield lake_server
    lake_server.assert_alive()


@pytest.fixture
def sql(server, database):
    def run(text, code=SUCCESS, format="ndjson"):
        done = subprocess.run(
            [str(BINARY), "sql", "--server", server.address, "--database", database, "--format", format, "-c", text],
            capture_output=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == code, done.stderr.decode()
        if code != SUCCESS:
            return done.stderr.decode()
        if format == "arrow":
            return pa.ipc.open_stream(done.stdout).read_all()
        output = done.stdout.decode()
        return [json.loads(line) for line in output.splitlines()] if format == "ndjson" else output

    return run


def tiered(sql, table, offsets):
    """Waits until the readable snapshot of the table has so many offsets in sum."""

    def reached():
        rows = sql(f'SELECT offsets FROM "{table}$lake$snapshots" WHERE readable ORDER BY committed_at DESC LIMIT 1')
        return rows and rows[0]["offsets"] is not None and sum(rows[0]["offsets"].values()) >= offsets

    eventually(reached, f"offsets of {table} up to {offsets} in the lake")


def test_a_log_table(sql):
    """Rows of the lake and of the log behind it, by conditions on either part."""
    sql(f"CREATE TABLE t (id INT, s STRING, amount DECIMAL(10, 2)) {WITH.format('')}")
    sql("INSERT INTO t SELECT i::INT, 'lake', i FROM range(1000) r(i)")
    tiered(sql, "t", 1000)
    sql("INSERT INTO t SELECT i::INT, 'log', i FROM range(1000, 1500) r(i)")
    assert sql("SELECT count(*) AS n, count(DISTINCT id) AS d, sum(amount) AS total FROM t") == [
        {"n": 1500, "d": 1500, "total": sum(range(1500))}
    ]
    assert one(sql("SELECT count(*) FROM t WHERE id >= 990 AND id < 1010")) == 20
    assert sql("SELECT s, count(*) AS n FROM t GROUP BY s ORDER BY s") == [
        {"s": "lake", "n": 1000}, {"s": "log", "n": 500},
    ]  # fmt: skip
    assert one(sql("SELECT count(*) FROM t a JOIN t b USING (id)")) == 1500
    assert one(sql('SELECT count(*) FROM "t$lake"')) >= 1000
    assert one(sql('SELECT count(*) FROM "t$changelog"')) == 1500
    assert sql("SELECT id FROM t WHERE id = 7") == [{"id": 7}]


def test_what_is_read(sql):
    """EXPLAIN names the snapshot, its files, and the offsets behind them."""
    sql(f"CREATE TABLE t (id INT) {WITH.format('')}")
    sql("INSERT INTO t SELECT i::INT FROM range(100) r(i)")
    tiered(sql, "t", 100)
    plan = sql("EXPLAIN SELECT id FROM t WHERE id = 7", format="csv")
    assert "lake snapshot" in plan and "rows and" in plan and "READ_PARQUET" in plan
    assert "log: 0 rows of 2 buckets" in plan
    (snapshot,) = sql('SELECT * FROM "t$lake$snapshots" ORDER BY committed_at DESC LIMIT 1')
    assert snapshot["total_rows"] == 100 and snapshot["readable"] is True and snapshot["operation"]
    assert set(snapshot["offsets"]) <= {"0", "1"} and sum(snapshot["offsets"].values()) == 100
    assert snapshot["committed_at"].endswith("Z") and snapshot["file_count"] >= 1


def test_a_primary_key_table(sql):
    """Updates, deletes and new keys behind the snapshot decide; the others come from the lake."""
    sql(f"CREATE TABLE t (id INT, s STRING, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) {WITH.format('')}")
    sql("INSERT INTO t SELECT i::INT, 'lake', i FROM range(500) r(i)")
    tiered(sql, "t", 500)
    sql("INSERT INTO t SELECT i::INT, 'changed', i + 1000 FROM range(400, 600) r(i)")
    assert sql("SELECT s, count(*) AS rows, sum(n) AS n FROM t GROUP BY s ORDER BY s") == [
        {"s": "changed", "rows": 200, "n": sum(range(1400, 1600))}, {"s": "lake", "rows": 400, "n": sum(range(400))},
    ]  # fmt: skip
    assert sql("SELECT s FROM t WHERE id = 450") == [{"s": "changed"}]
    assert sql("SELECT s FROM t WHERE id = 450 AND s = 'lake'") == []
    assert one(sql("SELECT count(*) FROM t")) == 600


def test_keys_are_looked_up(sql):
    """Rows whose keys are named come from the servers, wherever the table lies; each reference by its own keys."""
    sql(f"CREATE TABLE t (id INT, s STRING, PRIMARY KEY (id) NOT ENFORCED) {WITH.format('')}")
    sql("INSERT INTO t SELECT i::INT, 'lake' FROM range(100) r(i)")
    tiered(sql, "t", 100)
    sql("INSERT INTO t VALUES (7, 'log')")
    query = "SELECT id, s FROM t WHERE id IN (7, 8, 700) ORDER BY id"
    assert sql(query) == [{"id": 7, "s": "log"}, {"id": 8, "s": "lake"}]
    plan = sql(f"EXPLAIN {query}", format="csv")
    assert "looked up by 3 keys" in plan and "lake snapshot" not in plan
    assert "looked up by 3 keys" in sql(f"EXPLAIN ANALYZE {query}", format="csv")
    both = "SELECT a.id AS a, b.s AS b FROM t a, t b WHERE a.id = 7 AND b.id BETWEEN 6 AND 7 ORDER BY b.id"
    assert sql(both) == [{"a": 7, "b": "lake"}, {"a": 7, "b": "log"}]
    twice = "WITH r AS MATERIALIZED (SELECT * FROM t) SELECT count(*) AS n FROM r a JOIN r b USING (id) WHERE a.id < 50"
    assert sql(twice) == [{"n": 50}]


async def test_layers_of_the_lake(server, database, sql):
    """Rows of keys that several files of a bucket hold, with deletes among them, are those of a plain model."""
    chance = random.Random(5)
    sql(f"CREATE TABLE t (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) {WITH.format('')}")
    model = {}
    async with connect(server) as connection:
        table = await connection.get_table(TablePath(database, "t"))
        writer = table.new_upsert().create_writer()
        for step in range(6):
            for _ in range(40):
                key = chance.randrange(step * 20, step * 20 + 60)
                if key in model and chance.random() < 0.4:
                    writer.delete({"id": key})
                    del model[key]
                else:
                    writer.upsert({"id": key, "v": step})
                    model[key] = step
            await writer.flush()
            assert {row["id"]: row["v"] for row in sql("SELECT * FROM t")} == model
            (changes,) = sql('SELECT count(*) AS n FROM "t$changelog"')
            tiered(sql, "t", changes["n"])
            for name in ("t", '"t$lake"'):
                assert {row["id"]: row["v"] for row in sql(f"SELECT * FROM {name}")} == model, name
    assert one(sql("SELECT count(*) FROM t WHERE v = 3")) == sum(v == 3 for v in model.values())


def ways(sql, query):
    """How many files the plan says are read in which way."""
    (line,) = [line for line in sql(f"EXPLAIN {query}", format="csv").splitlines() if "lake snapshot" in line]
    line = line.strip('"').partition(" bytes: ")[2].partition(";")[0]
    return {way: int(count) for count, _, way in (part.partition(" ") for part in line.split(", "))} if line else {}


async def test_ways_of_files(server, database, sql):
    """Files are read as they are where no key has a newer version; only those that have newer ones are merged."""
    as_they_are, below, merged = "as they are", "without changed keys", "merged by key"
    sql(f"CREATE TABLE t (id INT, day STRING, v INT, PRIMARY KEY (id, day) NOT ENFORCED) PARTITIONED BY (day) "
        f"{WITH.format('')}")  # fmt: skip
    for day in "12":
        sql(f"ALTER TABLE t ADD PARTITION (day = '{day}')")
        sql(f"INSERT INTO t SELECT i::INT, '{day}', 0 FROM range(50) r(i)")
    model = {(i, day): 0 for i in range(50) for day in "12"}

    def copy_to_lake():
        """All of it, and nothing of what comes next."""
        (changes,) = sql('SELECT count(*) AS n FROM "t$changelog"')
        sql("ALTER TABLE t SET ('table.datalake.freshness' = '1 s')")
        tiered(sql, "t", changes["n"])
        sql("ALTER TABLE t SET ('table.datalake.freshness' = '1 h')")

    def check():
        rows = sql("SELECT * FROM t")
        assert len(rows) == len(model) and {(row["id"], row["day"]): row["v"] for row in rows} == model
        assert one(sql("SELECT sum(v) FROM t")) == sum(model.values())
        assert sql("SELECT day, count(*) AS n FROM t WHERE id < 10 GROUP BY day ORDER BY day") == [
            {"day": day, "n": sum(d == day and i < 10 for i, d in model)} for day in "12"
        ]

    copy_to_lake()
    check()
    assert set(ways(sql, "SELECT * FROM t")) == {as_they_are}
    sql("INSERT INTO t VALUES (7, '2', 1), (70, '2', 1)")
    model |= {(7, "2"): 1, (70, "2"): 1}
    check()
    assert set(ways(sql, "SELECT * FROM t")) == {as_they_are, below}
    assert set(ways(sql, "SELECT * FROM t WHERE day = '1'")) == {as_they_are}
    async with connect(server) as connection:
        writer = (await connection.get_table(TablePath(database, "t"))).new_upsert().create_writer()
        for id in (7, 8):
            writer.delete({"id": id, "day": "2"})
            del model[id, "2"]
        await writer.flush()
    check()
    copy_to_lake()
    check()
    assert set(ways(sql, "SELECT * FROM t")) == {as_they_are, below, merged}
    assert set(ways(sql, 'SELECT * FROM "t$lake"')) == {as_they_are, below, merged}
    sql("INSERT INTO t VALUES (8, '2', 5), (9, '1', 5)")
    model |= {(8, "2"): 5, (9, "1"): 5}
    check()
    assert set(ways(sql, "SELECT * FROM t")) >= {below, merged}


async def test_deleted_keys_are_gone(server, database, sql):
    """A key that is deleted behind the snapshot has no row, and one that is written again has the new one."""
    sql(f"CREATE TABLE t (id INT, s STRING, PRIMARY KEY (id) NOT ENFORCED) {WITH.format('')}")
    sql("INSERT INTO t SELECT i::INT, 'lake' FROM range(20) r(i)")
    tiered(sql, "t", 20)
    async with connect(server) as connection:
        table = await connection.get_table(TablePath(database, "t"))
        writer = table.new_upsert().create_writer()
        for i in (3, 4, 5):
            writer.delete({"id": i})
        await writer.flush()
        await test_kv_pyfluss.write(writer, {"id": 4, "s": "new"}, {"id": 30, "s": "new"})
        writer.delete({"id": 30})
        await writer.flush()
    wanted = {i: "lake" for i in range(20) if i not in (3, 5)} | {4: "new"}
    assert {row["id"]: row["s"] for row in sql("SELECT * FROM t")} == wanted


def test_tiering_goes_on_under_queries(sql):
    """While rows are written and copied, a count is never less than what was acknowledged, and no row comes twice."""
    chance = random.Random(3)
    sql(f"CREATE TABLE t (id INT, k INT) {WITH.format('')}")
    sql(f"CREATE TABLE u (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) {WITH.format('')}")
    model = {}
    rows = 0
    for round in range(12):
        count = chance.randrange(1, 60)
        sql(f"INSERT INTO t SELECT (i + {rows})::INT, {round} FROM range({count}) r(i)")
        rows += count
        changed = {chance.randrange(100): round for _ in range(20)}
        sql("INSERT INTO u VALUES " + ", ".join(f"({k}, {v})" for k, v in changed.items()))
        model |= changed
        assert sql("SELECT count(*) AS n, count(DISTINCT id) AS d FROM t") == [{"n": rows, "d": rows}]
        assert {row["id"]: row["v"] for row in sql("SELECT * FROM u")} == model
    tiered(sql, "t", rows)
    assert sql("SELECT count(*) AS n, count(DISTINCT id) AS d FROM t") == [{"n": rows, "d": rows}]
    assert {row["id"]: row["v"] for row in sql("SELECT * FROM u")} == model


async def test_every_type(server, database, sql):
    """Extremes and nulls of every type come out of the lake as they came out of the log."""
    schema, all_rows = all_types()
    rows = without_null_lists(all_rows, schema) if server.lake == "iceberg" else all_rows
    properties = {"table.datalake.enabled": "true", "table.datalake.freshness": "1 s"}
    async with connect(server) as connection:
        table = await test_pyfluss.create(connection, database, "t", schema, bucket_count=1, properties=properties)
        await append(table, rows)
        tiered(sql, "t", len(rows))
        expect_rows(sql("SELECT * FROM t", format="arrow"), rows)
        # Without those that the engine does not read by itself.
        is_foreign = lambda name: name.startswith("time(") or name.startswith("time") and "9" in name  # noqa: E731
        kept = [f"c{i}" for i, name in enumerate(test_pyfluss.TYPES) if not is_foreign(name)]
        narrow = pa.schema([schema.field(name) for name in ["id", *kept]])
        narrow_rows = [{name: row[name] for name in narrow.names} for row in rows]
        table = await test_pyfluss.create(connection, database, "n", narrow, bucket_count=1, properties=properties)
        await append(table, narrow_rows)
        tiered(sql, "n", len(rows))
        assert "READ_PARQUET" in sql("EXPLAIN SELECT * FROM n", format="csv")
        expect_rows(sql("SELECT * FROM n", format="arrow"), narrow_rows)
        # With a key, each row in place of another one.
        table = await test_kv_pyfluss.create(
            connection, database, "k", schema, ["id"], bucket_count=1, properties=properties
        )
        writer = table.new_upsert().create_writer()
        await test_kv_pyfluss.write(writer, *({**dict.fromkeys(schema.names), "id": row["id"]} for row in all_rows))
        tiered(sql, "k", len(all_rows))
        await test_kv_pyfluss.write(writer, *all_rows)
        tiered(sql, "k", 3 * len(all_rows))
        expect_rows(sql("SELECT * FROM k", format="arrow"), all_rows)


def test_partitions(sql):
    """Of a partitioned table each partition has its own part in the lake; one that is dropped stays there."""
    sql(f"CREATE TABLE t (id INT, day STRING) PARTITIONED BY (day) {WITH.format('')}")
    sql("ALTER TABLE t ADD PARTITION (day = '1'); ALTER TABLE t ADD PARTITION (day = '2')")
    sql("INSERT INTO t VALUES (1, '1'), (2, '2'), (3, '2')")
    tiered(sql, "t", 3)
    sql("INSERT INTO t VALUES (4, '1')")
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == [1, 2, 3, 4]
    assert [row["id"] for row in sql("SELECT id FROM t WHERE day = '1' ORDER BY id")] == [1, 4]
    plan = sql("EXPLAIN SELECT id FROM t WHERE day IN ('1', '3')", format="csv")
    assert "files have no wanted rows" in plan and "log: 1 partitions have no wanted rows" in plan
    lake = """EXPLAIN SELECT id FROM "t$lake" WHERE day < '2'"""
    assert "files have no wanted rows" in sql(lake, format="csv")
    (row,) = sql('SELECT offsets FROM "t$lake$snapshots" WHERE readable ORDER BY committed_at DESC LIMIT 1')
    assert {key.split("/")[0] for key in row["offsets"]} == {"1", "2"}
    sql("ALTER TABLE t DROP PARTITION (day = '2')")
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == [1, 2, 3, 4]


def test_new_columns(sql):
    """A column that is younger than the files is NULL in their rows."""
    sql(f"CREATE TABLE t (id INT) {WITH.format('')}")
    sql("INSERT INTO t VALUES (1)")
    tiered(sql, "t", 1)
    sql("ALTER TABLE t ADD more STRING; INSERT INTO t VALUES (2, 'x')")
    assert sql("SELECT * FROM t ORDER BY id") == [{"id": 1, "more": None}, {"id": 2, "more": "x"}]
    assert sql("SELECT more FROM t WHERE more IS NULL") == [{"more": None}]


def test_the_lake_alone(sql):
    """A table of which nothing is in the lake yet, and one without a lake."""
    sql(f"CREATE TABLE t (id INT) {WITH.format('')}")
    assert sql('SELECT * FROM "t$lake"') == [] and sql('SELECT * FROM "t$lake$snapshots"') == []
    sql("CREATE TABLE u (id INT)")
    for suffix in ("$lake", "$lake$snapshots"):
        assert "has no lake" in sql(f'SELECT * FROM "u{suffix}"', code=REFUSED)
    assert "its lake table is kept" in sql("DROP TABLE t", format="table")


def test_files_in_other_hands(server, database, sql):
    """The files that queries read are plain Parquet files."""
    sql(f"CREATE TABLE t (id INT, s STRING) {WITH.format('')}")
    sql("INSERT INTO t SELECT i::INT, 'x' FROM range(10) r(i)")
    tiered(sql, "t", 10)
    files = list(Path(server.warehouse).glob(f"{database}*/t/**/*.parquet"))
    assert sum(pyarrow.parquet.read_table(file).num_rows for file in files) == 10
    assert one(sql(f"SELECT count(*) FROM '{files[0]}'")) <= 10
