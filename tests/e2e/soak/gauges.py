"""What a server process holds: memory, descriptors by kind, threads, disk. And whether it stays flat."""

import collections
import dataclasses
import os
import stat
import statistics
import time
from pathlib import Path

MIB = 1 << 20
# Memory is flat when the median of the last sixth of a run is at most so much above that of the third sixth: the
# first third is for caches to fill.
GROWTH_SHARE, GROWTH_BYTES = 0.10, 8 * MIB


@dataclasses.dataclass(frozen=True)
class Sample:
    time: float
    resident: int
    own: int  # of it: what is not of files, such as the program and its libraries
    threads: int
    descriptors: dict  # kind -> count


def kind_of(target, data):
    """socket, pipe, eventfd and the like; files of tables, remote files and others."""
    if target.startswith(f"{data}/"):
        folder = Path(target).relative_to(data).parts[0]
        return folder if folder in ("remote", "meta") else "tables"
    return target.split(":[")[0].removeprefix("anon_inode:").strip("[]") if ":" in target else "files"


def targets(server):
    """What the descriptors lead to, by kind."""
    found = collections.defaultdict(list)
    for entry in Path(f"/proc/{server.process.pid}/fd").iterdir():
        try:
            target = os.readlink(entry)
        except FileNotFoundError:  # closed meanwhile
            continue
        found[kind_of(target, server.data)].append(target)
    return found


def take(server):
    process = Path(f"/proc/{server.process.pid}")
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    kinds = {kind: len(found) for kind, found in sorted(targets(server).items())}
    resident, own = (int(status[name].split()[0]) * 1024 for name in ("VmRSS", "RssAnon"))
    return Sample(time.monotonic(), resident, own, int(status["Threads"]), kinds)


def disk(folder):
    """(bytes that its files take, how many folders are below it)"""
    taken, folders = 0, 0
    for path in folder.rglob("*"):
        try:
            status = path.stat()
        except FileNotFoundError:  # gone meanwhile
            continue
        if stat.S_ISDIR(status.st_mode):
            folders += 1
        else:
            taken += status.st_blocks * 512
    return taken, folders


def part(samples, begin, end):
    """Those between two fractions of the time."""
    first, last = samples[0].time, samples[-1].time
    span = last - first
    return [s for s in samples if first + begin * span <= s.time <= first + end * span]


def growth(samples):
    """(median of the third sixth, median of the last sixth) of the memory that is not of files."""
    medians = [statistics.median(s.own for s in part(samples, at / 6, (at + 1) / 6)) for at in (2, 5)]
    return tuple(medians)


def is_flat(samples):
    early, late = growth(samples)
    return late <= early * (1 + GROWTH_SHARE) + GROWTH_BYTES


def slope(samples):
    """Bytes an hour over the last two thirds, as the median over pairs of minutes says."""
    minutes = collections.defaultdict(list)
    for sample in part(samples, 1 / 3, 1):
        minutes[int(sample.time // 60)].append(sample.own)
    points = [(minute, statistics.median(values)) for minute, values in sorted(minutes.items())]
    slopes = [(y2 - y1) / (x2 - x1) for i, (x1, y1) in enumerate(points) for x2, y2 in points[i + 1 :]]
    return 60 * statistics.median(slopes) if slopes else 0.0
