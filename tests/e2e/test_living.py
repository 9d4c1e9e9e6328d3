"""Tables that live: writers, readers and lookups at once, while partitions come and go and columns and options change.

A model knows what was acknowledged, and nothing may be lost, doubled or misread. LAKESTREAM_LIVING_SECONDS says how
long; a seed that failed can be given by LAKESTREAM_LIVING_SEED, more seconds of patience on a machine that has other
things to do by LAKESTREAM_LIVING_PATIENCE.
"""

import asyncio
import os
import random
import time
from collections import defaultdict

import pyarrow as pa
import pytest
from fluss import EARLIEST_OFFSET, TablePath

from test_evolution import RESET, add_column, added, alter, config
from test_partitions import create, create_with, drop, listed
from test_pyfluss import append, connect

SECONDS = float(os.environ.get("LAKESTREAM_LIVING_SECONDS", "10"))
SEED = int(os.environ.get("LAKESTREAM_LIVING_SEED", time.time_ns() % 1_000_000))
PATIENCE_S = float(os.environ.get("LAKESTREAM_LIVING_PATIENCE", "60"))  # for what is acknowledged to be seen
BUCKETS = 2
COLUMNS_MAX = 6  # that are added
OPEN_PARTITIONS = 3
WRITERS = 3
KEYS = 40
POLL_MS = 200


async def soon(condition, what):
    """Other tasks go on while it waits."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.02)


def more_of(number, columns):
    """What a row has in columns that were added."""
    return {name: number * 7 + i for i, name in enumerate(columns)}


async def scanner_of_all(table):
    """The client itself does not fill up rows of older schemas; the server does for columns that are asked for."""
    return await table.new_scan().project_by_name(table.get_table_info().get_column_names()).create_log_scanner()


class World:
    def __init__(self, server, raw, database, seed, seconds, rest_s=0):
        self.server, self.raw, self.database = server, raw, database
        self.random = random.Random(seed)
        self.ends = time.monotonic() + seconds
        self.rest_s = rest_s  # between what a writer or reader does
        self.columns = []  # added to both tables, in order

    def goes_on(self):
        return time.monotonic() < self.ends

    async def open(self, name):
        """A client of its own that knows the table as it is now, and the columns that were added until then."""
        connection = connect(self.server)
        client = await connection.__aenter__()
        table = await client.get_table(TablePath(self.database, name))
        await asyncio.sleep(self.rest_s)
        return connection, table, table.get_table_info().get_column_names()[2:]

    async def change_tables(self):
        """Columns at the end, options that stay harmless."""
        while self.goes_on():
            await asyncio.sleep(self.random.uniform(0.3, 0.8))
            if self.random.random() < 0.4 and len(self.columns) < COLUMNS_MAX:
                name = f"x{len(self.columns)}"
                for table in ("events", "state"):
                    add_column(self.raw, self.database, table, added(name))
                self.columns.append(name)
            else:
                change = self.random.choice([
                    config("table.log.ttl", f"{self.random.randint(2, 9)} d"), config("table.log.ttl", op=RESET),
                    config("owner", str(self.random.random())),
                ])  # fmt: skip
                alter(self.raw, self.database, self.random.choice(["events", "state"]), config_changes=[change])


class Events:
    """A partitioned log: what was acknowledged of each partition, by the number of the row."""

    def __init__(self, world):
        self.world = world
        self.open_days = []
        self.ids = {}  # of partitions that exist
        self.acknowledged = defaultdict(dict)  # by day: number -> the row
        self.busy = defaultdict(int)  # writers of a day
        self.seen = defaultdict(dict)  # by day: number -> (id, day), as the reader of all saw it
        self.numbers = iter(range(1 << 40))
        self.days = iter(range(1 << 40))
        self.all_written = False
        self.dropped = 0

    def open_day(self):
        world, day = self.world, f"d{next(self.days)}"
        create(world.raw, world.database, "events", day=day)
        self.ids[day] = listed(world.raw, world.database, "events")[day]
        self.open_days.append(day)

    async def come_and_go(self):
        while self.world.goes_on():
            self.open_day()
            if len(self.open_days) > OPEN_PARTITIONS:
                await self.close_day(self.open_days.pop(0))
            await asyncio.sleep(self.world.random.uniform(0.3, 1))

    async def close_day(self, day):
        """Nobody writes to it any more and all of it was seen; then it is dropped."""
        await soon(lambda: self.busy[day] == 0, f"writers of {day}")
        await self.all_seen(day)
        drop(self.world.raw, self.world.database, "events", day=day)
        del self.ids[day]
        assert day not in listed(self.world.raw, self.world.database, "events")
        self.dropped += 1

    async def all_seen(self, day):
        rows = self.acknowledged[day]
        await soon(lambda: len(self.seen[day]) >= len(rows), f"{len(self.seen[day])} of {len(rows)} rows of {day}")
        assert self.seen[day].keys() == rows.keys()

    async def write(self):
        world = self.world
        while world.goes_on():
            connection, table, columns = await world.open("events")
            for _ in range(world.random.randint(1, 6)):
                day = world.random.choice(self.open_days)
                self.busy[day] += 1
                rows = [{"id": next(self.numbers), "day": day} for _ in range(world.random.randint(1, 30))]
                for row in rows:
                    row |= more_of(row["id"], columns)
                await append(table, rows)
                self.acknowledged[day] |= {row["id"]: row for row in rows}
                self.busy[day] -= 1
            await connection.__aexit__(None, None, None)

    async def read_all(self):
        """One reader that was there before anything changed: every row once, offsets without a gap."""
        connection, table, _ = await self.world.open("events")
        scanner = await table.new_scan().create_log_scanner()
        next_offset, day_of, gone = {}, {}, set()
        while not self.all_written or any(len(self.seen[d]) < len(self.acknowledged[d]) for d in self.ids):
            for day, partition in list(self.ids.items()):
                if partition in day_of:
                    continue
                day_of[partition] = day
                scanner.subscribe_partition_buckets({(partition, b): EARLIEST_OFFSET for b in range(BUCKETS)})
            for partition in [p for p, day in day_of.items() if p not in gone and day not in self.ids]:
                gone.add(partition)
                for bucket in range(BUCKETS):
                    scanner.unsubscribe_partition(partition, bucket)
            if not day_of:
                await asyncio.sleep(0.05)
                continue
            polled = await scanner.poll(POLL_MS)
            for bucket in polled.buckets():
                place = (bucket.partition_id, bucket.bucket_id)
                for record in polled.records(bucket):
                    assert record.offset == next_offset.get(place, 0), f"bucket {place}, from offset {record.offset}"
                    next_offset[place] = record.offset + 1
                    day, number = day_of[bucket.partition_id], record.row["id"]
                    assert record.row == {"id": number, "day": day}
                    assert number not in self.seen[day], f"row {number} came twice"
                    self.seen[day][number] = record.row
        await connection.__aexit__(None, None, None)

    async def read_anew(self):
        """Readers of one partition each, that know the columns of their time."""
        world = self.world
        while world.goes_on():
            connection, table, columns = await world.open("events")
            day = world.random.choice(self.open_days)
            self.busy[day] += 1  # it stays so long
            wanted = dict(self.acknowledged[day])
            scanner = await scanner_of_all(table)
            scanner.subscribe_partition_buckets({(self.ids[day], b): EARLIEST_OFFSET for b in range(BUCKETS)})
            found = {}
            deadline = time.monotonic() + PATIENCE_S
            while not wanted.keys() <= found.keys():
                assert time.monotonic() < deadline, f"{len(found)} of {len(wanted)} rows of {day}"
                for record in await scanner.poll(POLL_MS):
                    assert record.row["id"] not in found
                    found[record.row["id"]] = record.row
            for number, row in wanted.items():
                assert found[number] == {name: row.get(name) for name in ["id", "day", *columns]}
            self.busy[day] -= 1
            await connection.__aexit__(None, None, None)

    async def run_to_the_end(self):
        """Requires: nobody writes."""
        self.all_written = True
        for day in self.open_days:
            await self.all_seen(day)


class State:
    """A primary-key table: of each key, what its changes were and how many are acknowledged."""

    def __init__(self, world):
        self.world = world
        self.changes = defaultdict(list)  # of a key: the row as it is after the change, None for a delete
        self.acknowledged = defaultdict(int)  # changes of a key

    async def write(self, keys):
        world = self.world
        while world.goes_on():
            connection, table, columns = await world.open("state")
            writer = table.new_upsert().create_writer()
            for _ in range(world.random.randint(1, 5)):
                chosen = world.random.sample(keys, world.random.randint(1, 8))
                waits = []
                for key in chosen:
                    number = len(self.changes[key]) + 1
                    if world.random.random() < 0.15:
                        self.changes[key].append(None)
                        waits.append(writer.delete({"k": key}))
                    else:
                        row = {"k": key, "n": number} | more_of(number, columns)
                        self.changes[key].append(row)
                        waits.append(writer.upsert(row))
                await writer.flush()
                for wait in waits:
                    await wait.wait()
                for key in chosen:
                    self.acknowledged[key] = len(self.changes[key])
            await connection.__aexit__(None, None, None)

    def check(self, key, before, row, columns):
        """The row is one that the key had since the change `before`."""
        since = self.changes[key][max(before - 1, 0) :]
        possible = [change and {name: change.get(name) for name in ["k", "n", *columns]} for change in since]
        if before == 0:
            possible.append(None)
        assert row in possible, f"key {key}: {row} is none of {possible}"

    async def look_up(self):
        world = self.world
        while world.goes_on():
            connection, table, columns = await world.open("state")
            lookuper = table.new_lookup().create_lookuper()
            for _ in range(30):
                key = world.random.randrange(KEYS)
                before = self.acknowledged[key]
                self.check(key, before, await lookuper.lookup({"k": key}), columns)
            await connection.__aexit__(None, None, None)

    async def run_to_the_end(self):
        """Requires: nobody writes. The table and its changelog say the same as the model."""
        connection, table, columns = await self.world.open("state")
        lookuper = table.new_lookup().create_lookuper()
        for key in range(KEYS):
            assert self.acknowledged[key] == len(self.changes[key])
            self.check(key, self.acknowledged[key], await lookuper.lookup({"k": key}), columns)
        scanner = await scanner_of_all(table)
        scanner.subscribe_buckets({bucket: EARLIEST_OFFSET for bucket in range(BUCKETS)})
        history = defaultdict(list)
        expected = {key: changelog_of(self.changes[key], ["k", "n", *columns]) for key in range(KEYS)}
        count = sum(map(len, expected.values()))
        deadline = time.monotonic() + PATIENCE_S
        while sum(map(len, history.values())) < count:
            assert time.monotonic() < deadline
            for record in await scanner.poll(POLL_MS):
                history[record.row["k"]].append((record.change_type.short_string(), record.row))
        assert {key: history[key] for key in expected} == expected
        await connection.__aexit__(None, None, None)


def changelog_of(changes, columns):
    entries, last = [], None
    for change in changes:
        row = change and {name: change.get(name) for name in columns}
        if last is None and row is not None:
            entries.append(("+I", row))
        elif row is None and last is not None:
            entries.append(("-D", last))
        elif row is not None:
            entries += [("-U", last), ("+U", row)]
        last = row
    return entries


async def live(world):
    """Everything at once, until the time is over; then all of it is compared. Gives (events, state)."""
    server, raw, database = world.server, world.raw, world.database
    events, state = Events(world), State(world)
    async with connect(server) as connection:
        columns = pa.schema([("id", pa.int64()), ("day", pa.utf8())])
        await create_with(connection, database, "events", columns, ["day"], bucket_count=BUCKETS)
        keyed = pa.schema([pa.field("k", pa.int64(), nullable=False), ("n", pa.int64())])
        await create_with(connection, database, "state", keyed, [], primary=["k"], bucket_count=BUCKETS)
    events.open_day()
    reader = asyncio.create_task(events.read_all())
    shares = [list(range(i, KEYS, 2)) for i in range(2)]
    tasks = [
        world.change_tables(), events.come_and_go(), events.read_anew(), state.look_up(),
        *(events.write() for _ in range(WRITERS)), *(state.write(share) for share in shares),
    ]  # fmt: skip
    try:
        await asyncio.gather(*tasks)
        await events.run_to_the_end()
        await state.run_to_the_end()
        await reader
    except BaseException:
        reader.cancel()
        raise
    return events, state


@pytest.mark.time_limit(SECONDS + 3 * PATIENCE_S)
async def test_everything_at_once(server, raw, database):
    print(f"seed {SEED}")
    world = World(server, raw, database, SEED, SECONDS)
    events, _ = await live(world)
    rows = sum(map(len, events.acknowledged.values()))
    print(f"{rows} rows, {events.dropped} partitions dropped, {len(world.columns)} columns added")
    assert rows > 0 and events.dropped > 0 and world.columns
