#!/usr/bin/env python3
"""Makes the option tables and docs/config.md out of src/base/config.tsv, src/base/config_accepted.txt
and src/table/options.tsv.

usage: gen_config.py [--check]     --check: write nothing, exit 1 when a generated file is stale
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

CPP_TYPE = {"bool": "bool", "int": "int32_t", "long": "int64_t", "double": "double",
            "duration": "std::chrono::milliseconds", "size": "int64_t", "text": "std::string",
            "list": "std::vector<std::string>", "map": "TextMap"}
DOC_TYPE = {"bool": "boolean", "int": "integer", "long": "integer", "double": "number"}
UNIT = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000,
        "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}


class Option:
    def __init__(self, row):
        self.__dict__.update(row)
        self.is_enum = self.type.startswith("enum:")
        self.enum = self.type[5:] if self.is_enum else None
        self.has_default = self.default != "-"
        self.choices = self.limits.split("|") if self.is_enum else []
        self.name = "k" + camel(self.key.removeprefix("table."))
        self.cpp_type = self.enum or CPP_TYPE[self.type]

    def bounds(self):
        """The limits "low..high" as numbers, None where a side is open."""
        if self.is_enum or not self.limits:
            return None, None
        return tuple(number(side) for side in self.limits.split(".."))


def camel(text):
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", text))


def number(text):
    if not text:
        return None
    digits, _, unit = text.partition(" ")
    return float(digits) * UNIT[unit] if unit else float(digits)


def read_options(path):
    lines = path.read_text().splitlines()
    head = lines[0].split("\t")
    return [Option(dict(zip(head, line.split("\t"), strict=True))) for line in lines[1:]]


def read_accepted(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def enum_constant(choice):
    return "k" + "".join(part.capitalize() for part in re.split("[_-]", choice))


def note(table):
    return f"// Made by tools/gen_config.py from {table}. Edit the table, not this file.\n"


def choices_header(options, table, what, example):
    out = [note(table), "#pragma once\n", "#include <cstdint>", "#include <string_view>\n",
           f"// The choices of those options of {what} that are one.", "//",
           "// Thread rule: immutable.", "//", f"//   {example}", "namespace lakestream {\n"]
    for option in options:
        if option.is_enum:
            constants = ", ".join(enum_constant(c) for c in option.choices)
            out += [f"// {option.key}", f"enum class {option.enum} : uint8_t {{ {constants} }};",
                    f"std::string_view name_of({option.enum} value);\n"]
    out.append("}  // namespace lakestream")
    return "\n".join(out) + "\n"


def header(options, table, namespace, function, what, choices, extra):
    out = [note(table), "#pragma once\n", "#include <chrono>", "#include <cstdint>",
           "#include <string>", "#include <string_view>", "#include <vector>\n",
           '#include "base/config.h"', f'#include "{choices}"\n',
           f"// The options of {what}: the table with a row an option, and a typed handle for each.",
           "//", "// Thread rule: immutable.", "//",
           f"//   config.get({namespace}::{options[0].name})",
           "namespace lakestream {\n"]
    out += [f"OptionTable {function}();"] + extra + ["", f"namespace {namespace} {{\n"]
    for row, option in enumerate(options):
        out += [f"// {option.key}",
                f"inline constexpr Option<{option.cpp_type}> {option.name}{{{row}}};"]
    out += ["", f"}}  // namespace {namespace}", "}  // namespace lakestream"]
    return "\n".join(out) + "\n"


def table_row(option):
    def bound(value):
        return "std::nullopt" if value is None else repr(value)
    kind = "Enum" if option.is_enum else camel(option.type)
    low, high = option.bounds()
    choices = f"k{option.enum}Names" if option.is_enum else "{}"
    return "\n".join([
        f"    {{{quoted(option.key)},",
        f"     OptionType::k{kind},",
        f"     {str(option.has_default).lower()},",
        f"     {quoted(option.default if option.has_default else '')},",
        f"     {bound(low)},",
        f"     {bound(high)},",
        f"     {choices},",
        f"     {str(option.alterable == 'yes').lower()},",
        f"     {quoted(option.stability)},",
        f"     {quoted(option.module)},",
        f"     {quoted(option.meaning)}}},"])


def source(options, table, include, function, extra):
    out = [note(table), f'#include "{include}"\n', "#include <array>\n", "namespace lakestream {",
           "namespace {\n", "// clang-format off"]
    for option in options:
        if option.is_enum:
            names = ", ".join(quoted(c) for c in option.choices)
            out.append(f"constexpr std::array<std::string_view, {len(option.choices)}> "
                       f"k{option.enum}Names = {{{names}}};")
    out += ["", f"constexpr std::array<OptionInfo, {len(options)}> kOptions = {{{{"]
    out += [table_row(option) for option in options]
    out += ["}};"] + extra[0] + ["// clang-format on\n", "}  // namespace\n",
                                 f"OptionTable {function}() {{ return kOptions; }}"] + extra[1]
    for option in options:
        if option.is_enum:
            head = f"std::string_view name_of({option.enum} value) {{"
            body = f"return k{option.enum}Names[static_cast<size_t>(value)];"
            line = f"{head} {body} }}"
            out += [""] + ([line] if len(line) <= 100 else [head, f"  {body}", "}"])
    out += ["", "}  // namespace lakestream"]
    return "\n".join(out) + "\n"


def doc_rows(options):
    out = ["| key | type | default | limits | alterable | meaning |", "|---|---|---|---|---|---|"]
    for option in options:
        kind = "choice" if option.is_enum else DOC_TYPE.get(option.type, option.type)
        limits = option.limits.replace("|", ", ").replace("..", " .. ").strip()
        limits = re.sub(r" \.\.$", " or more", limits)
        default = f"`{option.default}`" if option.has_default else ""
        meaning = option.meaning
        if option.stability != "stable":
            meaning += f" ({option.stability})"
        if option.since:
            meaning += f" (Fluss since {option.since})"
        alterable = "yes" if option.alterable == "yes" else ""
        out.append(f"| `{option.key}` | {kind} | {default} | {limits} | {alterable} | {meaning} |")
    return out


def document(server, table, accepted):
    ignored = ", ".join(f"`{key}`" for key in accepted if not key.startswith("!"))
    refused = ", ".join(f"`{key[1:]}`" for key in accepted if key.startswith("!"))
    out = ["<!-- Made by tools/gen_config.py. Edit src/base/config.tsv and src/table/options.tsv. -->",
           "# Options", "",
           "Durations have a unit (`10 min`, `7 d`, `500 ms`, or ISO 8601, `PT10S`), so have sizes "
           "(`64 mb`; powers of 1024). Choices may be written in any case. Lists are separated by "
           "commas, maps are lists of `key:value`. An option without a default may be left out. "
           "*Evolving* options may change their meaning in a later version.", "",
           "## Server", "",
           "Given in the configuration file (`--config server.yaml`, lines `key: value`) or on the "
           "command line (`-o key=value`), which wins. Alterable ones can be changed while the "
           "server runs. An unknown key is refused.", ""]
    out += doc_rows(server)
    out += ["", "Options of Fluss servers that have no effect here are accepted with a warning, so "
            f"that a configuration file can be taken over: {ignored}.", "",
            f"These are refused unless they are `false`, because they ask for protection that is not "
            f"there: {refused}.", "", "## Tables", "",
            "Properties of a table, given when it is created (`WITH ('table.log.ttl' = '3 d')`). "
            "Alterable ones can be changed later (`ALTER TABLE t SET (…)`). Other keys that begin "
            "with `table.` are refused; all further keys are the user's own and are kept as they "
            "are.", ""]
    return "\n".join(out + doc_rows(table)) + "\n"


def accepted_source(accepted):
    rows = [f"    {quoted(key)}," for key in accepted]
    return ([f"\nconstexpr std::array<std::string_view, {len(accepted)}> kAccepted = {{"] + rows + ["};"],
            ["std::span<const std::string_view> accepted_server_keys() { return kAccepted; }"])


def main():
    server = read_options(SRC / "base/config.tsv")
    table = read_options(SRC / "table/options.tsv")
    accepted = read_accepted(SRC / "base/config_accepted.txt")
    files = {
        SRC / "base/server_choices.h": choices_header(
            server, "src/base/config.tsv", "a server", 'name_of(DurabilityChoice::kSync)  // "sync"'),
        SRC / "table/table_choices.h": choices_header(
            table, "src/table/options.tsv", "a table", 'name_of(LogFormat::kArrow)  // "ARROW"'),
        SRC / "base/server_options.h": header(
            server, "src/base/config.tsv", "server_options", "server_option_table",
            "a server", "base/server_choices.h",
            ["// Keys of Fluss servers without effect here; see config_accepted.txt.",
             "std::span<const std::string_view> accepted_server_keys();"]),
        SRC / "base/server_options.cc": source(
            server, "src/base/config.tsv", "base/server_options.h", "server_option_table",
            accepted_source(accepted)),
        SRC / "table/table_options.h": header(
            table, "src/table/options.tsv", "table_options", "table_option_table",
            "a table", "table/table_choices.h", []),
        SRC / "table/table_options.cc": source(
            table, "src/table/options.tsv", "table/table_options.h", "table_option_table",
            ([], [])),
        ROOT / "docs/config.md": document(server, table, accepted),
    }
    stale = 0
    for path, text in files.items():
        if path.exists() and path.read_text() == text:
            continue
        stale = 1
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT)} is stale: run tools/gen_config.py")
        else:
            path.write_text(text)
    sys.exit(stale if "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
