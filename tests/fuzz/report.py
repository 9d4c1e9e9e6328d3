#!/usr/bin/env python3
"""Tells what fuzzers tried and reached, by their logs: inputs, corpora, edges; then which parts of the source.

usage: report.py FOLDER NAME...     FOLDER: <name>.log and <name>.log.coverage, as tools/fuzz.sh writes them
"""
import collections
import re
import sys
from pathlib import Path

STATUS = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)/")
FUNCTION = re.compile(r"(?:UN)?COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) .*?\bsrc/(\S+?):\d+")


def last(pattern, text, default="?"):
    found = re.findall(pattern, text)
    return found[-1] if found else default


def totals(log):
    """Inputs that were tried, inputs kept, edges reached and all, features, and how it ended."""
    edges, features, kept = last(STATUS, log, ("?",) * 3)
    all_edges = last(r"(\d+) inline 8-bit counters", log)
    tried = last(r"stat::number_of_executed_units:\s*(\d+)", log)
    crash = last(r"SUMMARY: (.*)", log, "")
    return tried, kept, f"{edges}/{all_edges}", features, crash or "no fault"


def reached(coverage):
    """Edges reached and all, by folder and file of src/, of files in which some were."""
    files = collections.defaultdict(lambda: [0, 0])
    for covered, all_edges, path in FUNCTION.findall(coverage):
        files[path][0] += int(covered)
        files[path][1] += int(all_edges)
    return {path: edges for path, edges in files.items() if edges[0]}


def percent(edges):
    return f"{edges[0]}/{edges[1]} ({100 * edges[0] / edges[1]:.0f} %)"


def main():
    folder, *names = sys.argv[1:]
    print(f"{'fuzzer':<13} {'inputs':>11} {'corpus':>7} {'edges':>14} {'features':>9}  end")
    for name in names:
        tried, kept, edges, features, end = totals(Path(folder, f"{name}.log").read_text(errors="replace"))
        print(f"{name:<13} {tried:>11} {kept:>7} {edges:>14} {features:>9}  {end}")
    for name in names:
        coverage = Path(folder, f"{name}.log.coverage")
        if not coverage.exists():
            continue
        files = reached(coverage.read_text(errors="replace"))
        folders = collections.defaultdict(lambda: [0, 0])
        for path, edges in files.items():
            for i in range(2):
                folders[str(Path(path).parent)][i] += edges[i]
        # Edges of the sanitizers' checks, which only a fault takes, count too.
        print(f"\n{name}: edges reached, of the files that it comes to")
        for parent, edges in sorted(folders.items(), key=lambda item: -item[1][0]):
            print(f"  {'src/' + parent:<20} {percent(edges)}")
            for path, of_file in sorted(files.items()):
                if str(Path(path).parent) == parent:
                    print(f"    {Path(path).name:<24} {percent(of_file)}")


if __name__ == "__main__":
    main()
