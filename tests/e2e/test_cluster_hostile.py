"""Requests that administer the cluster from clients that mean no good, or that come all at once."""

import random
import threading

import pytest

import fluss_raw
from fluss_raw import APIS, encode, path, table_json
from kv_rows import Keys, encode_row, kv_batch
from raw_checks import COLUMNS, PARTITION_NOT_EXIST, assert_usable, batch, error_of, retriable_codes
from test_cluster import (  # noqa: F401
    APPEND,
    DELETE,
    DYNAMIC,
    INVALID_ALTER,
    NO_REBALANCE,
    NO_SERVER,
    REBALANCE_FAILURE,
    ROLL,
    alter,
    alter_table,
    change,
    configs,
    own,
    refused,
    set_lake,
    tiered_to,
)
from waiting import eventually

MESSAGE_BYTES_MAX = 8192
LONG = "k" * (20 << 20)


def at_once(address, count, run):
    """run(number, connection) in so many threads, each with a connection of its own."""
    failures = []

    def one(number):
        try:
            with fluss_raw.connect(address) as raw:
                run(number, raw)
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def create_partitioned(raw, table, **more):
    """By name; without a partition there are no buckets to wait for."""
    description = table_json(COLUMNS, partition_key=["name"], **more)
    raw.call("CREATE_TABLE", table_path=path("fluss", table), table_json=description, ignore_if_exists=False)


def test_huge_and_odd_options(own):  # noqa: F811
    """They are refused at once, with an error of bearable size, and change nothing."""
    raw = own().raw
    before = configs(raw)
    name = "datalake.paimon.x"
    for changes, *words in (
        ([change(LONG, "v")], "at most 256"),
        ([change("datalake.paimon." + LONG, "v")], "at most 256"),
        ([change(f"{name}{i}", "v" * 1000) for i in range(300)], "bytes", "configuration file"),
        ([change(name, LONG)], "bytes", "configuration file"),
        ([change("datalake.format", LONG)], "datalake.format", "bytes"),
        ([change("remote.data.dirs", "a," * (5 << 20))], "remote.data.dirs", "bytes"),
        ([change("remote.data.dirs", "a," * (100 << 10))], "remote.data.dirs"),
        ([change("", "v")], "unknown"),
        ([change("datalake.paimon.", "v")], "unknown"),
        ([change("datalake.paimon.two words", "v")], "letters"),
        ([change("datalake.paimon.ü", "v")], "letters"),
        ([change(name, "a\nb: c")], "control"),
        ([change(name, "v", -1)], "operation -1"),
        ([change(name, "v", 2**31 - 1)], "operation 2147483647"),
        ([change(name + str(i), "v") for i in range(100_000)], "100001", "1000"),
        ([change("security.sasl.plain.jaas.config", "root:hush")], "security.sasl.plain.jaas.config"),
        ([change("s3.secret-key", "hush")], "s3.secret-key", "while the server runs"),
    ):
        message = refused(raw, change(ROLL, "true"), *changes)
        assert all(word in message for word in words), message
        assert len(message.encode()) <= MESSAGE_BYTES_MAX and "hush" not in message
    assert configs(raw) == before


def test_huge_and_odd_servers_and_rebalances(own):  # noqa: F811
    raw = own(**{"tablet-server.rack": "r1"}).raw
    code = lambda *call, **values: error_of(lambda: raw.call(*call, **values)).code  # noqa: E731
    raw.call("ADD_SERVER_TAG", server_ids=[], server_tag=0)
    raw.call("ADD_SERVER_TAG_BY_RACK", racks=[], server_tag=0)
    raw.call("REMOVE_SERVER_TAG", server_ids=list(range(1, 200_000)), server_tag=0)
    raw.call("REMOVE_SERVER_TAG_BY_RACK", racks=["r2", "", LONG], server_tag=0)
    for ids in ([-1], [2**31 - 1], [-(2**31)], [0] * 200_000 + [7]):
        assert code("ADD_SERVER_TAG", server_ids=ids, server_tag=0) == NO_SERVER
    for racks in ([""], [LONG], ["r1"] * 100_000 + ["r2"]):
        assert code("ADD_SERVER_TAG_BY_RACK", racks=racks, server_tag=0) == NO_SERVER
    assert code("REBALANCE", goals=[0] * 200_000 + [3]) == REBALANCE_FAILURE
    raw.call("REBALANCE", goals=[2] * 200_000)
    assert "at most 262144" in error_of(lambda: raw.call("REBALANCE", goals=[2] * 300_000)).message
    for id in ("", LONG):
        assert code("LIST_REBALANCE_PROGRESS", rebalance_id=id) == NO_REBALANCE
        assert code("CANCEL_REBALANCE", rebalance_id=id) == NO_REBALANCE
    raw.create_table("fluss", "t", COLUMNS)


REQUESTS = {
    "ALTER_CLUSTER_CONFIGS": {"alter_configs": [change(ROLL, "true"), change("datalake.paimon.x", "y")]},
    "ADD_SERVER_TAG": {"server_ids": [0, 1], "server_tag": 1},
    "REMOVE_SERVER_TAG": {"server_ids": [0, 1], "server_tag": 1},
    "ADD_SERVER_TAG_BY_RACK": {"racks": ["r1", "r2"], "server_tag": 1},
    "REMOVE_SERVER_TAG_BY_RACK": {"racks": ["r1", "r2"], "server_tag": 1},
    "REBALANCE": {"goals": [0, 1, 2]},
    "LIST_REBALANCE_PROGRESS": {"rebalance_id": "id"},
    "CANCEL_REBALANCE": {"rebalance_id": "id"},
    "ALTER_TABLE": {
        "table_path": path("fluss", "p"),
        "ignore_if_not_exists": False,
        "modify_bucket_count": {"new_bucket_count": 3},
    },
}
# Bodies that lack what a request can not do without.
LACKING = {
    "ALTER_CLUSTER_CONFIGS": b"\x0a\x00",
    "ADD_SERVER_TAG": b"",
    "REMOVE_SERVER_TAG": b"",
    "ADD_SERVER_TAG_BY_RACK": b"",
    "REMOVE_SERVER_TAG_BY_RACK": b"",
    "ALTER_TABLE": b"",
}


def test_damaged_requests(own):  # noqa: F811
    """Bytes of valid requests are changed: each is answered, and the server starts again with what it took."""
    cluster = own(**{"tablet-server.rack": "r1"})
    raw = cluster.raw
    create_partitioned(raw, "p")
    for api, body in LACKING.items():
        request_id = raw.send_payload(APIS[api][0], body)
        error = error_of(lambda: raw.receive(api, request_id))
        assert error.code != 0 and error.code not in retriable_codes() and error.message
    generator = random.Random(21)
    for _ in range(100):
        for api, values in REQUESTS.items():
            body = bytearray(encode(APIS[api][1] + "Request", values))
            for _ in range(generator.randint(1, 4)):
                body[generator.randrange(len(body))] = generator.randrange(256)
            if generator.random() < 0.2:
                del body[generator.randrange(len(body)) :]
            raw.read_answer(raw.send_payload(APIS[api][0], bytes(body)))
    assert_usable(raw)
    before = configs(raw)
    cluster.restart()
    assert configs(cluster.raw) == before
    assert_usable(cluster.raw)


def test_changes_at_once(own):  # noqa: F811
    """No change is lost, each holds when it is answered, and all hold after a restart."""
    cluster = own()
    roots = [f"/tmp/at-once/{number}" for number in range(8)]

    def run(number, raw):
        for i in range(10):
            key = f"datalake.paimon.{number}.{i}"
            alter(raw, change(key, "v"))
            assert configs(raw)[key] == ("v", DYNAMIC)
        alter(raw, change("remote.data.dirs", roots[number], APPEND))
        for i in range(5):
            alter(raw, change(f"datalake.paimon.{number}.{i}", op=DELETE))

    at_once(cluster.server.address, 8, run)
    for _ in range(2):
        after = configs(cluster.raw)
        assert {key for key in after if key.startswith("datalake.")} == {
            f"datalake.paimon.{number}.{i}" for number in range(8) for i in range(5, 10)
        }
        assert sorted(after["remote.data.dirs"][0].split(",")) == roots
        cluster.restart()


def test_the_lake_moves_under_load(own, tmp_path):  # noqa: F811
    """Tables are made, written and copied while the lake is moved to and fro and switched off and on."""
    cluster = own(**{"lakestream.tiering.heartbeat-interval": "50 ms"})
    set_lake(cluster.raw, tmp_path / "0")
    properties = {
        "table.datalake.enabled": "true",
        "table.datalake.freshness": "50 ms",
        "table.log.arrow.compression.type": "NONE",
    }
    moved = threading.Event()

    def run(number, raw):
        if number == 0:
            for i in range(1, 25):
                alter(raw, change("datalake.paimon.warehouse", str(tmp_path / str(i % 3))))
                alter(raw, change("datalake.enabled", "false"))
                alter(raw, change("datalake.enabled", "true"))
            moved.set()
            return
        tables = []
        while not moved.is_set():
            try:
                if len(tables) < 5:
                    tables.append(raw.create_table("fluss", f"t{number}_{len(tables)}", COLUMNS, properties=properties))
            except fluss_raw.ServerError as refusal:
                assert "lake" in refusal.message
            for table in tables:
                raw.produce(table, batch(0, 3).encode())

    at_once(cluster.server.address, 4, run)
    cluster.server.assert_alive()
    table = cluster.raw.create_table("fluss", "last", COLUMNS, properties=properties)
    cluster.raw.produce(table, batch(0, 3).encode())
    eventually(lambda: tiered_to(cluster.raw, "last") == 3, "rows in the lake")
    cluster.restart()
    cluster.raw.produce(table, batch(3, 5).encode())
    eventually(lambda: tiered_to(cluster.raw, "last") == 5, "rows in the lake after a restart")


def test_changes_while_the_server_stops(own):  # noqa: F811
    """What was answered is there again; the server ends although changes keep coming."""
    cluster = own()
    held = []
    stop = threading.Event()

    def run(number, raw):
        for i in range(10_000):
            try:
                alter(raw, change(f"datalake.paimon.{number}", str(i)))
            except (fluss_raw.ServerError, fluss_raw.Closed, OSError):
                return
            held.append((number, i))
            stop.set()

    clients = threading.Thread(target=at_once, args=(cluster.server.address, 4, run))
    clients.start()
    stop.wait(10)
    cluster.restart()
    clients.join()
    after = configs(cluster.raw)
    for number in {number for number, _ in held}:
        last = max(i for of, i in held if of == number)
        assert int(after[f"datalake.paimon.{number}"][0]) in (last, last + 1)


def test_options_that_do_not_fit_any_more(own, tmp_path):  # noqa: F811
    """A server whose file changed starts without the options that it makes wrong, and says so."""
    lake = {"datalake.paimon.warehouse": str(tmp_path / "lake")}
    cluster = own(**lake)
    alter(cluster.raw, change("datalake.format", "paimon"), change("kv.snapshot.interval", "1 min"))
    alter(cluster.raw, change("remote.data.dirs", f"file://{tmp_path}/a,file://{tmp_path}/b"))
    del cluster.server.options["datalake.paimon.warehouse"]
    cluster.restart()
    after = configs(cluster.raw)
    assert "datalake.format" not in after and after["kv.snapshot.interval"] == ("1 min", DYNAMIC)
    assert "warehouse" in cluster.server.log_tail()
    weights = {"remote.data.dirs.strategy": "WEIGHTED_ROUND_ROBIN", "remote.data.dirs.weights": "1"}
    cluster.server.options |= weights | {"remote.data.dirs": f"file://{tmp_path}/c"}
    cluster.restart()
    assert configs(cluster.raw)["remote.data.dirs"] == (f"file://{tmp_path}/c", "INITIAL_SERVER_CONFIG")
    assert "remote.data.dirs" in cluster.server.log_tail()
    cluster.server.options |= lake
    alter(cluster.raw, change("kv.snapshot.interval", op=DELETE))
    cluster.restart()
    assert "kv.snapshot.interval" not in configs(cluster.raw)


def test_rows_of_expired_partitions(own):  # noqa: F811
    """The new versions of writes say which partition a row was of; there are no such partitions here."""
    raw = own().raw
    log = raw.create_table("fluss", "log", COLUMNS)
    keyed = raw.create_table("fluss", "keyed", COLUMNS, primary_key=["id"])
    row = [1, "one"]
    key, records = Keys(COLUMNS, ["id"]).key(row), batch(0, 1).encode()
    puts = kv_batch([(key, encode_row(COLUMNS, row))])
    produce = {"acks": 1, "table_id": log, "timeout_ms": 1000}
    put = {"acks": 1, "table_id": keyed, "timeout_ms": 1000}
    for api, version, request, content in (
        ("PRODUCE_LOG", 1, produce, {"records": records}),
        ("PUT_KV", 3, put, {"records": puts}),
        ("LOOKUP", 1, {"table_id": keyed}, {"keys": [key]}),
    ):
        for name in ("2026", "", LONG):
            bucket = {"bucket_id": 0, "original_partition_name": name, **content}
            (answer,) = raw.call(api, version, **request, buckets_req=[bucket])["buckets_resp"]
            assert answer["error_code"] == PARTITION_NOT_EXIST and answer["original_partition_name"] == name
            assert len(answer["error_message"].encode()) <= MESSAGE_BYTES_MAX
        (answer,) = raw.call(api, version, **request, buckets_req=[{"bucket_id": 0, **content}])["buckets_resp"]
        assert "error_code" not in answer and "original_partition_name" not in answer


@pytest.mark.parametrize("count", [0, -1, -(2**31), 2**31 - 1])
def test_bucket_counts_that_can_not_be(own, count):  # noqa: F811
    raw = own().raw
    create_partitioned(raw, "p")
    values = {"table_path": path("fluss", "p"), "ignore_if_not_exists": False}
    error = error_of(lambda: raw.call("ALTER_TABLE", 1, **values, modify_bucket_count={"new_bucket_count": count}))
    assert error.code not in retriable_codes() and str(count) in error.message


def test_bucket_counts_and_the_lake(own, tmp_path):  # noqa: F811
    """All partitions of a lake table have the same buckets, whatever comes first."""
    raw = own().raw
    set_lake(raw, tmp_path / "lake")
    values = {"ignore_if_not_exists": False, "modify_bucket_count": {"new_bucket_count": 5}}
    create_partitioned(raw, "keyed", buckets=2, primary_key=["id", "name"])
    raw.call("ALTER_TABLE", 1, table_path=path("fluss", "keyed"), **values)
    error = error_of(lambda: alter_table(raw, "keyed", "table.datalake.enabled", "true"))
    assert error.code == INVALID_ALTER and "bucket" in error.message
