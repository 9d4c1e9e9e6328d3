"""One server for a long time under everything at once: clients of every kind, some that die and some that lie.

It ends with flat memory, without a descriptor, thread or file of what is gone, and with what the models say.
LAKESTREAM_SOAK_SECONDS says how long; a line a minute tells how it goes. A seed that failed can be given by
LAKESTREAM_SOAK_SEED; LAKESTREAM_SOAK_PACE above 1 makes pauses longer.
"""

import collections
import os
import time

import pytest

import fluss_raw
from lake_streams import streams_of
from soak import gauges, secured
from soak.administration import Administrator, AutomaticPartitions
from soak.dying import Droppers, Rude, Victims
from soak.keyed_tables import KeyedTables
from soak.lake_tables import LakeTables
from soak.log_tables import LogTables
from soak.lying import Liars, Noise
from soak.official import Command, Living, Vanished
from soak.secured import Encrypted, Rights, Users
from soak.setting import OPTIONS
from soak.world import World, run_clients
from test_cluster import tiered_to
from waiting import eventually

SECONDS = float(os.environ.get("LAKESTREAM_SOAK_SECONDS", "8"))
SEED = int(os.environ.get("LAKESTREAM_SOAK_SEED", time.time_ns() % 1_000_000))
PACE = float(os.environ.get("LAKESTREAM_SOAK_PACE", "1" if SECONDS > 60 else "0.5"))
KINDS = [
    LogTables, KeyedTables, LakeTables, Administrator, AutomaticPartitions, Rights, Users, Encrypted, Living,
    Command, Vanished, Victims, Rude, Droppers, Liars, Noise,
]  # fmt: skip
SAMPLE_S = min(2, SECONDS / 30)
LINE_S = 60
PATIENCE_S = 600  # for clients to end
LONG_S = 600  # from which on it makes sense to judge memory
DISK_SLACK = 8 << 20


def line_of(world, before, samples):
    """What happened since `before`, and what the server holds."""
    (done, errors), (done_before, errors_before, time_before) = world.counts.copy(), before
    now = time.monotonic()
    rates = {kind: round(count / (now - time_before), 1) for kind, count in (done - done_before).items()}
    last = samples[-1]
    disk, _ = gauges.disk(world.server.data)
    print(
        f"{(now - world.begun) / 60:.0f} min: {last.own / gauges.MIB:.0f} of {last.resident / gauges.MIB:.0f} MiB, "
        f"{last.threads} threads, "
        f"{disk / gauges.MIB:.0f} MiB on disk, fds: {words(last.descriptors)}; a second: {words(rates)}; "
        f"refused: {words(errors - errors_before)}",
        flush=True,
    )
    return done, errors, now


def words(numbers):
    return " ".join(f"{name} {number}" for name, number in sorted(numbers.items()))


def watch(world, threads):
    """Samples of the server while the clients live; it waits for their end."""
    samples = [gauges.take(world.server)]
    before = (collections.Counter(), collections.Counter(), world.begun)
    while any(thread.is_alive() for thread in threads):
        late = time.monotonic() - world.begun - world.seconds
        assert late < PATIENCE_S, f"these clients hang: {[t.name for t in threads if t.is_alive()]}"
        world.server.assert_alive()
        if world.goes_on():
            samples.append(gauges.take(world.server))
        if time.monotonic() - before[2] >= LINE_S:
            before = line_of(world, before, samples)
        time.sleep(SAMPLE_S if world.goes_on() else 0.1)
    line_of(world, before, samples)
    return samples


def warm_up(server):
    """What a server makes once and keeps, such as threads for the lakes, is there before the first sample."""
    lake = {"table.datalake.enabled": "true", "table.datalake.freshness": "100 ms"}
    with fluss_raw.connect(server.address) as raw:
        for format in ("paimon", "iceberg"):
            properties = lake | {"table.datalake.format": format}
            for stream in streams_of(raw, SEED, properties, format, f"{format}_"):
                assert all(stream.step(raw) for _ in range(5))  # of which one has a row
                eventually(lambda: tiered_to(raw, stream.name), "rows in the lake")
                raw.call("DROP_TABLE", table_path=fluss_raw.path("fluss", stream.name), ignore_if_not_exists=False)


def check_what_is_left(server, before, disk_before):
    """Only databases, descriptors, threads and files that were there before the clients."""
    with fluss_raw.connect(server.address) as raw:
        assert set(raw.call("LIST_DATABASES")["database_name"]) == {"fluss"}
        assert raw.call("LIST_TABLES", database_name="fluss")["table_name"] == []

    def kept():
        return +(collections.Counter(gauges.take(server).descriptors) - collections.Counter(before.descriptors))

    try:
        eventually(lambda: not kept(), "none of the clients' descriptors", 60)
        eventually(lambda: gauges.disk(server.data)[0] - disk_before < DISK_SLACK, "none of the clients' files", 60)
    except AssertionError:
        print(f"kept: {kept()}\n{dict(gauges.targets(server))}\n{gauges.disk(server.data)[0]} bytes")
        raise


def complaints(server):
    """Lines of the log that are errors."""
    lines = server.log.read_text(errors="replace").splitlines()
    return [line for line in lines if line.split(" ", 2)[1:2] == ["E"]]


def test_soak(new_server, tmp_path):
    print(f"\nseed {SEED}, {SECONDS:.0f} s, pace {PACE}")
    warehouses = {format: tmp_path / format for format in ("paimon", "iceberg")}
    lakes = {f"datalake.{format}.warehouse": str(folder) for format, folder in warehouses.items()}
    lakes["datalake.iceberg.type"] = "hadoop"
    security, authority = secured.options(tmp_path / "tls")
    server = new_server(options=OPTIONS | security | lakes, bind=None).start()
    warm_up(server)
    before, (disk_before, _) = gauges.take(server), gauges.disk(server.data)
    world = World(server, SECONDS, SEED, PACE, warehouses, authority)
    threads = run_clients(world, KINDS)
    try:
        samples = watch(world, threads)
    finally:
        world.over.set()
    if world.failures:
        pytest.fail(f"seed {SEED}\n" + "\n".join(world.failures), pytrace=False)
    check_what_is_left(server, before, disk_before)
    after = gauges.take(server)
    early, late = gauges.growth(samples)
    done, errors = world.counts.copy()
    print(f"done: {words(done)}\nrefused: {words(errors)}")
    print(
        f"memory: {before.own >> 20} MiB at the start, {early / gauges.MIB:.0f} after a third, "
        f"{late / gauges.MIB:.0f} at the end, {after.own >> 20} without clients; "
        f"{gauges.slope(samples) / gauges.MIB:+.1f} MiB an hour"
    )
    disk, folders = gauges.disk(server.data)
    print(
        f"threads: {before.threads} -> {after.threads}; disk: {(disk - disk_before) / gauges.MIB:+.1f} MiB of files, "
        f"{folders} folders"
    )
    assert not complaints(server), complaints(server)[:5]
    assert after.threads <= before.threads
    if SECONDS >= LONG_S:
        assert gauges.is_flat(samples), f"memory grew from {early} to {late} bytes"
    server.restart()
    with fluss_raw.connect(server.address) as raw:
        assert set(raw.call("LIST_DATABASES")["database_name"]) == {"fluss"}
