"""An S3-compatible store under test: moto's server in a process of its own."""

import contextlib
import datetime
import http.client
import http.server
import ipaddress
import random
import socket
import subprocess
import sys
import threading
import time

import boto3
from botocore.config import Config
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

START_TIMEOUT_S = 30
KEY, SECRET, REGION = "the-key", "the-secret", "eu-test-1"


class ObjectStore:
    """Its objects are in the memory of the process: stop() loses them."""

    def __init__(self, port, log, certificate=None):
        self.port = port
        self.log = log
        self.certificate = certificate  # (file of it, file of its key): speaks TLS
        self.process = None

    @property
    def endpoint(self):
        return f"{'https' if self.certificate else 'http'}://127.0.0.1:{self.port}"

    def start(self):
        with open(self.log, "ab") as log:
            command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
            if self.certificate:
                command += ["-c", str(self.certificate[0]), "-k", str(self.certificate[1])]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.answers():
            assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)
        return self

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
            return True
        except OSError:
            return False

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def client(self, key=KEY, secret=SECRET, token=None):
        config = Config(s3={"addressing_style": "path"})
        return boto3.client(
            "s3", endpoint_url=self.endpoint, aws_access_key_id=key, aws_secret_access_key=secret,
            aws_session_token=token, region_name=REGION, config=config,
            verify=self.certificate and str(self.certificate[0]),
        )  # fmt: skip

    def make_bucket(self, name):
        self.client().create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": REGION})

    def names(self, bucket):
        """Of its objects, without the empty ones that stand for folders."""
        pages = self.client().get_paginator("list_objects_v2").paginate(Bucket=bucket)
        names = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
        return [name for name in names if not name.endswith("/")]

    def options(self, place):
        """Of a server whose remote storage is there."""
        return {
            "remote.data.dir": place, "s3.endpoint": self.endpoint, "s3.region": REGION,
            "s3.access-key": KEY, "s3.secret-key": SECRET,
        }  # fmt: skip


    def read(self, uri):
        """Of an object s3://bucket/key; FileNotFoundError when there is none."""
        bucket, _, key = uri.removeprefix("s3://").partition("/")
        client = self.client()
        try:
            return client.get_object(Bucket=bucket, Key=key)["Body"].read()
        except client.exceptions.NoSuchKey:
            raise FileNotFoundError(uri) from None

    def download(self, bucket, prefix, folder):
        """All objects below `prefix` as files below the folder; those that are there stay."""
        for name in self.names(bucket):
            target = folder / name.removeprefix(prefix)
            if not name.startswith(prefix) or target.exists():
                continue
            with contextlib.suppress(FileNotFoundError):  # it is gone by now
                content = self.read(f"s3://{bucket}/{name}")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)


class Flaky:
    """Stands before a store and lets some requests fail, some of them after the store has done what was asked."""

    def __init__(self, store, seed):
        self.rng = random.Random(seed)
        self.share = 0.0  # of the requests
        self.failed = 0
        flaky = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def body(self):
                if self.headers.get("Transfer-Encoding", "") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length", 0)))
                body = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def do(self):
                body = self.body()
                fate = flaky.fate()
                if fate == "refused":
                    self.send_error(503)
                    return
                connection = http.client.HTTPConnection("127.0.0.1", store.port, timeout=30)
                own = ("transfer-encoding", "content-length", "expect", "connection")
                headers = {name: value for name, value in self.headers.items() if name.lower() not in own}
                connection.request(self.command, self.path, body, headers)
                answer = connection.getresponse()
                content = answer.read()
                connection.close()
                if fate == "lost":
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "content-length", "server", "date"):
                        self.send_header(name, value)
                length = answer.getheader("Content-Length") if self.command == "HEAD" else len(content)
                self.send_header("Content-Length", length or 0)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def fate(self):
        if self.rng.random() >= self.share:
            return "fine"
        self.failed += 1
        return self.rng.choice(["refused", "lost"])

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def make_certificate(folder):
    """One that signs itself, for 127.0.0.1: (file of it, file of its key)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "store")])
    now = datetime.datetime.now(datetime.timezone.utc)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1)).add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return files
