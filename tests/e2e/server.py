"""A Lakestream server process under test."""

import os
import re
import selectors
import signal
import subprocess
import time
from pathlib import Path

import pytest

import recorder

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("LAKESTREAM_BINARY", ROOT / "build/release/lakestream"))
START_TIMEOUT_S = 30
STOP_TIMEOUT_S = 15


class Server:
    """One data directory and, most of the time, a process that serves it."""

    recorded = bool(recorder.RECORD)  # what its clients ask

    def __init__(self, data, log, options=None, bind="127.0.0.1:0", arguments=()):
        self.data = Path(data)
        self.options = dict(options or {})
        self.bind = bind
        self.arguments = list(arguments)
        self.log = Path(log)
        self.process = None
        self.address = None  # "HOST:PORT" since it was last ready
        self.listeners = {}  # addresses that were asked for, by name
        self.relays = {}  # before its listeners, by their names, when clients are recorded
        self.behind = {}  # options with which it listens behind them

    @property
    def host(self):
        return self.address.rpartition(":")[0]

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    def command(self):
        command = [str(BINARY), "server", "--data", str(self.data), *self.arguments]
        if self.bind and not self.behind:
            command += ["--bind", self.bind]
        for key, value in {**self.options, **self.behind}.items():
            command += ["-o", f"{key}={value}"]
        return command

    def launch(self):
        """Starts the process without waiting for anything."""
        assert self.process is None, "the server runs already"
        assert BINARY.exists(), f"there is no {BINARY}; make it with: make build"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log
            )

    def start(self):
        """Starts the process and waits until it serves."""
        if self.recorded:
            self.relays, self.behind = recorder.relays_before(self.bind, self.options, self.relays)
        self.launch()
        line = self.read_line(START_TIMEOUT_S)
        if not line.startswith("ready "):
            self.kill()
            raise AssertionError(f"the server printed {line!r} and not that it is ready; its log:\n{self.log_tail()}")
        self.address = line.split()[1]
        for name, relay in self.relays.items():
            relay.target = self.bound(name)
            if relay.target == line.split()[1]:
                self.address = relay.address
        return self

    def read_line(self, timeout_s):
        """The next line of standard output, without its end; what there is of it when the time is over."""
        deadline = time.monotonic() + timeout_s
        line = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n") and selector.select(max(0, deadline - time.monotonic())):
                piece = os.read(self.process.stdout.fileno(), 1)
                if not piece:
                    break
                line += piece
        return line.decode().rstrip("\n")

    def stop(self):
        """Asks it to stop, and insists that it does so cleanly."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        code = self.wait(STOP_TIMEOUT_S)
        assert code == 0, f"the server ended with {code} after SIGTERM; its log:\n{self.log_tail()}"

    def wait(self, timeout_s):
        """Waits for the end of the process and returns its exit code; ends it by force when the time is over."""
        try:
            code = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server ran on for {timeout_s} s; its log:\n{self.log_tail()}") from None
        self.forget()
        return code

    def kill(self):
        """kill -9"""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.forget()

    def forget(self):
        self.process.stdout.close()
        self.process = None
        self.listeners = {}
        for relay in self.relays.values():
            relay.close()
        self.behind = {}

    def listener(self, name):
        """The address of one of several listeners, which "bind.listeners" names and `bind=None` leaves alone."""
        return self.relays[name].address if self.behind else self.bound(name)

    def bound(self, name):
        if name not in self.listeners:
            found = re.findall(rf"listening listener={name} address=(\S+)", self.log.read_text(errors="replace"))
            assert found, f"no listener {name}; the log:\n{self.log_tail()}"
            self.listeners[name] = found[-1]
        return self.listeners[name]

    def restart(self, same_port=False):
        bind = self.address if same_port and self.address else self.bind
        self.stop()
        self.bind = bind
        return self.start()

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def assert_alive(self):
        assert self.alive(), f"the server has died; its log:\n{self.log_tail()}"

    def revive(self):
        """Starts it again when it has died."""
        if not self.alive():
            self.kill()
            self.start()

    def log_tail(self, lines=40):
        if not self.log.exists():
            return "(no log)"
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def module_server(request, tmp_path_factory, name, options, **arguments):
    """For a fixture of a module's own server: `yield from module_server(...)`."""
    if request.config.getoption("--server"):
        pytest.skip("needs a server of its own")
    folder = tmp_path_factory.mktemp(name)
    server = Server(folder / "data", folder / "log", options=options, **arguments).start()
    try:
        yield server
        server.stop()
    finally:
        server.kill()
