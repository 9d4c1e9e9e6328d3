"""Remote storage in an S3-compatible store: snapshots go there and come back, and a store that fails does no harm."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import fluss_raw
from fluss_raw import column
from kv_checks import Driven
from kv_model import Table
from object_store import KEY, REGION, SECRET, ObjectStore, make_certificate
from server import BINARY
from waiting import entries_below, eventually

COLUMNS = [column("id", "INTEGER"), column("name", "STRING")]
PLAIN = Table(COLUMNS, ["id"])
SECURITY_TOKEN_EXCEPTION = 30
SNAPSHOTS = {"kv.snapshot.interval": "300ms", "log.segment.file-size": "64kb"}


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture
def store(tmp_path):
    """A running store with the bucket `lake`."""
    store = ObjectStore(free_port(), tmp_path / "store-log").start()
    try:
        store.make_bucket("lake")
        yield store
    finally:
        store.stop()


def snapshot_of_all(driven):
    """The entry of a snapshot of everything that was put so far, or None."""
    (entry,) = driven.raw.call("GET_LATEST_KV_SNAPSHOTS", table_path=driven.path)["latest_snapshots"]
    return entry if entry.get("log_offset") == driven.model.end else None


def files_of(driven, entry):
    request = dict(table_id=driven.id, bucket_id=0, snapshot_id=entry["snapshot_id"])
    return driven.raw.call("GET_KV_SNAPSHOT_METADATA", **request)["snapshot_files"]


def kv_folders(server):
    return [p for p in entries_below(server.data, "kv-*") if p.is_dir() and "remote" not in p.parts]


def test_snapshots_go_there_and_come_back(new_server, store):
    """Snapshots are objects below remote.data.dir; they give back the state when the local one is gone."""
    server = new_server(options={**SNAPSHOTS, **store.options("s3://lake/some/path/")}).start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        driven = Driven(raw, "db", "t", PLAIN)
        for i in range(20):
            driven.upsert(*((n, f"{i} " + "x" * 100) for n in range(i, i + 50)))
        driven.delete((3,), (5,))
        entry = eventually(lambda: snapshot_of_all(driven), "a snapshot")
        paths = [f["remote_path"] for f in files_of(driven, entry)]
        assert paths and all(p.startswith("s3://lake/some/path/") for p in paths)
        assert {p.removeprefix("s3://lake/") for p in paths} <= set(store.names("lake"))
    server.stop()
    folders = kv_folders(server)
    assert folders
    for folder in folders:
        shutil.rmtree(folder)
    server.start()
    with fluss_raw.connect(server.address) as raw:
        raw.wait_for_leaders("db", "t")
        driven.raw = raw
        driven.check()
        assert "restored from a snapshot" in server.log.read_text()
        # Old snapshots leave the store, and so does all of a table that is dropped.
        for i in range(3):
            driven.upsert((1000 + i, "more"))
            eventually(lambda: snapshot_of_all(driven), "a snapshot")
        raw.call("DROP_TABLE", table_path=driven.path, ignore_if_not_exists=False)
        eventually(lambda: not store.names("lake"), "an empty store")


def test_a_store_that_is_down(new_server, store, tmp_path):
    """The server starts and serves; snapshots are taken when the store is there, and again after each failure."""
    store.stop()
    server = new_server(options={**SNAPSHOTS, **store.options("s3://lake/r")}).start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        driven = Driven(raw, "db", "t", PLAIN)
        driven.upsert((1, "one"))

        def told():
            return [line for line in server.log.read_text().splitlines() if "no snapshot taken" in line]

        eventually(told, "a warning")
        assert "s3://lake/r" in told()[0] and "s3.endpoint" in told()[0] and SECRET not in server.log.read_text()
        driven.upsert((2, "two"))
        driven.check()
        # The store is there, the bucket is not.
        store.start()
        eventually(lambda: "make the bucket" in told()[-1], "a warning of the missing bucket")
        store.make_bucket("lake")
        eventually(lambda: snapshot_of_all(driven), "a snapshot")
        # It goes away while snapshots are written, again and again.
        for i in range(3):
            driven.upsert(*((n, f"{i} " + os.urandom(500).hex()) for n in range(2000)))
            time.sleep(0.1 * i)
            store.stop()
            driven.upsert((5000 + i, "while it is away"))
            driven.lookup((5000 + i,))
            store.start()
            store.make_bucket("lake")
        driven.upsert((1, "last"))
        # What the store lost with its memory is not the server's doing: only that it goes on is asked here.
        eventually(lambda: snapshot_of_all(driven), "a snapshot")
        driven.check()
    started = time.monotonic()
    store.stop()
    server.stop()
    assert time.monotonic() - started < 15


def test_encryption(new_server, tmp_path):
    """An https store is used when its certificate is trusted, and not before."""
    store = ObjectStore(free_port(), tmp_path / "store-log", make_certificate(tmp_path)).start()
    try:
        store.make_bucket("lake")
        options = {**SNAPSHOTS, **store.options("s3://lake/r")}
        server = new_server(options=options).start()
        with fluss_raw.connect(server.address) as raw:
            raw.create_database("db")
            Driven(raw, "db", "t", PLAIN).upsert((1, "one"))
            eventually(lambda: "no snapshot taken" in server.log.read_text(), "a refusal")
        assert not store.names("lake")
        server = new_server(data="other", options={**options, "lakestream.s3.ca-file": store.certificate[0]}).start()
        with fluss_raw.connect(server.address) as raw:
            raw.create_database("db")
            driven = Driven(raw, "db", "t", PLAIN)
            driven.upsert((1, "one"))
            eventually(lambda: snapshot_of_all(driven), "a snapshot")
        assert store.names("lake")
    finally:
        store.stop()


def test_a_store_that_hangs(new_server, store):
    """Requests are answered while the store is not; snapshots go on when it does."""
    server = new_server(options={**SNAPSHOTS, **store.options("s3://lake/r")}).start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        driven = Driven(raw, "db", "t", PLAIN)
        driven.upsert((1, "one"))
        eventually(lambda: snapshot_of_all(driven), "a snapshot")
        store.process.send_signal(signal.SIGSTOP)
        try:
            for i in range(10):
                driven.upsert((i, "while it hangs"))
                driven.lookup((i,))
                time.sleep(0.1)
        finally:
            store.process.send_signal(signal.SIGCONT)
        eventually(lambda: snapshot_of_all(driven), "a snapshot")
        driven.check()


def test_clients_get_what_they_need(new_server, store):
    """The token has keys, endpoint and region with which the files of a snapshot are read; configs do not show them."""
    options = {**SNAPSHOTS, **store.options("s3://lake/r")}
    server = new_server(options=options).start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        driven = Driven(raw, "db", "t", PLAIN)
        driven.upsert((1, "one"))
        entry = eventually(lambda: snapshot_of_all(driven), "a snapshot")
        token = raw.call("GET_FILESYSTEM_SECURITY_TOKEN")
        assert token["schema"] == "s3" and "expiration_time" not in token
        keys = json.loads(token["token"])
        assert keys == {"version": 1, "access_key_id": KEY, "access_key_secret": SECRET, "security_token": None}
        told = {e["key"]: e["value"] for e in token["addition_info"]}
        assert told["fs.s3a.endpoint"] == store.endpoint and told["fs.s3a.region"] == REGION
        assert told["fs.s3a.path.style.access"] == "true"
        client = store.client(keys["access_key_id"], keys["access_key_secret"])
        for file in files_of(driven, entry):
            bucket, _, key = file["remote_path"].removeprefix("s3://").partition("/")
            assert client.get_object(Bucket=bucket, Key=key)["ContentLength"] > 0
        shown = {c["config_key"]: c["config_value"] for c in raw.call("DESCRIBE_CLUSTER_CONFIGS")["configs"]}
        assert shown["s3.access-key"] == shown["s3.secret-key"] == "******"
        assert shown["s3.endpoint"] == store.endpoint
    assert SECRET not in server.log.read_text()


def test_own_keys_for_clients(new_server, store):
    """Clients get the keys that are meant for them; without any, an error that says what to set."""
    own = {"lakestream.s3.client-access-key": "reader", "lakestream.s3.client-secret-key": "hush"}
    server = new_server(options={**store.options("s3://lake/r"), **own}).start()
    with fluss_raw.connect(server.address) as raw:
        keys = json.loads(raw.call("GET_FILESYSTEM_SECURITY_TOKEN")["token"])
        assert (keys["access_key_id"], keys["access_key_secret"]) == ("reader", "hush")
        shown = {c["config_key"]: c["config_value"] for c in raw.call("DESCRIBE_CLUSTER_CONFIGS")["configs"]}
        assert shown["lakestream.s3.client-secret-key"] == "******"
    server = new_server(data="other", options={"remote.data.dir": "s3://lake/r"}).start()
    with fluss_raw.connect(server.address) as raw:
        with pytest.raises(fluss_raw.ServerError) as refused:
            raw.call("GET_FILESYSTEM_SECURITY_TOKEN")
        assert refused.value.code == SECURITY_TOKEN_EXCEPTION
        assert "lakestream.s3.client-access-key" in str(refused.value)


@pytest.mark.parametrize("role", [None, "arn:aws:iam::123456789012:role/reader"])
def test_sessions_for_clients(new_server, store, role):
    """Clients get keys that expire from the service that gives such, and the same ones while they are young."""
    options = {**store.options("s3://lake/r"), "s3.assumed.role.sts.endpoint": store.endpoint}
    if role:
        options["s3.assumed.role.arn"] = role
    server = new_server(options=options).start()
    store.client().put_object(Bucket="lake", Key="r/x", Body=b"1")

    def ask(_):
        with fluss_raw.connect(server.address) as raw:
            return raw.call("GET_FILESYSTEM_SECURITY_TOKEN")

    with ThreadPoolExecutor(8) as pool:
        token, *others = pool.map(ask, range(8))
    assert all(other == token for other in others)
    with fluss_raw.connect(server.address) as raw:
        assert 600 < token["expiration_time"] / 1000 - time.time() <= 36 * 3600
        keys = json.loads(token["token"])
        assert keys["access_key_id"] not in ("", KEY) and keys["access_key_secret"] != SECRET
        session = store.client(keys["access_key_id"], keys["access_key_secret"], keys["security_token"])
        assert session.get_object(Bucket="lake", Key="r/x")["ContentLength"] == 1
        assert raw.call("GET_FILESYSTEM_SECURITY_TOKEN") == token
    assert keys["access_key_secret"] not in server.log.read_text()


def test_no_sessions_for_clients(new_server, store):
    """A service that does not answer is named; a configuration that can not ask it ends the start."""
    options = {**store.options("s3://lake/r"), "s3.assumed.role.sts.endpoint": "http://127.0.0.1:1"}
    with fluss_raw.connect(new_server(options=options).start().address) as raw:
        with pytest.raises(fluss_raw.ServerError) as refused:
            raw.call("GET_FILESYSTEM_SECURITY_TOKEN")
    assert refused.value.code == SECURITY_TOKEN_EXCEPTION and "127.0.0.1:1" in str(refused.value)
    server = new_server(data="other", options={"remote.data.dir": "s3://lake/r", "s3.assumed.role.arn": "a"})
    server.launch()
    assert server.wait(30) != 0 and "s3.access-key" in server.log_tail()


@pytest.mark.parametrize(
    "options, words",
    [
        ({"remote.data.dir": "gs://lake/r"}, ["remote.data.dir", "gs://lake/r", "'gs'", "s3://"]),
        ({"remote.data.dir": "s3://"}, ["remote.data.dir", "s3://bucket"]),
        ({"remote.data.dir": "s3://lake/r", "s3.access-key": "k"}, ["s3.access-key", "s3.secret-key", "both"]),
    ],
)
def test_options_that_cannot_be(new_server, options, words):
    """They end the start with one line that names the option, the value and what to do."""
    server = new_server(options=options)
    server.launch()
    assert server.wait(10) != 0
    line = server.log.read_text().splitlines()[-1]
    assert all(word in line for word in words), line


def test_conformance(store):
    """The tests that all object stores share, where the build with them is there."""
    tests = Path(os.environ.get("LAKESTREAM_IO_TEST", BINARY.parent / "tests/io_test"))
    if not tests.exists():
        pytest.skip(f"there is no {tests}")
    store.make_bucket("conformance")
    command = [tests, "--gtest_filter=*/s3:S3ObjectStore.*"]
    environment = {**os.environ, "LAKESTREAM_TEST_S3_ENDPOINT": store.endpoint}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    told = done.stdout + done.stderr
    assert done.returncode == 0 and "SKIPPED" not in told and "Stores/ObjectStores" in told, told
