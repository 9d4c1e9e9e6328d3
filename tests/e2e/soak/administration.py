"""Clients that administer: databases, options, tags, offsets of producers, automatic partitions."""

import contextlib
import time

from fluss_raw import ServerError, path
from raw_checks import COLUMNS, UNKNOWN_BUCKET, batch, error_of
from test_cluster import DELETE, DYNAMIC, ROLL, TEMPORARY_OFFLINE, alter, change, configs
from test_evolution import alter as alter_table
from test_evolution import config
from test_partitions import auto_table, listed
from test_producers import NOTHING, offsets, register

from soak.setting import PLAIN
from soak.world import Client


class Administrator(Client):
    """One alone changes what the whole cluster has."""

    every_s = 0.7
    steps = (30, 80)

    def begin(self):
        super().begin()
        self.names = set()  # of databases
        self.table = self.raw.create_table(self.database, "t", COLUMNS, buckets=2, properties=PLAIN)
        self.keyed = self.raw.create_table(self.database, "k", COLUMNS, primary_key=["id"])
        self.ends = None  # of the producer

    def step(self):
        self.random.choice([
            self.make_a_database, self.drop_a_database, self.look_around, self.change_options, self.tag, self.rebalance,
            self.register_offsets, self.forget_offsets, self.ask,
        ])()  # fmt: skip

    def make_a_database(self):
        name = f"{self.database}_{self.random.randrange(6)}"
        if name in self.names:
            assert error_of(lambda: self.raw.create_database(name)).code
        self.raw.create_database(name, ignore_if_exists=True)
        self.names.add(name)

    def drop_a_database(self):
        if self.names:
            name = self.random.choice(sorted(self.names))
            self.raw.call("DROP_DATABASE", database_name=name, ignore_if_not_exists=False, cascade=False)
            self.names.remove(name)

    def look_around(self):
        listed_names = set(self.raw.call("LIST_DATABASES")["database_name"])
        assert {n for n in listed_names if n.startswith(self.database)} == {self.database, *self.names}
        assert set(self.raw.call("LIST_TABLES", database_name=self.database)["table_name"]) == {"t", "k"}
        self.raw.call("GET_METADATA", table_path=[path(self.database, "t"), path(self.database, "k")])
        assert not self.raw.call("TABLE_EXISTS", table_path=path(self.database, "none"))["exists"]

    def change_options(self):
        value = self.random.choice(["true", "false"])
        alter(self.raw, change(ROLL, value), change("datalake.paimon.soak", value))
        assert configs(self.raw)[ROLL] == (value, DYNAMIC)
        alter(self.raw, change(ROLL, op=DELETE), change("datalake.paimon.soak", op=DELETE))
        assert ROLL not in configs(self.raw)

    def tag(self):
        self.raw.call("ADD_SERVER_TAG", server_ids=[0], server_tag=TEMPORARY_OFFLINE)
        self.raw.call("REMOVE_SERVER_TAG", server_ids=[0], server_tag=TEMPORARY_OFFLINE)

    def rebalance(self):
        with contextlib.suppress(ServerError):  # one may be under way
            self.raw.call("REBALANCE", goals=[0])
        self.raw.call("LIST_REBALANCE_PROGRESS")

    def register_offsets(self):
        ends = offsets(self.table, *((b, self.random.randrange(1000)) for b in range(2)))
        result = register(self.raw, self.database, ends)
        assert (result == 0) == (self.ends is None)
        self.ends = self.ends or ends
        assert self.raw.call("GET_PRODUCER_OFFSETS", producer_id=self.database)["table_offsets"] == [self.ends]

    def forget_offsets(self):
        self.raw.call("DELETE_PRODUCER_OFFSETS", producer_id=self.database)
        assert self.raw.call("GET_PRODUCER_OFFSETS", producer_id=self.database) == NOTHING
        self.ends = None

    def ask(self):
        self.raw.call("API_VERSIONS", client_software_name="soak", client_software_version="1")
        self.raw.call("GET_CLUSTER_HEALTH")
        self.raw.call("GET_DATABASE_INFO", database_name=self.database)
        self.raw.call("GET_TABLE_SCHEMA", table_path=path(self.database, "t"), schema_id=1)
        self.raw.call("GET_TABLE_STATS", table_id=self.keyed, buckets_req=[{"bucket_id": 0}])
        self.raw.call("LIST_REMOTE_LOG_MANIFESTS", table_id=self.table)
        with contextlib.suppress(ServerError):  # a directory needs none
            self.raw.call("GET_FILESYSTEM_SECURITY_TOKEN")

    def end(self):
        self.forget_offsets()
        for name in self.names:
            self.raw.drop_database(name)
        super().end()


class AutomaticPartitions(Client):
    """As many partitions as the table asks for are there; so many as it still wants stay."""

    every_s = 1.5
    steps = (5, 20)

    def begin(self):
        super().begin()
        self.ahead = 2
        self.table = auto_table(self.raw, self.database, "t", time_unit="HOUR", num_precreate=str(self.ahead))

    def step(self):
        self.ahead = max(self.ahead, self.random.randint(1, 8))
        change = config("table.auto-partition.num-precreate", str(self.ahead))
        alter_table(self.raw, self.database, config_changes=[change])
        deadline = time.monotonic() + 120
        while len(partitions := listed(self.raw, self.database, "t")) < self.ahead:
            assert time.monotonic() < deadline, partitions
            self.world.rest(0.1)
        bucket = {"partition_id": self.random.choice(list(partitions.values())), "bucket_id": 0}
        bucket["records"] = batch(0, 3).encode()
        (answer,) = self.raw.call(
            "PRODUCE_LOG", acks=-1, table_id=self.table, timeout_ms=10000, buckets_req=[bucket]
        )["buckets_resp"]
        assert answer.get("error_code") in (None, UNKNOWN_BUCKET), answer  # an hour may have ended
