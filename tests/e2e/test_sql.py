"""`lakestream sql`: what queries see beside what python computes, what INSERT writes beside what pyfluss reads."""

import csv
import datetime as dt
import decimal
import io
import json
import os
import random
import signal
import subprocess
import time

import fluss
import pyarrow as pa
import pytest
from fluss import TablePath

import test_kv_pyfluss
import test_pyfluss
from command import REFUSED, WRONG_USAGE, cli  # noqa: F401
from server import BINARY
from test_pyfluss import TYPES, append, connect, read_arrow

UTC = dt.timezone.utc
CANCEL_TIMEOUT_S = 15


@pytest.fixture
def sql(cli, database):  # noqa: F811
    """Runs SQL in the test's database; gives rows as dictionaries, or the text of an error."""

    def run(text, code=0, format="ndjson"):
        output = cli("sql", "--database", database, "--format", format, "-c", text, code=code)
        if code != 0:
            return output
        if format == "arrow":
            return pa.ipc.open_stream(output).read_all()
        if format == "ndjson":
            return [json.loads(line) for line in output.decode().splitlines()]
        return output.decode()

    return run


def one(rows):
    (row,) = rows
    (value,) = row.values()
    return value


# --- types ------------------------------------------------------------------------------------------------------------


def all_types():
    """Columns c0, c1, … of every type, and rows in which each value stands once beside nulls."""
    names = [f"c{i}" for i in range(len(TYPES))]
    schema = pa.schema([("id", pa.int32()), *zip(names, (kind for kind, _ in TYPES.values()))])
    rows = []
    for name, (_, values) in zip(names, TYPES.values()):
        for value in values:
            rows.append({"id": len(rows), **dict.fromkeys(names), name: value})
    return schema, rows


def seen(value):
    """A value as the answer has it: maps are lists of pairs, times have no more than microseconds."""
    if isinstance(value, dict):
        return {key: seen(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [seen(item) for item in value]
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime()
    return value


def expect_rows(found, rows):
    found = sorted(found.to_pylist(), key=lambda row: row["id"])
    assert len(found) == len(rows)
    for row, wanted in zip(found, rows):
        assert seen(row) == seen(wanted)


async def test_every_type_of_a_log_table(server, database, sql):
    """Extremes and nulls of every type, as pyfluss wrote them."""
    schema, rows = all_types()
    async with connect(server) as connection:
        table = await test_pyfluss.create(connection, database, "t", schema, bucket_count=3)
        await append(table, rows)
    expect_rows(sql("SELECT * FROM t", format="arrow"), rows)
    for format in ("table", "csv", "json", "ndjson"):
        assert sql("SELECT * FROM t", format=format)
    assert one(sql("SELECT count(*) FROM t")) == len(rows)


async def test_every_type_of_a_primary_key_table(server, database, sql):
    schema, rows = all_types()
    async with connect(server) as connection:
        table = await test_kv_pyfluss.create(connection, database, "t", schema, ["id"], bucket_count=2)
        await test_kv_pyfluss.write(table.new_upsert().create_writer(), *rows)
    expect_rows(sql("SELECT * FROM t", format="arrow"), rows)
    changes = sql('SELECT * EXCLUDE (_change_type, _log_offset, _commit_timestamp) FROM "t$changelog"', format="arrow")
    expect_rows(changes, rows)


async def test_every_type_is_inserted(server, database, sql):
    """INSERT … SELECT copies a table of every type; pyfluss reads the copy as it reads the first."""
    schema, rows = all_types()
    async with connect(server) as connection:
        table = await test_pyfluss.create(connection, database, "t", schema, bucket_count=1)
        await append(table, rows)
        sql("CREATE TABLE u LIKE t")
        sql("INSERT INTO u SELECT * FROM t")
        copy = await connection.get_table(TablePath(database, "u"))
        assert (await read_arrow(copy)).sort_by("id").equals((await read_arrow(table)).sort_by("id"))


# --- queries ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def trips(sql):
    """Trips and riders from a fixed seed, as python has them."""
    chance = random.Random(7)
    riders = [{"id": i, "name": f"rider {i}", "home": chance.choice(["Oslo", "Rome", None])} for i in range(50)]
    rides = [
        {"id": i, "rider": chance.choice([None, *range(60)]), "fare": chance.randrange(0, 10000) / 4}
        for i in range(2000)
    ]
    sql("CREATE TABLE riders (id INT, name STRING, home STRING, PRIMARY KEY (id) NOT ENFORCED)")
    sql("CREATE TABLE rides (id BIGINT, rider INT, fare DOUBLE) WITH ('bucket.num' = '4')")

    def values(row):
        return "(" + ", ".join("NULL" if v is None else repr(v) for v in row.values()) + ")"

    sql(f"INSERT INTO riders VALUES {', '.join(map(values, riders))}")
    sql(f"INSERT INTO rides VALUES {', '.join(map(values, rides))}")
    return rides, riders


def test_joins_and_aggregations(sql, trips):
    """A join of a log table with a primary-key table, grouped and sorted, is what python computes."""
    rides, riders = trips
    by_id = {rider["id"]: rider for rider in riders}
    groups = {}
    for ride in rides:
        if ride["rider"] in by_id:
            groups.setdefault(by_id[ride["rider"]]["home"], []).append(ride["fare"])
    wanted = [
        {"home": home, "rides": len(fares), "total": sum(fares), "top": max(fares)} for home, fares in groups.items()
    ]
    found = sql(
        """SELECT home, count(*) AS rides, sum(fare) AS total, max(fare) AS top
           FROM rides JOIN riders ON rides.rider = riders.id GROUP BY ALL"""
    )
    key = lambda row: str(row["home"])  # noqa: E731
    assert sorted(found, key=key) == sorted(wanted, key=key)
    assert one(sql("SELECT count(*) FROM rides")) == len(rides)
    assert one(sql("SELECT count(*) FROM rides a JOIN rides b USING (id)")) == len(rides)
    assert one(sql("SELECT count(*) FROM rides WHERE rider NOT IN (SELECT id FROM riders)")) == sum(
        ride["rider"] is not None and ride["rider"] not in by_id for ride in rides
    )


CONDITIONS = {
    "id = 17": lambda r: r["id"] == 17,
    "17 < id": lambda r: r["id"] > 17,
    "id BETWEEN 5 AND 9": lambda r: 5 <= r["id"] <= 9,
    "id > 5 AND id < 9": lambda r: 5 < r["id"] < 9,
    "NOT (id >= 5 AND rider = 3)": lambda r: r["rider"] != 3 and r["rider"] is not None or r["id"] < 5,
    "rider IS NULL": lambda r: r["rider"] is None,
    "rider IS NOT NULL AND rider <> 4": lambda r: r["rider"] not in (None, 4),
    "rider IN (1, 2, 59)": lambda r: r["rider"] in (1, 2, 59),
    "rider NOT IN (1, 2)": lambda r: r["rider"] not in (None, 1, 2),
    "rider = 1 OR fare < 10.5": lambda r: r["rider"] == 1 or r["fare"] < 10.5,
    "rider = 1 OR abs(fare) < 10.5": lambda r: r["rider"] == 1 or r["fare"] < 10.5,
    "fare * 2 > 3000 AND id % 2 = 0": lambda r: r["fare"] * 2 > 3000 and r["id"] % 2 == 0,
    "id > 1.5": lambda r: r["id"] > 1.5,
    "rider > NULL": lambda r: False,
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions(sql, trips, condition):
    """What servers and scanners leave out is what the condition says."""
    rides, _ = trips
    wanted = [ride["id"] for ride in rides if CONDITIONS[condition](ride)]
    assert sorted(row["id"] for row in sql(f"SELECT id FROM rides WHERE {condition}")) == wanted


def test_each_use_of_a_table_has_its_condition(sql, trips):
    """A table that a statement uses several times, each time with another condition."""
    rides, _ = trips
    count = lambda rider: sum(ride["rider"] == rider for ride in rides)  # noqa: E731
    for word in ("", "MATERIALIZED", "NOT MATERIALIZED"):
        found = sql(
            f"""WITH x AS {word} (SELECT rider FROM rides)
                SELECT (SELECT count(*) FROM x WHERE rider = 1) AS a, (SELECT count(*) FROM x WHERE rider = 2) AS b,
                       (SELECT count(*) FROM x) AS c"""
        )
        assert found == [{"a": count(1), "b": count(2), "c": len(rides)}]


def test_text_conditions(sql):
    sql("CREATE TABLE t (id INT, s STRING)")
    texts = ["", "a", "ab", "ba", "100%", "a_b", "Ä", None]
    sql("INSERT INTO t VALUES " + ", ".join(f"({i}, {'NULL' if s is None else repr(s)})" for i, s in enumerate(texts)))
    checks = {
        "s LIKE 'a%'": lambda s: s.startswith("a"),
        "s LIKE '%b'": lambda s: s.endswith("b"),
        "s NOT LIKE '%a%'": lambda s: "a" not in s,
        "s LIKE 'a_'": lambda s: len(s) == 2 and s[0] == "a",
        "s LIKE '%!%' ESCAPE '!'": lambda s: s.endswith("%"),
        "s >= 'b'": lambda s: s >= "b",
        "lower(s) = 'ä'": lambda s: s.lower() == "ä",
    }
    for condition, holds in checks.items():
        wanted = [i for i, s in enumerate(texts) if s is not None and holds(s)]
        assert [row["id"] for row in sql(f"SELECT id FROM t WHERE {condition} ORDER BY id")] == wanted, condition


def test_the_engine_is_all_there(sql):
    """Statements that touch no table, and those about what the session keeps for itself."""
    assert one(sql("SELECT 40 + 2")) == 42
    assert one(sql("VALUES (1)")) == 1
    assert sql("SELECT 1 AS a, 2 AS a, 3 AS b") == [{"a": 1, "a_1": 2, "b": 3}]
    assert one(sql("SELECT sum(i) FROM range(1000) t(i)")) == 499500
    assert one(sql("SELECT INTERVAL 14 MONTHS")) == "1 year 2 months"
    assert one(sql("SELECT TIME '12:34:56.789012'")) == "12:34:56.789012"
    assert one(sql("SELECT uuid() IS NOT NULL")) is True
    assert one(sql("SET threads = 1; CREATE TEMP TABLE x AS SELECT 7 AS a; SELECT a FROM x")) == 7
    assert one(sql("CREATE VIEW v AS SELECT 5 AS a; SELECT a FROM v")) == 5
    assert sql("SELECT 1 WHERE false") == []


# --- changelog and binlog ---------------------------------------------------------------------------------------------


def test_changelog_and_binlog(sql):
    """What happened to the rows of a primary-key table, and to those of a log table."""
    sql("CREATE TABLE t (id INT, s STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket.num' = '1')")
    for row in ("(1, 'a')", "(2, 'b')", "(1, 'c')"):
        sql(f"INSERT INTO t VALUES {row}")
    changes = sql('SELECT _change_type, _log_offset, id, s FROM "t$changelog" ORDER BY _log_offset')
    assert [tuple(change.values()) for change in changes] == [
        ("insert", 0, 1, "a"), ("insert", 1, 2, "b"), ("update_before", 2, 1, "a"), ("update_after", 3, 1, "c"),
    ]  # fmt: skip
    binlog = sql('SELECT _change_type, _log_offset, before, after FROM "t$binlog" ORDER BY _log_offset')
    assert [tuple(change.values()) for change in binlog] == [
        ("insert", 0, None, {"id": 1, "s": "a"}),
        ("insert", 1, None, {"id": 2, "s": "b"}),
        ("update", 3, {"id": 1, "s": "a"}, {"id": 1, "s": "c"}),
    ]
    assert one(sql("SELECT count(*) FROM \"t$changelog\" WHERE s = 'a' AND _change_type = 'insert'")) == 1
    assert one(sql('SELECT count(*) FROM "t$binlog"')) == 3
    assert one(sql("""SELECT count(*) FROM "t$changelog" WHERE _commit_timestamp > now() - INTERVAL 1 HOUR""")) == 4
    sql("CREATE TABLE u (id INT)")
    sql("INSERT INTO u VALUES (5)")
    assert sql('SELECT _change_type, id FROM "u$changelog"') == [{"_change_type": "insert", "id": 5}]
    assert "no primary key" in sql('SELECT * FROM "u$binlog"', code=REFUSED)


# --- writing ----------------------------------------------------------------------------------------------------------


async def test_insert_is_read_by_pyfluss(server, database, sql):
    """Rows of INSERT … VALUES and … SELECT, with columns named and left out."""
    sql("CREATE TABLE t (id INT, name STRING, amount DECIMAL(10, 2)) WITH ('bucket.num' = '1')")
    sql("INSERT INTO t VALUES (1, 'Ada', 1.5), (2, NULL, 2)")
    sql("INSERT INTO `t` (amount, id) SELECT i * 10, i::INT FROM range(3, 5) r(i)")
    async with connect(server) as connection:
        rows = (await read_arrow(await connection.get_table(TablePath(database, "t")))).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (1, "Ada", decimal.Decimal("1.50")), (2, None, decimal.Decimal("2.00")),
        (3, None, decimal.Decimal("30.00")), (4, None, decimal.Decimal("40.00")),
    ]  # fmt: skip


async def test_insert_into_a_primary_key_table(server, database, sql):
    """A row replaces that of its key; with columns left out it changes the others only."""
    sql("CREATE TABLE t (id INT, a STRING, b STRING, PRIMARY KEY (id) NOT ENFORCED)")
    sql("INSERT INTO t VALUES (1, 'a1', 'b1'), (2, 'a2', 'b2')")
    sql("INSERT INTO t (id, b) VALUES (1, 'b3'), (3, 'b4')")
    assert sql("SELECT * FROM t ORDER BY id") == [
        {"id": 1, "a": "a1", "b": "b3"}, {"id": 2, "a": "a2", "b": "b2"}, {"id": 3, "a": None, "b": "b4"},
    ]  # fmt: skip
    async with connect(server) as connection:
        table = await connection.get_table(TablePath(database, "t"))
        row = await table.new_lookup().create_lookuper().lookup([1])
        assert (row["a"], row["b"]) == ("a1", "b3")


def test_wrong_inserts(sql):
    """Each error says where and what to do, and nothing is written."""
    sql("CREATE TABLE t (id INT NOT NULL, name STRING)")
    for text, words in {
        "INSERT INTO t VALUES (1)": ["1 values", "takes 2"],
        "INSERT INTO t (name) VALUES ('a')": ["id", "NOT NULL"],
        "INSERT INTO t (id, x) VALUES (1, 2)": ["no column x", "id, name"],
        "INSERT INTO t (id, id) VALUES (1, 2)": ["twice"],
        "INSERT INTO t VALUES ('x', 'a')": ["Conversion Error", "'x'"],
        "INSERT INTO t SELECT nothing": ["nothing"],
        "INSERT INTO gone VALUES (1)": ["gone"],
        "INSERT t VALUES (1)": ["column 8", "INTO"],
    }.items():
        message = sql(text, code=REFUSED)
        assert all(word in message for word in words), (text, message)
    assert one(sql("SELECT count(*) FROM t")) == 0


# --- definitions ------------------------------------------------------------------------------------------------------


def test_definitions(sql, database):
    """Databases and tables are made, shown, changed and dropped."""
    other = database + "_x"
    try:
        assert sql(f"CREATE DATABASE {other}; USE {other}; CREATE TABLE t (a INT); SHOW TABLES") == [{"table": "t"}]
        assert {"database": other} in sql("SHOW DATABASES")
        assert sql(f"SHOW TABLES IN {other}") == [{"table": "t"}]
        assert sql(f"SELECT a FROM {other}.t") == []
        assert "drop them first" in sql(f"DROP DATABASE {other}", code=REFUSED)
    finally:
        sql(f"DROP DATABASE IF EXISTS {other} CASCADE")
    assert "does not exist" in sql(f"USE {other}", code=REFUSED)
    sql("CREATE TABLE t (id INT, s STRING COMMENT 'text', PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket.num' = '2')")
    assert sql("DESCRIBE t") == [
        {"column": "id", "type": "INT", "nullable": "NO", "key": "primary, bucket", "comment": None},
        {"column": "s", "type": "STRING", "nullable": "YES", "key": "", "comment": "text"},
    ]
    sql("INSERT INTO t VALUES (1, 'a')")
    sql("ALTER TABLE t ADD more BIGINT; INSERT INTO t VALUES (2, 'b', 3)")
    assert sql("SELECT * FROM t ORDER BY id") == [
        {"id": 1, "s": "a", "more": None}, {"id": 2, "s": "b", "more": 3},
    ]  # fmt: skip
    (statement,) = sql("SHOW CREATE TABLE t")[0].values()
    assert "`more` BIGINT" in statement
    assert sql("DROP TABLE t; SHOW TABLES") == []
    assert "t does not exist" in sql("DROP TABLE t", code=REFUSED)
    assert sql("DROP TABLE IF EXISTS t") == []


def test_partitions(sql):
    """Rows of all partitions, or of those that a statement wants."""
    sql("CREATE TABLE t (id INT, day STRING) PARTITIONED BY (day) WITH ('bucket.num' = '2')")
    sql("ALTER TABLE t ADD PARTITION (day = '1'); ALTER TABLE t ADD PARTITION (day = '2')")
    sql("INSERT INTO t VALUES (1, '1'), (2, '2'), (3, '2')")
    assert sql("SHOW PARTITIONS t") == [{"partition": "day=1"}, {"partition": "day=2"}]
    assert [row["id"] for row in sql("SELECT id FROM t ORDER BY id")] == [1, 2, 3]
    assert [row["id"] for row in sql("SELECT id FROM t WHERE day = '2' ORDER BY id")] == [2, 3]
    plan = sql("EXPLAIN SELECT id FROM t WHERE day = '2'", format="csv")
    assert "log: 2 rows of 2 buckets" in plan


def test_partitions_of_ranges_and_lists(sql):
    """Conditions on partition keys leave out partitions, of logs and of rows by key."""
    for key in ("", ", PRIMARY KEY (id, shop, day) NOT ENFORCED"):
        name = "k" if key else "t"
        sql(f"CREATE TABLE {name} (id INT NOT NULL, shop INT NOT NULL, day STRING NOT NULL{key}) "
            "PARTITIONED BY (day, shop) WITH ('bucket.num' = '1')")  # fmt: skip
        for day in (1, 2, 3):
            for shop in (9, 10):
                sql(f"ALTER TABLE {name} ADD PARTITION (day = '{day}', shop = '{shop}')")
                sql(f"INSERT INTO {name} VALUES ({day * 100 + shop}, {shop}, '{day}')")
        for condition, ids in (
            ("shop < 10 AND day IN ('1', '3')", [109, 309]),
            ("shop = 10 AND day > '1'", [210, 310]),
            ("(day = '2' OR shop = 9) AND id > 0", [109, 209, 210, 309]),
            ("day = '4'", []),
        ):
            query = f"SELECT id FROM {name} WHERE {condition} ORDER BY id"
            assert [row["id"] for row in sql(query)] == ids, condition
    plan = sql("EXPLAIN SELECT id FROM t WHERE shop < 10 AND day IN ('1', '3')", format="csv")
    assert "log: 2 rows of 2 buckets" in plan and "log: 4 partitions have no wanted rows" in plan


def test_rows_by_key(sql):
    """Rows whose keys are named are looked up, not scanned."""
    sql("CREATE TABLE t (id INT, city STRING, n BIGINT, PRIMARY KEY (id, city) NOT ENFORCED) "
        "WITH ('bucket.num' = '3', 'bucket.key' = 'id')")  # fmt: skip
    sql("INSERT INTO t SELECT (i % 50)::INT, 'c' || (i % 4), i FROM range(100) r(i)")
    for condition, rows, access in (
        ("id = 7 AND city = 'c3'", [7], "looked up by 1 key"),
        ("id IN (7, 7, 8) AND city IN ('c3', 'c0')", [7, 8], "looked up by 4 keys"),
        ("id = 7", [7, 57], "looked up by 1 prefix"),
        ("id = 7 AND n > 7", [57], "looked up by 1 prefix"),
        ("id = 700 AND city = 'c3'", [], "looked up by 1 key"),
        ("city = 'c3' AND id < 8", [3, 7, 51, 55], "rows by key"),
    ):
        query = f"SELECT n FROM t WHERE {condition} ORDER BY n"
        assert [row["n"] for row in sql(query)] == rows, condition
        assert access in sql(f"EXPLAIN {query}", format="csv"), condition
    assert sql("SELECT count(*) AS n FROM t WHERE id = 7 AND city = 'c3'") == [{"n": 1}]
    assert sql("SELECT a.n FROM t a JOIN t b ON a.id = b.id AND a.city = b.city WHERE b.id = 7 AND b.n = 57") == [
        {"n": 57}
    ]


# --- errors -----------------------------------------------------------------------------------------------------------


def test_errors_name_the_place(sql, database):
    """Of the engine as well as our own, in a statement of several lines and several statements."""
    message = sql("SELECT 1;\nSELECT *\nFROM gone", code=REFUSED)
    assert f"{database}.gone does not exist" in message and "LINE 3" in message
    sql("CREATE TABLE t (id INT)")
    message = sql("SELECT 1;\n\nSELECT wrong FROM t", code=REFUSED)
    assert "not found in FROM clause" in message and "LINE 3" in message
    assert "LINE 1" in sql("SELEC 1", code=REFUSED)
    assert "line 2, column 6" in sql("SELECT 1;\nDROP TABEL t", code=REFUSED)
    assert "line 1, column 8" in sql("SELECT 'open", code=REFUSED)
    assert "UPDATE is no statement" in sql("UPDATE t SET id = 1", code=REFUSED)
    assert "does not exist" in sql("SELECT * FROM nowhere.t", code=REFUSED)


def test_wrong_usage(cli):  # noqa: F811
    for arguments in (["--format", "xml"], ["-c", "SELECT 1", "-f", "x"], ["-o", "a=b"], ["extra"]):
        cli("sql", *arguments, code=WRONG_USAGE)
    assert "no server answers" in cli("sql", "-c", "SELECT 1", code=REFUSED, address="127.0.0.1:1")


# --- output -----------------------------------------------------------------------------------------------------------


def test_formats(cli, database):  # noqa: F811
    """The same rows in each format; what a statement did does not stand between the rows."""
    cli("sql", "-c", f"CREATE TABLE {database}.t (id INT, s STRING)")
    text = f"INSERT INTO {database}.t VALUES (1, 'a,\"b\"'), (2, NULL); SELECT * FROM {database}.t ORDER BY id"
    rows = [{"id": 1, "s": 'a,"b"'}, {"id": 2, "s": None}]
    assert json.loads(cli("sql", "--format", "json", "-c", text)) == rows
    cli("sql", "-c", f"DROP TABLE {database}.t; CREATE TABLE {database}.t (id INT, s STRING)")
    assert list(csv.reader(io.StringIO(cli("sql", "--format", "csv", "-c", text).decode()))) == [
        ["id", "s"], ["1", 'a,"b"'], ["2", ""],
    ]  # fmt: skip
    table = cli("sql", "-c", f"SELECT * FROM {database}.t ORDER BY id").decode().splitlines()
    assert [line.split() for line in table] == [["id", "s"], ["--", "-----"], ["1", 'a,"b"'], ["2", "NULL"]]
    assert json.loads(cli("sql", "--format", "json", "-c", "SELECT 1 WHERE false")) == []
    assert cli("sql", "-c", f"USE {database}").decode() == f"using database {database}\n"


def test_scripts(cli, database, tmp_path):  # noqa: F811
    """Statements from a file and from stdin; the first error ends them."""
    script = f"USE {database};\nCREATE TABLE t (id INT); -- a comment; with a semicolon\nINSERT INTO t VALUES (1);\n"
    file = tmp_path / "script.sql"
    file.write_text(script + "SELECT id FROM t")
    assert cli("sql", "--format", "csv", "-f", file) == b"id\n1\n"
    assert cli("sql", "--format", "csv", stdin=f"SELECT id + 1 AS x FROM {database}.t;") == b"x\n2\n"
    message = cli("sql", stdin=f"USE {database}; DROP TABLE gone; DROP TABLE t", code=REFUSED)
    assert "gone" in message
    assert cli("sql", "--format", "csv", "-c", f"SELECT count(*) AS n FROM {database}.t") == b"n\n1\n"
    assert cli("sql", stdin="") == b""


# --- plans, cancelling, data directories ------------------------------------------------------------------------------


def test_explain(sql):
    """Which part of the log is read, and what is left to the servers; batches that can not match do not come."""
    sql("""CREATE TABLE t (id INT, s STRING, big STRING)
           WITH ('bucket.num' = '1', 'table.statistics.columns' = 'id', 'table.log.arrow.compression.type' = 'NONE')""")
    for begin in range(0, 400, 100):
        sql(f"INSERT INTO t SELECT i::INT, 's', repeat('x', 100) FROM range({begin}, {begin + 100}) r(i)")
    plan = sql("EXPLAIN SELECT s FROM t WHERE id >= 300", format="csv")
    assert "bucket 0: offsets 0 to 400" in plan and "left to the servers: id >= '300'" in plan

    def read(query):
        line = next(line for line in sql(f"EXPLAIN ANALYZE {query}", format="csv").splitlines() if "read:" in line)
        return [int(word) for word in line.replace('"', "").split() if word.isdigit()]

    rows, everything = read("SELECT sum(length(big)) FROM t")
    assert rows == 400
    rows, bytes_read = read("SELECT sum(length(big)) FROM t WHERE id >= 300")
    assert rows == 100 and bytes_read < everything / 2
    rows, bytes_read = read("SELECT count(*) FROM t")
    assert rows == 400 and bytes_read < everything / 4


def test_ctrl_c_stops_the_statement(server):
    """SIGINT ends a query that would run for hours, with an error."""
    process = subprocess.Popen(
        [str(BINARY), "sql", "--server", server.address, "-c",
         "SELECT 'begun'; SELECT count(*) FROM range(1000000000000) a(i) WHERE i % 7 = 3"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        while b"begun" not in process.stdout.readline():
            pass
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=CANCEL_TIMEOUT_S)
        assert process.returncode == REFUSED and b"interrupted" in error
    finally:
        process.kill()
        process.wait()


def test_a_data_directory(new_server, tmp_path):
    """Tables of a server that has stopped are read and written without one, and by the server afterwards."""
    server = new_server().start()

    def run(*arguments, code=0, text=None):
        done = subprocess.run(
            [str(BINARY), "sql", *arguments, "--format", "csv", "-c", text], capture_output=True, timeout=60
        )
        assert done.returncode == code, done.stderr.decode()
        return done.stdout.decode() if code == 0 else done.stderr.decode()

    run("--server", server.address, text="CREATE TABLE t (id INT); INSERT INTO t VALUES (1)")
    run("--server", server.address, text="CREATE TABLE k (id INT, PRIMARY KEY (id) NOT ENFORCED)")
    data = ("--data", str(server.data))
    assert "is not free" in run(*data, code=REFUSED, text="SELECT 1")
    server.stop()
    assert run(*data, text="INSERT INTO t VALUES (2); SELECT id FROM t ORDER BY id") == "id\n1\n2\n"
    assert run(*data, text="INSERT INTO k VALUES (5); SELECT id FROM k") == "id\n5\n"
    server.start()
    assert run("--server", server.address, text="SELECT count(*) AS n FROM t, k") == "n\n2\n"
    assert run("--data", str(tmp_path / "new"), text="SHOW TABLES") == "table\n"


async def test_an_acknowledged_row_is_there(server, database, sql):
    """Each append is in the very next statement."""
    async with connect(server) as connection:
        table = await test_pyfluss.create(connection, database, "t")
        for i in range(10):
            await append(table, [{"id": i, "name": "x"}])
            assert one(sql("SELECT count(*) FROM t")) == i + 1


def test_the_prompt(server, database):
    """At a terminal statements may take several lines, an error does not end it, and exit does."""
    leader, follower = os.openpty()
    process = subprocess.Popen(
        [str(BINARY), "sql", "--server", server.address, "--database", database],
        stdin=follower, stdout=follower, stderr=follower,
    )  # fmt: skip
    os.close(follower)
    output = b""
    try:
        deadline = time.monotonic() + CANCEL_TIMEOUT_S
        for line, answer in (
            (b"SELECT 40 +\n", b"... "), (b"2 AS x;\n", b"42"), (b"SELECT y;\n", b"not found"),
            (b"SHOW TABLES;\n", b"0 rows"), (b"exit\n", b""),
        ):  # fmt: skip
            os.write(leader, line)
            begin = len(output)
            while answer not in output[begin:]:
                assert time.monotonic() < deadline, output
                output += os.read(leader, 4096)
        assert process.wait(CANCEL_TIMEOUT_S) == 0
    finally:
        process.kill()
        process.wait()
        os.close(leader)
