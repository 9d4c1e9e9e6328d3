"""TLS on a listener: certificates of server and clients, their renewal, the command line, hostile handshakes."""

import contextlib
import os
import socket
import ssl
import subprocess

import pytest

import fluss_raw
import guarded
from fluss_raw import path
from guarded import USERS
from raw_checks import COLUMNS, batch, error_of
from server import BINARY
from test_login import is_closed, resident_bytes, versions_request
from test_rights import AUTHORIZATION, CLUSTER, TABLE, acl
from tiering_worker import Worker
from waiting import eventually


class Authority:
    """Vouches for certificates, made with the openssl command."""

    def __init__(self, folder, name="authority"):
        self.folder = folder
        self.folder.mkdir(exist_ok=True)
        self.key, self.certificate = folder / f"{name}.key", folder / f"{name}.pem"
        subject = "-days", "2", "-subj", f"/CN={name}"
        self.openssl("req", "-x509", *self.new_key(self.key), "-out", self.certificate, *subject)

    @staticmethod
    def new_key(path):
        return "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    def issue(self, name, subject=None, host="IP:127.0.0.1"):
        """The files of a certificate and its key."""
        key, request, certificate = (self.folder / f"{name}.{end}" for end in ("key", "csr", "pem"))
        extension = self.folder / f"{name}.ext"
        extension.write_text(f"subjectAltName={host}\n")
        self.openssl("req", *self.new_key(key), "-out", request, "-subj", subject or f"/CN={name}")
        self.openssl(
            "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial",
            "-days", "2", "-extfile", extension, "-out", certificate,
        )  # fmt: skip
        return certificate, key


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls"))


def trusting(authority, certificate=None):
    context = ssl.create_default_context(cafile=str(authority.certificate))
    if certificate:
        context.load_cert_chain(*map(str, certificate))
    return context


def tls_options(authority, certificate, **more):
    options = {
        "bind__listeners": "INTERNAL://127.0.0.1:0,CLIENT://127.0.0.1:0",
        "lakestream__tls__listeners": "CLIENT",
        "lakestream__tls__certificate_file": certificate[0],
        "lakestream__tls__key_file": certificate[1],
        "lakestream__tls__reload_interval": "100 ms",
    }
    return guarded.options(**{**options, **more})


def test_rows_over_tls(new_server, authority):
    server = new_server(options=tls_options(authority, authority.issue("server")), bind=None).start()
    with fluss_raw.connect(server.listener("CLIENT"), tls=trusting(authority)) as c:
        assert c.socket.version() == "TLSv1.3"
        c.log_in("root", USERS["root"])
        c.create_database("d")
        table = c.create_table("d", "t", COLUMNS, properties={"table.log.arrow.compression.type": "NONE"})
        for begin in range(0, 20_000, 2_000):
            assert "error_code" not in c.produce(table, batch(begin, begin + 2_000).encode())
        read = c.fetch_all(table)
        assert sum(each.record_count for each in read) == 20_000
    old = trusting(authority)
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with fluss_raw.connect(server.listener("CLIENT"), tls=old) as c:
        c.log_in("root", USERS["root"])
        # Many answers at once, more than the peer has room for.
        for each in [c.send("API_VERSIONS", **versions_request()) for _ in range(5000)]:
            c.receive("API_VERSIONS", each)


def test_large_answers_leave_nothing_behind(new_server, authority):
    """A connection that once had one takes no more memory than others."""
    server = new_server(options=tls_options(authority, authority.issue("server")), bind=None).start()
    request = fluss_raw.frame(1000, 0, 0, fluss_raw.encode("ApiVersionsRequest", versions_request()))
    with contextlib.ExitStack() as stack:
        before = None
        for number in range(80):
            c = stack.enter_context(fluss_raw.connect(server.listener("CLIENT"), tls=trusting(authority)))
            c.log_in("root", USERS["root"])
            c.send_bytes(request * 300)
            for _ in range(300):
                c.read_frame()
            if number == 20:  # what the first ones take is there for all
                before = resident_bytes(server)
        assert resident_bytes(server) - before < 60 * (100 << 10)


def test_who_does_not_speak_tls(new_server, authority):
    options = tls_options(authority, authority.issue("server"), lakestream__login__timeout="500 ms")
    server = new_server(options=options, bind=None).start()
    host, _, port = server.listener("CLIENT").rpartition(":")
    with fluss_raw.connect(server.listener("CLIENT")) as plain, pytest.raises((fluss_raw.Closed, OSError)):
        plain.call("API_VERSIONS")
        plain.call("API_VERSIONS")
    silent = socket.create_connection((host, int(port)))
    assert is_closed(silent, 5), "a handshake has to end in time"
    other = Authority(authority.folder / "other", "other")
    with pytest.raises(ssl.SSLCertVerificationError):
        fluss_raw.connect(server.listener("CLIENT"), tls=trusting(other))
    with fluss_raw.connect(server.listener("INTERNAL")) as inside:
        inside.call("LIST_DATABASES")
    assert "no TLS" in server.log.read_text()


def test_certificates_are_renewed(new_server, authority):
    certificate, key = authority.issue("renewed")
    server = new_server(options=tls_options(authority, (certificate, key)), bind=None).start()

    def serial():
        with fluss_raw.connect(server.listener("CLIENT"), tls=trusting(authority)) as c:
            return c.socket.getpeercert()["serialNumber"]

    first = serial()
    with fluss_raw.connect(server.listener("CLIENT"), tls=trusting(authority)) as before:
        key.write_text("half of a file")
        eventually(lambda: "new files of TLS are not taken" in server.log.read_text(), "the refusal")
        assert serial() == first
        authority.issue("renewed")
        eventually(lambda: serial() != first, "the new certificate")
        before.call("API_VERSIONS")


@pytest.mark.parametrize("required", [True, False])
def test_certificates_of_clients(new_server, authority, required):
    options = tls_options(
        authority,
        authority.issue("server"),
        security__protocol__map="CLIENT:PLAINTEXT",
        authorizer__enabled="true",
        lakestream__tls__client_ca_file=authority.certificate,
        lakestream__tls__require_client_certificate=str(required).lower(),
    )
    server = new_server(options=options, bind=None).start()
    address = server.listener("CLIENT")
    alice = authority.issue("alice", "/O=somewhere/CN=alice")
    with fluss_raw.connect(address, tls=trusting(authority, authority.issue("root"))) as root:
        root.create_database("d")
        root.create_table("d", "t", COLUMNS)
        with fluss_raw.connect(address, tls=trusting(authority, alice)) as c:
            error = error_of(lambda: c.call("GET_TABLE_INFO", table_path=path("d", "t")))
            assert error.code == AUTHORIZATION and "User:alice" in error.message
            root.call("CREATE_ACLS", acl=[acl((TABLE, "d.t"), "READ")])
            c.call("GET_TABLE_INFO", table_path=path("d", "t"))
    if required:
        with pytest.raises((fluss_raw.Closed, OSError)):
            with fluss_raw.connect(address, tls=trusting(authority)) as c:
                c.call("LIST_DATABASES")
    else:
        with fluss_raw.connect(address, tls=trusting(authority)) as c:
            error = error_of(lambda: c.call("GET_TABLE_INFO", table_path=path("d", "t")))
            assert error.code == AUTHORIZATION and "User:ANONYMOUS" in error.message
    stranger = Authority(authority.folder / "strangers", "strangers").issue("root")
    with pytest.raises((fluss_raw.Closed, OSError)):
        with fluss_raw.connect(address, tls=trusting(authority, stranger)) as c:
            c.call("LIST_DATABASES")


def test_a_tiering_worker_logs_in_over_tls(new_server, authority, tmp_path):
    """A process with only the tiering role, with a user of its own that has the rights it needs."""
    lake = {
        "datalake.format": "paimon",
        "datalake.paimon.warehouse": tmp_path / "lake",
        "lakestream.tiering.enabled": "false",
    }
    options = tls_options(authority, authority.issue("server"), authorizer__enabled="true")
    server = new_server(options={**options, **lake}, bind=None).start()
    properties = {
        "table.log.arrow.compression.type": "NONE",
        "table.datalake.enabled": "true",
        "table.datalake.freshness": "500 ms",
    }
    with fluss_raw.connect(server.listener("CLIENT"), tls=trusting(authority)) as root:
        root.log_in("root", USERS["root"])
        root.create_database("d")
        table = root.create_table("d", "t", COLUMNS, properties=properties)
        assert "error_code" not in root.produce(table, batch(0, 10).encode())
        everything = (CLUSTER, "fluss-cluster")
        root.call("CREATE_ACLS", acl=[acl(everything, "READ"), acl(everything, "WRITE")])
    password = tmp_path / "password"
    password.write_text(USERS["alice"] + "\n")
    trust = {"lakestream.client.tls.enabled": "true", "lakestream.client.tls.ca-file": authority.certificate}
    login = {
        "client.security.sasl.username": "alice",
        "client.security.sasl.password": f"${{file:{password}}}",
    }
    worker = Worker(server, tmp_path / "worker", {**trust, **login}, through="CLIENT")
    try:
        worker.start()
        eventually(lambda: b"committed" in worker.log.read_bytes(), "a commit")
        worker.stop()
        assert USERS["alice"].encode() not in worker.log.read_bytes()
    finally:
        worker.kill()
    for options, message in ((trust, "set client.security.sasl.username"), (login, "no server answers")):
        refused = Worker(server, tmp_path / "refused", options, through="CLIENT")
        refused.launch()
        assert refused.wait(120) != 0
        assert message in refused.log.read_text()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"lakestream__tls__key_file": "/nowhere/key.pem"}, "key /nowhere/key.pem"),
        ({"lakestream__tls__listeners": "CLINT"}, "CLINT, which bind.listeners does not have"),
        ({"lakestream__tls__require_client_certificate": "true"}, "needs 'lakestream.tls.client-ca-file'"),
    ],
)
def test_wrong_files(new_server, authority, change, message):
    server = new_server(options=tls_options(authority, authority.issue("server"), **change), bind=None)
    server.launch()
    assert server.wait(10) != 0
    assert message in server.log.read_text()


# --- the command line -------------------------------------------------------------------------------------------------


def run(*arguments, code=0):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LAKESTREAM_")}
    done = subprocess.run(
        [str(BINARY), *map(str, arguments)], capture_output=True, text=True, timeout=60, env=environment
    )
    assert done.returncode == code, f"{arguments} ended with {done.returncode}: {done.stderr}"
    return done.stdout if code == 0 else done.stderr


def test_the_command_line_logs_in_over_tls(new_server, authority, tmp_path):
    server = new_server(options=tls_options(authority, authority.issue("server")), bind=None).start()
    password = tmp_path / "password"
    password.write_text(USERS["root"] + "\n")
    wrong = tmp_path / "wrong"
    wrong.write_text("wrong\n")
    there = ["--server", server.listener("CLIENT")]
    trust = ["--tls-ca", authority.certificate]
    login = ["--user", "root", "--password-file", password]
    assert "fluss" in run("database", "list", *there, *trust, *login)
    assert "user name or password is wrong" in run(
        "database", "list", *there, *trust, "--user", "root", "--password-file", wrong, code=1
    )
    assert "--user NAME" in run("database", "list", *there, *trust, code=1)
    assert "no server answers" in run("database", "list", *there, "--tls", *login, code=1), "an unknown authority"
    assert "no server answers" in run("database", "list", *there, *login, code=1), "no TLS"
    run("database", "list", *there, *trust, "--user", "root", code=2)
    run("sql", *there, *trust, *login, "-c", "CREATE TABLE t (id INT, name STRING)")
    run("sql", *there, *trust, *login, "-c", "INSERT INTO t VALUES (1, 'one')")
    assert "one" in run("sql", *there, *trust, *login, "-c", "SELECT * FROM t")


def test_secrets_from_elsewhere(new_server, tmp_path, monkeypatch):
    """Passwords come out of the environment and of files, and are shown to nobody."""
    secret = tmp_path / "secret"
    secret.write_text("of-a-file\n")
    monkeypatch.setenv("BOB_PASSWORD", "of-the-environment")
    more = {
        "security__sasl__plain__credentials": f"alice:${{file:{secret}}},bob:${{env:BOB_PASSWORD}}",
        "tablet_server__rack": "${env:BOB_PASSWORD}",
        "security__sasl__plain__jaas__config": guarded.JAAS.format('user_x="y"'),
    }
    server = new_server(options=guarded.options(**more), bind=None).start()
    for user, password in (("alice", "of-a-file"), ("bob", "of-the-environment")):
        with fluss_raw.connect(server.listener("CLIENT")) as c:
            c.log_in(user, password)
            shown = {each["config_key"]: each["config_value"] for each in c.call("DESCRIBE_CLUSTER_CONFIGS")["configs"]}
    assert shown["tablet-server.rack"] == "${env:BOB_PASSWORD}"
    assert shown["security.sasl.plain.credentials"] == "alice:******,bob:******"
    server.stop()
    monkeypatch.delenv("BOB_PASSWORD")
    server.launch()
    assert server.wait(10) != 0
    log = server.log.read_text()
    assert "environment variable BOB_PASSWORD is not set" in log
    assert "of-a-file" not in log and "of-the-environment" not in log
