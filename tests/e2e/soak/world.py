"""What all clients of a soak share: the server, the plan by seed, the clock, and what is counted.

A client lives in a thread of its own. It has several lives, one after the other: each begins with new tables, makes
some steps, compares all of it with its model, and drops everything. What a client decides follows from the seed, its
name and its number alone.
"""

import collections
import csv
import random
import threading
import time
import traceback

import fluss_raw
from server import ROOT

CALL_TIMEOUT_S = 300  # the machine may have other things to do
READS = ("FETCH_LOG", "LIMIT_SCAN", "SCAN_KV")
KINDS = {"PRODUCE_LOG": "append", "PUT_KV": "put", "LOOKUP": "lookup", "PREFIX_LOOKUP": "lookup"}
KINDS.update(dict.fromkeys(READS, "read"))


def error_names():
    with open(ROOT / "src/base/errors.tsv", newline="") as file:
        return {int(row["code"]): row["name"] for row in csv.DictReader(file, delimiter="\t")}


class Counts:
    """Operations by kind and errors by name, since the start."""

    def __init__(self):
        self.lock = threading.Lock()
        self.done = collections.Counter()
        self.errors = collections.Counter()
        self.names = error_names()

    def add(self, kind, count=1):
        with self.lock:
            self.done[kind] += count

    def add_error(self, code):
        with self.lock:
            self.errors[self.names.get(code, str(code))] += 1

    def copy(self):
        with self.lock:
            return self.done.copy(), self.errors.copy()


class Connection(fluss_raw.Connection):
    """One whose requests and refusals are counted."""

    def __init__(self, address, counts):
        super().__init__(address, CALL_TIMEOUT_S)
        self.counts = counts

    def receive(self, api, request_id):
        self.counts.add(KINDS.get(api, "other"))
        try:
            answer = super().receive(api, request_id)
        except fluss_raw.ServerError as error:
            self.counts.add_error(error.code)
            raise
        codes = {bucket.get("error_code") for bucket in answer.get("buckets_resp", ())}
        for code in codes - {None, 0}:
            self.counts.add_error(code)
        return answer


class Hasty(fluss_raw.Connection):
    """One that ends with a request under way, after so many answers."""

    def __init__(self, address, answers=0, tls=None):
        super().__init__(address, tls=tls)
        self.answers = answers

    def receive(self, api, request_id):
        if self.answers > 0:
            self.answers -= 1
            return super().receive(api, request_id)
        self.close()
        raise fluss_raw.Closed(f"the answer to {api} was not awaited")


class World:
    def __init__(self, server, seconds, seed, pace, warehouses, authority):
        self.server = server
        self.warehouses = warehouses  # by lake format: its folder
        self.authority = authority  # that vouches for the server
        self.seed = seed
        self.seconds = seconds
        self.pace = pace  # of the pauses between steps
        self.counts = Counts()
        self.begun = time.monotonic()
        self.over = threading.Event()
        self.failures = []

    def left_s(self):
        return 0 if self.over.is_set() else max(0, self.begun + self.seconds - time.monotonic())

    def goes_on(self):
        return self.left_s() > 0

    def rest(self, seconds):
        """Pauses, unless the end comes first."""
        self.over.wait(min(seconds, self.left_s()))

    def connect(self):
        return Connection(self.server.address, self.counts)

    def fail(self, client):
        self.failures.append(f"{client.name}, life {client.life}, {client.about()}:\n{traceback.format_exc()}")
        self.over.set()


class Client:
    """One of its kind. `begin` makes what a life needs, `step` does one thing, `check` compares, `end` clears away."""

    count = 1  # of its kind
    every_s = 1.0  # mean pause between two steps
    steps = (20, 100)  # of a life

    def __init__(self, world, number):
        self.world = world
        self.number = number
        self.name = f"{type(self).__name__.lower()}{number}"
        self.random = random.Random(f"{world.seed} {self.name}")
        self.life = 0
        self.raw = None
        self.database = None  # of the present life

    def run(self):
        try:
            while self.world.goes_on():
                self.live()
        except Exception:
            self.world.fail(self)

    def live(self):
        self.life += 1
        self.raw = self.world.connect()
        try:
            self.begin()
            for _ in range(self.random.randint(*self.steps)):
                self.world.rest(self.random.expovariate(1 / self.every_s) * self.world.pace)
                if not self.world.goes_on():
                    break
                self.step()
            self.check()
            self.end()
        finally:
            self.raw.close()

    def reconnect(self):
        self.raw.close()
        self.raw = self.world.connect()

    def begin(self):
        self.database = f"{self.name}_{self.life}"
        self.raw.create_database(self.database)

    def step(self):
        raise NotImplementedError

    def check(self):
        pass

    def about(self):
        """What helps to see why it failed."""
        return self.database

    def end(self):
        self.raw.drop_database(self.database)

    def new_writer(self, table="t"):
        return self.raw.call("INIT_WRITER", table_path=[fluss_raw.path(self.database, table)])["writer_id"]

    def chance(self, share):
        return self.random.random() < share

    def one_of(self, weighted):
        """A key of {key: weight}."""
        (chosen,) = self.random.choices(list(weighted), list(weighted.values()))
        return chosen


def run_clients(world, kinds):
    """Runs them until the time is over; `kinds` are classes. Gives the threads, which have begun."""
    clients = [kind(world, number) for kind in kinds for number in range(kind.count)]
    threads = [threading.Thread(target=client.run, name=client.name, daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    return threads
