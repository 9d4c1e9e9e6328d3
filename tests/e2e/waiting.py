"""Waiting for what a server does in its own time, and looking at its files meanwhile."""

import fnmatch
import os
import time
from pathlib import Path


def eventually(condition, what, timeout_s=30):
    """The first true value of the condition."""
    deadline = time.monotonic() + timeout_s
    while not (value := condition()):
        assert time.monotonic() < deadline, f"{what}: not within {timeout_s} s"
        time.sleep(0.02)
    return value


def entries_below(folder, pattern="*"):
    """Paths of the files and folders whose name matches; unlike Path.rglob, a folder may go meanwhile."""
    for parent, folders, files in os.walk(folder):
        yield from (Path(parent, name) for name in fnmatch.filter(folders + files, pattern))


def files_with(mark, folder):
    """Those that have the bytes."""
    return [path for path in entries_below(folder) if mark in content_of(path)]


def content_of(path):
    try:
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return b""
