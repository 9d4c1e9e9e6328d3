"""The `lakestream` command against the shared server, as a fixture."""

import os
import subprocess

import pytest

from server import BINARY

SUCCESS, REFUSED, WRONG_USAGE = 0, 1, 2
RUN_TIMEOUT_S = 30


@pytest.fixture
def cli(server):
    """Runs the command against the shared server: cli("table", "list", code=0) gives what it printed."""

    def run(*arguments, code=SUCCESS, stdin=None, address=None):
        environment = dict(os.environ, LAKESTREAM_SERVER=address or server.address)
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [str(BINARY), *map(str, arguments)],
            input=data if data is not None else b"",
            capture_output=True,
            timeout=RUN_TIMEOUT_S,
            env=environment,
        )
        assert done.returncode == code, f"{arguments} ended with {done.returncode}: {done.stderr.decode()}"
        return done.stdout if code == SUCCESS else done.stderr.decode()

    return run
