#!/usr/bin/env python3
"""Makes src/base/error_code.h and error_code.cc out of src/base/errors.tsv.

usage: gen_errors.py [--check]     --check: write nothing, exit 1 when the generated files are stale
"""
import sys
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent / "src" / "base"
NOTE = "// Made by tools/gen_errors.py from src/base/errors.tsv. Edit the table, not this file.\n"


def camel(name):
    return "k" + "".join(part.capitalize() for part in name.split("_"))


def rows():
    lines = (SRC / "errors.tsv").read_text().splitlines()
    head = lines[0].split("\t")
    return [dict(zip(head, line.split("\t"))) for line in lines[1:]]


def header(table):
    out = [NOTE, "#pragma once\n", "#include <cstdint>", "#include <string_view>\n",
           "namespace lakestream {\n",
           "// The error codes of the Fluss protocol: what a function returns is what a client sees.",
           "// Thread rule: immutable.",
           "enum class ErrorCode : int32_t {"]
    out += [f"  {camel(r['name'])} = {r['code']}," for r in table]
    out += ["};\n",
            "// The protocol's name of the code, \"UNKNOWN_SERVER_ERROR\" for a number without a row.",
            "std::string_view error_name(ErrorCode code);",
            "// True when a client may send the same request again.",
            "bool is_retriable(ErrorCode code);",
            "// True when the client's view of leaders is stale and has to be read again.",
            "bool refreshes_metadata(ErrorCode code);",
            "// The code with this number; unknown numbers become kUnknownServerError.",
            "ErrorCode error_code_of(int32_t number);\n",
            "}  // namespace lakestream"]
    return "\n".join(out) + "\n"


def flag_function(name, column, table):
    out = [f"bool {name}(ErrorCode code) {{", "  switch (code) {"]
    out += [f"    case ErrorCode::{camel(r['name'])}:" for r in table if r[column] == "yes"]
    return out + ["      return true;", "    default:", "      return false;", "  }", "}\n"]


def source(table):
    out = [NOTE, "#include \"base/error_code.h\"\n", "namespace lakestream {\n",
           "std::string_view error_name(ErrorCode code) {", "  switch (code) {"]
    for r in table:
        out += [f"    case ErrorCode::{camel(r['name'])}:", f"      return \"{r['name']}\";"]
    out += ["  }", "  return \"UNKNOWN_SERVER_ERROR\";", "}\n"]
    out += flag_function("is_retriable", "retriable", table)
    out += flag_function("refreshes_metadata", "refreshes_metadata", table)
    low, high = int(table[0]["code"]), int(table[-1]["code"])
    out += ["ErrorCode error_code_of(int32_t number) {",
            f"  return number < {low} || number > {high} ? ErrorCode::kUnknownServerError",
            "                                  : static_cast<ErrorCode>(number);", "}\n",
            "}  // namespace lakestream"]
    return "\n".join(out) + "\n"


def main():
    table = rows()
    stale = 0
    for name, text in (("error_code.h", header(table)), ("error_code.cc", source(table))):
        path = SRC / name
        if path.exists() and path.read_text() == text:
            continue
        stale = 1
        if "--check" in sys.argv:
            print(f"{path.name} is stale: run tools/gen_errors.py")
        else:
            path.write_text(text)
    sys.exit(stale if "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
