"""Processes with only the tiering role, which copy tables of a server elsewhere to the lake."""

import os
import random
import signal

import fluss_raw
import pytest
from fluss import TablePath

from lake_streams import check_union, settle, streams_of, write_until
from server import Server
from test_lake import FRESHNESS, create, lake, lake_server, numbered, tiered_to  # noqa: F401
from test_pyfluss import append, connect
from waiting import eventually
from tiering_worker import Worker

LAKE = {"table.datalake.enabled": "true", "table.datalake.freshness": FRESHNESS}


@pytest.fixture
def new_worker(tmp_path):
    made = []

    def make(server, **options):
        made.append(Worker(server, tmp_path / f"worker-{len(made)}", options))
        return made[-1]

    yield make
    try:
        for worker in made:
            worker.stop()
    finally:
        for worker in made:
            worker.kill()


async def test_a_worker_elsewhere(lake_server, lake, new_worker):
    """It copies what the server, whose own worker is off, does not; it learns from it which lake."""
    server = lake_server(lakestream__tiering__enabled="false")
    async with connect(server) as connection:
        logs = await create(connection)
        keyed = await create(connection, "keyed", keys=["id"])
        await append(logs, numbered(0, 50))
        worker = new_worker(server).start()
        tiered_to(lake(), {0: 50})
        writer = keyed.new_upsert().create_writer()
        for row in numbered(0, 20):
            writer.upsert(row)
        writer.delete([3])
        await writer.flush()
        eventually(lambda: lake("keyed").tiered(), "a snapshot")
        eventually(lambda: len(lake("keyed").rows()) == 19, "the rows")
    assert lake().rows() == numbered(0, 50)
    assert b"committed" in worker.log.read_bytes() and b"committed" not in server.log.read_bytes()


async def test_roles_without_tiering(new_server, lake, new_worker, tmp_path):
    """A server that is told to do everything else leaves the lake alone."""
    options = {"datalake.format": "paimon", "datalake.paimon.warehouse": tmp_path / "lake"}
    server = new_server(options=options, arguments=["--roles", "coordinator,tablet"]).start()
    async with connect(server) as connection:
        table = await create(connection)
        await append(table, numbered(0, 5))
        new_worker(server).start()
        tiered_to(lake(), {0: 5})
    assert b"committed" not in server.log.read_bytes()


@pytest.mark.parametrize("embedded", ["false", "true"], ids=["two elsewhere", "one here and one there"])
def test_two_workers(new_server, new_worker, tmp_path, embedded):
    """They never copy a row twice, whichever of them gets a table, and whichever ends."""
    options = {
        "datalake.format": "paimon",
        "datalake.paimon.warehouse": tmp_path / "lake",
        "lakestream.tiering.enabled": embedded,
        "lakestream.tiering.heartbeat-interval": "20 ms",
    }
    server = new_server(options=options).start()
    with fluss_raw.connect(server.address) as raw:
        streams = streams_of(raw, 3, LAKE)
    workers = [new_worker(server).start() for _ in range(2 - (embedded == "true"))]
    rng = random.Random(7)
    for _ in range(6):
        left = iter(range(rng.randrange(20, 200)))
        assert write_until(server.address, streams, lambda: next(left, None) is None)
        settle(server.address, streams)
        check_union(server, streams)
        worker = rng.choice(workers)
        worker.kill() if rng.random() < 0.5 else worker.stop()
        worker.start()
    check_union(server, streams)


async def test_a_worker_outlives_the_server(lake_server, lake, new_worker):
    """It goes on by itself when the server is back, and ends at once when it is asked to."""
    server = lake_server(lakestream__tiering__enabled="false")
    worker = new_worker(server).start()
    async with connect(server) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
    server.bind = server.address
    server.kill()
    eventually(lambda: b"no answer" in worker.log.read_bytes(), "a word on it")
    server.start()
    async with connect(server) as connection:
        table = await connection.get_table(TablePath("fluss", "t"))
        await append(table, numbered(10, 20))
        tiered_to(lake(), {0: 20})
    server.kill()
    worker.stop()


async def test_a_frozen_worker(lake_server, lake, new_worker):
    """One that stands still while another goes on commits nothing when it wakes up: its round is no longer its own."""
    server = lake_server(lakestream__tiering__enabled="false")
    first = new_worker(server).start()
    async with connect(server) as connection:
        table = await create(connection)
        await append(table, numbered(0, 10))
        tiered_to(lake(), {0: 10})
        os.kill(first.process.pid, signal.SIGSTOP)
        server.kill()  # whose next life knows nothing of the first one's rounds
        server.bind = server.address
        server.start()
        second = new_worker(server).start()
    async with connect(server) as connection:
        table = await connection.get_table(TablePath("fluss", "t"))
        await append(table, numbered(10, 30))
        tiered_to(lake(), {0: 30})
        os.kill(first.process.pid, signal.SIGCONT)
        await append(table, numbered(30, 40))
        tiered_to(lake(), {0: 40})
    assert second.alive() and lake().rows() == numbered(0, 40)


def refusal(tmp_path, *arguments, options=None):
    server = Server(tmp_path / "data", tmp_path / "log", options=options, arguments=arguments)
    server.launch()
    assert server.wait(10) == 1
    return server.log_tail(1)


def test_refused(new_server, tmp_path):
    """Splits that can not be, and a worker that would have nothing to do, are refused in a line that says why."""
    assert "'coordinator' can not be" in refusal(tmp_path, "--roles", "coordinator")
    assert "'tablet,tiering' can not be" in refusal(tmp_path, "--roles", "tablet,tiering")
    assert "'worker' is no role" in refusal(tmp_path, "--roles", "worker")
    assert "--server HOST:PORT" in refusal(tmp_path, "--roles", "tiering")
    assert "no server answers at 127.0.0.1:1" in refusal(
        tmp_path, "--roles", "tiering", "--server", "127.0.0.1:1"
    )
    server = new_server().start()
    without = refusal(tmp_path, "--roles", "tiering", "--server", server.address)
    assert "has no lake" in without and "datalake.format" in without


def test_own_options_of_the_lake(lake_server, tmp_path, new_worker):
    """What a worker says of the lake itself goes before what the server says, but for the format."""
    server = lake_server(lakestream__tiering__enabled="false")
    worker = new_worker(server, **{"datalake.paimon.warehouse": "ftp://nowhere/lake"})
    worker.launch()
    assert worker.wait(10) == 1
    assert "ftp" in worker.log_tail(1)
