#!/usr/bin/env python3
"""Checks that the C++ sources look as .clang-format says; generated ones are as their generator writes them.

usage: format.py [--fix] [PATH...]

  --fix   format in place
  PATH    files below these paths alone
"""

import argparse
import collections
import re
import shutil
import subprocess
import sys

from tidy import ROOT
from tree import Tree

CLANG_FORMAT = "clang-format-16"


def sources(paths):
    for file in Tree.load(ROOT).cpp():
        if not file.is_generated and (not paths or file.path.startswith(tuple(paths))):
            yield file.path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    if shutil.which(CLANG_FORMAT) is None:
        sys.exit(f"{CLANG_FORMAT} is not installed; run tools/setup.sh")

    files = list(sources(options.paths))
    command = [CLANG_FORMAT, *(["-i"] if options.fix else ["--dry-run", "-Werror"]), *files]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    places = collections.Counter(re.findall(r"(?m)^([^\s:]+):\d+:\d+: error: ", run.stderr))
    for path, count in sorted(places.items()):
        print(f"{path}: {count} places are not formatted")
    if places:
        print(f"{len(places)} files; format them with: tests/tidy/format.py --fix")
    elif run.returncode == 0:
        print(f"{len(files)} files: formatted")
    else:
        print(run.stderr, end="")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
