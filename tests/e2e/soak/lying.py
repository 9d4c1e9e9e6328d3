"""Clients that lie. Whatever they say is refused or does no harm, and the rows of others stay as they are."""

import contextlib
import socket
import struct

import fluss_raw
import guarded
from fluss_raw import APIS, Closed, ServerError, encode, fetch_request, path, table_json
from guarded import USERS
from kv_checks import Driven
from kv_model import Table
from kv_rows import encode_row, kv_batch
from raw_checks import ARROW, COLUMNS, batch, rows
from test_pushdown import GREATER, filtered_request, leaf
from test_rights import DATABASE, acl, acl_filter

from soak.setting import KEYS, PLAIN, puts
from soak.world import Client

HUGE = [2**31 - 1, -(2**31), -1, 0x7F000000]
LONG = "k" * 100_000


class Liars(Client):
    """Batches and requests that can not be, to tables with a model: each is refused and changes nothing."""

    every_s = 0.4
    steps = (40, 200)

    def begin(self):
        super().begin()
        self.log = self.raw.create_table(self.database, "log", COLUMNS, properties=PLAIN)
        self.keyed = Driven(self.raw, self.database, "keyed", Table(COLUMNS, ["id"]))
        self.rows = 0
        self.append()
        self.keyed.upsert((1, "one"), (2, "two"))
        self.writer = self.new_writer()

    def append(self):
        end = self.rows + self.random.randint(1, 20)
        answer = self.raw.produce(self.log, batch(self.rows, end).encode())
        assert answer.get("base_offset") == self.rows, answer
        self.rows = end

    def step(self):
        lies = [self.lie_to_a_log, self.lie_in_puts, self.lie_about_places, self.ask_for_much]
        self.random.choice([self.append, *lies])()

    def lie_to_a_log(self):
        one = batch(0, 3)
        huge = self.random.choice(HUGE)
        stolen = {"writer_id": self.writer - self.random.randint(0, 50), "sequence": self.random.randint(1, 99)}
        data = one.encode()
        lie = self.random.choice([
            one.encode(crc=self.random.getrandbits(32)),
            one.encode(length=huge),
            one.encode(length=len(data) - 12 + self.random.choice([-1, 1, 1000])),
            batch(0, 3, schema_id=self.random.choice([2, 0, -1, 32767])).encode(),
            batch(0, 3, **stolen).encode(),
            data[: self.random.randrange(1, len(data))],
            data + self.random.randbytes(self.random.randint(1, 100)),
            self.random.randbytes(self.random.randint(1, 3000)),
            self.with_count(one, huge),
        ])  # fmt: skip
        self.refused(lambda: self.raw.produce(self.log, lie))

    def with_count(self, one, count):
        one.record_count = count
        return one.encode()

    def lie_in_puts(self):
        key, row = KEYS.key_of(3), encode_row(COLUMNS, [3, "x"])
        lie = self.random.choice([
            puts(3, "x", crc=self.random.getrandbits(32)),
            puts(3, "x", length=self.random.choice(HUGE)),
            puts(3, "x", count=self.random.choice([*HUGE, 2])),
            puts(3, "x", schema_id=self.random.choice([2, 0, -1])),
            puts(3, "x", writer_id=self.writer, sequence=self.random.randint(1, 99)),
            kv_batch([(key, row[: self.random.randrange(1, len(row))])]),
            self.random.randbytes(self.random.randint(1, 3000)),
        ])  # fmt: skip
        self.refused(lambda: self.raw.put_kv(self.keyed.id, lie))

    def lie_about_places(self):
        data = batch(0, 1).encode()
        nowhere = self.random.choice([
            {"table_id": self.random.choice([-1, 1 << 40]), "bucket": 0},
            {"table_id": self.log, "bucket": self.random.choice([1, -1, 2**31 - 1])},
            {"table_id": self.keyed.id, "bucket": 0},
        ])  # fmt: skip
        table, bucket = nowhere["table_id"], nowhere["bucket"]
        self.refused(lambda: self.raw.produce(table, data, bucket))
        place = {"bucket_id": 0, "partition_id": self.random.choice([-1, 0, 1 << 40]), "records": data}
        request = {"acks": -1, "table_id": self.log, "timeout_ms": 1000, "buckets_req": [place]}
        self.refused(lambda: self.raw.call("PRODUCE_LOG", **request)["buckets_resp"][0])

    def ask_for_much(self):
        """Answered in bounded size, or refused; the connection may be closed."""
        places = [(self.random.randrange(-2, 5), 0) for _ in range(2000)]
        api, request = self.random.choice([
            ("FETCH_LOG", fetch_request(self.log, places)),
            ("FETCH_LOG", fetch_request(self.log, [(0, self.random.choice([-7, 1 << 60]))])),
            ("FETCH_LOG", fetch_request(self.log, [(0, 0)], columns=list(range(1000)))),
            ("FETCH_LOG", fetch_request(self.log, [(0, 0)], max_bytes=self.random.choice(HUGE))),
            ("FETCH_LOG", filtered_request(self.log, 0, leaf(GREATER, *range(5000)))),
            ("LIMIT_SCAN", {"table_id": self.keyed.id, "bucket_id": 0, "limit": self.random.choice(HUGE)}),
            ("LOOKUP", {"table_id": self.keyed.id, "buckets_req": [{"bucket_id": 0, "keys": [b"x" * 9] * 5000}]}),
            ("LIST_OFFSETS", {"table_id": self.log, "follower_server_id": -1, "offset_type": 1,
                              "bucket_id": list(range(5000))}),
            ("GET_METADATA", {"table_path": [path(LONG, LONG)] * 20}),
            ("CREATE_TABLE", {"table_path": path(self.database, "huge"), "ignore_if_exists": False,
                              "table_json": table_json(COLUMNS, buckets=self.random.choice(HUGE))}),
            ("CREATE_DATABASE", {"database_name": LONG, "ignore_if_exists": False}),
        ])  # fmt: skip
        with contextlib.suppress(ServerError):
            self.raw.call(api, **request)

    def refused(self, call):
        try:
            answer = call()
        except ServerError:
            return
        assert answer.get("error_code"), answer

    def check(self):
        found = [row for each in self.raw.fetch_all(self.log) for row in each.rows(ARROW)]
        assert found == [list(row.values()) for row in rows(0, self.rows)]
        self.keyed.check()


class Noise(Client):
    """Damaged copies of valid requests of every kind, from a user who has a database of its own and no more."""

    every_s = 0.15
    steps = (100, 600)
    user = "alice"

    def begin(self):
        super().begin()
        right = acl((DATABASE, self.database), "ALL", user=self.user)
        (answer,) = self.raw.call("CREATE_ACLS", acl=[right])["aclRes"]
        assert answer["error_code"] == 0, answer
        self.log = self.raw.create_table(self.database, "log", COLUMNS, properties=PLAIN)
        self.keyed = self.raw.create_table(self.database, "keyed", COLUMNS, primary_key=["id"])
        self.requests = list(self.valid_requests().items())
        self.peer = None

    def valid_requests(self):
        """One of each API, but those that end all."""
        log, keyed = path(self.database, "log"), path(self.database, "keyed")
        name, ids = {"database_name": self.database}, {"table_id": self.keyed}
        key = KEYS.key_of(1)
        write = {"acks": -1, "timeout_ms": 1000}
        return {
            "API_VERSIONS": {"client_software_name": "noise", "client_software_version": "1"},
            "CREATE_DATABASE": {**name, "ignore_if_exists": True},
            "ALTER_DATABASE": {**name, "ignore_if_not_exists": True},
            "GET_DATABASE_INFO": name,
            "DATABASE_EXISTS": name,
            "LIST_DATABASES": {},
            "LIST_TABLES": name,
            "CREATE_TABLE": {
                "table_path": path(self.database, "more"), "ignore_if_exists": True,
                "table_json": table_json(COLUMNS, buckets=2),
            },
            "DROP_TABLE": {"table_path": path(self.database, "more"), "ignore_if_not_exists": True},
            "ALTER_TABLE": {"table_path": log, "ignore_if_not_exists": True},
            "GET_TABLE_INFO": {"table_path": log},
            "GET_TABLE_SCHEMA": {"table_path": log, "schema_id": 1},
            "TABLE_EXISTS": {"table_path": log},
            "GET_METADATA": {"table_path": [log, keyed]},
            "LIST_PARTITION_INFOS": {"table_path": log},
            "PRODUCE_LOG": {
                **write, "table_id": self.log, "buckets_req": [{"bucket_id": 0, "records": batch(0, 5).encode()}],
            },
            "FETCH_LOG": filtered_request(self.log, 0, leaf(GREATER, 3), max_wait_ms=50),
            "PUT_KV": {**write, **ids, "buckets_req": [{"bucket_id": 0, "records": puts(1, "one")}]},
            "LOOKUP": {**ids, "buckets_req": [{"bucket_id": 0, "keys": [key]}]},
            "PREFIX_LOOKUP": {**ids, "buckets_req": [{"bucket_id": 0, "keys": [key]}]},
            "LIMIT_SCAN": {**ids, "bucket_id": 0, "limit": 10},
            "SCAN_KV": {
                "bucket_scan_req": {**ids, "bucket_id": 0}, "call_seq_id": 0, "batch_size_bytes": 1000,
            },
            "LIST_OFFSETS": {"table_id": self.log, "follower_server_id": -1, "offset_type": 1, "bucket_id": [0]},
            "INIT_WRITER": {"table_path": [log]},
            "GET_TABLE_STATS": {**ids, "buckets_req": [{"bucket_id": 0}]},
            "GET_LATEST_KV_SNAPSHOTS": {"table_path": keyed},
            "LIST_KV_SNAPSHOTS": ids,
            "GET_KV_SNAPSHOT_METADATA": {**ids, "bucket_id": 0, "snapshot_id": 0},
            "LIST_REMOTE_LOG_MANIFESTS": {"table_id": self.log},
            "GET_LAKE_SNAPSHOT": {"table_path": log},
            "REGISTER_PRODUCER_OFFSETS": {
                "producer_id": self.database, "ttl_ms": 2000,
                "table_offsets": [{"table_id": self.log, "bucket_offsets": [{"bucket_id": 0, "log_end_offset": 1}]}],
            },
            "GET_PRODUCER_OFFSETS": {"producer_id": self.database},
            "DELETE_PRODUCER_OFFSETS": {"producer_id": self.database},
            "LAKE_TIERING_HEARTBEAT": {},
            "PREPARE_LAKE_TABLE_SNAPSHOT": {"bucket_offsets": [{**ids, "table_path": keyed}]},
            "COMMIT_LAKE_TABLE_SNAPSHOT": {"tables_req": [{**ids, "snapshot_id": 1}]},
            "CREATE_ACLS": {"acl": [acl((DATABASE, self.database), "READ", user="nobody")]},
            "LIST_ACLS": {"acl_filter": acl_filter()},
            "DESCRIBE_CLUSTER_CONFIGS": {},
            "ALTER_CLUSTER_CONFIGS": {"alter_configs": []},
            "ADD_SERVER_TAG": {"server_ids": [0], "server_tag": 0},
            "REBALANCE": {"goals": [0]},
            "GET_CLUSTER_HEALTH": {},
            "AUTHENTICATE": {"protocol": "PLAIN", "token": f"\0{self.user}\0{USERS[self.user]}".encode()},
        }  # fmt: skip

    def damaged(self, data):
        data = bytearray(data)
        for _ in range(self.random.randint(1, 4)):
            if data:
                at = self.random.randrange(len(data))
                data[at] = self.random.choice([self.random.randrange(256), 0, 0xFF, 0x7F, data[at] ^ 1])
        if self.chance(0.1):
            del data[self.random.randrange(len(data) + 1) :]
        if self.chance(0.05):
            data += self.random.randbytes(self.random.randint(1, 200))
        return bytes(data)

    def step(self):
        if self.peer is None:
            self.peer = guarded.connect(self.world.server, self.user if self.chance(0.9) else None)
            self.peer_connection = self.peer.__enter__()
        self.world.counts.add("noise")
        peer = self.peer_connection
        api, values = self.random.choice(self.requests)
        if self.chance(0.2) and api == "PRODUCE_LOG":
            values["buckets_req"][0]["records"] = self.damaged_rows()
        payload = encode(APIS[api][1] + "Request", values)
        try:
            if self.chance(0.05):
                self.break_the_frame(peer, APIS[api][0], payload)
            else:
                key = self.random.randrange(-5, 3000) if self.chance(0.03) else APIS[api][0]
                version = self.random.choice([1, -1, 7, 32767]) if self.chance(0.05) else 0
                peer.read_answer(peer.send_payload(key, self.damaged(payload), version))
        except (Closed, OSError, ServerError, struct.error):
            self.forget_peer()

    def damaged_rows(self):
        """Under a right checksum, so that what is behind it is looked at."""
        one = batch(0, self.random.randint(1, 50))
        one.records = self.damaged(one.records)
        return one.encode()

    def break_the_frame(self, peer, key, payload):
        """With a length that is wrong, or nothing but noise; then it is left."""
        data = bytearray(fluss_raw.frame(key, 0, 1, payload))
        length = self.random.choice([*HUGE, len(data), len(data) - 5, 0, 8, self.random.getrandbits(31)])
        data[:4] = struct.pack(">i", length)
        peer.send_bytes(bytes(data) if self.chance(0.7) else self.random.randbytes(500))
        peer.socket.shutdown(socket.SHUT_WR)
        peer.socket.settimeout(120)
        while peer.socket.recv(65536):
            pass
        raise Closed("by both")

    def forget_peer(self):
        if self.peer:
            self.peer.__exit__(None, None, None)
        self.peer = None

    def end(self):
        self.forget_peer()
        self.raw.call("DROP_ACLS", acl_filter=[acl_filter(resource_type=DATABASE, resource_name=self.database)])
        super().end()
