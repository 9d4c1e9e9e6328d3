"""Java programs of checks (java/Checks.java): compiled when they are stale, run, each check a subtest."""

import re
import shutil
import subprocess

import pytest

import recorder

RESULT = re.compile(r"(ok|FAIL) (.*?) \(\d+ ms\)(?:: (.*))?$")


def class_path(jars, classes, sources):
    """Of the sources, compiled into `classes` against the jars in a folder."""
    assert jars.is_dir(), f"there is no {jars}; tools/setup.sh gets it"
    stamp = classes / "stamp"
    if not stamp.exists() or stamp.stat().st_mtime < max(s.stat().st_mtime for s in sources):
        shutil.rmtree(classes, ignore_errors=True)
        classes.mkdir(parents=True)
        subprocess.run(["javac", "-nowarn", "-d", classes, "-cp", f"{jars}/*", *sources], check=True)
        stamp.touch()
    return f"{classes}:{jars}/*"


def run_checks(program, path, arguments, subtests, options=(), timeout_s=400):
    command = [
        "java",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        *options,
        "-cp",
        path,
        program,
        *arguments,
    ]
    client = re.search(r"/java-(\d+\.\d+\.\d+)", path)
    recorder.java_client = client and client[1]
    run = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
    lines = run.stdout.splitlines()
    for line in lines:
        result = RESULT.match(line)
        if result:
            with subtests.test(result[2]):
                if result[1] == "FAIL":
                    pytest.fail(result[3], pytrace=False)
    assert lines and lines[-1] == "end" and run.returncode == 0, f"{run.stdout[-2000:]}\n{run.stderr[-2000:]}"
