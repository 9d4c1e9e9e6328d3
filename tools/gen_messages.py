#!/usr/bin/env python3
"""Makes the messages and the API table of src/wire out of messages.tsv and api.tsv beside them.

usage: gen_messages.py [--check]   --check: write nothing, exit 1 when the generated files are stale

messages.tsv: message, number, label, type, name, packed. api.tsv: key, name, message (prefix of the
Request and Response), min, max (the versions that this server advertises), role (C coordinator,
T tablet server), visibility, state (served, later).
"""
import keyword
import re
import sys
from pathlib import Path

WIRE = Path(__file__).resolve().parent.parent / "src" / "wire"
NOTE = "// Made by tools/gen_messages.py from src/wire/{}. Edit the table, not this file.\n"

SCALARS = {"int32": "int32_t", "int64": "int64_t", "bool": "bool", "float": "float",
           "double": "double", "string": "std::string", "bytes": "Bytes"}
# Records leave a server as slices of the log: these fields are chains, so that none is copied.
CHAINS = {("PbFetchLogRespForBucket", "records"), ("LimitScanResponse", "records"),
          ("ScanKvResponse", "records")}
# A message that contains itself; the vector in it may hold an incomplete type.
RECURSIVE = {("PbCompoundPredicate", "children")}
NAMESPACE = "namespace lakestream::wire {\n"
CPP_WORDS = {"bool", "char", "class", "default", "delete", "double", "float", "int", "long", "new",
             "operator", "private", "public", "register", "switch", "template", "this", "union"}


class Field:
    def __init__(self, message, row):
        self.number, self.label, self.type = int(row["number"]), row["label"], row["type"]
        self.proto_name = row["name"]
        self.name = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", row["name"]).lower()
        if self.name in CPP_WORDS or keyword.iskeyword(self.name):
            self.name += "_"
        self.packed = row["packed"] == "yes"
        self.is_message = self.type not in SCALARS
        self.is_chain = (message, self.proto_name) in CHAINS
        self.is_recursive = (message, self.proto_name) in RECURSIVE
        if self.label == "repeated" and self.type in ("bool", "float", "double"):
            sys.exit(f"{message}.{self.name}: repeated {self.type} has no form in the codec")

    def cpp_type(self):
        plain = "BytesChain" if self.is_chain else SCALARS.get(self.type, self.type)
        if self.label == "repeated":
            return f"std::vector<{plain}>"
        return f"std::optional<{plain}>" if self.label == "optional" else plain

    def kind(self):
        if self.is_message:
            return "kMessage"
        return "kChain" if self.is_chain else "k" + self.type.capitalize()

    def cpp_label(self):
        return "kPacked" if self.packed else "k" + self.label.capitalize()


def table(name):
    lines = (WIRE / name).read_text().splitlines()
    head = lines[0].split("\t")
    return [dict(zip(head, line.split("\t"))) for line in lines[1:]]


def read_messages():
    messages = {}
    for row in table("messages.tsv"):
        fields = messages.setdefault(row["message"], [])
        if row["number"] != "-":
            fields.append(Field(row["message"], row))
    for name, fields in messages.items():
        fields.sort(key=lambda field: field.number)
        if len(fields) > 64 or any(field.number > 255 for field in fields):
            sys.exit(f"{name}: more fields than a MessageInfo can describe")
    return messages


def ordered(messages, apis):
    """Parts before the messages that hold them, then the requests and responses by API key."""
    order = ["ErrorResponse"]

    def visit(name):
        if name in order:
            return
        for field in messages[name]:
            if field.is_message and not field.is_recursive:
                visit(field.type)
        order.append(name)

    whole = ["ErrorResponse"]
    whole += [api["message"] + end for api in apis for end in ("Request", "Response")]
    for name in sorted(messages):
        if name not in whole:
            visit(name)
    parts = [name for name in order if name not in whole]
    return parts, whole


def camel(name):
    return "k" + "".join(part.capitalize() for part in name.split("_"))


MESSAGES_INTRO = """\
// The messages of the Fluss protocol as plain structs, one a message, fields as in messages.tsv:
// required ones are plain values, optional ones std::optional, repeated ones std::vector. A bytes
// field is a slice of the frame that was decoded and keeps it alive; records of responses are
// chains, so that slices of the log are sent without a copy. decode() takes the payload of a frame;
// its error says which field of which message breaks which rule, with a code that no client
// retries. encode() writes the optional fields that are set; byte fields of a kilobyte and more are
// shared, not copied.
//
// Thread rule: values; a message belongs to one thread at a time.
//
//   ASSIGN_OR_RETURN(ProduceLogRequest request, ProduceLogRequest::decode(payload));
//   ProduceLogResponse response;
//   for (const PbProduceLogReqForBucket& bucket : request.buckets_req) append(bucket.records);
//   BytesChain answer = response.encode();
"""


def struct(name, fields, is_whole, forward):
    out = [f"struct {name} {{"]
    out += [f"  {field.cpp_type()} {field.name}{initial(field)};" for field in fields]
    if is_whole:
        if fields:
            out.append("")
        out += [f"  static Result<{name}> decode(Bytes payload);", "  BytesChain encode() const;",
                "  static const MessageInfo& info();"]
    out += [f"  bool operator==(const {name}&) const = default;", "};", ""]
    return forward + out


def initial(field):
    """Every member has an initialiser, so that designated ones may leave it out without a warning; one
    for a vector of an incomplete type is more than clang accepts."""
    if field.is_recursive:
        return ""
    if field.label == "required" and field.type in ("int32", "int64", "float", "double"):
        return " = 0"
    return " = false" if field.label == "required" and field.type == "bool" else " = {}"


def messages_header(messages, parts, apis):
    out = [NOTE.format("messages.tsv"), "#pragma once\n", "#include <cstdint>",
           "#include <optional>", "#include <string>", "#include <vector>\n",
           "#include \"base/bytes.h\"", "#include \"base/result.h\"\n", MESSAGES_INTRO + NAMESPACE,
           "struct MessageInfo;  // the table of a message's fields, of codec.h\n"]
    out += ["// The payload of error responses and server failures."]
    out += struct("ErrorResponse", messages["ErrorResponse"], True, [])
    for name in parts:
        forward = [f"struct {f.type};" for f in messages[name] if f.is_recursive]
        out += struct(name, messages[name], False, forward)
    for api in apis:
        out.append(f"// {api['key']} {api['name']}")
        for end in ("Request", "Response"):
            out += struct(api["message"] + end, messages[api["message"] + end], True, [])
    return "\n".join(out) + "\n}  // namespace lakestream::wire\n"


def function(returns, name, parameter, qualifier, callee, arguments):
    """A function of one statement, broken into lines as clang-format has it."""
    result = f"return {callee}({', '.join(arguments)});" if arguments else f"return {callee};"
    head = f"{returns} {name}({parameter}){qualifier} {{"
    if len(head) + len(result) + 3 <= 100:
        return [f"{head} {result} }}"]
    lines = [head] if len(head) <= 100 else [f"{returns} {name}(", f"    {parameter}) {{"]
    if len(result) + 2 <= 100:
        return lines + ["  " + result, "}"]
    indent = " " * len(f"  return {callee}(")
    return lines + [f"  return {callee}({arguments[0]},", f"{indent}{arguments[1]});", "}"]


def messages_source(whole):
    out = [NOTE.format("messages.tsv"), "#include \"wire/messages.h\"\n",
           "#include \"wire/codec.h\"", "#include \"wire/message_tables.h\"\n",
           NAMESPACE]
    for name in whole:
        info = f"k{name}Info"
        out += function(f"Result<{name}>", f"{name}::decode", "Bytes payload", "",
                        f"decode_as<{name}>", [info, "payload"])
        out += function("BytesChain", f"{name}::encode", "", " const", "encode_message",
                        [info, "this"])
        out += function("const MessageInfo&", f"{name}::info", "", "", info, []) + [""]
    return "\n".join(out) + "\n}  // namespace lakestream::wire\n"


def tables_header(names):
    out = [NOTE.format("messages.tsv"), "#pragma once\n", "#include \"wire/codec.h\"\n",
           "// The constant tables that the codec walks, one a message. Private to wire.",
           NAMESPACE]
    out += [f"extern const MessageInfo k{name}Info;" for name in names]
    return "\n".join(out) + "\n\n}  // namespace lakestream::wire\n"


def part_of(field):
    """The last members of a FieldInfo: what is known of the message that the field holds."""
    if not field.is_message:
        return ""
    if field.label == "required":
        return f",\n    &k{field.type}Info"
    shape = "kVectorOps" if field.label == "repeated" else "kOptionalOps"
    return f",\n    &k{field.type}Info,\n    &{shape}<{field.type}>"


def tables_source(messages, names):
    out = [NOTE.format("messages.tsv"), "#include <cstddef>\n",
           "#include \"wire/message_tables.h\"", "#include \"wire/messages.h\"\n",
           "namespace lakestream::wire {",
           "namespace {\n", "using enum FieldKind;", "using enum FieldLabel;\n",
           "#define AT(message, field) offsetof(message, field), #field", "",
           "// clang-format off"]
    for name in names:
        fields = messages[name]
        if not fields:
            continue
        out.append(f"constexpr FieldInfo k{name}Fields[] = {{")
        for field in fields:
            out.append(f"  {{{field.number}, {field.kind()}, {field.cpp_label()}, "
                       f"AT({name}, {field.name}){part_of(field)}}},")
        out.append("};")
    out += ["", "#undef AT", "", "}  // namespace", ""]
    for name in names:
        mask = sum(1 << i for i, f in enumerate(messages[name]) if f.label == "required")
        rows = f"k{name}Fields" if messages[name] else "{}"
        out += [f"const MessageInfo k{name}Info = {{", f"  \"{name}\", {rows}, {mask:#x}}};"]
    out.append("// clang-format on")
    return "\n".join(out) + "\n\n}  // namespace lakestream::wire\n"


API_INTRO = """\
// The APIs of the Fluss protocol: keys, the versions that this server advertises, which role
// answers them, whether they are served yet, and which messages they carry (ApiTraits).
//
// Thread rule: immutable.
//
//   const ApiInfo* api = find_api(header.api_key);
//   if (api == nullptr || !api->served) return answer_unsupported();
//   using Request = ApiTraits<ApiKey::kProduceLog>::Request;
"""

API_INFO = """\
struct ApiInfo {
  ApiKey key;
  std::string_view name;
  int16_t min_version;
  int16_t max_version;
  bool on_coordinator;
  bool on_tablet;
  bool is_public;  // false: meant for servers, refused on client listeners where that is hardened
  bool served;     // false: known, not there yet, not advertised
};

// nullptr for a key without a row.
const ApiInfo* find_api(int16_t key);
// In the order of the keys.
std::span<const ApiInfo> all_apis();

template <ApiKey key>
struct ApiTraits;
"""


def api_header(apis):
    out = [NOTE.format("api.tsv"), "#pragma once\n", "#include <cstdint>", "#include <span>",
           "#include <string_view>\n", API_INTRO + NAMESPACE,
           "enum class ApiKey : int16_t {"]
    out += [f"  {camel(api['name'])} = {api['key']}," for api in apis]
    out += ["};", "", API_INFO]
    for api in apis:
        request, response = api["message"] + "Request", api["message"] + "Response"
        out += [f"struct {request};", f"struct {response};", "template <>",
                f"struct ApiTraits<ApiKey::{camel(api['name'])}> {{",
                f"  using Request = {request};", f"  using Response = {response};", "};", ""]
    return "\n".join(out) + "\n}  // namespace lakestream::wire\n"


def api_source(apis):
    first, last = int(apis[0]["key"]), int(apis[-1]["key"])
    if [int(api["key"]) for api in apis] != list(range(first, last + 1)):
        sys.exit("api.tsv: keys have to be in order and without a gap")
    out = [NOTE.format("api.tsv"), "#include \"wire/api.h\"\n", "#include <cstddef>\n",
           "namespace lakestream::wire {", "namespace {\n",
           "// key, name, versions, on coordinator, on tablet server, public, served",
           "// clang-format off", "constexpr ApiInfo kApis[] = {"]
    for api in apis:
        flags = ["C" in api["role"], "T" in api["role"], api["visibility"] == "public",
                 api["state"] == "served"]
        words = [f"ApiKey::{camel(api['name'])}", f"\"{api['name']}\"", api["min"], api["max"]]
        words += [str(flag).lower() for flag in flags]
        out += ["  {" + ", ".join(words[:2]) + ",", "    " + ", ".join(words[2:]) + "},"]
    out += ["};", "// clang-format on", "", "}  // namespace", "",
            "const ApiInfo* find_api(int16_t key) {", f"  constexpr int16_t kFirst = {first};",
            f"  constexpr int16_t kLast = {last};",
            "  return key < kFirst || key > kLast ? nullptr : &kApis[key - kFirst];", "}", "",
            "std::span<const ApiInfo> all_apis() { return kApis; }"]
    return "\n".join(out) + "\n\n}  // namespace lakestream::wire\n"


def main():
    messages, apis = read_messages(), table("api.tsv")
    parts, whole = ordered(messages, apis)
    files = {"messages.h": messages_header(messages, parts, apis),
             "messages.cc": messages_source(whole),
             "message_tables.h": tables_header(parts + whole),
             "whole_tables.cc": tables_source(messages, whole),
             "part_tables.cc": tables_source(messages, parts),
             "api.h": api_header(apis), "api.cc": api_source(apis)}
    stale = 0
    for name, text in files.items():
        path = WIRE / name
        if path.exists() and path.read_text() == text:
            continue
        stale = 1
        if "--check" in sys.argv:
            print(f"{path.name} is stale: run tools/gen_messages.py")
        else:
            path.write_text(text)
    sys.exit(stale if "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
