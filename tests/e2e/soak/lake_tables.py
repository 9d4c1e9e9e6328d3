"""Clients with tables that are copied to a lake while they are written, and queried over both."""

import contextlib
import shutil

import fluss_raw
from lake_streams import check_union, settle, streams_of
from lake_table import PaimonTable

from soak.world import Client, Hasty

FORMATS = ["paimon", "iceberg"]
FRESHNESS = "1 s"


class LakeTables(Client):
    """A log table and one with keys; answers get lost, and a batch is sent until it is acknowledged."""

    count = 2  # one of each format
    every_s = 0.3
    steps = (100, 300)
    queries = 0.02  # of the steps

    def begin(self):
        self.format = FORMATS[self.number % 2]
        self.prefix = f"{self.name}_{self.life}_"
        lake = {
            "table.datalake.enabled": "true", "table.datalake.format": self.format,
            "table.datalake.freshness": FRESHNESS,
            "table.datalake.auto-compaction": "true" if self.chance(0.5) else "false",
        }  # fmt: skip
        self.streams = streams_of(self.raw, self.random.getrandbits(32), lake, self.format, self.prefix)

    def step(self):
        if self.chance(self.queries):
            self.check()
            return
        stream = self.random.choice(self.streams)
        if self.chance(0.05):
            self.lose_an_answer(stream)
        else:
            assert stream.step(self.raw), "a batch was refused"

    def lose_an_answer(self, stream):
        with Hasty(self.world.server.address) as raw, contextlib.suppress(fluss_raw.Closed):
            stream.step(raw)

    def check(self):
        settle(self.world.server.address, self.streams)
        check_union(self.world.server, self.streams)
        self.world.counts.add("sql", len(self.streams))

    def end(self):
        for stream in self.streams:
            self.raw.call("DROP_TABLE", table_path=fluss_raw.path("fluss", stream.name), ignore_if_not_exists=False)
        # A copy that was under way may still come; what it leaves goes with the folder at the end.
        for stream in self.streams:
            shutil.rmtree(self.lake_folder(stream), ignore_errors=True)

    def lake_folder(self, stream):
        warehouse = self.world.warehouses[self.format]
        return PaimonTable(warehouse, "fluss", stream.name).folder if self.format == "paimon" else (
            warehouse / "fluss" / stream.name
        )  # fmt: skip
