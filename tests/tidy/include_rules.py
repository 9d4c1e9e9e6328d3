"""Rules of #include: layers, public headers, heavy libraries, own header first."""

import posixpath
import re

from tree import Finding

LAYERS = "src/layers.txt"
PUBLIC_HEADERS = "tests/tidy/public_headers.txt"

# What a library costs is paid by its owner alone: headers by prefix, and the modules that may use them.
HEAVY = {
    "asio": (r"boost/asio|asio/|asio\.hpp", {"io"}),
    "SQLite": (r"sqlite3\.h", {"meta", "lake"}),
    "JSON": (r"nlohmann/", {"table", "meta", "cli"}),
    "Arrow": (r"arrow/", {"format", "client", "lake", "tiering", "query", "front", "cli"}),
    "Parquet": (r"parquet/", {"lake"}),
    "RocksDB": (r"rocksdb/", {"kv"}),
    "DuckDB": (r"duckdb", {"query"}),
    "ZooKeeper": (r"zookeeper/", {"meta"}),
    "spdlog": (r"spdlog/", {"base"}),
    "CLI11": (r"CLI/", {"cli"}),
}
# Headers of heavy libraries that a public header may include.
LIGHT_PARTS = {"arrow/type_fwd.h"}
BANNED_HEADERS = {
    "iostream": "log with LOG_INFO, or print with std::printf in cli",
    "regex": "a hand-written parser",
    "arrow/api.h": "the headers of the parts that are used",
    "boost/asio.hpp": "the headers of the parts that are used",
}


def _table(text):
    """The lines "name : words" and "name + words" of a table, without comments."""
    rows = {}
    for line in text.split("\n"):
        matched = re.match(r"([\w/]+)\s*([:+])\s*(.*)$", line.split("#")[0].rstrip())
        if matched:
            rows.setdefault(matched.group(1), []).extend(matched.group(3).split())
    return rows


class Layers:
    def __init__(self, tree):
        rows = _table(tree.text_of(LAYERS))
        self.allowed = {}
        for name, words in rows.items():
            module = name.split("/")[0]
            self.allowed[name] = set(words) | {name, module}
            if "/" in name:
                self.allowed[name] |= set(rows.get(module, []))

    @staticmethod
    def layer_of(file):
        """The module of a file, or "module/api" for its api folder."""
        parts = file.path.split("/")
        if file.module is None:
            return None
        return f"{parts[1]}/api" if len(parts) > 3 and parts[2] == "api" else parts[1]


def layers(tree):
    table = Layers(tree)
    for file in tree.cpp():
        layer = Layers.layer_of(file)
        if layer is None:
            continue
        if layer not in table.allowed:
            yield Finding("layers", file.path, 1, f"{layer} has no line in {LAYERS}")
            continue
        for include in file.includes:
            if not include.quoted:
                continue
            target = tree.resolve(include)
            if target is None:
                message = f'"{include.name}" is not below src/; includes are rooted there'
                yield Finding("layers", file.path, include.line, message)
            elif target.module not in table.allowed[layer]:
                message = f"{layer} may not include {target.module}; see {LAYERS}"
                yield Finding("layers", file.path, include.line, message)
            elif layer == target.module and Layers.layer_of(target) != layer:
                message = f"{layer} may not include its own api folder, which stands above it"
                yield Finding("layers", file.path, include.line, message)


def _reached(tree, file, cache):
    """All files of src/ that an include leads to, each with the first step on the way."""
    if file.path in cache:
        return cache[file.path]
    steps = cache[file.path] = {}
    for include in file.includes:
        target = tree.resolve(include) if include.quoted else None
        if target is None or target.path == file.path:
            continue
        for path in [target.path, *_reached(tree, target, cache)]:
            steps.setdefault(path, include)
    return steps


def transitive_layers(tree):
    """What a header brings along is included, too."""
    table = Layers(tree)
    cache = {}
    for file in tree.cpp():
        allowed = table.allowed.get(Layers.layer_of(file))
        if allowed is None:
            continue
        told = set()
        for path, include in _reached(tree, file, cache).items():
            target = tree.files[path]
            direct = tree.resolve(include).path == path
            if target.module in allowed or direct or (include, target.module) in told:
                continue
            told.add((include, target.module))
            message = f'"{include.name}" brings {path}, and {target.module} is forbidden here'
            yield Finding("transitive-layers", file.path, include.line, message)


def listed_public(tree):
    table = _table(tree.text_of(PUBLIC_HEADERS))
    return {f"src/{module}/{name}" for module, names in table.items() for name in names}


def public_headers(tree):
    """From outside only what a module lists as public may be included."""
    listed = listed_public(tree)
    for path in sorted(listed - set(tree.files)):
        yield Finding("public-headers", PUBLIC_HEADERS, 1, f"{path} is listed and does not exist")
    for file in tree.cpp():
        for include in file.includes:
            target = tree.resolve(include) if include.quoted else None
            if target is None or target.module == file.module or target.path in listed:
                continue
            if file.is_test and target.is_test:
                continue
            message = f'"{include.name}" is private to {target.module}; use a header of {PUBLIC_HEADERS}'
            yield Finding("public-headers", file.path, include.line, message)


def wire_messages(tree):
    """The protocol's messages stop at the border: behind it functions speak domain types."""
    doors = {"wire", "rpc", "client", "front", "server"}
    for file in tree.cpp():
        layer = Layers.layer_of(file)
        if layer is None or layer in doors or layer.endswith("/api") or file.is_test:
            continue
        for include in file.includes:
            if include.name == "wire/messages.h":
                message = f"{layer} may not name wire messages; translate them in its api folder"
                yield Finding("wire-messages", file.path, include.line, message)


def heavy_headers(tree):
    public = listed_public(tree)
    for file in tree.cpp():
        if file.module is None:
            continue
        for include in file.includes:
            for library, (pattern, owners) in HEAVY.items():
                if include.quoted or not re.match(pattern, include.name):
                    continue
                if file.module not in owners and not file.is_test:
                    message = f"{library} stays inside {', '.join(sorted(owners))}"
                    yield Finding("heavy-headers", file.path, include.line, message)
                elif file.path in public and include.name not in LIGHT_PARTS:
                    message = f"<{include.name}> is heavy; forward-declare in a public header"
                    yield Finding("heavy-headers", file.path, include.line, message)


def banned_headers(tree):
    for file in tree.cpp():
        for include in file.includes:
            if include.name in BANNED_HEADERS and not include.quoted:
                message = f"<{include.name}>: use {BANNED_HEADERS[include.name]}"
                yield Finding("banned-headers", file.path, include.line, message)


def own_header_first(tree):
    """The first include of a source is its own header, which so proves to stand alone."""
    for file in tree.cpp():
        if file.is_header or not file.includes:
            continue
        own = re.sub(r"(_test)?\.cc$", ".h", file.path)
        first = file.includes[0].name
        if own in tree.files and own not in ("src/" + first, posixpath.join(posixpath.dirname(file.path), first)):
            message = f'the first include is not "{own.removeprefix("src/")}"'
            yield Finding("own-header-first", file.path, file.includes[0].line, message)


def pragma_once(tree):
    for file in tree.headers():
        directives = re.findall(r"(?m)^[ \t]*#[ \t]*(\w+[^\n]*)", file.code)
        if not directives or directives[0].split() != ["pragma", "once"]:
            yield Finding("pragma-once", file.path, 1, "the first directive is not #pragma once")


RULES = [
    layers,
    transitive_layers,
    public_headers,
    wire_messages,
    heavy_headers,
    banned_headers,
    own_header_first,
    pragma_once,
]
