"""Access control: each API with no right, with the right it needs, with every other one, and with inherited ones."""

import contextlib
import csv

import pytest

import fluss
import fluss_raw
import guarded
import java_programs
import kv_rows
from fluss_raw import ServerError, path
from guarded import USERS
from raw_checks import COLUMNS, batch, error_of
from server import ROOT, module_server
from test_login import pyfluss, sasl
from waiting import eventually

AUTHORIZATION, SECURITY_DISABLED, TABLE_NOT_EXIST, UNKNOWN_TABLE, CONFIG = 48, 47, 7, 21, 64
CLUSTER, DATABASE, TABLE, ANY = 2, 3, 4, 1
OPERATIONS = {"ALL": 2, "READ": 3, "WRITE": 4, "CREATE": 5, "DROP": 6, "ALTER": 7, "DESCRIBE": 8}
D, T = "rights", "t"
EVERY = (DATABASE, "*"), (TABLE, "*")


@pytest.fixture(scope="module")
def guarded_server(request, tmp_path_factory):
    more = {"lakestream__login__max_failures": "0", "kv__snapshot__interval": "200 ms"}
    options = guarded.options(authorizer__enabled="true", **more)
    yield from module_server(request, tmp_path_factory, "rights", options, bind=None)


@pytest.fixture(scope="module")
def root(guarded_server):
    with guarded.connect(guarded_server, "root") as connection:
        yield connection


@pytest.fixture(scope="module")
def table(root):
    root.create_database(D)
    root.create_database("other")
    return root.create_table(D, T, COLUMNS, properties={"table.log.arrow.compression.type": "NONE"})


@pytest.fixture(scope="module")
def alice(guarded_server):
    with guarded.connect(guarded_server, "alice") as connection:
        yield connection


def acl(resource, operation, user="alice", host="*", permission=2):
    kind, name = resource
    return {
        "resource_name": name,
        "resource_type": kind,
        "principal_name": user,
        "principal_type": "*" if user == "*" else "User",
        "host": host,
        "operation_type": OPERATIONS.get(operation, operation),
        "permission_type": permission,
    }


def acl_filter(**given):
    return {"resource_type": ANY, "operation_type": 1, "permission_type": 1, **given}


@contextlib.contextmanager
def granted(root, *acls):
    """Entries that are gone afterwards, as are all others."""
    for each in root.call("CREATE_ACLS", acl=list(acls))["aclRes"]:
        assert each["error_code"] == 0, each
    try:
        yield
    finally:
        root.call("DROP_ACLS", acl_filter=[acl_filter()])


def is_refused(connection, api, request):
    """Whether the answer is that the right is missing; another error comes after the check."""
    try:
        connection.call(api, **request)
    except ServerError as error:
        if error.code == AUTHORIZATION:
            assert "User:alice has no right to" in error.message or "names no table" in error.message
        return error.code == AUTHORIZATION
    return False


def requests(table):
    """Of each API: the operation it needs, on what, and a request that changes nothing."""
    here, ghost = path(D, T), path(D, "ghost")
    ids = {"table_id": table}
    spec = {"partition_key_values": []}
    bucket = [{"bucket_id": 0}]
    producing = {"acks": 1, "timeout_ms": 100, **ids}
    cluster = {
        "CREATE_DATABASE": ("CREATE", {"database_name": "fluss", "ignore_if_exists": True}),
        "LAKE_TIERING_HEARTBEAT": ("WRITE", {}),
        "DESCRIBE_CLUSTER_CONFIGS": ("DESCRIBE", {}),
        "GET_CLUSTER_HEALTH": ("DESCRIBE", {}),
        "ALTER_CLUSTER_CONFIGS": ("ALTER", {"alter_configs": []}),
        "ADD_SERVER_TAG": ("ALTER", {"server_ids": [], "server_tag": 0}),
        "REMOVE_SERVER_TAG": ("ALTER", {"server_ids": [], "server_tag": 0}),
        "ADD_SERVER_TAG_BY_RACK": ("ALTER", {"racks": [], "server_tag": 0}),
        "REMOVE_SERVER_TAG_BY_RACK": ("ALTER", {"racks": [], "server_tag": 0}),
        "REBALANCE": ("WRITE", {"goals": []}),
        "LIST_REBALANCE_PROGRESS": ("DESCRIBE", {}),
        "CANCEL_REBALANCE": ("WRITE", {}),
    }
    database = {
        "ALTER_DATABASE": ("ALTER", {"database_name": D, "ignore_if_not_exists": True}),
        "DROP_DATABASE": ("DROP", {"database_name": D, "ignore_if_not_exists": True, "cascade": False}),
        "GET_DATABASE_INFO": ("DESCRIBE", {"database_name": D}),
        "CREATE_TABLE": ("CREATE", {"table_path": ghost, "table_json": b"{}", "ignore_if_exists": True}),
    }
    tables = {
        "ALTER_TABLE": ("ALTER", {"table_path": here, "ignore_if_not_exists": True}),
        "DROP_TABLE": ("DROP", {"table_path": ghost, "ignore_if_not_exists": True}),
        "CREATE_PARTITION": ("WRITE", {"table_path": here, "partition_spec": spec, "ignore_if_not_exists": True}),
        "DROP_PARTITION": ("WRITE", {"table_path": here, "partition_spec": spec, "ignore_if_not_exists": True}),
        "GET_TABLE_INFO": ("DESCRIBE", {"table_path": here}),
        "GET_TABLE_SCHEMA": ("DESCRIBE", {"table_path": here}),
        "LIST_PARTITION_INFOS": ("DESCRIBE", {"table_path": here}),
        "GET_LATEST_KV_SNAPSHOTS": ("DESCRIBE", {"table_path": here}),
        "GET_LAKE_SNAPSHOT": ("DESCRIBE", {"table_path": here}),
        "GET_KV_SNAPSHOT_METADATA": ("DESCRIBE", {**ids, "bucket_id": 0, "snapshot_id": 0}),
        "LIST_KV_SNAPSHOTS": ("DESCRIBE", ids),
        "LIST_REMOTE_LOG_MANIFESTS": ("DESCRIBE", ids),
        "LIST_OFFSETS": ("DESCRIBE", {**ids, "follower_server_id": -1, "offset_type": 1, "bucket_id": [0]}),
        "INIT_WRITER": ("WRITE", {"table_path": [path("elsewhere", "x"), here]}),
        "PRODUCE_LOG": ("WRITE", {**producing, "buckets_req": []}),
        "PUT_KV": ("WRITE", {**producing, "buckets_req": []}),
        "LOOKUP": ("READ", {**ids, "buckets_req": []}),
        "LOOKUP that inserts": ("WRITE", {**ids, "insert_if_not_exists": True, "acks": 1, "timeout_ms": 100}),
        "PREFIX_LOOKUP": ("READ", {**ids, "buckets_req": []}),
        "LIMIT_SCAN": ("READ", {**ids, "bucket_id": 0, "limit": 1}),
        "SCAN_KV": (
            "READ",
            {"bucket_scan_req": {**ids, "bucket_id": 0}, "call_seq_id": 0, "batch_size_bytes": 1000},
        ),
        "GET_TABLE_STATS": ("READ", {**ids, "buckets_req": bucket}),
        "GET_FILESYSTEM_SECURITY_TOKEN": ("READ", {}),
        "ACQUIRE_KV_SNAPSHOT_LEASE": (
            "READ",
            {"lease_id": "l", "lease_duration_ms": 1000, "snapshots_to_lease": [ids]},
        ),
        "RELEASE_KV_SNAPSHOT_LEASE": ("READ", {"lease_id": "l", "buckets_to_release": [{**ids, "bucket_id": 0}]}),
        "REGISTER_PRODUCER_OFFSETS": ("WRITE", {"producer_id": "", "table_offsets": [ids]}),
        "PREPARE_LAKE_TABLE_SNAPSHOT": ("WRITE", {"bucket_offsets": [{**ids, "table_path": here}]}),
        "COMMIT_LAKE_TABLE_SNAPSHOT": ("WRITE", {"tables_req": [{**ids, "snapshot_id": 1}]}),
    }
    cases = []
    for level, apis in ((CLUSTER, cluster), (DATABASE, database), (TABLE, tables)):
        cases += [(name.split()[0], level, operation, request) for name, (operation, request) in apis.items()]
    return cases


# Answers leave out what may not be seen, or the handler checks what the request does not name.
OTHERWISE = {
    "API_VERSIONS", "AUTHENTICATE", "GET_METADATA", "LIST_DATABASES", "LIST_TABLES", "DATABASE_EXISTS", "TABLE_EXISTS",
    "FETCH_LOG", "DROP_KV_SNAPSHOT_LEASE", "GET_PRODUCER_OFFSETS", "DELETE_PRODUCER_OFFSETS", "CREATE_ACLS",
    "LIST_ACLS", "DROP_ACLS",
}  # fmt: skip


def places(level):
    """Where a right on the resource of this level may come from, and where not."""
    chain = [(CLUSTER, "fluss-cluster"), (DATABASE, D), (TABLE, f"{D}.{T}")]
    above = [place for place in chain if place[0] <= level]
    if level != CLUSTER:
        above.append((level, "*"))
    beside = [(DATABASE, "other"), (TABLE, "other.t"), (TABLE, f"{D}.tt")]
    below = [place for place in chain if place[0] > level]
    return above, [*beside, *below, *(place for place in EVERY if place[0] > level)]


def test_every_api_is_judged(table):
    with open(ROOT / "src/wire/api.tsv", newline="") as file:
        served = {row["name"] for row in csv.DictReader(file, delimiter="\t") if row["state"] == "served"}
    assert served == {api for api, *_ in requests(table)} | OTHERWISE


def test_no_right(alice, table):
    for api, _, _, request in requests(table):
        assert is_refused(alice, api, request), api


def test_the_right_and_inherited_ones(root, alice, table):
    for level in (CLUSTER, DATABASE, TABLE):
        above, apart = places(level)
        mine = [case for case in requests(table) if case[1] == level]
        for operation in {case[2] for case in mine}:
            for place in above:
                with granted(root, acl(place, operation)):
                    for api, _, needed, request in mine:
                        if needed == operation and "ghost" not in str(request):
                            assert not is_refused(alice, api, request), (api, place)
            for place in apart:
                with granted(root, acl(place, operation)):
                    for api, _, needed, request in mine:
                        if needed == operation and api != "GET_FILESYSTEM_SECURITY_TOKEN":
                            assert is_refused(alice, api, request), (api, place)


def test_every_other_right(root, alice, table):
    cluster = (CLUSTER, "fluss-cluster")
    for operation in {case[2] for case in requests(table)} - {"DESCRIBE"}:
        others = [acl(cluster, other) for other in OPERATIONS if other not in (operation, "ALL")]
        with granted(root, *others):
            for api, _, needed, request in requests(table):
                assert is_refused(alice, api, request) == (needed == operation), (api, operation)
    with granted(root, acl(cluster, "ALL")):
        for api, _, _, request in requests(table):
            assert not is_refused(alice, api, request), api


def test_a_right_on_what_does_not_exist(root, alice, table):
    ghost = path(D, "ghost")
    assert is_refused(alice, "DROP_TABLE", {"table_path": ghost, "ignore_if_not_exists": True})
    with granted(root, acl((TABLE, f"{D}.ghost"), "DROP")):
        alice.call("DROP_TABLE", table_path=ghost, ignore_if_not_exists=True)
    with granted(root, acl((DATABASE, D), "CREATE")):
        error = error_of(
            lambda: alice.call("CREATE_TABLE", table_path=ghost, table_json=b"{}", ignore_if_exists=True)
        )
        assert error.code != AUTHORIZATION
    with granted(root, acl((TABLE, f"{D}.ghost"), "ALL")):
        assert is_refused(
            alice, "CREATE_TABLE", {"table_path": ghost, "table_json": b"{}", "ignore_if_exists": True}
        )


def test_everybody_and_hosts(root, alice, table):
    info = {"table_path": path(D, T)}
    here = (TABLE, f"{D}.{T}")
    with granted(root, acl(here, "READ", user="*")):
        assert not is_refused(alice, "GET_TABLE_INFO", info)
    with granted(root, acl(here, "READ", host="10.9.9.9")):
        assert is_refused(alice, "GET_TABLE_INFO", info)
    with granted(root, acl(here, "READ", host="127.0.0.1")):
        assert not is_refused(alice, "GET_TABLE_INFO", info)
    with granted(root, acl(here, "READ", user="Alice")):
        assert is_refused(alice, "GET_TABLE_INFO", info)


# --- what may be seen -------------------------------------------------------------------------------------------------


def test_lists_leave_out_what_may_not_be_seen(root, alice, table):
    root.create_table(D, "u", COLUMNS)
    both = [path(D, T), path(D, "u")]

    def seen():
        metadata = alice.call("GET_METADATA", table_path=both)["table_metadata"]
        return (
            {name for name in alice.call("LIST_DATABASES")["database_name"]},
            {name for name in alice.call("LIST_TABLES", database_name=D)["table_name"]},
            {each["table_path"]["table_name"] for each in metadata},
            {name for name in (T, "u") if alice.call("TABLE_EXISTS", table_path=path(D, name))["exists"]},
            alice.call("DATABASE_EXISTS", database_name=D)["exists"],
        )

    nothing = set()
    assert seen() == (nothing, nothing, nothing, nothing, False)
    assert alice.call("GET_METADATA")["tablet_servers"], "who may come in finds the servers"
    assert alice.call("DATABASE_EXISTS", database_name="fluss")["exists"], "engines look for it when they open"
    with granted(root, acl((TABLE, f"{D}.u"), "WRITE")):
        assert seen() == (nothing, {"u"}, {"u"}, {"u"}, False)
    with granted(root, acl((DATABASE, D), "DESCRIBE")):
        assert seen() == ({D}, {T, "u"}, {T, "u"}, {T, "u"}, True)
    root.call("DROP_TABLE", table_path=path(D, "u"), ignore_if_not_exists=False)


def test_partitions_that_may_not_be_seen(root, alice, table):
    root.create_database("parts")
    root.call(
        "CREATE_TABLE",
        table_path=path("parts", "p"),
        table_json=fluss_raw.table_json(COLUMNS, partition_key=["name"]),
        ignore_if_exists=False,
    )
    spec = {"partition_key_values": [{"key": "name", "value": "a"}]}
    root.call("CREATE_PARTITION", table_path=path("parts", "p"), partition_spec=spec, ignore_if_not_exists=False)
    (info,) = root.call("LIST_PARTITION_INFOS", table_path=path("parts", "p"))["partitions_info"]
    by_name = {"database_name": "parts", "table_name": "p", "partition_name": "a"}
    request = {"partitions_id": [info["partition_id"]], "partitions_path": [by_name]}
    assert alice.call("GET_METADATA", **request)["partition_metadata"] == []
    with granted(root, acl((DATABASE, "parts"), "READ")):
        assert len(alice.call("GET_METADATA", **request)["partition_metadata"]) == 2
    # A right on one table is none on a partition of another.
    with granted(root, acl((TABLE, f"{D}.{T}"), "ALL")):
        snapshot = {"table_id": table, "partition_id": info["partition_id"], "bucket_id": 0, "snapshot_id": 0}
        assert error_of(lambda: alice.call("GET_KV_SNAPSHOT_METADATA", **snapshot)).code == 36
    root.drop_database("parts")


def test_fetch_refuses_tables_one_by_one(root, alice, table):
    other = root.create_table(D, "v", COLUMNS, properties={"table.log.arrow.compression.type": "NONE"})
    for each in (table, other):
        assert "error_code" not in root.produce(each, batch(0, 3).encode())
    two = [
        {
            "table_id": each,
            "projection_pushdown_enabled": False,
            "buckets_req": [{"bucket_id": 0, "fetch_offset": 0, "max_fetch_bytes": 1 << 20}],
        }
        for each in (table, other)
    ]
    with granted(root, acl((TABLE, f"{D}.{T}"), "READ"), acl((DATABASE, D), "WRITE")):
        answer = alice.call("FETCH_LOG", follower_server_id=-1, max_bytes=1 << 20, tables_req=two)
    allowed, refused = (each["buckets_resp"][0] for each in answer["tables_resp"])
    assert allowed["records"] and "error_code" not in allowed
    assert refused["error_code"] == AUTHORIZATION and f"TABLE {D}.v" in refused["error_message"]
    # Nobody is a follower because he says so.
    answer = alice.call("FETCH_LOG", follower_server_id=7, max_bytes=1 << 20, tables_req=two)
    assert [each["buckets_resp"][0]["error_code"] for each in answer["tables_resp"]] == [AUTHORIZATION] * 2
    root.call("DROP_TABLE", table_path=path(D, "v"), ignore_if_not_exists=False)


def test_leases_and_producers_belong_to_their_tables(root, alice, table):
    offsets = [{"table_id": table, "bucket_offsets": [{"bucket_id": 0, "log_end_offset": 1}]}]
    root.call("REGISTER_PRODUCER_OFFSETS", producer_id="job", table_offsets=offsets)
    assert alice.call("GET_PRODUCER_OFFSETS", producer_id="job")["table_offsets"] == []
    assert is_refused(alice, "DELETE_PRODUCER_OFFSETS", {"producer_id": "job"})
    with granted(root, acl((TABLE, f"{D}.{T}"), "READ")):
        assert len(alice.call("GET_PRODUCER_OFFSETS", producer_id="job")["table_offsets"]) == 1
        assert is_refused(alice, "DELETE_PRODUCER_OFFSETS", {"producer_id": "job"})
    with granted(root, acl((TABLE, f"{D}.{T}"), "WRITE")):
        alice.call("DELETE_PRODUCER_OFFSETS", producer_id="job")
    alice.call("DROP_KV_SNAPSHOT_LEASE", lease_id="of nobody")


def test_who_may_nothing_leaves_nothing(root, alice, table):
    """No lease, no name of a producer, and no shorter lease of somebody else."""
    nothing = {"lease_id": "mine", "lease_duration_ms": 1 << 40, "snapshots_to_lease": []}
    assert is_refused(alice, "ACQUIRE_KV_SNAPSHOT_LEASE", nothing)
    assert is_refused(alice, "REGISTER_PRODUCER_OFFSETS", {"producer_id": "mine", "table_offsets": []})
    root.create_database("leased")
    kv = root.create_table("leased", "kv", COLUMNS, primary_key=["id"])
    lease_a_snapshot(root, kv)
    with granted(root, acl((TABLE, f"{D}.{T}"), "READ")):
        alice.call("ACQUIRE_KV_SNAPSHOT_LEASE", **nothing)
        assert is_refused(alice, "ACQUIRE_KV_SNAPSHOT_LEASE", {**nothing, "lease_id": "job", "lease_duration_ms": 1})
    with granted(root, acl((DATABASE, "leased"), "READ")):
        alice.call("ACQUIRE_KV_SNAPSHOT_LEASE", **{**nothing, "lease_id": "job"})
    root.call("DROP_KV_SNAPSHOT_LEASE", lease_id="job")
    root.drop_database("leased")


def lease_a_snapshot(root, table):
    """The lease "job" has the first snapshot of the table."""
    row = kv_rows.encode_row(COLUMNS, [1, "a"])
    assert "error_code" not in root.put_kv(table, kv_rows.kv_batch([(fluss_raw.varint(1), row)]))
    buckets = [{"bucket_id": 0, "snapshot_id": 0}]
    lease = [{"table_id": table, "bucket_snapshots": buckets}]
    request = {"lease_id": "job", "lease_duration_ms": 1 << 40, "snapshots_to_lease": lease}
    eventually(lambda: not root.call("ACQUIRE_KV_SNAPSHOT_LEASE", **request)["unavailable_snapshots"], "a snapshot")


def test_names_are_told_to_nobody(root, alice, table):
    """Who may see nothing learns no names by ids and filters."""
    with granted(root, acl((TABLE, f"{D}.secret"), "READ", user="bob")):
        for api, request in (
            ("PRODUCE_LOG", {"acks": 1, "timeout_ms": 1, "table_id": table, "buckets_req": []}),
            ("GET_TABLE_STATS", {"table_id": table, "buckets_req": []}),
            ("DROP_ACLS", {"acl_filter": [acl_filter()]}),
        ):
            error = error_of(lambda: alice.call(api, **request))
            assert error.code == AUTHORIZATION and D not in error.message
        for name in ("secret", "ghost"):
            one = acl_filter(resource_type=TABLE, resource_name=f"{D}.{name}")
            assert is_refused(alice, "DROP_ACLS", {"acl_filter": [one]}), "whether it has entries or not"


def test_who_comes_from_inside_is_not_asked(guarded_server, table):
    with guarded.connect(guarded_server, None, "INTERNAL") as inside:
        assert D in inside.call("LIST_DATABASES")["database_name"]
    assert "connections on the internal listener are not checked" in guarded_server.log.read_text()


# --- the entries themselves -------------------------------------------------------------------------------------------


def bindings(connection, **given):
    listed = connection.call("LIST_ACLS", acl_filter=acl_filter(**given))["acl"]
    return {(each["resource_name"], each["principal_name"], each["operation_type"]) for each in listed}


def test_entries_are_made_listed_and_dropped(root, alice, table):
    entries = [acl((TABLE, f"{D}.{T}"), "READ"), acl((DATABASE, D), "WRITE", user="bob"), acl((TABLE, "*"), "DROP")]
    with granted(root, *entries):
        root.call("CREATE_ACLS", acl=entries[:1])  # again
        everything = {(f"{D}.{T}", "alice", 3), (D, "bob", 4), ("*", "alice", 6)}
        assert bindings(root) == everything
        assert bindings(root, principal_name="bob", principal_type="User") == {(D, "bob", 4)}
        assert bindings(root, resource_type=TABLE, resource_name="*") == {("*", "alice", 6)}
        assert bindings(root, operation_type=3) == {(f"{D}.{T}", "alice", 3)}
        assert bindings(alice) == {(f"{D}.{T}", "alice", 3), ("*", "alice", 6)}, "of what she may see"
        result = root.call(
            "DROP_ACLS", acl_filter=[acl_filter(principal_name="alice"), acl_filter(resource_name="x")]
        )["filter_results"]
        assert [len(each["matching_acls"]) for each in result] == [2, 1], "a name without a type means nothing"
        assert bindings(root) == set()


def test_entries_that_can_not_be(root, table):
    wrong = [
        acl((TABLE, "no_dot"), "READ"),
        acl((DATABASE, "../x"), "READ"),
        acl((CLUSTER, "other"), "READ"),
        acl((DATABASE, D), 1),
        acl((ANY, "*"), "READ"),
        acl((DATABASE, D), "READ", host=""),
    ]
    results = root.call("CREATE_ACLS", acl=[*wrong, acl((DATABASE, D), "READ")])["aclRes"]
    assert [each["error_code"] != 0 for each in results] == [True] * len(wrong) + [False]
    assert bindings(root) == {(D, "alice", 3)}
    root.call("DROP_ACLS", acl_filter=[acl_filter()])
    for unknown in ({"operation_type": 9}, {"resource_type": 0}, {"permission_type": 3}):
        each = {**acl((DATABASE, D), "READ"), **unknown}
        assert error_of(lambda: root.call("CREATE_ACLS", acl=[each])).code == -1
        assert error_of(lambda: root.call("LIST_ACLS", acl_filter=acl_filter(**unknown))).code == -1


def test_who_may_change_entries(root, alice, table):
    """ALTER is not enough; ALL on a database is, for what is in it."""
    on_table, on_database, on_other = (TABLE, f"{D}.{T}"), (DATABASE, D), (DATABASE, "other")

    def may_change(resource):
        entry = acl(resource, "READ", user="bob")
        if is_refused(alice, "CREATE_ACLS", {"acl": [entry]}):
            with granted(root, acl(resource, "DESCRIBE", user="bob")):
                pass
            return False
        return True

    cluster = (CLUSTER, "fluss-cluster")
    for operation in set(OPERATIONS) - {"ALL"}:
        with granted(root, acl(cluster, operation)):
            assert not may_change(on_table), operation
    with granted(root, acl(on_table, "ALL")):
        assert not may_change(on_table), "as in Fluss, the database decides"
    with granted(root, acl(on_database, "ALL")):
        assert may_change(on_table) and may_change(on_database) and not may_change(on_other)
    with granted(root, acl(on_database, "ALL")):
        mixed = {"acl": [acl(on_table, "READ", user="bob"), acl(on_other, "READ", user="bob")]}
        assert is_refused(alice, "CREATE_ACLS", mixed)
        assert bindings(root, principal_name="bob") == set(), "nothing of a request that is refused"
    with granted(root, acl(on_database, "ALL"), acl(on_other, "READ", user="bob")):
        assert is_refused(alice, "DROP_ACLS", {"acl_filter": [acl_filter()]})
        assert len(bindings(root)) == 2


def test_entries_survive_a_restart(new_server):
    options = guarded.options(authorizer__enabled="true")
    server = new_server(options=options, bind=None).start()
    with guarded.connect(server, "root") as c:
        c.call("CREATE_ACLS", acl=[acl((CLUSTER, "fluss-cluster"), "CREATE")])
    server.stop()
    server.start()
    with guarded.connect(server, "alice") as c:
        c.create_database("mine")
        assert is_refused(c, "DROP_DATABASE", {"database_name": "mine", "ignore_if_not_exists": True, "cascade": True})


@pytest.mark.parametrize(
    "key", ["security.protocol.map", "authorizer.enabled", "super.users", "lakestream.tls.listeners"]
)
def test_the_protection_of_a_running_server_stays(root, key):
    for change in ({"config_value": "false", "op_type": 0}, {"op_type": 1}, {"config_value": "x", "op_type": 2}):
        error = error_of(lambda: root.call("ALTER_CLUSTER_CONFIGS", alter_configs=[{"config_key": key, **change}]))
        assert error.code == CONFIG and "protects the server" in error.message


def test_without_access_control(raw):
    for api, request in (
        ("CREATE_ACLS", {"acl": [acl((DATABASE, D), "READ")]}),
        ("LIST_ACLS", {"acl_filter": acl_filter()}),
        ("DROP_ACLS", {"acl_filter": [acl_filter()]}),
    ):
        assert error_of(lambda: raw.call(api, **request)).code == SECURITY_DISABLED


# --- official clients -------------------------------------------------------------------------------------------------


async def test_pyfluss_sees_its_rights(guarded_server, root, table):
    async with pyfluss(guarded_server, **sasl("alice", USERS["alice"])) as connection:
        admin = connection.get_admin()
        assert await admin.list_databases() == []
        with pytest.raises(fluss.FlussError) as raised:
            await admin.get_table_info(fluss.TablePath(D, T))
        assert raised.value.error_code == AUTHORIZATION
    with granted(root, acl((TABLE, f"{D}.{T}"), "READ"), acl((TABLE, f"{D}.{T}"), "WRITE")):
        async with pyfluss(guarded_server, **sasl("alice", USERS["alice"])) as connection:
            opened = await connection.get_table(fluss.TablePath(D, T))
            writer = opened.new_append().create_writer()
            handle = writer.append({"id": 1, "name": "a"})
            await writer.flush()
            await handle.wait()


@pytest.mark.parametrize("version", ["1.0.0", "0.9.1"])
def test_java_changes_and_feels_rights(guarded_server, version, subtests):
    program = java_programs.class_path(
        ROOT / f"build/deps/java-{version}",
        ROOT / f"build/e2e/java-rights-{version}",
        [ROOT / "tests/e2e/java" / name for name in ("Checks.java", "LoginCheck.java", "RightsCheck.java")],
    )
    database = "java_rights_" + version.replace(".", "_")
    arguments = [guarded_server.listener("CLIENT"), database, "root", USERS["root"], "bob", USERS["bob"]]
    java_programs.run_checks("RightsCheck", program, arguments, subtests, ["-Xmx256m"])
