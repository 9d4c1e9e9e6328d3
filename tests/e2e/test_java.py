"""The official Java clients 1.0.0 and 0.9.1 against log tables and partitions: Java programs with many checks."""

import pytest

import java_programs
from server import ROOT

SOURCES = ROOT / "tests/e2e/java"
COMMON = [
    f"{name}.java"
    for name in ("Checks", "Values", "LogTableCheck", "KvChecks", "KvTableCheck", "EvolutionCheck", "PartitionCheck",
                 "RemoteLogCheck", "LakeCheck", "ClusterCheck", "BehaviourCheck")
]
SINCE_ONE = (
    "SinceOneCheck", "KvSinceOneCheck", "ClusterSinceOneCheck", "BehaviourSinceOneCheck", "RemoteLogSinceOneCheck"
)
EXTRA = {"1.0.0": [f"{name}.java" for name in SINCE_ONE], "0.9.1": []}


def run_checks(program, server, database, version, subtests, options=()):
    """Runs a program of checks with a version of the client."""
    path = java_programs.class_path(
        ROOT / f"build/deps/java-{version}",
        ROOT / f"build/e2e/java-{version}",
        [SOURCES / name for name in COMMON + EXTRA[version]],
    )
    expected = [f"-Dexpected.config={key}={value}" for key, value in getattr(server, "options", {}).items()]
    java_programs.run_checks(program, path, [server.address, database], subtests, ["-Xmx512m", *expected, *options])


@pytest.mark.parametrize("version", EXTRA)
def test_java_client(server, database, version, subtests):
    run_checks("LogTableCheck", server, database, version, subtests)


@pytest.mark.parametrize("version", EXTRA)
def test_java_partitions(server, database, version, subtests):
    run_checks("PartitionCheck", server, database, version, subtests)
