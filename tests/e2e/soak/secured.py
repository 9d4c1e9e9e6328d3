"""Clients that log in, rightly and wrongly, with rights, under names that come and go, and over TLS."""

import contextlib
import random
import socket
import ssl

import fluss_raw
import guarded
from fluss_raw import Closed, ServerError, path
from guarded import USERS
from lake_streams import LogStream, settle
from raw_checks import ARROW, COLUMNS, batch, error_of
from test_login import change_users, may_log_in
from test_rights import AUTHORIZATION, DATABASE, TABLE, acl, acl_filter
from test_tls import Authority, trusting

from soak.setting import PLAIN
from soak.world import Client, Hasty

AUTHENTICATION = 46


def options(folder):
    """(options of a server with the listeners INTERNAL, CLIENT and TLS, who vouches for its certificate)"""
    authority = Authority(folder)
    certificate, key = authority.issue("server")
    listeners = ("INTERNAL", "CLIENT", "TLS")
    more = {
        "bind.listeners": ",".join(f"{name}://127.0.0.1:0" for name in listeners),
        "security.protocol.map": "INTERNAL:PLAINTEXT,CLIENT:SASL,TLS:SASL",
        "security.sasl.plain.credentials": "carol:c",
        "authorizer.enabled": "true",
        "lakestream.login.max-failures": "0",
        "lakestream.tls.listeners": "TLS",
        "lakestream.tls.certificate-file": certificate,
        "lakestream.tls.key-file": key,
    }
    return guarded.options() | more, authority


class Rights(Client):
    """Users that log in, rightly and wrongly, and may what an entry says and nothing else."""

    every_s = 0.7
    steps = (20, 60)

    def begin(self):
        super().begin()
        self.table = self.raw.create_table(self.database, "t", COLUMNS, properties=PLAIN)
        self.granted = None  # (resource, operation)

    def step(self):
        self.random.choice([self.log_in, self.log_in_wrongly, self.stay_outside, self.grant, self.revoke])()

    def log_in(self):
        """Reads and writes are refused unless the right to them was given."""
        info = {"table_path": path(self.database, "t")}
        produce = {
            "acks": -1, "table_id": self.table, "timeout_ms": 1000,
            "buckets_req": [{"bucket_id": 0, "records": batch(0, 1).encode()}],
        }  # fmt: skip
        lookup = {"table_id": self.table, "bucket_id": 0, "limit": 1}
        allowed = self.granted and self.granted[1]
        with guarded.connect(self.world.server, "bob") as bob:
            self.world.counts.add("login")
            for api, request, needs in (
                ("GET_TABLE_INFO", info, ("READ", "WRITE", "ALL", "DESCRIBE")),
                ("PRODUCE_LOG", produce, ("WRITE", "ALL")),
                ("LIMIT_SCAN", lookup, ("READ", "ALL")),
            ):
                assert self.is_refused(bob, api, request) == (allowed not in needs), (api, allowed)

    @staticmethod
    def is_refused(connection, api, request):
        try:
            connection.call(api, **request)
        except ServerError as error:
            assert error.code == AUTHORIZATION, error
            return True
        return False

    def log_in_wrongly(self):
        user = self.random.choice([*USERS, "nobody", "", "x" * 1000])
        with guarded.connect(self.world.server) as connection:
            assert error_of(lambda: connection.log_in(user, "wrong")).code == AUTHENTICATION
        self.world.counts.add("login")

    def stay_outside(self):
        with guarded.connect(self.world.server) as connection:
            assert error_of(lambda: connection.call("LIST_DATABASES")).code == AUTHENTICATION

    def grant(self):
        self.revoke()
        resource = self.random.choice([(DATABASE, self.database), (TABLE, f"{self.database}.t")])
        operation = self.random.choice(["READ", "WRITE", "ALL", "DESCRIBE"])
        (answer,) = self.raw.call("CREATE_ACLS", acl=[acl(resource, operation, user="bob")])["aclRes"]
        assert answer["error_code"] == 0, answer
        self.granted = resource, operation
        self.raw.call("LIST_ACLS", acl_filter=acl_filter())

    def revoke(self):
        if self.granted:
            (kind, name), _ = self.granted
            self.raw.call("DROP_ACLS", acl_filter=[acl_filter(resource_type=kind, resource_name=name)])
            self.granted = None

    def end(self):
        self.revoke()
        super().end()


class Users(Client):
    """Users that are added and taken away while the server runs."""

    every_s = 1
    steps = (10, 40)

    def begin(self):
        super().begin()
        self.here = set()

    def step(self):
        user = f"{self.name}{self.random.randrange(4)}"
        change_users(self.raw, f"{user}:secret", "subtract" if user in self.here else "append")
        self.here ^= {user}
        assert may_log_in(self.world.server, user, "secret") == (user in self.here)
        assert not may_log_in(self.world.server, user, "wrong")
        self.world.counts.add("login", 2)

    def end(self):
        for user in self.here:
            change_users(self.raw, f"{user}:secret", "subtract")
        super().end()


class Encrypted(Client):
    """Rows over TLS, with connections that end in each state of it."""

    every_s = 0.5
    steps = (30, 120)

    def begin(self):
        self.tls = trusting(self.world.authority)
        self.address = self.world.server.listener("TLS")
        self.peer = self.open()
        self.database = f"{self.name}_{self.life}"
        rng = random.Random(self.random.getrandbits(32))
        self.stream = LogStream(self.peer, self.database, PLAIN, rng)

    def open(self, **hasty):
        peer = Hasty(self.address, tls=self.tls, **hasty) if hasty else fluss_raw.connect(self.address, tls=self.tls)
        peer.log_in("root", USERS["root"])
        return peer

    def step(self):
        self.world.counts.add("tls")
        self.one_of({self.append: 20, self.lose_an_answer: 3, self.come_again: 2, self.stop_a_handshake: 2})()

    def append(self):
        assert self.stream.step(self.peer)

    def lose_an_answer(self):
        with self.open(answers=1) as raw, contextlib.suppress(Closed):
            self.stream.step(raw)

    def come_again(self):
        self.peer.close()
        self.peer = self.open()

    def stop_a_handshake(self):
        host, _, port = self.address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=120) as peer:
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            with contextlib.suppress(ssl.SSLWantReadError):
                self.tls.wrap_bio(incoming, outgoing, server_hostname=host).do_handshake()
            hello = outgoing.read()
            noise = self.random.randbytes(self.random.choice([0, 50]))
            peer.sendall(hello[: self.random.randrange(len(hello) + 1)] + noise)

    def check(self):
        settle(self.world.server.address, [self.stream])
        found = [row for each in self.peer.fetch_all(self.stream.table_id) for row in each.rows(ARROW)]
        assert found == [list(row.values()) for row in self.stream.expected()]

    def end(self):
        self.peer.call("DROP_TABLE", table_path=path("fluss", self.database), ignore_if_not_exists=False)
        self.peer.close()
