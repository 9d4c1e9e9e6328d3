"""`lakestream tail` with a condition, as changelog and as binlog, in all formats of output."""

import csv
import io
import json

import pyarrow as pa
import pytest

from command import REFUSED, WRONG_USAGE, cli  # noqa: F401

TRIPS = """CREATE TABLE {} (id INT NOT NULL, city STRING, fare DECIMAL(8, 2), day DATE, tags ARRAY<STRING>)
    WITH ('bucket.num' = '{}', 'table.statistics.columns' = 'id,city,day')"""
RIDERS = "CREATE TABLE {} (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket.num' = '1')"
CITIES = ["Oslo", "Rome", "Lima", None]


def trip(i):
    fare = None if i % 7 == 0 else f"{i / 4:.2f}"
    return {"id": i, "city": CITIES[i % 4], "fare": fare, "day": f"2026-01-{1 + i // 10:02}", "tags": []}


@pytest.fixture
def trips(cli, database):  # noqa: F811
    """200 trips of growing ids in batches of 20."""
    table = f"{database}.trips"
    cli("table", "create", TRIPS.format(table, 2))
    for begin in range(0, 200, 20):
        lines = "\n".join(json.dumps(trip(i)) for i in range(begin, begin + 20))
        cli("put", table, "--bucket", begin // 20 % 2, "--input-format", "ndjson", stdin=lines)
    return table


@pytest.fixture
def riders(cli, database):  # noqa: F811
    """One key that is inserted, updated and deleted, and one that stays."""
    table = f"{database}.riders"
    cli("table", "create", RIDERS.format(table))
    for line in ('{"id": 1, "name": "Ada"}', '{"id": 1, "name": "Eve"}\n{"id": 2, "name": "Bo"}'):
        cli("put", table, "--input-format", "ndjson", stdin=line)
    cli("put", table, "--delete", "--input-format", "csv", stdin="id\n1\n")
    return table


def tail(cli, table, *arguments):  # noqa: F811
    output = cli("tail", table, "--no-follow", "--format", "ndjson", *arguments)
    return [json.loads(line) for line in output.splitlines()]


CONDITIONS = [
    ("id = 42", lambda t: t["id"] == 42),
    ("id >= 150 AND city = 'Oslo'", lambda t: t["id"] >= 150 and t["city"] == "Oslo"),
    ("id < 3 OR id IN (77, 78, 500)", lambda t: t["id"] < 3 or t["id"] in (77, 78)),
    ("NOT (id BETWEEN 5 AND 195)", lambda t: t["id"] < 5 or t["id"] > 195),
    ("city IS NULL AND id < 50", lambda t: t["city"] is None and t["id"] < 50),
    ("city LIKE 'R%' AND id > 180", lambda t: t["city"] == "Rome" and t["id"] > 180),
    ("city NOT LIKE '%o%' AND id > 180", lambda t: t["city"] == "Lima" and t["id"] > 180),
    ("fare <= 1.25", lambda t: t["fare"] is not None and float(t["fare"]) <= 1.25),
    ("day = DATE '2026-01-20'", lambda t: t["day"] == "2026-01-20"),
    ("id > 1000", lambda t: False),
]


@pytest.mark.parametrize(("where", "matches"), CONDITIONS, ids=[c for c, _ in CONDITIONS])
def test_only_rows_that_match(cli, trips, where, matches):  # noqa: F811
    expected = [i for i in range(200) if matches(trip(i))]
    rows = tail(cli, trips, "--where", where)
    assert sorted(row["id"] for row in rows) == expected
    assert all(row["city"] == trip(row["id"])["city"] for row in rows)


def test_columns_that_only_the_condition_needs(cli, trips):  # noqa: F811
    """They are read and not shown; positions are those of the rows in the log."""
    assert tail(cli, trips, "--where", "id = 42", "--columns", "city") == [{"city": "Lima"}]
    rows = tail(cli, trips, "--where", "id IN (40, 42, 43)", "--columns", "day,id", "--with-position")
    assert [list(row) for row in rows] == [["_bucket", "_log_offset", "_commit_timestamp", "day", "id"]] * 3
    assert [(row["_bucket"], row["_log_offset"], row["id"]) for row in rows] == [(0, 20, 40), (0, 22, 42), (0, 23, 43)]
    rows = tail(cli, trips, "--where", "id >= 100", "--limit", 3, "--bucket", 1)
    assert [row["id"] for row in rows] == [100, 101, 102]


def test_a_condition_on_changes(cli, riders):  # noqa: F811
    rows = tail(cli, riders, "--where", "name = 'Eve'")
    assert [(row["_change_type"], row["id"]) for row in rows] == [("update_after", 1), ("delete", 1)]


@pytest.mark.parametrize(
    ("where", "parts"),
    [
        ("id =", ["--where", "line 1, column 5: expected a literal"]),
        ("id = 1 id", ["line 1, column 8: expected AND, OR or the end of the condition"]),
        ("(id = 1", ["expected AND, OR or ')'"]),
    ],
)
def test_a_condition_that_is_no_sql(cli, where, parts):  # noqa: F811
    message = cli("tail", "t", "--where", where, code=WRONG_USAGE)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("where", "parts"),
    [
        ("idd = 1", ["line 1, column 1", "no column 'idd'", "'id'"]),
        ("id = 'x'", ["line 1, column 6: expected a number for column id"]),
        ("id = 99999999999", ["'99999999999' is no value of column id"]),
        ("tags = 'x'", ["IS NULL"]),
    ],
)
def test_a_condition_that_does_not_fit_the_table(cli, trips, where, parts):  # noqa: F811
    message = cli("tail", trips, "--no-follow", "--where", where, code=REFUSED)
    assert all(part in message for part in ["--where", *parts]), message


# --- virtual tables ---------------------------------------------------------------------------------------------------


def test_the_changelog(cli, riders, trips):  # noqa: F811
    rows = tail(cli, riders, "--changelog")
    assert all(list(row) == ["_change_type", "_log_offset", "_commit_timestamp", "id", "name"] for row in rows)
    # The two rows of the second put are in its order.
    assert [(row["_change_type"], row["_log_offset"], row["id"], row["name"]) for row in rows] == [
        ("insert", 0, 1, "Ada"),
        ("update_before", 1, 1, "Ada"),
        ("update_after", 2, 1, "Eve"),
        ("insert", 3, 2, "Bo"),
        ("delete", 4, 1, "Eve"),
    ]
    rows = tail(cli, trips, "--changelog", "--bucket", 1, "--limit", 2, "--columns", "id")
    assert [(row["_change_type"], row["_log_offset"], row["id"]) for row in rows] == [
        ("insert", 0, 20),
        ("insert", 1, 21),
    ]
    assert list(rows[0]) == ["_change_type", "_log_offset", "_commit_timestamp", "id"]


BINLOG = [
    ("insert", 0, None, {"id": 1, "name": "Ada"}),
    ("update", 2, {"id": 1, "name": "Ada"}, {"id": 1, "name": "Eve"}),
    ("insert", 3, None, {"id": 2, "name": "Bo"}),
    ("delete", 4, {"id": 1, "name": "Eve"}, None),
]


def test_the_binlog(cli, riders):  # noqa: F811
    rows = tail(cli, riders, "--binlog")
    assert [(r["_change_type"], r["_log_offset"], r["before"], r["after"]) for r in rows] == BINLOG
    assert list(rows[0]) == ["_change_type", "_log_offset", "_commit_timestamp", "before", "after"]
    # Some columns, and with the bucket.
    rows = tail(cli, riders, "--binlog", "--columns", "name", "--with-position", "--limit", 2)
    assert rows[1]["before"] == {"name": "Ada"} and rows[1]["_bucket"] == 0 and len(rows) == 2
    # From the middle of an update: what was before is not known.
    (first, *_) = tail(cli, riders, "--binlog", "--from", "offset:2")
    assert (first["_change_type"], first["before"], first["after"]["name"]) == ("update", None, "Eve")


def test_the_binlog_in_all_formats(cli, riders):  # noqa: F811
    def output(format):
        return cli("tail", riders, "--no-follow", "--binlog", "--format", format)

    with pa.ipc.open_stream(output("arrow")) as reader:
        rows = reader.read_all().to_pylist()
    assert [(r["_change_type"], r["_log_offset"], r["before"], r["after"]) for r in rows] == BINLOG
    rows = list(csv.DictReader(io.StringIO(output("csv").decode())))
    assert [r["_change_type"] for r in rows] == [name for name, *_ in BINLOG]
    assert json.loads(rows[1]["after"]) == {"id": 1, "name": "Eve"} and rows[0]["before"] == ""
    assert "Eve" in output("table").decode()


def test_a_binlog_needs_keys(cli, riders, trips):  # noqa: F811
    message = cli("tail", trips, "--no-follow", "--binlog", code=REFUSED)
    assert "--binlog" in message and "no primary key" in message and "--changelog" in message
    assert "--where" in cli("tail", riders, "--binlog", "--where", "id = 1", code=WRONG_USAGE)
    assert "--binlog" in cli("tail", riders, "--binlog", "--changelog", code=WRONG_USAGE)
