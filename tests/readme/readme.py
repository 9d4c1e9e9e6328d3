#!/usr/bin/env python3
"""Does what README.md tells a newcomer to do, in its order, and fails with the block and line that does not work.

usage: readme.py [--binary PATH]

  without    in a clean clone of the committed state, in an empty folder: everything, building included
  --binary   with this binary, and only what is told about a server that runs: what is built is left out

What the words behind ``` mean: `console` is commands behind "$ " and what they print, where any number may stand for
a number; `sh` is commands; `python` and `java` are run against the server; `text` is only looked at: a line that
begins with "make TARGET" needs that target. A command with "Ctrl-C" in its comment is interrupted after a while. A
command that starts a server runs on.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = "build/release/lakestream"
ADDRESS = "127.0.0.1:9123"
PYTHON = "lakestream-python/bin/python"
KINDS = ("console", "sh", "python", "java", "text")
BUILD_TIMEOUT_S = 3600
COMMAND_TIMEOUT_S = 120
START_TIMEOUT_S = 20
PYTHON_ENDED = "the program came to its end"
FOLLOW_S = 2  # until Ctrl-C


class Failure(Exception):
    pass


@dataclasses.dataclass
class Block:
    kind: str
    line: int  # of its first line of content
    text: str


@dataclasses.dataclass
class Command:
    line: int
    text: str
    shown: list  # what it prints, as the text says


def blocks_of(text):
    """The fenced blocks, each with its kind. A fence without a kind is an error: nobody could say what it is for."""
    found, begin, kind = [], None, None
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            continue
        if begin is None:
            begin, kind = number + 1, line[3:].strip()
            if kind not in KINDS:
                raise Failure(f"line {number}: a block of kind '{kind}'; it is one of {', '.join(KINDS)}")
        else:
            found.append(Block(kind, begin, "\n".join(lines[begin - 1 : number - 1])))
            begin = None
    if begin is not None:
        raise Failure(f"line {begin - 1}: a block that does not end")
    return found


def commands_of(block):
    """The commands of a console or sh block. A backslash at the end of a line joins it with the next one, and so does a
    quote that is open there."""
    found, joined = [], None
    for number, line in enumerate(block.text.split("\n"), block.line):
        if joined is not None:
            joined.text += line
        elif block.kind == "sh" and line.strip():
            joined = Command(number, line, [])
        elif line.startswith("$ "):
            joined = Command(number, line[2:], [])
        elif block.kind == "console" and found:
            found[-1].shown.append(line)
            continue
        if joined is None:
            continue
        if joined.text.endswith("\\"):
            joined.text = joined.text[:-1]
        elif is_open(joined.text):
            joined.text += "\n"
        else:
            found.append(joined)
            joined = None
    return found


def is_open(text):
    """Whether a quote begins in the command that does not end in it."""
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return True
    return False


def pattern_of(line):
    """What matches a line that is shown: white space and numbers may differ."""
    words = []
    for word in line.split():
        words.append(r"\d+".join(re.escape(part) for part in re.split(r"\d+", word)))
    return re.compile(r"\s+".join(words) + r"\s*$")


def check_output(command, printed):
    """The shown lines are there, in their order."""
    rest = printed.split("\n")
    for line in command.shown:
        if not line.strip():
            continue
        while rest and not pattern_of(line).match(rest[0].strip()):
            rest.pop(0)
        if not rest:
            raise Failure(f"'{line}' is shown, and not printed; printed was:\n{printed[-2000:]}")
        rest.pop(0)


class Newcomer:
    """Somebody with an empty folder, a shell, and the README."""

    def __init__(self, folder, work, binary=None):
        self.folder = pathlib.Path(folder)  # the checkout
        self.work = pathlib.Path(work)  # takes the place of /tmp
        self.binary = binary
        self.environment = dict(os.environ)
        self.address = ADDRESS
        self.server = None
        self.python = sys.executable if binary else None

    # --- the text, with what differs here

    def here(self, text):
        text = text.replace("/tmp/", f"{self.work}/")
        if self.binary:
            text = text.replace(BINARY, str(self.binary)).replace("$PWD/build/release", str(self.binary.parent))
        return text.replace(ADDRESS, self.address)

    def is_left_out(self, command):
        """With a binary nothing is built or installed."""
        return self.binary is not None and re.match(r"(make|git|cd|python3 -m venv|pip)\b", command) is not None

    # --- blocks

    def run(self, block):
        if block.kind == "python":
            self.run_python(block)
        elif block.kind == "java":
            self.run_java(block)
        elif block.kind == "text":
            self.check_targets(block)
        else:
            for command in commands_of(block):
                self.at(command.line, self.run_command, command)

    def at(self, line, function, *arguments):
        try:
            return function(*arguments)
        except Failure as failure:
            raise Failure(f"README.md:{line}: {failure}") from None

    def run_command(self, command):
        text = self.here(command.text)
        if self.is_left_out(text):
            return
        print(f"$ {text}", flush=True)
        if re.search(r"\blakestream server\b", text):
            self.start_server(text, command)
        else:
            check_output(command, self.shell(text, until_interrupt="Ctrl-C" in command.text))

    def shell(self, text, until_interrupt=False):
        """Runs it in the folder. What it exports is there for the next one."""
        variables = self.work / "environment"
        script = f"{text}\nstatus=$?; env -0 > {shlex.quote(str(variables))}; exit $status"
        process = subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            fetches = re.search(r"^make\b|\bpip install\b|\bsetup\.sh\b", text)
            limit = BUILD_TIMEOUT_S if fetches else COMMAND_TIMEOUT_S
            out, _ = process.communicate(timeout=FOLLOW_S if until_interrupt else limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT if until_interrupt else signal.SIGKILL)
            out, _ = process.communicate(timeout=COMMAND_TIMEOUT_S)
            if not until_interrupt:
                raise Failure(f"`{text}` did not end within {limit} s") from None
        printed = out.decode(errors="replace")
        if process.returncode not in (0, -signal.SIGINT, 128 + signal.SIGINT):
            raise Failure(f"`{text}` ended with {process.returncode}:\n{printed[-2000:]}")
        if not until_interrupt:
            pairs = variables.read_bytes().decode(errors="replace").split("\0")
            self.environment = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        return printed

    def start_server(self, text, command):
        if self.binary:
            text += " --bind 127.0.0.1:0"
        log = open(self.work / "server.log", "wb")
        self.server = subprocess.Popen(
            ["bash", "-c", f"exec {text}"],
            cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
        line = self.server.stdout.readline().decode()
        check_output(command, line)
        self.address = line.split()[-1]
        self.environment["LAKESTREAM_SERVER"] = self.address

    def run_python(self, block):
        program = self.work / "readme.py"
        program.write_text(f'{self.here(block.text)}\nprint("{PYTHON_ENDED}", flush=True)\n')
        python = self.python or str(self.work / PYTHON)
        # pyfluss 1.0.0 may abort while the interpreter ends, with everything done: that alone is let pass.
        command = f"out=$({shlex.quote(python)} {program}); s=$?; echo \"$out\"; [[ $s == 0 || $s == 134 ]] || exit $s"
        printed = self.at(block.line, self.shell, command)
        if not printed.rstrip().endswith(PYTHON_ENDED):
            raise Failure(f"README.md:{block.line}: the program does not come to its end:\n{printed[-2000:]}")
        if not printed.replace(PYTHON_ENDED, "").strip():
            raise Failure(f"README.md:{block.line}: the program prints nothing")

    def run_java(self, block):
        jars = ROOT / "build/deps/java-1.0.0"
        if not jars.is_dir():
            self.at(block.line, self.shell, f"{ROOT}/tools/setup.sh test")
        packages = ("client", "client.admin", "client.table", "client.table.scanner", "client.table.scanner.log",
                    "client.table.writer", "config", "metadata", "row", "types")  # fmt: skip
        imports = "".join(f"import org.apache.fluss.{package}.*;\n" for package in packages)
        program = self.work / "Readme.java"
        body = self.here(block.text)
        program.write_text(
            f"{imports}import java.time.Duration;\n"
            f"class Readme {{ public static void main(String[] arguments) throws Exception {{\n{body}\n}} }}\n"
        )
        java = f"java -cp '{jars}/*' --add-opens=java.base/java.nio=ALL-UNNAMED {program}"
        if not self.at(block.line, self.shell, java).strip():
            raise Failure(f"README.md:{block.line}: the program prints nothing")

    def check_targets(self, block):
        targets = set(re.findall(r"^([a-z0-9-]+):.*## ", (ROOT / "Makefile").read_text(), re.M))
        for number, line in enumerate(block.text.split("\n"), block.line):
            named = re.match(r"make ([a-z0-9-]+)", line)
            if named and named[1] not in targets:
                raise Failure(f"README.md:{number}: there is no target '{named[1]}'")

    def leave(self):
        if self.server is None:
            return
        self.server.terminate()
        if self.server.wait(START_TIMEOUT_S) != 0:
            raise Failure(f"the server ended with {self.server.returncode}; its log is {self.work}/server.log")


def follow(readme, newcomer):
    try:
        for block in blocks_of(readme):
            newcomer.run(block)
        if newcomer.server is None:
            raise Failure("README.md starts no server")
    finally:
        newcomer.leave()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path)
    options = parser.parse_args()
    begin = time.monotonic()
    work = pathlib.Path(tempfile.mkdtemp(prefix="lakestream-readme-"))
    try:
        folder = ROOT
        if options.binary is None:
            folder = work / "lakestream"
            subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
        readme = (folder / "README.md").read_text()
        follow(readme, Newcomer(folder, work, options.binary and options.binary.resolve()))
    except Failure as failure:
        print(f"readme: {failure}\nreadme: what it left is in {work}", file=sys.stderr)
        return 1
    shutil.rmtree(work)
    print(f"readme: every block works; it took {time.monotonic() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
