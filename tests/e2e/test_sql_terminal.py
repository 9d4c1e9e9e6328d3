"""`lakestream sql` with a terminal: what it shows while a statement runs."""

import os
import pty
import re
import signal
import subprocess
import time

import pytest

from server import BINARY

# Runs for minutes, and is stopped before.
LONG = "SELECT count(*) FROM range(1000000) a(i), range(1000000) b(j) WHERE hash(i + j) = 7"


class Terminal:
    """The command with standard error on a terminal."""

    def __init__(self, server, statement):
        self.master, slave = pty.openpty()
        command = [str(BINARY), "sql", "--server", server.address, "-c", statement]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave)
        os.close(slave)
        self.shown = b""
        os.set_blocking(self.master, False)

    def look(self):
        try:
            self.shown += os.read(self.master, 1 << 16)
        except (BlockingIOError, OSError):
            time.sleep(0.02)

    def until(self, pattern, timeout_s=30):
        deadline = time.monotonic() + timeout_s
        while not (found := re.search(pattern, self.shown)):
            assert time.monotonic() < deadline, self.shown
            self.look()
        return found

    def end(self, timeout_s=30):
        code = self.process.wait(timeout_s)
        for _ in range(10):
            self.look()
        return code

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal(server):
    made = []

    def start(statement):
        made.append(Terminal(server, statement))
        return made[-1]

    yield start
    for one in made:
        one.close()


def test_a_long_statement_tells_how_long_it_runs(terminal):
    """From half a second on, again and again, until an interrupt ends it; then the line is gone."""
    running = terminal(LONG)
    first = float(running.until(rb"\r\x1b\[K([\d.]+) s")[1])
    assert first >= 0.5
    running.until(rb"\r\x1b\[K(?!%.1f)([\d.]+) s" % first)
    running.process.send_signal(signal.SIGINT)
    assert running.end() != 0
    last_line = running.shown.rpartition(b"\r\x1b[K")[2]
    assert not re.match(rb"[\d.]+ s", last_line), last_line


def test_a_short_statement_shows_nothing(terminal):
    running = terminal("SELECT 1")
    assert running.end() == 0
    assert running.shown == b""


def test_without_a_terminal_nothing_is_shown(server):
    """Whoever collects what goes wrong gets nothing else."""
    command = [str(BINARY), "sql", "--server", server.address, "-c", LONG]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, shown = process.communicate(timeout=30)
    assert b"\x1b" not in shown
