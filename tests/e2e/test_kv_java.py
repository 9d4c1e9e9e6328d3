"""The official Java clients 1.0.0 and 0.9.1 against primary-key tables: one Java program with many checks."""

import pytest

from server import module_server
from test_java import EXTRA, run_checks

OPTIONS = {"kv.snapshot.interval": "1 s", "kv.snapshot.lease.expiration-check-interval": "200 ms"}


@pytest.fixture(scope="module")
def snapshotting_server(request, tmp_path_factory):
    """Clients read its snapshots from its disk."""
    yield from module_server(request, tmp_path_factory, "kv-java", OPTIONS)


@pytest.fixture
def server(snapshotting_server):
    """In place of the server that other tests share."""
    snapshotting_server.revive()
    yield snapshotting_server
    snapshotting_server.assert_alive()


@pytest.mark.parametrize("version", EXTRA)
def test_java_client(server, database, version, subtests):
    run_checks("KvTableCheck", server, database, version, subtests)
