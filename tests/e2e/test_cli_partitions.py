"""Partitioned tables through the `lakestream` command, and so through the native client."""

import json
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from command import REFUSED, RUN_TIMEOUT_S, SUCCESS, cli  # noqa: F401
from test_cli import parse_ndjson, tail_process  # noqa: F401


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def put(cli, table, rows, *arguments):
    cli("put", table, "--input-format", "ndjson", *arguments, stdin=lines(rows))


def tail(cli, table, *arguments):
    return parse_ndjson(cli("tail", table, "--no-follow", "--format", "ndjson", *arguments).decode())


def names(cli, table, *arguments):
    return [p["partition"] for p in json.loads(cli("table", "partitions", table, "--format", "json", *arguments))]


def offsets(cli, table, *arguments):
    rows = json.loads(cli("offsets", table, "--format", "json", *arguments))
    return {(row["partition"], row["bucket"]): row["latest"] for row in rows}


def by_id(rows):
    return sorted(rows, key=lambda row: row["id"])


@pytest.mark.parametrize("key", [None, "id"])
def test_log_table(cli, database, key):
    """Rows create their partitions, with a bucket key and without; readers get all of them, or some."""
    table = f"{database}.t"
    options = "'bucket.num' = '2'" + (f", 'bucket.key' = '{key}'" if key else "")
    cli(
        "table", "create",
        f"CREATE TABLE {table} (id INT, region STRING, day INT) PARTITIONED BY (region, day) WITH ({options})",
    )  # fmt: skip
    assert names(cli, table) == [] and tail(cli, table) == []
    rows = [{"id": i, "region": ("eu", "us")[i % 2], "day": i % 3} for i in range(60)]
    put(cli, table, rows)
    assert names(cli, table) == ["eu$0", "eu$1", "eu$2", "us$0", "us$1", "us$2"]
    assert by_id(tail(cli, table)) == rows
    assert by_id(tail(cli, table, "--partition", "region=eu")) == rows[::2]
    assert by_id(tail(cli, table, "--partition", "region=us,day=1")) == rows[1::6]
    assert [row["id"] for row in by_id(tail(cli, table, "--partition", "day=2", "--columns", "id"))] == list(
        range(2, 60, 3)
    )
    assert tail(cli, table, "--partition", "day=7") == []
    ends = offsets(cli, table)
    assert len(ends) == 12 and sum(ends.values()) == 60
    assert sum(offsets(cli, table, "--partition", "region=eu,day=0").values()) == 10
    assert names(cli, table, "--partition", "day=1") == ["eu$1", "us$1"]
    text = cli("offsets", table).decode()
    assert text.split()[:2] == ["partition", "bucket"] and "eu$2" in text


def test_keyed_table(cli, database):
    """Keys are apart by partition; lookups of partitions that are not there find nothing and make nothing."""
    table = f"{database}.k"
    cli(
        "table", "create",
        f"CREATE TABLE {table} (region STRING, id INT, v BIGINT, PRIMARY KEY (region, id)) PARTITIONED BY (region) "
        "WITH ('bucket.num' = '2')",
    )  # fmt: skip
    factors = {"eu": 1, "us": 10}
    rows = [{"region": region, "id": i, "v": i * factor} for region, factor in factors.items() for i in range(9)]
    put(cli, table, rows)

    def lookup(*key, code=SUCCESS):
        found = cli("lookup", table, *key, "--format", "ndjson", code=code)
        return parse_ndjson(found.decode()) if code == SUCCESS else found

    assert lookup("region=eu", "id=3") == [{"region": "eu", "id": 3, "v": 3}]
    assert lookup("region=us", "id=3") == [{"region": "us", "id": 3, "v": 30}]
    assert "no row" in lookup("region=asia", "id=3", code=REFUSED)
    assert names(cli, table) == ["eu", "us"]
    keys = [{"region": region, "id": i} for i in range(9) for region in ("asia", "us", "eu")]
    found = cli("lookup", table, "--stdin", "--format", "ndjson", stdin=lines(keys))
    assert [(row["region"], row["id"]) for row in parse_ndjson(found.decode())] == [
        (k["region"], k["id"]) for k in keys if k["region"] != "asia"
    ]
    put(cli, table, [{"region": "us", "id": 3}], "--delete")
    assert "no row" in lookup("region=us", "id=3", code=REFUSED)
    scanned = parse_ndjson(cli("scan", table, "--format", "ndjson").decode())
    assert sorted(scanned, key=lambda r: (r["region"], r["id"])) == [r for r in rows if r != rows[12]]
    scanned = parse_ndjson(cli("scan", table, "--partition", "region=us", "--format", "ndjson").decode())
    assert len(scanned) == 8 and {row["region"] for row in scanned} == {"us"}
    changes = tail(cli, table, "--partition", "region=us")
    assert len(changes) == 10 and [row["id"] for row in changes if row["_change_type"] == "delete"] == [3]


def test_prefix_lookups(cli, database):
    table = f"{database}.p"
    cli(
        "table", "create",
        f"CREATE TABLE {table} (region STRING, city STRING, id INT, PRIMARY KEY (region, city, id)) "
        "PARTITIONED BY (region) WITH ('bucket.num' = '3', 'bucket.key' = 'city')",
    )  # fmt: skip
    put(cli, table, [{"region": r, "city": c, "id": i} for r in ("a", "b") for c in ("x", "y") for i in range(4)])
    found = cli("lookup", table, "region=b", "city=x", "--prefix", "--format", "ndjson").decode()
    assert [(row["region"], row["city"], row["id"]) for row in parse_ndjson(found)] == [("b", "x", i) for i in range(4)]


def test_statements(cli, database):
    """ADD and DROP PARTITION, several with other changes; what is wrong with them is said."""
    table = f"{database}.s"
    cli("table", "create", f"CREATE TABLE {table} (id INT, region STRING) PARTITIONED BY (region)")
    alter = lambda *changes, code=SUCCESS: cli("table", "alter", table, *changes, code=code)  # noqa: E731
    alter("ADD PARTITION (region = 'eu')", "ADD COLUMN note STRING", "ADD IF NOT EXISTS PARTITION (region = 'eu')")
    assert "has partition 'eu' already" in alter("ADD PARTITION (region = 'eu')", code=REFUSED)
    assert "a.b" in alter("ADD PARTITION (region = 'a.b')", code=REFUSED)
    assert "no partition 'us'" in alter("DROP PARTITION (region = 'us')", code=REFUSED)
    put(cli, table, [{"id": 1, "region": "eu", "note": "n"}])
    alter("DROP IF EXISTS PARTITION (region = 'us')", "DROP PARTITION (region = 'eu')")
    assert names(cli, table) == [] and tail(cli, table) == []
    put(cli, table, [{"id": 2, "region": "eu", "note": "n"}])
    assert [row["id"] for row in tail(cli, table)] == [2]
    assert "'note' is no partition key" in cli("tail", table, "--no-follow", "--partition", "note=1", code=REFUSED)
    plain = f"{database}.plain"
    cli("table", "create", f"CREATE TABLE {plain} (id INT)")
    for command in (["tail", plain, "--no-follow"], ["offsets", plain], ["table", "partitions", plain]):
        assert "not partitioned" in cli(*command, "--partition", "id=1", code=REFUSED)
    assert "null" in cli("put", table, "--input-format", "ndjson", stdin='{"id": 1}\n', code=REFUSED)
    assert "'a b'" in cli("put", table, "--input-format", "ndjson", stdin='{"id": 1, "region": "a b"}\n', code=REFUSED)


def test_racing_writers(cli, database):
    """Writers that meet new values at the same time lose no row and make each partition once."""
    table = f"{database}.r"
    cli(
        "table", "create",
        f"CREATE TABLE {table} (id INT, region INT) PARTITIONED BY (region) WITH ('bucket.num' = '2')",
    )  # fmt: skip
    writers, per_writer = 5, 200
    with ThreadPoolExecutor(writers) as pool:
        work = [[{"id": w * per_writer + i, "region": i % 10} for i in range(per_writer)] for w in range(writers)]
        list(pool.map(lambda rows: put(cli, table, rows), work))
    assert names(cli, table) == [str(i) for i in range(10)]
    assert [row["id"] for row in by_id(tail(cli, table))] == list(range(writers * per_writer))


def test_tail_follows_new_partitions(cli, database, tail_process):
    """A tail goes on with partitions that come later, and survives that others are dropped."""
    table = f"{database}.f"
    cli("table", "create", f"CREATE TABLE {table} (id INT, region STRING) PARTITIONED BY (region)")
    all_of_it = tail_process(table, "--from", "earliest", "--format", "ndjson")
    some = tail_process(table, "--from", "earliest", "--format", "ndjson", "--partition", "region=us")
    read = lambda follower: json.loads(follower.stdout.readline())["id"]  # noqa: E731
    for i, region in enumerate(("eu", "us", "eu")):
        put(cli, table, [{"id": i, "region": region}])
        assert read(all_of_it) == i
    assert read(some) == 1
    cli("table", "alter", table, "DROP PARTITION (region = 'eu')")
    put(cli, table, [{"id": 7, "region": "us"}])
    assert read(all_of_it) == 7 and read(some) == 7
    put(cli, table, [{"id": 8, "region": "eu"}])
    assert read(all_of_it) == 8
    for follower in (all_of_it, some):
        follower.send_signal(signal.SIGINT)
        out, err = follower.communicate(timeout=RUN_TIMEOUT_S)
        assert (follower.returncode, out, err) == (SUCCESS, b"", b"")


KEY_TYPES = [
    ("BOOLEAN", True, "true"),
    ("TINYINT", -5, "-5"),
    ("BIGINT", 2**40, str(2**40)),
    ("CHAR(3)", "a-b", "a-b"),
    ("DATE", "2026-11-30", "2026-11-30"),
    ("TIME(3)", "01:02:03.004", "01-02-03_004"),
    ("FLOAT", 1.5, "1_5"),
    ("DOUBLE", -2.75, "-2_75"),
    ("TIMESTAMP(3)", "2023-11-14T22:13:20.123", "2023-11-14-22-13-20_123"),
    ("TIMESTAMP_LTZ(3)", "2023-11-14T22:13:20Z", "2023-11-14-22-13-20_"),
]


@pytest.mark.parametrize("type, value, name", KEY_TYPES)
def test_key_types(cli, database, type, value, name):
    table = f"{database}.t"
    cli("table", "create", f"CREATE TABLE {table} (id INT, p {type}) PARTITIONED BY (p)")
    put(cli, table, [{"id": 1, "p": value}, {"id": 2, "p": value}])
    assert names(cli, table) == [name]
    assert [row["id"] for row in tail(cli, table, "--partition", f"p={name}")] == [1, 2]
