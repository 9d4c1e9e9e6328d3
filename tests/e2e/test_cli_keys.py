"""The command line on tables with a primary key: what is put is looked up, scanned and seen as changes."""

import json

import pytest

from command import REFUSED, WRONG_USAGE, cli  # noqa: F401

RIDERS = """CREATE TABLE {} (id BIGINT, name STRING, city STRING, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('bucket.num' = '2')"""


@pytest.fixture
def riders(cli, database):  # noqa: F811
    table = f"{database}.riders"
    cli("table", "create", RIDERS.format(table))
    cli("put", table, "--input-format", "csv", stdin="id,name,city\n1,Ada,Oslo\n2,Bo,Rome\n3,Cy,\n")
    return table


def rows_of(text):
    return sorted((json.loads(line) for line in text.splitlines()), key=lambda row: row.get("id", 0))


def scan(cli, table):  # noqa: F811
    return rows_of(cli("scan", table, "--format", "ndjson"))


def test_rows_replace_each_other(cli, riders):  # noqa: F811
    cli("put", riders, "--input-format", "ndjson", stdin='{"id": 2, "name": "Bo", "city": "Lima"}')
    expected = [
        {"id": 1, "name": "Ada", "city": "Oslo"},
        {"id": 2, "name": "Bo", "city": "Lima"},
        {"id": 3, "name": "Cy", "city": None},
    ]
    assert scan(cli, riders) == expected
    assert rows_of(cli("lookup", riders, "id=2", "--format", "ndjson")) == expected[1:2]


def test_some_columns_are_put(cli, riders):  # noqa: F811
    """The others keep their values; of a new key they are NULL."""
    lines = '{"id": 1, "city": "Lima"}\n{"id": 9, "city": "Pisa"}'
    cli("put", riders, "--columns", "id,city", "--input-format", "ndjson", stdin=lines)
    rows = {row["id"]: row for row in scan(cli, riders)}
    assert rows[1] == {"id": 1, "name": "Ada", "city": "Lima"}
    assert rows[9] == {"id": 9, "name": None, "city": "Pisa"}


def test_rows_are_deleted_by_their_keys(cli, riders):  # noqa: F811
    cli("put", riders, "--delete", "--input-format", "csv", stdin="id\n1\n7\n")
    assert [row["id"] for row in scan(cli, riders)] == [2, 3]
    assert "1" in cli("lookup", riders, "id=1", code=REFUSED)


def test_changes_are_seen(cli, riders):  # noqa: F811
    cli("put", riders, "--input-format", "ndjson", stdin='{"id": 2, "name": "Bo", "city": "Lima"}')
    cli("put", riders, "--delete", "--input-format", "csv", stdin="id\n2\n")
    seen = [json.loads(line) for line in cli("tail", riders, "--no-follow", "--format", "ndjson").splitlines()]
    of_two = [(row["_change_type"], row["city"]) for row in seen if row["id"] == 2]
    assert of_two == [
        ("insert", "Rome"), ("update_before", "Rome"), ("update_after", "Lima"), ("delete", "Lima"),
    ]  # fmt: skip
    chosen = cli("tail", riders, "--no-follow", "--columns", "city", "--format", "ndjson")
    assert {tuple(json.loads(line)) for line in chosen.splitlines()} == {("_change_type", "city")}


def test_many_keys_are_looked_up(cli, riders):  # noqa: F811
    found = cli("lookup", riders, "--stdin", "--input-format", "csv", "--format", "ndjson", stdin="id\n3\n8\n1\n")
    assert [row["id"] for row in rows_of(found)] == [1, 3]


def test_rows_of_a_prefix(cli, database):  # noqa: F811
    table = f"{database}.visits"
    cli(
        "table", "create",
        f"CREATE TABLE {table} (city STRING, day INT, n INT, PRIMARY KEY (city, day) NOT ENFORCED) "
        "WITH ('bucket.num' = '3', 'bucket.key' = 'city')",
    )  # fmt: skip
    cli("put", table, "--input-format", "csv", stdin="city,day,n\nab,1,5\nab,2,6\nabc,1,7\na,1,8\n")
    found = cli("lookup", table, "--prefix", "city=ab", "--format", "ndjson")
    assert sorted((row["city"], row["day"]) for row in map(json.loads, found.splitlines())) == [("ab", 1), ("ab", 2)]


def test_sums_are_kept(cli, database):  # noqa: F811
    table = f"{database}.sums"
    cli(
        "table", "create",
        f"CREATE TABLE {table} (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) "
        "WITH ('table.merge-engine' = 'aggregation', 'fields.n.agg' = 'sum')",
    )  # fmt: skip
    for _ in range(3):
        cli("put", table, "--input-format", "csv", stdin="k,n\na,5\nb,1\na,2\n")
    assert json.loads(cli("lookup", table, "k=a", "--format", "ndjson"))["n"] == 21
    cli("put", table, "--overwrite", "--input-format", "csv", stdin="k,n\na,4\n")
    assert json.loads(cli("lookup", table, "k=a", "--format", "ndjson"))["n"] == 4


@pytest.mark.parametrize(
    "arguments, stdin, code, words",
    [
        (["lookup", "{}", "name=Ada"], None, REFUSED, ["name", "id"]),
        (["lookup", "{}", "id=one"], None, REFUSED, ["id", "one", "BIGINT"]),
        (["lookup", "{}", "id=1", "--columns", "nmae"], None, REFUSED, ["nmae", "name"]),
        (["put", "{}", "--columns", "name", "--input-format", "csv"], "x\n", REFUSED, ["id"]),
        (["put", "{}", "--columns", "id,nmae", "--input-format", "csv"], "1,x\n", REFUSED, ["nmae"]),
        (["put", "{}", "--input-format", "csv"], "name\nx\n", REFUSED, ["id"]),
        (["put", "{}", "--delete", "--input-format", "csv"], "name\nx\n", REFUSED, ["id"]),
        (["lookup", "{}"], None, WRONG_USAGE, ["COLUMN=VALUE", "--stdin"]),
    ],
)
def test_wrong_keys_are_named(cli, riders, arguments, stdin, code, words):  # noqa: F811
    told = cli(*[a.format(riders) for a in arguments], code=code, stdin=stdin)
    for word in words:
        assert word in told


def test_commands_for_the_other_kind_of_table(cli, database):  # noqa: F811
    table = f"{database}.log"
    cli("table", "create", f"CREATE TABLE {table} (id BIGINT)")
    for arguments in (["lookup", table, "id=1"], ["scan", table], ["put", table, "--delete", "--input-format", "csv"]):
        assert "primary key" in cli(*arguments, code=REFUSED, stdin="id\n1\n")
