"""The official Flink connector 0.9.1 in a Flink of its own: Java programs that speak SQL, with many checks."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

import fluss_raw  # noqa: E402
import java_programs  # noqa: E402
from server import Server  # noqa: E402

SOURCES = [ROOT / "tests/e2e/java/Checks.java", *sorted((ROOT / "tests/flink/java").glob("*.java"))]
DATABASE = "flink"
TIMEOUT_S = 1200
OPTIONS = ["-Xmx1g", "-Dcheck.timeout.s=300", "-Dcheck.read.timeout.ms=60000"] + [
    f"--add-opens=java.base/{name}=ALL-UNNAMED"
    for name in ("java.lang", "java.lang.reflect", "java.net", "java.text", "java.time", "java.util",
                 "java.util.concurrent", "sun.nio.ch")
]


@pytest.fixture
def new_server(tmp_path):
    made = []

    def make(options):
        made.append(Server(tmp_path / f"data-{len(made)}", tmp_path / f"log-{len(made)}", options=options))
        return made[-1].start()

    yield make
    try:
        for server in made:
            server.stop()
    finally:
        for server in made:
            server.kill()


def run(program, server, subtests):
    path = java_programs.class_path(ROOT / "build/deps/flink", ROOT / "build/flink/classes", SOURCES)
    with fluss_raw.connect(server.address) as connection:
        connection.create_database(DATABASE)
    java_programs.run_checks(program, path, [server.address, DATABASE], subtests, OPTIONS, TIMEOUT_S)


def test_tables(new_server, subtests):
    server = new_server({"kv.snapshot.interval": "1 s"})
    run("FlinkTableCheck", server, subtests)


def test_a_lake(new_server, tmp_path, subtests):
    server = new_server(
        {
            "datalake.format": "paimon",
            "datalake.paimon.metastore": "filesystem",
            "datalake.paimon.warehouse": str(tmp_path / "lake"),
        }
    )
    run("FlinkLakeCheck", server, subtests)
