"""Requests that no official client sends: hostile frames and messages, metadata and descriptors that are not right.

The rule behind them: every request gets an answer, and a wrong one gets an error that ends the client's retries.
"""

import csv
import json
import random
import socket
import struct
import time

import pytest

import fluss_raw
from fluss_raw import APIS, Closed, arrow_batch, column, encode, fetch_request, frame, path, table_json
from raw_checks import (
    ARROW, AUTHENTICATION, COLUMNS, INVALID_TABLE, PARTITION_NOT_EXIST, SCHEMA_NOT_EXIST, TABLE_NOT_EXIST,
    TOO_MANY_BUCKETS, UNSUPPORTED_VERSION, assert_usable, batch, error_of, retriable_codes,
)  # fmt: skip
from server import ROOT

RETRIABLE = retriable_codes()


def assert_ended(connection):
    """The server says why with a frame of type 2 and closes the connection."""
    error = error_of(lambda: connection.read_answer(0))
    assert error.code != 0 and error.message
    with pytest.raises(Closed):
        connection.read_frame()


# --- frames -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [-(2**31), -1, 0, 1, 7, (100 << 20) + 1, 2**31 - 1])
def test_a_length_that_cannot_be_ends_the_connection(server, raw, length):
    with fluss_raw.connect(server.address) as victim:
        victim.send_bytes(struct.pack(">i", length) + bytes(64))
        assert_ended(victim)
    assert_usable(raw)


def test_another_protocol_ends_the_connection(server, raw):
    with fluss_raw.connect(server.address) as victim:
        victim.send_bytes(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert_ended(victim)


def test_a_frame_that_never_ends_harms_nobody(server, raw):
    """Half a header, half a frame and a promise of 100 MiB, each left open or closed."""
    whole = frame(1004, 0, 0, encode("DatabaseExistsRequest", {"database_name": "fluss"}))
    open_ones = []
    for part in (whole[:2], whole[:4], whole[:11], whole[:-1], struct.pack(">i", 100 << 20)):
        for closed in (False, True):
            victim = fluss_raw.connect(server.address)
            victim.send_bytes(part)
            if closed:
                victim.close()
            else:
                open_ones.append(victim)
        assert_usable(raw)
    for victim in open_ones:
        victim.close()


def test_a_frame_may_come_byte_by_byte(server):
    with fluss_raw.connect(server.address) as connection:
        for byte in frame(1004, 0, 0, encode("DatabaseExistsRequest", {"database_name": "fluss"})):
            connection.send_bytes(bytes([byte]))
        assert connection.receive("DATABASE_EXISTS", 0) == {"exists": True}


def test_many_requests_in_one_piece(server):
    """A thousand requests sent at once are all answered, each under its id."""
    with fluss_raw.connect(server.address) as connection:
        names = ["fluss" if i % 3 else f"missing_{i}" for i in range(1000)]
        connection.send_bytes(
            b"".join(
                frame(1004, 0, i, encode("DatabaseExistsRequest", {"database_name": name}))
                for i, name in enumerate(names)
            )
        )
        for i, name in enumerate(names):
            assert connection.receive("DATABASE_EXISTS", i) == {"exists": name == "fluss"}


def test_request_ids_are_the_clients_own(server):
    with fluss_raw.connect(server.address) as connection:
        for request_id in (5, 0, -1, 2**31 - 1, -(2**31)):
            connection.next_id = request_id
            assert connection.call("DATABASE_EXISTS", database_name="fluss") == {"exists": True}


def test_many_connections(server, raw):
    """Three hundred idle connections, and each can be used."""
    crowd = [fluss_raw.connect(server.address) for _ in range(300)]
    try:
        assert_usable(raw)
        for connection in crowd:
            assert_usable(connection)
    finally:
        for connection in crowd:
            connection.close()


def test_a_client_that_does_not_read(server, raw, table):
    """Answers that nobody reads hold up their own connection and no other."""
    assert raw.produce(table, arrow_batch([{"id": 0, "name": "x" * 500_000}], ARROW).encode())["base_offset"] == 0
    victim = fluss_raw.connect(server.address, timeout_s=2)
    victim.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    try:
        for _ in range(2000):
            victim.send("FETCH_LOG", **fetch_request(table, [(0, 0)]))
    except (TimeoutError, BrokenPipeError, ConnectionResetError):
        pass  # the server stopped reading from it, or gave it up
    begin = time.monotonic()
    assert_usable(raw)
    assert time.monotonic() - begin < 1
    victim.close()
    assert_usable(raw)


# --- API keys, versions, messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [0, 1, 999, 1067, 32767, -1, -32768])
def test_an_unknown_api_key_is_answered(raw, key):
    request_id = raw.send_payload(key, b"\x08\x01")
    error = error_of(lambda: raw.receive("API_VERSIONS", request_id))
    assert error.code == UNSUPPORTED_VERSION and str(key) in error.message
    assert_usable(raw)


@pytest.mark.parametrize("version", [1, 9, 32767, -1])
def test_an_unknown_version_is_answered(raw, version):
    error = error_of(lambda: raw.call("DATABASE_EXISTS", version, database_name="fluss"))
    assert error.code == UNSUPPORTED_VERSION and str(version) in error.message
    assert_usable(raw)


def api_rows():
    with open(ROOT / "src/wire/api.tsv", newline="") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))


def test_api_versions_lists_what_is_served(raw):
    """Exactly the served rows of the API table; no server type, as one process has all roles."""
    answer = raw.call("API_VERSIONS", client_software_name="test", client_software_version="1")
    listed = {(a["api_key"], a["min_version"], a["max_version"]) for a in answer["api_versions"]}
    served = {(int(r["key"]), int(r["min"]), int(r["max"])) for r in api_rows() if r["state"] == "served"}
    assert listed == served
    assert "server_type" not in answer


def test_what_is_not_served_is_answered(raw):
    for row in api_rows():
        if row["state"] != "served":
            request_id = raw.send_payload(int(row["key"]), b"")
            assert error_of(lambda: raw.receive("API_VERSIONS", request_id)).code == UNSUPPORTED_VERSION, row["name"]


BROKEN_BODIES = {
    "empty": b"",
    "required field missing": encode("PbTablePath", {"table_name": "t"}),
    "varint cut off": b"\x0a\x80",
    "varint without end": b"\x08" + b"\xff" * 11,
    "field past the end": b"\x0a\x7f\x0a\x01a",
    "length of 2^63": b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    "wrong wire type": b"\x08\x01",
    "end of a group": b"\x0c",
    "field number 0": b"\x02\x00",
    "nested message broken": b"\x0a\x02\x0a\x7f",
    "random": random.Random(1).randbytes(200),
    "name that is no UTF-8": b"\x0a\x08\x0a\x02\xff\xfe\x12\x02\xff\xfe",
}


@pytest.mark.parametrize("case", BROKEN_BODIES)
def test_a_broken_body_is_answered(raw, case):
    """With an error on which clients give up, and the connection goes on."""
    request_id = raw.send_payload(APIS["GET_TABLE_INFO"][0], BROKEN_BODIES[case])
    error = error_of(lambda: raw.receive("GET_TABLE_INFO", request_id))
    assert error.code != 0 and error.code not in RETRIABLE and error.message
    assert_usable(raw)


def test_unknown_fields_are_skipped(raw, database):
    """A newer client may say more than the server knows."""
    more = b"\xf8\x3f\x07" + b"\xfa\x3f\x03abc" + b"\xf9\x3f" + bytes(8) + b"\xfd\x3f" + bytes(4)
    body = more + encode("DatabaseExistsRequest", {"database_name": database}) + more
    request_id = raw.send_payload(APIS["DATABASE_EXISTS"][0], body)
    assert raw.receive("DATABASE_EXISTS", request_id) == {"exists": True}


def test_repeated_numbers_may_be_packed_or_not(raw, database):
    table = raw.create_table(database, "t", COLUMNS, buckets=3, bucket_key=["id"])
    fixed = encode("ListOffsetsRequest", {"follower_server_id": -1, "offset_type": 1, "table_id": table})
    for buckets in (b"\x2a\x03\x00\x01\x02", b"\x28\x00\x28\x01\x28\x02", b"\x28\x00\x2a\x02\x01\x02"):
        request_id = raw.send_payload(APIS["LIST_OFFSETS"][0], fixed + buckets)
        answer = raw.receive("LIST_OFFSETS", request_id)["buckets_resp"]
        assert sorted((b["bucket_id"], b["offset"]) for b in answer) == [(0, 0), (1, 0), (2, 0)]


def test_the_last_of_a_repeated_optional_field_counts(raw, database):
    body = encode("DatabaseExistsRequest", {"database_name": "missing"})
    body += encode("DatabaseExistsRequest", {"database_name": database})
    request_id = raw.send_payload(APIS["DATABASE_EXISTS"][0], body)
    assert raw.receive("DATABASE_EXISTS", request_id) == {"exists": True}


def test_damaged_requests_are_answered(server, raw, database, table):
    """Valid requests with random bytes changed: all answered, and nothing else is disturbed."""
    good = [
        ("GET_METADATA", {"table_path": [path(database, "t")]}),
        ("PRODUCE_LOG", {
            "acks": 1, "table_id": table, "timeout_ms": 1000,
            "buckets_req": [{"bucket_id": 0, "records": batch(0, 5).encode()}],
        }),
        ("FETCH_LOG", fetch_request(table, [(0, 0)], columns=[1])),
        ("LIST_OFFSETS", {"follower_server_id": -1, "offset_type": 1, "table_id": table, "bucket_id": [0]}),
        ("LIMIT_SCAN", {"table_id": table, "bucket_id": 0, "limit": 5}),
        ("CREATE_TABLE", {
            "table_path": path(database, "t"), "table_json": table_json(COLUMNS), "ignore_if_exists": False,
        }),
        ("INIT_WRITER", {"table_path": [path(database, "t")]}),
    ]  # fmt: skip
    generator = random.Random(20)
    with fluss_raw.connect(server.address) as victim:
        for _ in range(150):
            for api, values in good:
                body = bytearray(encode(APIS[api][1] + "Request", values))
                for _ in range(generator.randint(1, 4)):
                    body[generator.randrange(len(body))] = generator.randrange(256)
                if generator.random() < 0.2:
                    del body[generator.randrange(len(body)) :]
                victim.read_answer(victim.send_payload(APIS[api][0], bytes(body)))
    assert_usable(raw)
    for each in raw.fetch_all(table):
        assert each.crc_is_right


# --- authentication ---------------------------------------------------------------------------------------------------


def test_authentication_on_a_plain_listener(raw):
    error = error_of(lambda: raw.call("AUTHENTICATE", protocol="PLAIN", token=b"\0u\0p"))
    assert error.code == AUTHENTICATION
    assert raw.call("AUTHENTICATE", protocol="PLAINTEXT", token=b"") == {}
    assert_usable(raw)


# --- metadata ---------------------------------------------------------------------------------------------------------


def test_metadata_of_no_table_is_the_cluster(server, raw):
    answer = raw.call("GET_METADATA")
    (tablet_server,) = answer["tablet_servers"]
    for node in (answer["coordinator_server"], tablet_server):
        assert f"{node['host']}:{node['port']}" == server.address
    assert answer["table_metadata"] == [] and answer["partition_metadata"] == []


def test_metadata_lists_every_bucket(raw, database):
    table = raw.create_table(database, "t", COLUMNS, buckets=5, bucket_key=["id"], comment="hello")
    answer = raw.call("GET_METADATA", table_path=[path(database, "t")])
    (node,) = answer["tablet_servers"]
    (metadata,) = answer["table_metadata"]
    assert metadata["table_id"] == table and metadata["schema_id"] == 1
    assert metadata["table_path"] == path(database, "t")
    assert [b["bucket_id"] for b in metadata["bucket_metadata"]] == list(range(5))
    for bucket in metadata["bucket_metadata"]:
        assert bucket["leader_id"] == node["node_id"] and bucket["replica_id"] == [node["node_id"]]
    descriptor = json.loads(metadata["table_json"])
    assert descriptor["bucket_count"] == 5 and descriptor["comment"] == "hello"
    info = raw.call("GET_TABLE_INFO", table_path=path(database, "t"))
    assert json.loads(info["table_json"]) == descriptor
    assert info["created_time"] == metadata["created_time"]


def test_metadata_of_an_unknown_table(raw, database, table):
    missing = path(database, "missing")
    for paths in ([missing], [path(database, "t"), missing], [path("missing", "t")]):
        error = error_of(lambda: raw.call("GET_METADATA", table_path=paths))
        assert error.code == TABLE_NOT_EXIST and "missing" in error.message


def test_metadata_of_an_unknown_partition(raw, database, table):
    error = error_of(
        lambda: raw.call("GET_METADATA", table_path=[path(database, "t")], partitions_id=[123456789])
    )
    assert error.code == PARTITION_NOT_EXIST


def test_schemas(raw, database, table):
    answer = raw.call("GET_TABLE_SCHEMA", table_path=path(database, "t"))
    assert answer["schema_id"] == 1
    assert [c["name"] for c in json.loads(answer["schema_json"])["columns"]] == ["id", "name"]
    for schema_id in (0, 2, -1):
        error = error_of(lambda: raw.call("GET_TABLE_SCHEMA", table_path=path(database, "t"), schema_id=schema_id))
        assert error.code == SCHEMA_NOT_EXIST
    assert error_of(lambda: raw.call("GET_TABLE_SCHEMA", table_path=path(database, "x"))).code == TABLE_NOT_EXIST


# --- create table -----------------------------------------------------------------------------------------------------

PLAIN = json.loads(table_json(COLUMNS))


def descriptor(**changes):
    return json.dumps({**PLAIN, **changes}).encode()


def schema(**changes):
    return descriptor(schema={**PLAIN["schema"], **changes})


def nested_type(depth):
    data_type = {"type": "INTEGER"}
    for _ in range(depth):
        data_type = {"type": "ARRAY", "element_type": data_type}
    return data_type


BAD_TABLES = {
    "no JSON": b"not json",
    "empty": b"",
    "JSON cut off": table_json(COLUMNS)[:-5],
    "array": b"[]",
    "deep nonsense": b"[" * 100_000,
    "no schema": json.dumps({k: v for k, v in PLAIN.items() if k != "schema"}).encode(),
    "unknown type": schema(columns=[column("a", "INT128")]),
    "type without length": schema(columns=[column("a", "CHAR")]),
    "char of length 0": schema(columns=[column("a", "CHAR", length=0)]),
    "decimal of 39 digits": schema(columns=[column("a", "DECIMAL", precision=39, scale=0)]),
    "scale above precision": schema(columns=[column("a", "DECIMAL", precision=5, scale=6)]),
    "timestamp of 10 digits": schema(columns=[column("a", "TIMESTAMP_WITHOUT_TIME_ZONE", precision=10)]),
    "duplicate column": schema(columns=[column("a", "INTEGER"), column("a", "STRING")]),
    "ids on some columns": schema(columns=[{**column("a", "INTEGER"), "id": 0}, column("b", "INTEGER")]),
    "the same id twice": schema(columns=[{**column(n, "INTEGER"), "id": 0} for n in "ab"]),
    "100,000 levels": schema(columns=[]).replace(
        b'"columns": []',
        b'"columns": [{"name": "a", "data_type": ' + b'{"type":"ARRAY","element_type":' * 100_000 + b"1",
    ),
    "bucket count 0": descriptor(bucket_count=0),
    "bucket count -1": descriptor(bucket_count=-1),
    "bucket key twice": descriptor(bucket_key=["id", "id"]),
    "properties that are a list": descriptor(properties=[]),
    "partition key that is no column": descriptor(partition_key=["nothing"]),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_descriptor_is_an_invalid_table(raw, database, case):
    error = error_of(
        lambda: raw.call(
            "CREATE_TABLE", table_path=path(database, "bad"), table_json=BAD_TABLES[case], ignore_if_exists=False
        )
    )
    assert error.code == INVALID_TABLE and error.message
    assert raw.call("LIST_TABLES", database_name=database) == {"table_name": []}


def test_column_ids_may_be_absent(raw, database):
    """Then they are the positions, and the highest id is worked out."""
    columns = [column("a", "INTEGER"), column("b", "ARRAY", element_type={"type": "STRING"})]
    text = {**PLAIN, "schema": {"version": 1, "columns": columns}}
    raw.call(
        "CREATE_TABLE", table_path=path(database, "t"), table_json=json.dumps(text).encode(), ignore_if_exists=False
    )
    stored = json.loads(raw.call("GET_TABLE_SCHEMA", table_path=path(database, "t"))["schema_json"])
    assert [c["id"] for c in stored["columns"]] == [0, 1]
    assert stored["highest_field_id"] >= 1


def test_names_may_have_200_characters(raw):
    name = "n" * 200
    raw.drop_database(name)
    raw.create_database(name)
    raw.create_table(name, name, COLUMNS)
    assert raw.call("LIST_TABLES", database_name=name) == {"table_name": [name]}
    raw.drop_database(name)


def test_many_columns_and_buckets(raw, database):
    columns = [column(f"column_{i}", "BIGINT") for i in range(2000)]
    raw.create_table(database, "wide", columns)
    table = raw.create_table(database, "long", COLUMNS, buckets=128, bucket_key=["id"])
    assert raw.produce(table, batch(0, 1).encode(), bucket=127)["base_offset"] == 0
    error = error_of(
        lambda: raw.call(
            "CREATE_TABLE", table_path=path(database, "x"), table_json=table_json(COLUMNS, buckets=4097),
            ignore_if_exists=False,
        )
    )  # fmt: skip
    assert error.code == TOO_MANY_BUCKETS
