"""What the tests of the official project check with its Java client, as far as no other test here does."""

import pytest

import fluss_raw
import test_java


@pytest.mark.parametrize("version", test_java.EXTRA)
def test_java_behaviours(new_server, version, subtests):
    server = new_server(options={"max.partition.num": 10, "max.bucket.num": 30}).start()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
    test_java.run_checks("BehaviourCheck", server, "db", version, subtests)


def test_java_behaviours_since_one(server, database, subtests):
    test_java.run_checks("BehaviourSinceOneCheck", server, database, "1.0.0", subtests)
