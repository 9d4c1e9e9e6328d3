"""Clients with primary-key tables of every kind, each bucket beside its model (kv_model.py)."""

import contextlib

from fluss_raw import ServerError, column
from kv_checks import Driven, RandomPuts, canonical
from kv_model import Table
from kv_rows import decode_value
from test_kv_engines import COLUMNS, FORMATS, VALUES, VERSIONS, aggregation_columns
from test_kv_scan import close_scan, files_of, latest, lease, local, open_scan, read_on

from soak.world import Client

PAIRS = [column("a", "STRING"), column("b", "INTEGER"), column("v", "STRING")]
PAIR_VALUES = {"a": ["", "a", "ab", "abc"], "b": list(range(20)), "v": ["x", "y" * 300, None]}
MANY = {**VALUES, "k": list(range(300))}
IDS = [column("k", "INTEGER"), column("a", "STRING"), column("n", "BIGINT")]
ID_VALUES = {"k": list(range(50)), "a": ["x", "y", None]}


def table_kinds():
    """name -> (table, values of its columns, more of its descriptor)"""
    sums, sum_values = aggregation_columns()
    kinds = {
        f"{engine or 'last'} {delete} {image}": (Table(COLUMNS, ["k"], engine, delete=delete, image=image), MANY, {})
        for engine in (None, "first_row")
        for delete in ("allow", "ignore", "disable")
        for image in ("full", "wal")
        if (engine, delete) != ("first_row", "allow")
    }
    version, versions = VERSIONS["bigint"]
    versioned = Table([COLUMNS[0], version], ["k"], "versioned", version_column="v")
    return kinds | {
        "versioned": (versioned, {**MANY, "v": versions}, {}),
        "aggregation": (Table(sums, ["k"], "aggregation"), sum_values, {}),
        "ids": (Table(IDS, ["k"], auto_increment="n"), ID_VALUES, {}),
        "prefixes": (Table(PAIRS, ["a", "b"]), PAIR_VALUES, {"bucket_key": ["a"]}),
    }


class KeyedTables(Client):
    """Any engine, any formats: random puts, read back in every way."""

    count = 4
    every_s = 0.3
    steps = (40, 250)
    kinds = table_kinds()

    def begin(self):
        super().begin()
        self.kind = self.random.choice(list(self.kinds))
        table, values, more = self.kinds[self.kind]
        kv_format, log_format = ("compacted", "arrow")
        if self.kind in ("last allow full", "prefixes"):
            kv_format, log_format = self.random.choice(FORMATS)
        self.driven = Driven(
            self.raw, self.database, "t", table, kv_format=kv_format, log_format=log_format, **more
        )
        self.puts = RandomPuts(self.driven, values, self.random.getrandbits(32))

    def step(self):
        actions = {self.put: 60, self.look_up: 20, self.scan: 5, self.read_all: 2, self.come_again: 2, self.leave: 1}
        actions[self.lease] = 2
        if self.kind == "prefixes":
            actions[self.look_up_prefixes] = 20
        self.one_of(actions)()

    def put(self):
        self.puts.run(self.random.randint(1, 3))

    def look_up(self):
        """Keys that are there and such as are not."""
        table, driven = self.driven.table, self.driven
        rows = [self.puts.row(None) for _ in range(self.random.randint(1, 8))]
        keys = [table.key_of(row) for row in rows]
        values = self.raw.lookup(driven.id, [driven.keys.key_of(*key) for key in keys])
        for key, value in zip(keys, values):
            found = decode_value(driven.columns, value, driven.kv_format)
            expected = driven.model.rows.get(key)
            assert (found is None) == (expected is None), key
            assert found is None or canonical(driven.columns, found) == canonical(driven.columns, expected), key

    def look_up_prefixes(self):
        driven = self.driven
        prefix = self.random.choice(PAIR_VALUES["a"])
        (values,) = self.raw.prefix_lookup(driven.id, [driven.keys.prefix_of(prefix)])
        expected = [row for row in driven.sorted_rows() if row[0] == prefix.encode()]
        decoded = [decode_value(driven.columns, value, driven.kv_format) for value in values]
        assert [canonical(driven.columns, row) for row in decoded] == expected

    def scan(self):
        """A scan sees one moment although puts go on; now and then it is left in its middle."""
        driven = self.driven
        expected = driven.sorted_rows()
        answer = open_scan(self.raw, driven.id, batch_size=self.random.choice([200, 5000]))
        self.puts.run(2)
        if not answer.get("records"):
            assert expected == []
        elif self.chance(0.3):
            if answer["has_more_results"] and self.chance(0.5):
                close_scan(self.raw, answer["scanner_id"])
        else:
            assert read_on(driven, answer)[0] == expected

    def read_all(self):
        self.driven.check_rows()

    def lease(self):
        """A snapshot, if there is one, whose files stay as long as the lease, or go after it when the reader does."""
        snapshot = latest(self.driven)
        if snapshot.get("snapshot_id") is None:
            return
        with contextlib.suppress(ServerError):  # another one came meanwhile
            answer = lease(self.driven, self.database, 2000, snapshot)
            if not any(answer.values()):
                files = files_of(self.driven, snapshot)["snapshot_files"]
                assert all(local(file["remote_path"]).is_file() for file in files)
        if self.chance(0.5):
            self.raw.call("DROP_KV_SNAPSHOT_LEASE", lease_id=self.database)

    def come_again(self):
        self.reconnect()
        self.driven.raw = self.raw

    def leave(self):
        """Puts nothing, in a frame that the server has to read to its end after the client is gone."""
        self.raw.send("PUT_KV", 2, acks=-1, table_id=self.driven.id, timeout_ms=1000, buckets_req=[])
        self.come_again()

    def check(self):
        self.driven.check()

    def about(self):
        return f"{self.kind}, {self.driven.kv_format}, {self.driven.log_format}"
