"""An S3-compatible store under test: moto's server in a process of its own."""

import http.client
import subprocess
import sys
import time

import boto3
from botocore.config import Config

START_TIMEOUT_S = 30
KEY, SECRET, REGION = "the-key", "the-secret", "eu-test-1"


class ObjectStore:
    """Its objects are in the memory of the process: stop() loses them."""

    def __init__(self, port, log):
        self.port = port
        self.log = log
        self.process = None

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        with open(self.log, "ab") as log:
            command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.answers():
            assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)
        return self

    def answers(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def client(self, key=KEY, secret=SECRET):
        return boto3.client(
            "s3", endpoint_url=self.endpoint, aws_access_key_id=key, aws_secret_access_key=secret,
            region_name=REGION, config=Config(s3={"addressing_style": "path"}),
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
