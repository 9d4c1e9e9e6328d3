"""Logins over SASL/PLAIN, listeners, and what peers may do before and without one."""

import contextlib
import re
import socket
import struct
import time
from pathlib import Path

import pytest

import fluss
import fluss_raw
import guarded
import java_programs
from fluss_raw import APIS, ServerError
from guarded import USERS
from raw_checks import COLUMNS, batch, error_of
from server import ROOT, module_server
from waiting import eventually

AUTHENTICATION = 46


@pytest.fixture(scope="module")
def guarded_server(request, tmp_path_factory):
    yield from module_server(request, tmp_path_factory, "guarded", guarded.options(), bind=None)


def client_connection(server):
    return guarded.connect(server)


# --- the raw protocol -------------------------------------------------------------------------------------------------


def test_nothing_but_the_versions_before_the_login(guarded_server):
    with client_connection(guarded_server) as c:
        for name, (key, _) in APIS.items():
            if name in ("API_VERSIONS", "AUTHENTICATE"):
                continue
            kind, payload = c.read_answer(c.send_payload(key, b""))
            error = fluss_raw.decode("ErrorResponse", payload)
            assert kind == 1 and error["error_code"] == AUTHENTICATION, name
            assert "CLIENT" in error["error_message"]
        served = {each["api_key"] for each in c.call("API_VERSIONS")["api_versions"]}
        assert {1000, 1012, 1038, 1039} <= served
        c.log_in("alice", USERS["alice"])
        assert c.call("GET_METADATA")["tablet_servers"]


@pytest.mark.parametrize("mechanism", ["PLAIN", "plain"])
def test_login(guarded_server, mechanism):
    with client_connection(guarded_server) as c:
        assert c.log_in("bob", USERS["bob"], mechanism) == {}, "no challenge: the client is content"
        assert c.call("AUTHENTICATE", protocol="PLAIN", token=b"") == {}, "as who answers an empty challenge does"
        assert "fluss" in c.call("LIST_DATABASES")["database_name"]


def test_wrong_logins(guarded_server):
    wrong = [
        (b"\0alice\0wrong", "user name or password is wrong"),
        (b"\0nobody\0wrong", "user name or password is wrong"),
        (b"\0alice\0", "login without a password; give one"),
        (b"alice", "the PLAIN message has not three parts, as RFC 4616 wants it"),
    ]
    with client_connection(guarded_server) as c:
        for token, message in wrong:
            error = error_of(lambda: c.call("AUTHENTICATE", protocol="PLAIN", token=token))
            assert (error.code, error.message) == (AUTHENTICATION, message)
            assert error_of(lambda: c.call("LIST_DATABASES")).code == AUTHENTICATION
        error = error_of(lambda: c.call("AUTHENTICATE", protocol="PLAINTEXT", token=b""))
        assert error.code == AUTHENTICATION and "use one of PLAIN" in error.message
        error = error_of(lambda: c.call("AUTHENTICATE", protocol="GSSAPI", token=b""))
        assert error.code == AUTHENTICATION
        c.log_in("alice", USERS["alice"])
        c.call("LIST_DATABASES")
    log = guarded_server.log.read_text()
    assert "login failed" in log and not any(password in log for password in USERS.values())


def test_each_listener_tells_its_own_address(guarded_server):
    for listener, user in (("CLIENT", "alice"), ("INTERNAL", None)):
        with guarded.connect(guarded_server, user, listener) as c:
            answer = c.call("GET_METADATA")
            for node in [answer["coordinator_server"], *answer["tablet_servers"]]:
                assert f"{node['host']}:{node['port']}" == guarded_server.listener(listener)


def test_secrets_are_not_described(guarded_server):
    with guarded.connect(guarded_server, "alice") as c:
        configs = {each["config_key"]: each["config_value"] for each in c.call("DESCRIBE_CLUSTER_CONFIGS")["configs"]}
    assert configs["security.sasl.plain.jaas.config"] == "******"
    assert configs["security.protocol.map"] == "CLIENT:SASL,INTERNAL:PLAINTEXT"


CREDENTIALS = "security.sasl.plain.credentials"


def change_users(connection, value, operation):
    op_type = {"set": 0, "append": 2, "subtract": 3}[operation]
    change = {"config_key": CREDENTIALS, "config_value": value, "op_type": op_type}
    connection.call("ALTER_CLUSTER_CONFIGS", alter_configs=[change])


def may_log_in(server, user, password):
    try:
        with guarded.connect(server, user, password=password):
            return True
    except ServerError as error:
        assert error.code == AUTHENTICATION
        return False


def test_users_come_and_go(new_server):
    first = guarded.options(**{"security__sasl__plain__credentials": "carol:c"})
    server = new_server(options=first, bind=None).start()
    with guarded.connect(server, "root") as root:
        assert not may_log_in(server, "dave", "d:d")
        change_users(root, "dave:d:d", "append")
        assert all(may_log_in(server, *user) for user in (("dave", "d:d"), ("carol", "c"), ("bob", None)))
        shown = {each["config_key"]: each for each in root.call("DESCRIBE_CLUSTER_CONFIGS")["configs"]}[CREDENTIALS]
        assert (shown["config_value"], shown["config_source"]) == ("carol:******,dave:******", "DYNAMIC_SERVER_CONFIG")
        assert "has key 'dave' already" in error_of(lambda: change_users(root, "dave:x", "append")).message
        assert "'eve' has no password" in error_of(lambda: change_users(root, "eve:", "append")).message
        change_users(root, "carol:c", "subtract")
        assert not may_log_in(server, "carol", "c")
    server.stop()
    server.start()
    assert may_log_in(server, "dave", "d:d") and not may_log_in(server, "carol", "c")
    files = [path for path in server.data.rglob("metadata.db*") if path.stat().st_mode & 0o077]
    assert not files, "passwords are in there"


def test_nobody_locks_everybody_out(new_server):
    options = guarded.options(**{"security__sasl__plain__credentials": "carol:c", "super__users": "User:carol"})
    del options["security.sasl.plain.jaas.config"]
    server = new_server(options=options, bind=None).start()
    with guarded.connect(server, "carol", password="c") as carol:
        error = error_of(lambda: change_users(carol, "carol:c", "subtract"))
        assert "nobody could log in" in error.message
    assert may_log_in(server, "carol", "c")


# --- hostile peers ----------------------------------------------------------------------------------------------------


def is_closed(connection, within_s):
    connection.settimeout(within_s)
    with contextlib.suppress(ConnectionResetError):
        while connection.recv(4096):
            pass
    return True


def test_who_does_not_log_in_is_cut_off(new_server):
    server = new_server(options=guarded.options(lakestream__login__timeout="300 ms"), bind=None).start()
    host, _, port = server.listener("CLIENT").rpartition(":")
    silent = socket.create_connection((host, int(port)))
    with client_connection(server) as versions, guarded.connect(server, "alice") as inside:
        assert is_closed(silent, 5)
        with pytest.raises((fluss_raw.Closed, BrokenPipeError)):
            for _ in range(200):
                versions.call("API_VERSIONS")
                time.sleep(0.05)
        inside.call("LIST_DATABASES")
    assert "connection cut off" in server.log.read_text()


def test_a_large_frame_before_the_login(guarded_server):
    with client_connection(guarded_server) as c:
        c.send_bytes(struct.pack(">i", 17 << 10))
        assert error_of(lambda: c.call("API_VERSIONS")).code == -1
    with guarded.connect(guarded_server, "alice") as c:
        payload = fluss_raw.encode("DatabaseExistsRequest", {"database_name": "x" * (1 << 20)})
        c.read_answer(c.send_payload(APIS["DATABASE_EXISTS"][0], payload))


def test_unread_answers_before_the_login(guarded_server):
    """Who asks without reading is not listened to: the server does not gather answers."""
    with client_connection(guarded_server) as c:
        c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = fluss_raw.frame(1000, 0, 1, fluss_raw.encode("ApiVersionsRequest", versions_request()))
        c.socket.settimeout(1)
        sent = 0
        with pytest.raises((TimeoutError, ConnectionError)):
            while sent < 64 << 20:
                sent += c.socket.send(request * 1000)
        assert sent < 32 << 20


def versions_request():
    return {"client_software_name": "x", "client_software_version": "1"}


def test_guessing_is_slowed_down(new_server):
    server = new_server(options=guarded.options(lakestream__login__max_failures="3"), bind=None).start()
    with client_connection(server) as c:
        for _ in range(3):
            assert "wrong" in error_of(lambda: c.log_in("alice", "guess")).message
        error = error_of(lambda: c.log_in("alice", USERS["alice"]))
        assert error.code == AUTHENTICATION and "too many failed logins from 127.0.0.1" in error.message


def test_connections_are_limited(new_server):
    limit = {"lakestream.rpc.max-connections-per-address": "5"}
    server = new_server(options=limit).start()
    with contextlib.ExitStack() as stack:
        inside = [stack.enter_context(fluss_raw.connect(server.address)) for _ in range(5)]
        for c in inside:
            c.call("API_VERSIONS")
        with pytest.raises((fluss_raw.Closed, ConnectionError)):
            stack.enter_context(fluss_raw.connect(server.address)).call("API_VERSIONS")
        inside[0].close()
        eventually(lambda: can_ask(server), "a free place")
    assert "5 connections from the address" in server.log.read_text()


def can_ask(server):
    try:
        with fluss_raw.connect(server.address) as c:
            return bool(c.call("API_VERSIONS"))
    except (fluss_raw.Closed, ConnectionError):
        return False


@pytest.mark.parametrize("user", [None, "slow"])
def test_who_stalls_is_cut_off(new_server, user):
    """A request that never ends, and answers that nobody takes."""
    server = new_server(options={"lakestream.rpc.stall-timeout": "500 ms"}).start()
    with fluss_raw.connect(server.address) as c:
        if user:
            c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            request = fluss_raw.frame(1000, 0, 1, fluss_raw.encode("ApiVersionsRequest", versions_request()))
            with contextlib.suppress(OSError):
                c.socket.settimeout(5)
                c.socket.sendall(request * 100_000)
        else:
            c.send_bytes(struct.pack(">i", 1 << 20) + b"begin")
        eventually(lambda: "connection cut off" in server.log.read_text(), "the cut")
    with fluss_raw.connect(server.address) as c:
        c.call("API_VERSIONS")


def test_who_floods_the_door_stops_no_writes(new_server):
    """Connections take half of the descriptors at most, the rest is for files."""
    server = new_server(options=guarded.options(), bind=None)
    command = server.command()
    server.command = lambda: ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh", *command]
    server.start()
    host, _, port = server.listener("CLIENT").rpartition(":")
    with guarded.connect(server, "alice") as c, contextlib.ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(socket.create_connection((host, int(port))))
        eventually(lambda: "64 connections of the listener" in server.log.read_text(), "the limit")
        table = c.create_table("fluss", "t", COLUMNS, properties={"table.log.arrow.compression.type": "NONE"})
        assert "error_code" not in c.produce(table, batch(0, 10).encode())


def test_slow_readers_leave_memory_for_others(new_server):
    """While answers that nobody takes fill the memory, others are smaller, and come."""
    server = new_server(options={"lakestream.rpc.memory": "8 mb"}).start()
    with fluss_raw.connect(server.address) as c, contextlib.ExitStack() as stack:
        c.create_database("d")
        table = c.create_table("d", "t", COLUMNS, properties={"table.log.arrow.compression.type": "NONE"})
        data = batch(0, 10_000).encode()
        for _ in range((24 << 20) // len(data)):
            assert "error_code" not in c.produce(table, data)

        def fetched():
            return len(c.fetch(table, 0, max_bytes=64 << 20)["records"])

        everything = fetched()
        assert 4 << 20 < everything <= 8 << 20, "what there is memory for"

        def one_more_takes_the_rest():
            """The system takes a part of each answer, some megabytes: how many it needs is not known before."""
            slow = stack.enter_context(fluss_raw.connect(server.address))
            slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.send("FETCH_LOG", **fluss_raw.fetch_request(table, [(0, 0)], max_bytes=64 << 20))
            return fetched() <= 1 << 20

        eventually(one_more_takes_the_rest, "memory that is taken")
        stack.close()
        eventually(lambda: fetched() == everything, "memory that is free")


def test_small_requests_of_very_many_buckets(new_server):
    """They count for what the server makes of them."""
    server = new_server(options={"lakestream.rpc.memory": "8 mb"}).start()
    before = resident_bytes(server)
    request = fluss_raw.fetch_request(7, [(0, 0)] * 50_000, min_bytes=1, max_wait_ms=60_000)
    with fluss_raw.connect(server.address) as hostile, fluss_raw.connect(server.address) as c:
        hostile.socket.settimeout(2)
        with pytest.raises(TimeoutError):
            for _ in range(100):
                hostile.send("FETCH_LOG", **request)
        c.call("LIST_DATABASES")
        assert resident_bytes(server) - before < 200 << 20


def resident_bytes(server):
    (pages,) = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{server.process.pid}/status").read_text())
    return int(pages) << 10


# --- configuration ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, message",
    [
        ({"security__protocol__map": "CLINT:SASL"}, "CLINT, which bind.listeners does not have"),
        ({"security__protocol__map": "CLIENT:SSL"}, "'SSL' of CLIENT is not known"),
        ({"security__sasl__enabled__mechanisms": "GSSAPI"}, "'GSSAPI' is not known"),
        ({"security__sasl__plain__jaas__config": "x.PlainLoginModule required;"}, "nobody could log in"),
        ({"security__sasl__plain__jaas__config": "hunter2"}, "PlainLoginModule is the one there is"),
        ({"security__sasl__listener__name__other__plain__jaas__config": "x"}, "for no listener that asks for a login"),
        ({"super__users": "root"}, "principal 'root' is not TYPE:NAME"),
        ({"internal__listener__name": "OTHER"}, "OTHER, which bind.listeners does not have"),
        ({"bind__listeners": "A://127.0.0.1:0,A://127.0.0.1:0"}, "names A twice"),
        ({"security__ssl__enabled": "true"}, "asks for protection that this server does not have"),
    ],
)
def test_what_would_leave_a_door_open_is_refused(new_server, change, message):
    server = new_server(options=guarded.options(**change), bind=None)
    server.launch()
    assert server.wait(10) != 0
    log = server.log.read_text()
    assert message in log and "hunter2" not in log


def test_users_of_one_listener(new_server):
    more = {
        "bind__listeners": "A://127.0.0.1:0,B://127.0.0.1:0",
        "internal__listener__name": "A",
        "security__protocol__map": "A:SASL,B:SASL",
        "security__sasl__listener__name__b__plain__jaas__config": guarded.JAAS.format('user_carol="c"'),
        "security__sasl__plain__credentials": "dave:d",
    }
    server = new_server(options=guarded.options(**more), bind=None).start()
    come_in = {"A": {"alice": "alice-secret", "dave": "d"}, "B": {"carol": "c", "dave": "d"}}
    for listener, users in come_in.items():
        for user in ("alice", "carol", "dave"):
            with fluss_raw.connect(server.listener(listener)) as c:
                password = users.get(user, "alice-secret" if user == "alice" else "c")
                if user in users:
                    c.log_in(user, password)
                else:
                    assert error_of(lambda: c.log_in(user, password)).code == AUTHENTICATION


# --- official clients -------------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def pyfluss(server, **settings):
    properties = {"bootstrap.servers": server.listener("CLIENT")}
    properties.update({f"security.{key.replace('_', '.')}": value for key, value in settings.items()})
    connection = await fluss.FlussConnection.create(fluss.Config(properties))
    try:
        yield connection
    finally:
        await connection.close()


def sasl(user, password):
    return {"protocol": "SASL", "sasl_mechanism": "PLAIN", "sasl_username": user, "sasl_password": password}


async def test_pyfluss_logs_in(guarded_server):
    async with pyfluss(guarded_server, **sasl("bob", USERS["bob"])) as connection:
        assert "fluss" in await connection.get_admin().list_databases()


@pytest.mark.parametrize("settings", [sasl("bob", "wrong"), sasl("nobody", "x"), {}])
async def test_pyfluss_is_refused(guarded_server, settings):
    with pytest.raises(fluss.FlussError) as raised:
        async with pyfluss(guarded_server, **settings) as connection:
            await connection.get_admin().list_databases()
    assert raised.value.error_code == AUTHENTICATION


@pytest.mark.parametrize("version", ["1.0.0", "0.9.1"])
def test_java_logs_in(guarded_server, version, subtests):
    path = java_programs.class_path(
        ROOT / f"build/deps/java-{version}",
        ROOT / f"build/e2e/java-login-{version}",
        [ROOT / "tests/e2e/java" / name for name in ("Checks.java", "LoginCheck.java")],
    )
    arguments = [guarded_server.listener("CLIENT"), "java_login_" + re.sub(r"\W", "_", version), "bob", USERS["bob"]]
    java_programs.run_checks("LoginCheck", path, arguments, subtests, ["-Xmx256m"])
