"""Fixtures of the end-to-end tests: a shared server, servers of one's own, databases, a raw connection."""

import asyncio
import concurrent.futures
import inspect
import itertools
import os
import threading

import pytest

import fluss_raw
import iceberg_table
import recorder
from raw_checks import COLUMNS
from server import Server

names = itertools.count(1)
TEST_TIMEOUT_S = 60


def pytest_configure(config):
    config.addinivalue_line("markers", "time_limit(seconds): how long a coroutine test may take")


def pytest_addoption(parser):
    parser.addoption(
        "--server",
        metavar="HOST:PORT",
        help="run against this server instead of starting one; tests that need their own server are skipped",
    )


def pytest_runtest_logreport(report):
    if report.failed:
        recorder.notes.failed.add(report.nodeid)


def pytest_sessionfinish():
    if recorder.RECORD:
        recorder.notes.write(recorder.RECORD)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs a test that is a coroutine function, in an event loop and a thread of its own.

    A client that waits for ever cannot always be cancelled; then the test fails and its thread is left behind.
    """
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    outcome = concurrent.futures.Future()

    def run():
        try:
            outcome.set_result(asyncio.run(pyfuncitem.obj(**arguments)))
        except BaseException as error:
            outcome.set_exception(error)

    mark = pyfuncitem.get_closest_marker("time_limit")
    limit = mark.args[0] if mark else TEST_TIMEOUT_S
    threading.Thread(target=run, daemon=True).start()
    try:
        outcome.result(limit)
    except concurrent.futures.TimeoutError:
        if outcome.done():
            raise
        pytest.fail(f"the test did not end within {limit} s")
    return True


@pytest.fixture(scope="session", autouse=True)
def iceberg_tables():
    """In the end the readers of the format read all that is in Iceberg lakes."""
    yield
    iceberg_table.check_what_is_left()


class ForeignServer:
    """A server that somebody else started."""

    def __init__(self, address):
        self.address = address
        self.host, _, port = address.rpartition(":")
        self.port = int(port)

    def alive(self):
        return True

    def revive(self):
        pass

    def assert_alive(self):
        pass


@pytest.fixture(scope="session")
def shared_server(request, tmp_path_factory):
    foreign = request.config.getoption("--server")
    if foreign:
        yield ForeignServer(foreign)
        return
    folder = tmp_path_factory.mktemp("shared")
    shared = Server(folder / "data", folder / "log", options={"log.index.interval-size": "2kb"})
    try:
        yield shared.start()
        shared.stop()
    finally:
        shared.kill()


@pytest.fixture
def server(shared_server):
    """The server that tests share which leave it as they found it. The test that kills it fails, not those after it."""
    shared_server.revive()
    yield shared_server
    shared_server.assert_alive()


@pytest.fixture
def new_server(request, tmp_path):
    """Makes servers of the test's own: new_server(options=..., data=...). What still runs at the end is stopped."""
    if request.config.getoption("--server"):
        pytest.skip("needs a server of its own")
    made = []

    def make(data="data", **arguments):
        made.append(Server(tmp_path / data, tmp_path / f"log-{len(made)}", **arguments))
        return made[-1]

    yield make
    try:
        for server in made:
            server.stop()
    finally:
        for server in made:
            server.kill()


@pytest.fixture
def raw(server):
    """A raw connection to the shared server."""
    with fluss_raw.connect(server.address) as connection:
        yield connection


@pytest.fixture
def database(server):
    """A new database on the shared server, dropped afterwards."""
    name = f"e2e_{os.getpid()}_{next(names)}"
    with fluss_raw.connect(server.address) as connection:
        connection.drop_database(name)
        connection.create_database(name)
    yield name
    if server.alive():
        with fluss_raw.connect(server.address) as connection:
            connection.drop_database(name)


@pytest.fixture
def table(raw, database):
    """The id of a table `t` of one bucket with columns id and name; its batches are stored as they are sent."""
    properties = {"table.log.arrow.compression.type": "NONE"}
    return raw.create_table(database, "t", COLUMNS, properties=properties)
