"""Clients that die: killed amid requests, gone amid a frame, there but silent, or deaf to their answers."""

import os
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import fluss_raw
from fluss_raw import Closed, ServerError, encode, fetch_request, frame, path
from raw_checks import (
    ARROW, COLUMNS, PARTITION_NOT_EXIST, TABLE_NOT_EXIST, UNKNOWN_BUCKET, batch, retriable_codes, rows,
)  # fmt: skip
from test_partitions import create, create_table, drop, fetch, listed, produce

from soak.setting import KEYS, PLAIN, puts
from soak.world import Client

HERE = Path(__file__).resolve().parent


class Victims(Client):
    """Processes that write and read until kill -9. All that they knew of is there, in order and once."""

    every_s = 5
    steps = (2, 6)

    def step(self):
        name = f"t{self.random.getrandbits(32)}"
        table = self.raw.create_table(self.database, name, COLUMNS, properties=PLAIN)
        writer = self.new_writer()
        process = subprocess.Popen(
            [sys.executable, HERE / "victim.py", self.world.server.address, str(table), str(writer)],
            stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        )  # fmt: skip
        try:
            lines = [process.stdout.readline() for _ in range(self.random.randint(1, 60))]
        finally:
            process.kill()
            lines += process.stdout.readlines()
            process.stdout.close()
            process.wait()
        known = max((int(line) for line in lines if line.endswith(b"\n")), default=0)
        assert known, "the writer ended before it was killed"
        self.world.counts.add("killed")
        found, end = [], 0
        for each in self.raw.fetch_all(table):
            assert each.base_offset == end
            end = each.next_offset
            found += [row[0] for row in each.rows(ARROW)]
        assert len(found) >= known and found == list(range(len(found))), f"{len(found)} rows, {known} known"


class Rude(Client):
    """Connections that come in numbers, go amid a frame, stay silent, or never take their answers."""

    every_s = 0.5
    steps = (40, 120)
    kept_max = 20

    def begin(self):
        super().begin()
        self.kept = []
        self.table = self.raw.create_table(self.database, "t", COLUMNS, properties=PLAIN)
        for begin in range(0, 2000, 200):
            self.raw.produce(self.table, batch(begin, begin + 200).encode())

    def step(self):
        self.random.choice([self.end_amid_a_frame, self.stay_silent, self.be_deaf, self.swarm, self.reset])()
        while len(self.kept) > self.random.randint(0, self.kept_max):
            self.kept.pop(self.random.randrange(len(self.kept))).close()
        self.world.counts.add("rude")

    def connect(self):
        host, _, port = self.address().rpartition(":")
        return socket.create_connection((host, int(port)), timeout=120)

    def address(self):
        return self.world.server.listener(self.random.choice(["INTERNAL", "CLIENT", "TLS"]))

    def request(self):
        key, message = fluss_raw.APIS["FETCH_LOG"]
        return frame(key, 0, 7, encode(message + "Request", fetch_request(self.table, [(0, 0)], max_bytes=1 << 24)))

    def end_amid_a_frame(self):
        data = self.request()
        with self.connect() as peer:
            peer.sendall(data[: self.random.randrange(len(data))])

    def stay_silent(self):
        peer = self.connect()
        peer.sendall(self.request()[: self.random.randrange(12)])
        self.kept.append(peer)

    def be_deaf(self):
        """Asks for far more than the buffers of the system hold."""
        peer = self.connect()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.setblocking(False)
        data = self.request() * self.random.randint(1, 400)
        try:
            peer.send(data)
        except OSError:
            peer.close()
            return
        self.kept.append(peer)

    def swarm(self):
        peers = [self.connect() for _ in range(self.random.randint(5, 60))]
        for peer in peers:
            if self.chance(0.5):
                peer.sendall(self.request())
        for peer in peers:
            peer.close()

    def reset(self):
        """The system says so at once, with answers under way."""
        peer = self.connect()
        peer.sendall(self.request() * 5)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()

    def check(self):
        for peer in self.kept:
            peer.close()
        found = [row[0] for each in self.raw.fetch_all(self.table) for row in each.rows(ARROW)]
        assert found == [row["id"] for row in rows(0, 2000)]


class Droppers(Client):
    """Tables and partitions that are dropped while they are written and read: nobody hangs, and everybody is told."""

    every_s = 3
    steps = (5, 15)
    patience_s = 300

    def step(self):
        kind = self.random.choice([self.log_table, self.keyed_table, self.partition])
        calls, drop_it = kind(f"t{self.random.getrandbits(32)}")
        self.unexpected = []
        threads = [threading.Thread(target=self.until_it_is_gone, args=(call,), daemon=True) for call in calls]
        for thread in threads:
            thread.start()
        self.world.rest(self.random.uniform(0.05, 1))
        drop_it()
        for thread in threads:
            thread.join(self.patience_s)
            assert not thread.is_alive(), "a client hangs after the drop of its table"
        assert not self.unexpected, self.unexpected[0]

    def drop_table(self, name):
        self.raw.call("DROP_TABLE", table_path=path(self.database, name), ignore_if_not_exists=False)

    def log_table(self, name):
        """(what clients do meanwhile, how it is dropped)"""
        table = self.raw.create_table(self.database, name, COLUMNS, buckets=2, properties=PLAIN)
        calls = [
            lambda raw: raw.produce(table, batch(0, 20).encode()),
            lambda raw: raw.fetch(table, raw.offset(table, 1).get("offset", 0), min_bytes=1, max_wait_ms=3000),
            lambda raw: raw.offset(table, 1),
        ]
        return calls, lambda: self.drop_table(name)

    def keyed_table(self, name):
        table = self.raw.create_table(self.database, name, COLUMNS, primary_key=["id"])
        keys = {"table_id": table, "buckets_req": [{"bucket_id": 0, "keys": [KEYS.key_of(1)]}]}
        calls = [
            lambda raw: raw.put_kv(table, puts(1, "one")),
            lambda raw: raw.call("LOOKUP", **keys)["buckets_resp"][0],
            lambda raw: raw.call("LIMIT_SCAN", table_id=table, bucket_id=0, limit=5),
        ]
        return calls, lambda: self.drop_table(name)

    def partition(self, name):
        table = create_table(self.raw, self.database, name, partition_key=["name"], properties=PLAIN)
        create(self.raw, self.database, name, name="x")
        (partition,) = listed(self.raw, self.database, name).values()
        calls = [
            lambda raw: produce(raw, table, partition, batch(0, 20).encode()),
            lambda raw: fetch(raw, table, partition),
        ]
        return calls, lambda: drop(self.raw, self.database, name, name="x")

    def until_it_is_gone(self, call):
        known = {TABLE_NOT_EXIST, UNKNOWN_BUCKET, PARTITION_NOT_EXIST, *retriable_codes()}
        deadline = time.monotonic() + self.patience_s
        try:
            with self.world.connect() as raw:
                code, answer = None, None
                while not code and time.monotonic() < deadline:
                    try:
                        answer = call(raw)
                        code = answer.get("error_code")
                    except ServerError as error:
                        code, answer = error.code, error
                    time.sleep(0.02)
                assert code in known, f"{answer}"
        except (AssertionError, OSError, Closed) as error:
            self.unexpected.append(error)
