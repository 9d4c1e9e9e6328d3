#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) on the C++ sources that changed. Takes ten seconds a file and a configured build.

usage: lint.py [--since COMMIT] [--build DIR] [PATH...]

  --since COMMIT   sources that differ from this commit (default: HEAD, what is not committed)
  --build DIR      where compile_commands.json is (default: build/release)
  PATH             these sources in any case
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLANG_TIDY = "clang-tidy-16"


def changed(since):
    run = subprocess.run(
        ["git", "diff", "--name-only", "--diff-filter=d", since, "--", "*.cc"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    return run.stdout.split()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--since", default="HEAD")
    parser.add_argument("--build", default="build/release")
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    if shutil.which(CLANG_TIDY) is None:
        sys.exit(f"{CLANG_TIDY} is not installed; run tools/setup.sh")
    if not (ROOT / options.build / "compile_commands.json").exists():
        sys.exit(f"{options.build} is not configured; run make build, or name another build with --build")

    files = options.paths or changed(options.since)
    if not files:
        print("no source changed")
        return 0
    # GCC's warning options are unknown to clang.
    command = [CLANG_TIDY, "-p", options.build, "--quiet", "--extra-arg=-Wno-unknown-warning-option", *files]
    return subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
