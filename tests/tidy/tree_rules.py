"""Rules of the tree as a whole: nothing stale, nothing dead."""

import re
import subprocess
import sys

from include_rules import listed_public
from tree import Finding


def dead_headers(tree):
    """A private header that nobody includes but its own source and test."""
    included = listed_public(tree)
    for file in tree.cpp():
        for include in file.includes:
            target = tree.resolve(include) if include.quoted else None
            own = re.sub(r"(_test)?\.cc$", ".h", file.path)
            if target is not None and target.path != own:
                included.add(target.path)
    for file in tree.headers():
        if file.module is not None and file.path not in included:
            yield Finding("dead-headers", file.path, 1, "nobody includes it")


def dead_tools(tree):
    """A script of tools/ that nothing in the tree names."""
    for file in tree.files.values():
        if not file.path.startswith("tools/") or re.search(r"/gen_\w+\.py$|\.md$", file.path):
            continue
        stem = file.name.removesuffix(".sh")
        named = any(
            file.name in other.text or (other.name == "Makefile" and re.search(rf"\b{stem}\b", other.text))
            for other in tree.files.values()
            if other.path != file.path and not other.path.startswith("docs/")
        )
        if not named:
            yield Finding("dead-tools", file.path, 1, "nothing runs it")


def forgotten_sources(tree):
    """An api source or a module without a line where it is registered."""
    listed = set(re.findall(r"\blakestream_module\((\w+)", tree.text_of("CMakeLists.txt")))
    modules = {file.module for file in tree.cpp() if file.module is not None}
    for module in sorted(modules - listed):
        yield Finding("forgotten-sources", "CMakeLists.txt", 1, f"src/{module} has no lakestream_module() line")
    suites = {path.split("/")[1] for path in tree.files if re.match(r"tests/\w+/.*\.cc$", path)}
    for suite in sorted(suites):
        if f"tests/{suite}/CMakeLists.txt" not in tree.files:
            yield Finding("forgotten-sources", f"tests/{suite}", 1, "C++ tests without a CMakeLists.txt are not built")


OPTIONS = "src/base/server_options.h"


def idle_options(tree):
    """An option of a server that no source reads: who sets it believes that it does something."""
    handles = re.findall(r"// (\S+)\ninline constexpr Option<.*> (k\w+)\{", tree.text_of(OPTIONS))
    readers = [file.code for file in tree.cpp() if not file.is_test and not file.path.startswith("src/base/")]
    for key, handle in handles:
        if not any(re.search(rf"\b{handle}\b", code) for code in readers):
            yield Finding("idle-options", "src/base/config.tsv", 1, f"'{key}' has no effect: nothing reads {handle}")


def stale_files(tree):
    """Generated files are what their generator makes of its table today."""
    if tree.root is None:
        return
    generators = sorted(path for path in tree.files if re.fullmatch(r"tools/gen_\w+\.py", path))
    running = [
        (path, subprocess.Popen([sys.executable, path, "--check"], cwd=tree.root,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
        for path in generators
    ]
    for path, process in running:
        output = process.communicate()[0].strip()
        if process.returncode != 0:
            yield Finding("stale-files", path, 1, output.replace("\n", "; ") or "the check fails")


RULES = [dead_headers, dead_tools, forgotten_sources, idle_options, stale_files]
