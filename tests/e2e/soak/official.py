"""Other people's clients, and the command."""

import asyncio
import json
import random
import subprocess

import test_living
from server import BINARY

from soak.world import Client

COMMAND_TIMEOUT_S = 300


class Living(Client):
    """pyfluss: tables whose partitions come and go and whose columns change while they are written and read."""

    seconds = (10, 40)
    rest_s = 2

    def live(self):
        self.life += 1
        self.raw = self.world.connect()
        try:
            self.begin()
            seconds = min(self.random.uniform(*self.seconds), self.world.left_s())
            seed = self.random.getrandbits(32)
            tables = test_living.World(
                self.world.server, self.raw, self.database, seed, seconds, self.rest_s * self.world.pace
            )
            events, state = asyncio.run(test_living.live(tables))
            rows = sum(map(len, events.acknowledged.values()))
            self.world.counts.add("pyfluss", rows + sum(map(len, state.changes.values())))
            self.end()
        finally:
            self.raw.close()


class Command(Client):
    """`lakestream` with a table of each kind."""

    every_s = 3
    steps = (10, 25)

    def begin(self):
        super().begin()
        self.rows = []
        self.state = {}
        self.run_command("table", "create", f"""
            CREATE TABLE {self.database}.log (id INT, name STRING) WITH ('bucket.num' = '2');
            CREATE TABLE {self.database}.keyed (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
              WITH ('bucket.num' = '2');
        """)  # fmt: skip

    def run_command(self, *arguments, lines=()):
        done = subprocess.run(
            [str(BINARY), *map(str, arguments), "--server", self.world.server.address],
            input="".join(json.dumps(line) + "\n" for line in lines).encode(),
            capture_output=True, timeout=COMMAND_TIMEOUT_S,
        )  # fmt: skip
        assert done.returncode == 0, f"{arguments} ended with {done.returncode}: {done.stderr.decode()}"
        self.world.counts.add("command")
        return done.stdout.decode()

    def read(self, *arguments):
        return [json.loads(line) for line in self.run_command(*arguments, "--format", "ndjson").splitlines()]

    def step(self):
        self.random.choice([
            self.put, self.put, self.upsert, self.upsert, self.delete, self.tail, self.scan, self.look_up, self.offsets,
            self.query, self.describe,
        ])()  # fmt: skip

    def put(self):
        begin = len(self.rows)
        rows = [{"id": i, "name": f"row {i}"} for i in range(begin, begin + self.random.randint(1, 200))]
        self.run_command("put", f"{self.database}.log", "--input-format", "ndjson", lines=rows)
        self.rows += rows

    def upsert(self):
        rows = [{"id": self.random.randrange(100), "name": str(self.random.random())} for _ in range(20)]
        self.run_command("put", f"{self.database}.keyed", "--input-format", "ndjson", lines=rows)
        self.state |= {row["id"]: row for row in rows}

    def delete(self):
        if self.state:
            keys = self.random.sample(sorted(self.state), min(5, len(self.state)))
            lines = [{"id": key} for key in keys]
            self.run_command("put", f"{self.database}.keyed", "--delete", "--input-format", "ndjson", lines=lines)
            for key in keys:
                del self.state[key]

    def tail(self):
        arguments = ("tail", f"{self.database}.log", "--no-follow")
        bound = self.random.randrange(len(self.rows) + 1)
        found = self.read(*arguments, "--where", f"id >= {bound}")
        assert sorted(found, key=lambda row: row["id"]) == self.rows[bound:]

    def scan(self):
        found = {row["id"]: row for row in self.read("scan", f"{self.database}.keyed")}
        assert found == self.state

    def look_up(self):
        if self.state:
            key = self.random.choice(sorted(self.state))
            assert self.read("lookup", f"{self.database}.keyed", f"id={key}") == [self.state[key]]

    def offsets(self):
        self.run_command("offsets", f"{self.database}.log")

    def query(self):
        text = f"SELECT count(*) AS n, count(DISTINCT id) AS d FROM {self.database}.log"
        assert self.read("sql", "-c", text) == [{"n": len(self.rows), "d": len(self.rows)}]

    def describe(self):
        self.run_command("table", "list", self.database)
        self.run_command("table", "describe", f"{self.database}.keyed")

    def check(self):
        self.tail()
        self.scan()


class Vanished(Client):
    """Commands that are killed amid what they do; what an answer said is there, and nothing twice."""

    every_s = 2
    steps = (5, 15)

    def begin(self):
        super().begin()
        self.table = f"{self.database}.log"
        self.run("table", "create", f"CREATE TABLE {self.table} (id INT, name STRING) WITH ('bucket.num' = '1')").wait()
        self.sent = 0

    def run(self, *arguments):
        return subprocess.Popen(
            [str(BINARY), *arguments, "--server", self.world.server.address],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def step(self):
        arguments = self.random.choice([
            ("put", self.table, "--input-format", "csv", "--columns", "id,name", "--batch-bytes", "1kb"),
            ("tail", self.table, "--from", "earliest"),
            ("sql", "-c", f"SELECT count(*) FROM {self.table} a JOIN {self.table} b USING (id)"),
        ])  # fmt: skip
        process = self.run(*arguments)
        try:
            if arguments[0] == "put":
                for _ in range(self.random.randint(1, 300)):
                    process.stdin.write(f"{self.sent},row {self.sent}\n".encode())
                    self.sent += 1
                process.stdin.flush()
            self.world.rest(random.Random(self.sent).uniform(0.02, 0.6))
        finally:
            process.kill()
            process.stdin.close()
            process.wait()
        self.world.counts.add("killed")

    def check(self):
        """A put ends anywhere; its rows are there once, those before the last without a gap."""
        done = subprocess.run(
            [str(BINARY), "tail", self.table, "--no-follow", "--format", "ndjson", "--columns", "id",
             "--server", self.world.server.address],
            capture_output=True, timeout=COMMAND_TIMEOUT_S,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        ids = [json.loads(line)["id"] for line in done.stdout.splitlines()]
        assert ids == sorted(set(ids)) and all(i < self.sent for i in ids)
