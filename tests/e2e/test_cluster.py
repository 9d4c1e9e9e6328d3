"""Options that change while the server runs, server tags and rebalances: raw requests, Java clients, the command."""

import json

import pytest

import fluss_raw
import test_java
from command import REFUSED, WRONG_USAGE, cli  # noqa: F401
from fluss_raw import path, table_json
from kv_rows import Keys, encode_row, kv_batch
from raw_checks import COLUMNS, INVALID_TABLE, UNKNOWN, batch, error_of
from waiting import eventually

SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3
STATIC, DYNAMIC = "INITIAL_SERVER_CONFIG", "DYNAMIC_SERVER_CONFIG"
INVALID_REPLICATION_FACTOR, INVALID_CONFIG, INVALID_ALTER, CONFIG, DISK_LOCKED = 17, 39, 56, 64, 70
NO_SERVER, OTHER_TAG, NOT_THE_TAG = 58, 59, 60
REBALANCE_FAILURE, NO_REBALANCE = 61, 62
PERMANENT_OFFLINE, TEMPORARY_OFFLINE = 0, 1
COMPLETED = 3
ROLL = "log.retention.roll-active-segment.enabled"
LIMIT, RECOVER = "server.data-disk.write-limit-ratio", "server.data-disk.write-recover-ratio"


def change(key, value=None, op=SET):
    message = {"config_key": key, "op_type": op}
    return message if value is None else {**message, "config_value": value}


def alter(raw, *changes):
    raw.call("ALTER_CLUSTER_CONFIGS", alter_configs=list(changes))


def refused(raw, *changes):
    error = error_of(lambda: alter(raw, *changes))
    assert error.code == CONFIG
    return error.message


def configs(raw):
    """Value and source by key."""
    answer = raw.call("DESCRIBE_CLUSTER_CONFIGS")
    return {c["config_key"]: (c.get("config_value"), c["config_source"]) for c in answer["configs"]}


def try_create(raw, table, columns=COLUMNS, **more):
    description = table_json(columns, **more)
    return error_of(
        lambda: raw.call(
            "CREATE_TABLE", table_path=path("fluss", table), table_json=description, ignore_if_exists=False
        )
    )


@pytest.fixture
def own(new_server):
    """A server of the test's own, and a raw connection to it that follows restarts."""

    class Own:
        def __init__(self, **options):
            self.server = new_server(options=options).start()
            self.raw = fluss_raw.connect(self.server.address)

        def restart(self):
            self.raw.close()
            self.server.restart()
            self.raw = fluss_raw.connect(self.server.address)

    return Own


def test_set_and_delete(own):
    """What is set hides what the server was started with, over a restart, until it is deleted."""
    cluster = own(**{"kv.snapshot.interval": "1 min"})
    before = configs(cluster.raw)
    assert before["kv.snapshot.interval"] == ("1 min", STATIC) and ROLL not in before
    alter(cluster.raw, change("kv.snapshot.interval", "2 min"), change(ROLL, "true"))
    for _ in range(2):
        after = configs(cluster.raw)
        assert after["kv.snapshot.interval"] == ("2 min", DYNAMIC)
        assert after[ROLL] == ("true", DYNAMIC)
        assert len(after) == len(before) + 1
        cluster.restart()
    alter(cluster.raw, change("kv.snapshot.interval"))
    assert configs(cluster.raw)["kv.snapshot.interval"] == (None, DYNAMIC)
    alter(cluster.raw, change("kv.snapshot.interval", op=DELETE), change(ROLL, op=DELETE))
    alter(cluster.raw, change(ROLL, op=DELETE))
    assert configs(cluster.raw) == before
    cluster.restart()
    assert configs(cluster.raw) == before


def test_refused(own):
    """Wrong changes name the option and change nothing, nor do the right ones beside them."""
    raw = own().raw
    before = configs(raw)
    for wrong, *words in (
        (change("not.exist.key", "value"), "not.exist.key", "unknown"),
        (change("data.dir", "/tmp"), "data.dir", "while the server runs"),
        (change("kv.leader-replica.memory-reserved", "1mb"), "no effect"),
        (change("kv.snapshot.interval", "soon"), "kv.snapshot.interval", "soon"),
        (change(LIMIT, "1.5"), LIMIT),
        (change(LIMIT, "0.5"), RECOVER, "0.8"),
        (change(ROLL, "true", APPEND), ROLL, "list"),
        (change(ROLL, "true", SUBTRACT), ROLL, "list"),
        (change(ROLL, "true", 7), ROLL, "7"),
        (change("datalake.enabled", "true"), "datalake.format"),
        (change("datalake.format", "paimon"), "warehouse"),
        (change("datalake.format", "hudi"), "hudi"),
        (change("datalake.format", "parquet"), "parquet"),
    ):
        message = refused(raw, change(ROLL, "true"), wrong)
        assert all(word in message for word in words), message
        assert configs(raw) == before


def test_disk_ratios(own):
    """The ratios change together, and hold for writes when the answer is there."""
    raw = own().raw
    table = raw.create_table("fluss", "t", COLUMNS, properties={"table.log.arrow.compression.type": "NONE"})
    alter(raw, change(LIMIT, "0.0000001"), change(RECOVER, "0"))
    assert error_of(lambda: raw.produce(table, batch(0, 1).encode())).code == DISK_LOCKED
    alter(raw, change(LIMIT, "1"), change(RECOVER, "0.9999"))
    raw.produce(table, batch(0, 1).encode())
    alter(raw, change(LIMIT, op=DELETE), change(RECOVER, op=DELETE))
    assert LIMIT not in configs(raw)


def test_snapshot_interval(own):
    """A shorter interval holds at once, not after the longer one has passed."""
    raw = own(**{"kv.snapshot.interval": "1 h"}).raw
    table = raw.create_table("fluss", "t", COLUMNS, primary_key=["id"])
    row = [1, "one"]
    raw.put_kv(table, kv_batch([(Keys(COLUMNS, ["id"]).key(row), encode_row(COLUMNS, row))]))
    alter(raw, change("kv.snapshot.interval", "50 ms"))

    def snapshot():
        (entry,) = raw.call("GET_LATEST_KV_SNAPSHOTS", table_path=path("fluss", "t"))["latest_snapshots"]
        return "snapshot_id" in entry

    eventually(snapshot, "a snapshot")


LAKE = {"table.datalake.enabled": "true", "table.datalake.freshness": "100 ms"}


def set_lake(raw, folder):
    alter(raw, change("datalake.format", "paimon"), change("datalake.paimon.warehouse", str(folder)))


def tiered_to(raw, table):
    """The end of bucket 0 in the lake; None while it is not there."""
    try:
        answer = raw.call("GET_LAKE_SNAPSHOT", table_path=path("fluss", table), readable=True)
    except fluss_raw.ServerError:
        return None
    return {b["bucket_id"]: b["log_offset"] for b in answer["bucket_snapshots"]}.get(0)


def properties_of(raw, table):
    info = raw.call("GET_TABLE_INFO", table_path=path("fluss", table))
    return json.loads(info["table_json"])["properties"]


def test_lake_switched_on(own, tmp_path):
    """A lake that is named on a running cluster gets tables and their rows; another one gets those after it, and a
    second format those that ask for it."""
    plain = {"table.log.arrow.compression.type": "NONE"}
    cluster = own()
    assert "lake" in try_create(cluster.raw, "t", properties=LAKE).message
    cluster.raw.create_table("fluss", "old", COLUMNS, properties=plain)
    set_lake(cluster.raw, tmp_path / "one")
    table = cluster.raw.create_table("fluss", "t", COLUMNS, properties=LAKE | plain)
    assert properties_of(cluster.raw, "t")["table.datalake.paimon.warehouse"] == str(tmp_path / "one")
    assert "table.datalake.format" not in properties_of(cluster.raw, "old")
    cluster.raw.produce(table, batch(0, 5).encode())
    eventually(lambda: tiered_to(cluster.raw, "t") == 5, "rows in the lake")
    assert (tmp_path / "one/fluss.db/t/snapshot").is_dir()
    cluster.restart()
    cluster.raw.produce(table, batch(5, 7).encode())
    eventually(lambda: tiered_to(cluster.raw, "t") == 7, "rows in the lake after a restart")

    alter(cluster.raw, change("datalake.enabled", "false"))
    assert try_create(cluster.raw, "u", properties=LAKE).code == INVALID_TABLE
    cluster.raw.create_table("fluss", "u", COLUMNS, properties=plain)
    assert properties_of(cluster.raw, "u")["table.datalake.format"] == "paimon"
    alter(cluster.raw, change("datalake.enabled", "true"), change("datalake.paimon.warehouse", str(tmp_path / "two")))
    cluster.raw.create_table("fluss", "v", COLUMNS, properties=LAKE | plain)
    assert (tmp_path / "two/fluss.db/v/schema").is_dir() and not (tmp_path / "one/fluss.db/v").exists()

    iceberg = LAKE | plain | {"table.datalake.format": "iceberg"}
    assert try_create(cluster.raw, "i", properties=iceberg).code == INVALID_CONFIG
    alter(cluster.raw, change("datalake.iceberg.warehouse", str(tmp_path / "three")))
    cluster.raw.create_table("fluss", "i", COLUMNS, properties=iceberg)
    assert properties_of(cluster.raw, "i")["table.datalake.iceberg.warehouse"] == str(tmp_path / "three")
    assert properties_of(cluster.raw, "t")["table.datalake.paimon.warehouse"] == str(tmp_path / "two")
    alter(cluster.raw, change("datalake.iceberg.warehouse", op=DELETE))
    assert try_create(cluster.raw, "j", properties=iceberg).code == INVALID_CONFIG
    names = ("datalake.enabled", "datalake.format", "datalake.paimon.warehouse")
    alter(cluster.raw, *(change(name, op=DELETE) for name in names))
    assert try_create(cluster.raw, "w", properties=LAKE).code == INVALID_TABLE
    assert "table.datalake.paimon.warehouse" not in properties_of(cluster.raw, "t")
    cluster.raw.produce(table, batch(7, 8).encode())


def alter_table(raw, table, key, value):
    changes = [change(key, value)]
    raw.call("ALTER_TABLE", table_path=path("fluss", table), config_changes=changes, ignore_if_not_exists=False)


def test_tables_of_the_lake_before(own, tmp_path):
    """They stay in it, and go on in the new one when their lake is switched off and on again."""
    raw = own(**{"lakestream.tiering.heartbeat-interval": "50 ms"}).raw
    set_lake(raw, tmp_path / "one")
    table = raw.create_table("fluss", "t", COLUMNS, properties=LAKE | {"table.log.arrow.compression.type": "NONE"})
    raw.produce(table, batch(0, 5).encode())
    eventually(lambda: tiered_to(raw, "t") == 5, "rows in the lake")
    alter(raw, change("datalake.paimon.warehouse", str(tmp_path / "two")))
    raw.produce(table, batch(5, 7).encode())
    assert not (tmp_path / "two/fluss.db/t").exists()
    alter_table(raw, "t", "table.datalake.enabled", "false")
    alter_table(raw, "t", "table.datalake.enabled", "true")
    eventually(lambda: tiered_to(raw, "t") == 7, "rows in the new lake")
    assert (tmp_path / "two/fluss.db/t/snapshot").is_dir()


def test_tables_from_before_the_lake(own, tmp_path):
    """Keys and buckets of their own making are no lake's; what has none, or named its format, may get one."""
    raw = own().raw
    enabled = "table.datalake.enabled"
    raw.create_table("fluss", "keyed", COLUMNS, primary_key=["id"])
    raw.create_table("fluss", "bucketed", COLUMNS, buckets=3, bucket_key=["id"])
    raw.create_table("fluss", "plain", COLUMNS, buckets=3)
    for format in ("paimon", "iceberg"):
        properties = {"table.datalake.format": format}
        raw.create_table("fluss", f"named_{format}", COLUMNS, buckets=3, bucket_key=["id"], properties=properties)
    set_lake(raw, tmp_path / "lake")
    for table in ("keyed", "bucketed"):
        error = error_of(lambda: alter_table(raw, table, enabled, "true"))
        assert error.code == INVALID_ALTER and enabled in error.message
    error = error_of(lambda: alter_table(raw, "named_iceberg", enabled, "true"))
    assert error.code == INVALID_CONFIG and "iceberg" in error.message and "paimon" in error.message
    for table in ("plain", "named_paimon"):
        alter_table(raw, table, enabled, "true")
        assert properties_of(raw, table)["table.datalake.format"] == "paimon"
        assert (tmp_path / f"lake/fluss.db/{table}/schema").is_dir()


def test_remote_data_dirs(own, tmp_path):
    """New tables and partitions take turns; weights count; what is there stays where it is."""
    roots = [f"file://{tmp_path}/{name}" for name in "abc"]
    dirs = "remote.data.dirs"
    cluster = own(**{"remote.data.dir": roots[0], "kv.snapshot.interval": "50 ms"})
    raw = cluster.raw

    def root_of(table):
        return raw.call("GET_TABLE_INFO", table_path=path("fluss", table)).get("remote_data_dir")

    raw.create_table("fluss", "before", COLUMNS)
    assert root_of("before") is None
    alter(raw, change(dirs, ",".join(roots)))
    for i in range(6):
        raw.create_table("fluss", f"t{i}", COLUMNS)
    assert sorted(root_of(f"t{i}") for i in range(6)) == sorted(roots * 2)
    weights = [change(f"{dirs}.strategy", "WEIGHTED_ROUND_ROBIN"), change(f"{dirs}.weights", "0,3,1")]
    alter(raw, *weights)
    for i in range(4):
        raw.create_table("fluss", f"w{i}", COLUMNS, primary_key=["id"])
    assert sorted(root_of(f"w{i}") for i in range(4)) == sorted([roots[1]] * 3 + [roots[2]])
    cluster.restart()
    raw = cluster.raw
    (metadata,) = raw.call("GET_METADATA", table_path=[path("fluss", "w0")])["table_metadata"]
    row = [1, "one"]
    raw.put_kv(metadata["table_id"], kv_batch([(Keys(COLUMNS, ["id"]).key(row), encode_row(COLUMNS, row))]))
    eventually(lambda: list((tmp_path / root_of("w0")[-1] / "kv/fluss").glob("w0-*/0/snap-*")), "a snapshot")
    for wrong, *words in (
        (change(f"{dirs}.weights", "1,2"), "weights", "3"),
        (change(f"{dirs}.weights", "1,2,-1"), "-1"),
        (change(dirs, "s3://a,s3://b,s3://c"), "s3://a", "file"),
        (change(dirs, "a,b,c"), dirs),
    ):
        message = refused(raw, wrong)
        assert all(word in message for word in words), message
    alter(raw, *(change(key, op=DELETE) for key in (dirs, f"{dirs}.strategy", f"{dirs}.weights")))
    raw.create_table("fluss", "after", COLUMNS)
    assert root_of("after") is None and root_of("t1") is not None


def test_secrets_hidden(own, tmp_path):
    """Values of keys that name a secret are not shown, whoever set them."""
    raw = own().raw
    set_lake(raw, tmp_path / "lake")
    alter(raw, change("datalake.paimon.s3.secret-key", "hush"))
    assert configs(raw)["datalake.paimon.s3.secret-key"] == ("******", DYNAMIC)


def test_command(own, cli):  # noqa: F811
    """`lakestream config set` and `unset`."""
    address = own().server.address
    run = lambda *arguments, code=0: cli("config", *arguments, code=code, address=address)  # noqa: E731
    assert b"kv.snapshot.interval" in run("set", "kv.snapshot.interval=1 min", f"{ROLL}=true")
    shown = {entry["key"]: entry for entry in json.loads(run("--format", "json"))}
    assert shown["kv.snapshot.interval"]["value"] == "1 min" and shown[ROLL]["source"] == DYNAMIC
    assert json.loads(run("unset", ROLL, "--format", "json")) == {"changed": [ROLL]}
    assert ROLL not in {entry["key"] for entry in json.loads(run("--format", "json"))}
    assert "data.dir" in run("set", "data.dir=/tmp", code=REFUSED)
    assert "KEY=VALUE" in run("set", "data.dir", code=WRONG_USAGE)
    assert "config set" in cli("config", "--explain", "kv.snapshot.interval").decode()


def test_server_tags(own):
    """One tag a server; a server that is taken out for good gets no buckets."""
    cluster = own()
    raw = cluster.raw
    code = lambda *call, **values: error_of(lambda: raw.call(*call, **values)).code  # noqa: E731
    assert code("ADD_SERVER_TAG", server_ids=[0, 9], server_tag=PERMANENT_OFFLINE) == NO_SERVER
    assert code("ADD_SERVER_TAG", server_ids=[0], server_tag=5) == UNKNOWN
    raw.call("REMOVE_SERVER_TAG", server_ids=[0, 9], server_tag=PERMANENT_OFFLINE)
    raw.call("ADD_SERVER_TAG", server_ids=[0], server_tag=TEMPORARY_OFFLINE)
    raw.call("ADD_SERVER_TAG", server_ids=[0], server_tag=TEMPORARY_OFFLINE)
    raw.create_table("fluss", "t", COLUMNS)
    assert code("ADD_SERVER_TAG", server_ids=[0], server_tag=PERMANENT_OFFLINE) == OTHER_TAG
    assert code("REMOVE_SERVER_TAG", server_ids=[0], server_tag=PERMANENT_OFFLINE) == NOT_THE_TAG
    raw.call("REMOVE_SERVER_TAG", server_ids=[0], server_tag=TEMPORARY_OFFLINE)
    raw.call("ADD_SERVER_TAG", server_ids=[0], server_tag=PERMANENT_OFFLINE)
    cluster.restart()
    raw = cluster.raw
    assert try_create(raw, "u").code == INVALID_REPLICATION_FACTOR
    raw.call("REMOVE_SERVER_TAG", server_ids=[0], server_tag=PERMANENT_OFFLINE)
    raw.create_table("fluss", "u", COLUMNS)


def test_server_tags_by_rack(own):
    raw = own(**{"tablet-server.rack": "r1"}).raw
    code = lambda *call, **values: error_of(lambda: raw.call(*call, **values)).code  # noqa: E731
    assert code("ADD_SERVER_TAG_BY_RACK", racks=["r1", "r2"], server_tag=PERMANENT_OFFLINE) == NO_SERVER
    raw.create_table("fluss", "t", COLUMNS)
    raw.call("ADD_SERVER_TAG_BY_RACK", racks=["r1"], server_tag=PERMANENT_OFFLINE)
    assert try_create(raw, "u").code == INVALID_REPLICATION_FACTOR
    assert code("REMOVE_SERVER_TAG_BY_RACK", racks=["r1"], server_tag=TEMPORARY_OFFLINE) == NOT_THE_TAG
    raw.call("REMOVE_SERVER_TAG_BY_RACK", racks=["r1", "r2"], server_tag=PERMANENT_OFFLINE)
    raw.create_table("fluss", "u", COLUMNS)


def test_rebalance(own):
    """On one server there is nothing to move, and a rebalance has ended when it is answered."""
    cluster = own()
    raw = cluster.raw
    code = lambda *call, **values: error_of(lambda: raw.call(*call, **values)).code  # noqa: E731
    assert raw.call("LIST_REBALANCE_PROGRESS") == {"table_progress": []}
    assert raw.call("LIST_REBALANCE_PROGRESS", rebalance_id="no") == {"table_progress": []}
    raw.call("CANCEL_REBALANCE")
    for goals in ([], [0, 9], [-1]):
        assert code("REBALANCE", goals=goals) == REBALANCE_FAILURE
    raw.create_table("fluss", "t", COLUMNS)
    first = raw.call("REBALANCE", goals=[0, 1, 2])["rebalance_id"]
    last = raw.call("REBALANCE", goals=[1])["rebalance_id"]
    assert first != last
    cluster.restart()
    raw = cluster.raw
    progress = {"rebalance_id": last, "rebalance_status": COMPLETED, "table_progress": []}
    assert raw.call("LIST_REBALANCE_PROGRESS") == raw.call("LIST_REBALANCE_PROGRESS", rebalance_id=last) == progress
    assert code("LIST_REBALANCE_PROGRESS", rebalance_id=first) == NO_REBALANCE
    assert code("CANCEL_REBALANCE", rebalance_id=first) == NO_REBALANCE
    raw.call("CANCEL_REBALANCE", rebalance_id=last)
    assert raw.call("LIST_REBALANCE_PROGRESS") == progress
    raw.call("ADD_SERVER_TAG", server_ids=[0], server_tag=PERMANENT_OFFLINE)
    assert code("REBALANCE", goals=[0]) == REBALANCE_FAILURE


@pytest.mark.parametrize("version", test_java.EXTRA)
def test_java_client(own, tmp_path, version, subtests):
    server = own(**{"tablet-server.rack": "r1"}).server
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
    options = [f"-Dwarehouse={tmp_path / 'lake'}"]
    test_java.run_checks("ClusterCheck", server, "db", version, subtests, options)
    if version == "1.0.0":
        test_java.run_checks("ClusterSinceOneCheck", server, "db", version, subtests, options)
