"""A raw client of the Fluss protocol: for requests that no official client would send.

    with connect("127.0.0.1:9123") as c:
        answer = c.call("GET_TABLE_INFO", table_path=path("db", "t"))

Messages are dicts, encoded and decoded by the table that the server is generated from (src/wire/messages.tsv): an
optional field that is absent has no key, a repeated one is a list. An error answer raises ServerError; errors inside a
success answer (one bucket's) stay in the dict.
"""

import csv
import dataclasses
import json
import socket
import struct
import time
from pathlib import Path

import pyarrow as pa

MESSAGES = Path(__file__).resolve().parents[2] / "src/wire/messages.tsv"

APIS = {
    "API_VERSIONS": (1000, "ApiVersions"),
    "CREATE_DATABASE": (1001, "CreateDatabase"),
    "DROP_DATABASE": (1002, "DropDatabase"),
    "LIST_DATABASES": (1003, "ListDatabases"),
    "DATABASE_EXISTS": (1004, "DatabaseExists"),
    "CREATE_TABLE": (1005, "CreateTable"),
    "DROP_TABLE": (1006, "DropTable"),
    "GET_TABLE_INFO": (1007, "GetTableInfo"),
    "LIST_TABLES": (1008, "ListTables"),
    "LIST_PARTITION_INFOS": (1009, "ListPartitionInfos"),
    "TABLE_EXISTS": (1010, "TableExists"),
    "GET_TABLE_SCHEMA": (1011, "GetTableSchema"),
    "GET_METADATA": (1012, "Metadata"),
    "PRODUCE_LOG": (1014, "ProduceLog"),
    "FETCH_LOG": (1015, "FetchLog"),
    "PUT_KV": (1016, "PutKv"),
    "LOOKUP": (1017, "Lookup"),
    "LIST_OFFSETS": (1021, "ListOffsets"),
    "GET_LATEST_KV_SNAPSHOTS": (1023, "GetLatestKvSnapshots"),
    "GET_KV_SNAPSHOT_METADATA": (1024, "GetKvSnapshotMetadata"),
    "GET_FILESYSTEM_SECURITY_TOKEN": (1025, "GetFileSystemSecurityToken"),
    "INIT_WRITER": (1026, "InitWriter"),
    "COMMIT_LAKE_TABLE_SNAPSHOT": (1030, "CommitLakeTableSnapshot"),
    "GET_LAKE_SNAPSHOT": (1032, "GetLakeSnapshot"),
    "LIMIT_SCAN": (1033, "LimitScan"),
    "PREFIX_LOOKUP": (1034, "PrefixLookup"),
    "GET_DATABASE_INFO": (1035, "GetDatabaseInfo"),
    "CREATE_PARTITION": (1036, "CreatePartition"),
    "DROP_PARTITION": (1037, "DropPartition"),
    "AUTHENTICATE": (1038, "Authenticate"),
    "CREATE_ACLS": (1039, "CreateAcls"),
    "LIST_ACLS": (1040, "ListAcls"),
    "DROP_ACLS": (1041, "DropAcls"),
    "LAKE_TIERING_HEARTBEAT": (1042, "LakeTieringHeartbeat"),
    "ALTER_TABLE": (1044, "AlterTable"),
    "DESCRIBE_CLUSTER_CONFIGS": (1045, "DescribeClusterConfigs"),
    "ALTER_CLUSTER_CONFIGS": (1046, "AlterClusterConfigs"),
    "ADD_SERVER_TAG": (1047, "AddServerTag"),
    "REMOVE_SERVER_TAG": (1048, "RemoveServerTag"),
    "REBALANCE": (1049, "Rebalance"),
    "LIST_REBALANCE_PROGRESS": (1050, "ListRebalanceProgress"),
    "CANCEL_REBALANCE": (1051, "CancelRebalance"),
    "PREPARE_LAKE_TABLE_SNAPSHOT": (1052, "PrepareLakeTableSnapshot"),
    "REGISTER_PRODUCER_OFFSETS": (1053, "RegisterProducerOffsets"),
    "GET_PRODUCER_OFFSETS": (1054, "GetProducerOffsets"),
    "DELETE_PRODUCER_OFFSETS": (1055, "DeleteProducerOffsets"),
    "ACQUIRE_KV_SNAPSHOT_LEASE": (1056, "AcquireKvSnapshotLease"),
    "RELEASE_KV_SNAPSHOT_LEASE": (1057, "ReleaseKvSnapshotLease"),
    "DROP_KV_SNAPSHOT_LEASE": (1058, "DropKvSnapshotLease"),
    "GET_TABLE_STATS": (1059, "GetTableStats"),
    "ALTER_DATABASE": (1060, "AlterDatabase"),
    "SCAN_KV": (1061, "ScanKv"),
    "GET_CLUSTER_HEALTH": (1062, "GetClusterHealth"),
    "LIST_REMOTE_LOG_MANIFESTS": (1063, "ListRemoteLogManifests"),
    "LIST_KV_SNAPSHOTS": (1064, "ListKvSnapshots"),
    "ADD_SERVER_TAG_BY_RACK": (1065, "AddServerTagByRack"),
    "REMOVE_SERVER_TAG_BY_RACK": (1066, "RemoveServerTagByRack"),
}

EARLIEST = -2
CALL_TIMEOUT_S = 20


class ServerError(Exception):
    """An error answer to a whole request."""

    def __init__(self, code, message):
        super().__init__(f"error {code}: {message}")
        self.code = code
        self.message = message


class Closed(Exception):
    """The server closed the connection."""


# --- messages ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Field:
    number: int
    label: str
    type: str
    name: str
    packed: bool


def load_messages(path=MESSAGES):
    messages = {}
    with open(path, newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        for row in csv.DictReader(lines, delimiter="\t"):
            fields = messages.setdefault(row["message"], [])
            if row["number"] != "-":
                fields.append(
                    Field(int(row["number"]), row["label"], row["type"], row["name"], row["packed"] == "yes")
                )
    return messages


_messages = {}


def fields_of(message):
    if not _messages:
        _messages.update(load_messages())
    return _messages[message]


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("broken varint")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7


def is_message(type):
    return type[:1].isupper()


def encode_value(type, value):
    """(wire type, bytes) of one value."""
    if type in ("int32", "int64", "bool"):
        return 0, varint(int(value))
    if type == "double":
        return 1, struct.pack("<d", value)
    if type == "float":
        return 5, struct.pack("<f", value)
    if is_message(type):
        value = encode(type, value)
    elif type == "string":
        value = value.encode()
    return 2, varint(len(value)) + value


def encode(message, values):
    out = bytearray()
    rest = dict(values)
    for field in fields_of(message):
        if field.name not in rest:
            continue
        value = rest.pop(field.name)
        if field.packed:
            packed = b"".join(encode_value(field.type, v)[1] for v in value)
            out += varint(field.number << 3 | 2) + varint(len(packed)) + packed
            continue
        for each in value if field.label == "repeated" else [value]:
            wire, data = encode_value(field.type, each)
            out += varint(field.number << 3 | wire) + data
    assert not rest, f"{message} has no field {', '.join(rest)}"
    return bytes(out)


def split_fields(data):
    """(field number, wire type, value) of each field of an encoded message."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = read_varint(data, at)
        elif wire == 2:
            size, at = read_varint(data, at)
            value = data[at : at + size]
            if len(value) != size:
                raise ValueError("a field ends past its message")
            at += size
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            value = data[at : at + size]
            at += size
        else:
            raise ValueError(f"unknown wire type {wire}")
        yield key >> 3, wire, value


def decode_value(type, value):
    if type == "bool":
        return bool(value)
    if type in ("int32", "int64"):
        signed = value - (1 << 64) if value >> 63 else value
        return signed
    if type in ("float", "double"):
        return struct.unpack("<f" if type == "float" else "<d", value)[0]
    if type == "string":
        return bytes(value).decode()
    return decode(type, value) if is_message(type) else bytes(value)


def decode(message, data):
    fields = {f.number: f for f in fields_of(message)}
    values = {f.name: [] for f in fields.values() if f.label == "repeated"}
    for number, wire, value in split_fields(data):
        field = fields.get(number)
        if field is None:
            continue
        if field.label != "repeated":
            values[field.name] = decode_value(field.type, value)
        elif wire == 2 and field.type in ("int32", "int64", "bool"):
            at = 0
            while at < len(value):
                element, at = read_varint(value, at)
                values[field.name].append(decode_value(field.type, element))
        else:
            values[field.name].append(decode_value(field.type, value))
    missing = [f.name for f in fields.values() if f.label == "required" and f.name not in values]
    if missing:
        raise ValueError(f"{message} lacks the required {', '.join(missing)}")
    return values


# --- connections ------------------------------------------------------------------------------------------------------


def frame(key, version, request_id, payload):
    return struct.pack(">ihhi", 8 + len(payload), key, version, request_id) + payload


class Connection:
    def __init__(self, address, timeout_s=CALL_TIMEOUT_S, tls=None):
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=host)
        self.next_id = 0
        self.early = {}  # answers that came before they were asked for

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send_bytes(self, data):
        self.socket.sendall(data)

    def send(self, api, version=0, **values):
        """Sends a request and returns its id."""
        key, message = APIS[api]
        return self.send_payload(key, encode(message + "Request", values), version)

    def send_payload(self, key, payload, version=0):
        request_id = self.next_id
        self.next_id += 1
        self.send_bytes(frame(key, version, request_id, payload))
        return request_id

    def read_exactly(self, count):
        data = bytearray()
        while len(data) < count:
            try:
                piece = self.socket.recv(count - len(data))
            except ConnectionResetError:
                piece = b""
            if not piece:
                raise Closed(f"after {len(data)} of {count} bytes")
            data += piece
        return bytes(data)

    def read_frame(self):
        """The next frame without its length."""
        return self.read_exactly(struct.unpack(">i", self.read_exactly(4))[0])

    def read_answer(self, request_id):
        """(response type, payload) of the answer to a request, whenever it comes."""
        while request_id not in self.early:
            data = self.read_frame()
            if data[0] == 2:
                error = decode("ErrorResponse", data[1:])
                raise ServerError(error["error_code"], error.get("error_message", ""))
            (answered,) = struct.unpack_from(">i", data, 1)
            self.early[answered] = data[0], data[5:]
        return self.early.pop(request_id)

    def receive(self, api, request_id):
        kind, payload = self.read_answer(request_id)
        if kind == 1:
            error = decode("ErrorResponse", payload)
            raise ServerError(error["error_code"], error.get("error_message", ""))
        assert kind == 0, f"a response of type {kind}"
        return decode(APIS[api][1] + "Response", payload)

    def call(self, api, version=0, **values):
        return self.receive(api, self.send(api, version, **values))

    def log_in(self, user, password, mechanism="PLAIN"):
        return self.call("AUTHENTICATE", protocol=mechanism, token=f"\0{user}\0{password}".encode())

    # --- what many tests begin with

    def create_database(self, name, ignore_if_exists=False):
        self.call("CREATE_DATABASE", database_name=name, ignore_if_exists=ignore_if_exists)

    def drop_database(self, name):
        self.call("DROP_DATABASE", database_name=name, ignore_if_not_exists=True, cascade=True)

    def create_table(self, database, table, columns, **descriptor):
        """Creates a table, waits until its buckets have leaders, and returns its id."""
        self.call(
            "CREATE_TABLE",
            table_path=path(database, table),
            table_json=table_json(columns, **descriptor),
            ignore_if_exists=False,
        )
        return self.wait_for_leaders(database, table)["table_id"]

    def wait_for_leaders(self, database, table, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while True:
            (metadata,) = self.call("GET_METADATA", table_path=[path(database, table)])["table_metadata"]
            buckets = metadata["bucket_metadata"]
            if buckets and all(b.get("leader_id", -1) >= 0 for b in buckets):
                return metadata
            assert time.monotonic() < deadline, f"no leader within {timeout_s} s: {metadata}"
            time.sleep(0.02)

    def produce(self, table_id, records, bucket=0, acks=-1, timeout_ms=10000):
        """Appends batches to one bucket and returns the bucket's answer."""
        answer = self.call(
            "PRODUCE_LOG",
            acks=acks,
            table_id=table_id,
            timeout_ms=timeout_ms,
            buckets_req=[{"bucket_id": bucket, "records": records}],
        )
        (bucket_answer,) = answer["buckets_resp"]
        return bucket_answer

    def put_kv(self, table_id, records, bucket=0, acks=-1, timeout_ms=10000, version=2, target=None, agg_mode=None):
        """Puts a KV batch into one bucket and returns the bucket's answer."""
        request = {"acks": acks, "table_id": table_id, "timeout_ms": timeout_ms}
        if target:
            request["target_columns"] = target
        if agg_mode is not None:
            request["agg_mode"] = agg_mode
        request["buckets_req"] = [{"bucket_id": bucket, "records": records}]
        (bucket_answer,) = self.call("PUT_KV", version, **request)["buckets_resp"]
        return bucket_answer

    def lookup(self, table_id, keys, bucket=0, version=1, **request):
        """Looks keys up in one bucket: the values in their order, None for what is not there."""
        buckets = [{"bucket_id": bucket, "keys": keys}]
        (answer,) = self.call("LOOKUP", version, table_id=table_id, buckets_req=buckets, **request)["buckets_resp"]
        assert "error_code" not in answer, answer
        return [value.get("values") for value in answer["values"]]

    def prefix_lookup(self, table_id, prefixes, bucket=0, version=1):
        """Looks prefixes up in one bucket: a list of values for each."""
        buckets = [{"bucket_id": bucket, "keys": prefixes}]
        (answer,) = self.call("PREFIX_LOOKUP", version, table_id=table_id, buckets_req=buckets)["buckets_resp"]
        assert "error_code" not in answer, answer
        return [values["values"] for values in answer["value_lists"]]

    def fetch(self, table_id, offset, bucket=0, columns=None, max_bytes=1 << 20, **request):
        """Reads one bucket and returns the bucket's answer."""
        answer = self.call("FETCH_LOG", **fetch_request(table_id, [(bucket, offset)], columns, max_bytes, **request))
        (table_answer,) = answer["tables_resp"]
        (bucket_answer,) = table_answer["buckets_resp"]
        return bucket_answer

    def fetch_all(self, table_id, bucket=0, offset=EARLIEST, columns=None):
        """All batches up to the high watermark."""
        batches = []
        while True:
            answer = self.fetch(table_id, offset, bucket, columns)
            assert not answer.get("error_code"), answer
            read = parse_batches(answer["records"])
            batches += read
            offset = read[-1].next_offset if read else offset
            if not read or offset >= answer["high_watermark"]:
                return batches

    def offset(self, table_id, offset_type, bucket=0, **request):
        """One offset by type: 0 earliest, 1 latest, 2 by time."""
        answer = self.call(
            "LIST_OFFSETS",
            follower_server_id=-1,
            offset_type=offset_type,
            table_id=table_id,
            bucket_id=[bucket],
            **request,
        )
        (bucket_answer,) = answer["buckets_resp"]
        return bucket_answer


def connect(address, timeout_s=CALL_TIMEOUT_S, tls=None):
    """`tls` is an ssl.SSLContext."""
    return Connection(address, timeout_s, tls)


def path(database, table):
    return {"database_name": database, "table_name": table}


def partition_spec(**values):
    return {"partition_key_values": [{"key": k, "value": v} for k, v in values.items()]}


def fetch_request(table_id, buckets, columns=None, max_bytes=1 << 20, **request):
    table = {
        "table_id": table_id,
        "projection_pushdown_enabled": columns is not None,
        "buckets_req": [
            {"bucket_id": bucket, "fetch_offset": offset, "max_fetch_bytes": max_bytes} for bucket, offset in buckets
        ],
    }
    if columns is not None:
        table["projected_fields"] = columns
    return {"follower_server_id": -1, "max_bytes": 16 << 20, "tables_req": [table], **request}


# --- tables -----------------------------------------------------------------------------------------------------------


def column(name, type, **type_parameters):
    return {"name": name, "data_type": {"type": type, **type_parameters}}


def table_json(
    columns,
    buckets=1,
    primary_key=None,
    bucket_key=None,
    partition_key=None,
    properties=None,
    auto_increment=None,
    **more,
):
    """A table descriptor; columns get their ids by position. The bucket key is the primary key unless it is given."""
    schema = {
        "version": 1,
        "columns": [{**c, "id": i} for i, c in enumerate(columns)],
        "highest_field_id": len(columns) - 1,
    }
    if primary_key:
        schema["primary_key"] = primary_key
    if auto_increment:
        schema["auto_increment_column"] = [auto_increment]
    descriptor = {
        "version": 1,
        "schema": schema,
        "partition_key": partition_key or [],
        "bucket_key": bucket_key or [n for n in primary_key or [] if n not in (partition_key or [])],
        "properties": properties or {},
        "custom_properties": {},
        **more,
    }
    if buckets is not None:
        descriptor["bucket_count"] = buckets
    return json.dumps(descriptor).encode()


# --- log record batches -----------------------------------------------------------------------------------------------

# magic -> (header, offset of the CRC, offset where what it covers begins)
HEADERS = {
    0: (struct.Struct("<qibqIhbiqii"), 21, 25),
    1: (struct.Struct("<qibqIhbiqiii"), 21, 25),
    2: (struct.Struct("<qibqiIhbiqiii"), 25, 29),
}
APPEND_ONLY = 1


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC_TABLE = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


@dataclasses.dataclass
class Batch:
    base_offset: int = 0
    magic: int = 0
    timestamp: int = 0
    leader_epoch: int = -1
    crc: int = 0
    schema_id: int = 1
    attributes: int = APPEND_ONLY
    last_offset_delta: int = 0
    writer_id: int = -1
    sequence: int = -1
    record_count: int = 0
    statistics: bytes = b""
    records: bytes = b""
    size: int = 0
    crc_is_right: bool = True

    @property
    def next_offset(self):
        return self.base_offset + self.last_offset_delta + 1

    def encode(self, crc=None, length=None):
        """The bytes of the batch; a wrong CRC or length may be given."""
        header, crc_at, covered_from = HEADERS[self.magic]
        body = self.statistics + self.records
        values = [self.base_offset, header.size + len(body) - 12, self.magic, self.timestamp]
        if self.magic == 2:
            values.append(self.leader_epoch)
        values += [0, self.schema_id, self.attributes, self.last_offset_delta, self.writer_id, self.sequence]
        values.append(self.record_count)
        if self.magic > 0:
            values.append(len(self.statistics))
        if length is not None:
            values[1] = length
        data = bytearray(header.pack(*values) + body)
        struct.pack_into("<I", data, crc_at, crc32c(data[covered_from:]) if crc is None else crc)
        return bytes(data)

    def rows(self, schema):
        """The rows of an ARROW batch as lists of values."""
        if self.record_count == 0:
            return []
        payload = self.records if self.attributes & APPEND_ONLY else self.records[self.record_count :]
        batch = pa.ipc.read_record_batch(pa.py_buffer(payload), schema)
        return [list(row.values()) for row in batch.to_pylist()]


def parse_batches(data):
    """The complete batches at the front of `data`; a partial one at its end is left out, as clients do."""
    batches = []
    at = 0
    while len(data) - at >= 48:
        (length,) = struct.unpack_from("<i", data, at + 8)
        if len(data) - at < length + 12:
            break
        one = data[at : at + length + 12]
        at += length + 12
        header, crc_at, covered_from = HEADERS[one[12]]
        values = list(header.unpack_from(one))
        statistics_bytes = values.pop() if one[12] > 0 else 0
        epoch = values.pop(4) if one[12] == 2 else -1
        base, _, magic, timestamp, crc, schema_id, attributes, delta, writer, sequence, count = values
        body = one[header.size :]
        batches.append(
            Batch(
                base, magic, timestamp, epoch, crc, schema_id, attributes, delta, writer, sequence, count,
                body[:statistics_bytes], body[statistics_bytes:], len(one), crc == crc32c(one[covered_from:]),
            )
        )  # fmt: skip
    return batches


def arrow_message(rows, schema, compression=None):
    """The encapsulated RecordBatch message alone, as a batch in ARROW format carries it."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, schema, options=options) as stream:
        stream.write_batch(pa.RecordBatch.from_pylist(rows, schema=schema))
    messages = pa.ipc.MessageReader.open_stream(sink.getvalue())
    messages.read_next_message()  # the schema
    return messages.read_next_message().serialize().to_pybytes()


def arrow_batch(rows, schema, compression=None, **header):
    """A log batch of `rows` (a list of dicts) in ARROW format."""
    return Batch(
        last_offset_delta=max(0, len(rows) - 1),
        record_count=len(rows),
        records=arrow_message(rows, schema, compression) if rows else b"",
        **header,
    )
