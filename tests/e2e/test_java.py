"""The official Java clients 1.0.0 and 0.9.1 against log tables and partitions: Java programs with many checks."""

import re
import shutil
import subprocess

import pytest

from server import ROOT

SOURCES = ROOT / "tests/e2e/java"
COMMON = [
    f"{name}.java"
    for name in ("Checks", "Values", "LogTableCheck", "KvChecks", "KvTableCheck", "EvolutionCheck", "PartitionCheck",
                 "RemoteLogCheck", "LakeCheck")
]
EXTRA = {"1.0.0": ["SinceOneCheck.java", "KvSinceOneCheck.java"], "0.9.1": []}
PROGRAM_TIMEOUT_S = 400
RESULT = re.compile(r"(ok|FAIL) (.*?) \(\d+ ms\)(?:: (.*))?$")


def compiled(version):
    """The class path of the checks for a client version; they are compiled again when a source is newer."""
    client = ROOT / f"build/deps/java-{version}"
    assert client.is_dir(), f"there is no {client}; get it with: tools/setup.sh test"
    sources = [SOURCES / name for name in COMMON + EXTRA[version]]
    classes = ROOT / f"build/e2e/java-{version}"
    stamp = classes / "stamp"
    if not stamp.exists() or stamp.stat().st_mtime < max(s.stat().st_mtime for s in sources):
        shutil.rmtree(classes, ignore_errors=True)
        classes.mkdir(parents=True)
        javac = ["javac", "-nowarn", "-d", str(classes), "-cp", f"{client}/*", *map(str, sources)]
        subprocess.run(javac, check=True)
        stamp.touch()
    return f"{classes}:{client}/*"


def run_checks(program, server, database, version, subtests):
    """Runs a program of checks; each of them is a subtest."""
    command = [
        "java",
        "-Xmx512m",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        *(f"-Dexpected.config={key}={value}" for key, value in getattr(server, "options", {}).items()),
        "-cp",
        compiled(version),
        program,
        server.address,
        database,
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_TIMEOUT_S)
    lines = run.stdout.splitlines()
    for line in lines:
        result = RESULT.match(line)
        if result:
            with subtests.test(result[2]):
                if result[1] == "FAIL":
                    pytest.fail(result[3], pytrace=False)
    assert lines and lines[-1] == "end" and run.returncode == 0, f"{run.stdout[-2000:]}\n{run.stderr[-2000:]}"


@pytest.mark.parametrize("version", EXTRA)
def test_java_client(server, database, version, subtests):
    run_checks("LogTableCheck", server, database, version, subtests)


@pytest.mark.parametrize("version", EXTRA)
def test_java_partitions(server, database, version, subtests):
    run_checks("PartitionCheck", server, database, version, subtests)
