"""An S3-compatible store under test: moto's server in a process of its own."""

import datetime
import ipaddress
import socket
import subprocess
import sys
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

    def client(self, key=KEY, secret=SECRET):
        config = Config(s3={"addressing_style": "path"})
        return boto3.client(
            "s3", endpoint_url=self.endpoint, aws_access_key_id=key, aws_secret_access_key=secret,
            region_name=REGION, verify=self.certificate and str(self.certificate[0]), config=config,
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
