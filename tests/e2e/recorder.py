"""What clients ask: a relay before each server, that notes requests and how they are answered.

With LAKESTREAM_RECORD=FILE in the environment every server of the tests tells clients the address of a relay, and at
the end FILE has, of what tests that passed saw, one line for each

    api     client, API and version
    option  client and option of a table that it creates or alters
    type    client and type of a column of tables whose rows it writes or reads

with the outcomes ("ok", "wrote", "read", names of errors) and the test modules. tools/gen_compatibility.py makes tables
of docs/compatibility.md from it. Clients tell their names in ApiVersions; all Java clients tell the same one, so their
version is that of the program that runs, `java_client`.
"""

import collections
import csv
import json
import os
import struct
import threading
from pathlib import Path

import fluss_raw
from relay import Relay

RECORD = os.environ.get("LAKESTREAM_RECORD")
FIELDS = ("kind", "client", "name", "use", "outcomes", "tests")
CLIENTS = {"fluss-rust": "pyfluss 1.0.0", "lakestream": "native"}
LAKES = ("paimon", "iceberg")
UNREADABLE = (ValueError, KeyError, IndexError, TypeError, RecursionError, struct.error)
LARGEST_FRAME = 1 << 27

java_client = None  # such as "1.0.0"


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


APIS = {int(row["key"]): row for row in rows_of(fluss_raw.MESSAGES.with_name("api.tsv"))}
ERRORS = {
    int(row["code"]): row["name"] for row in rows_of(fluss_raw.MESSAGES.parents[1] / "base/errors.tsv")
}


def error_codes(value):
    """All of an answer, those of single buckets too."""
    if isinstance(value, list):
        return set().union(*map(error_codes, value))
    if not isinstance(value, dict):
        return set()
    own = {value["error_code"]} if value.get("error_code") else set()
    return own.union(*map(error_codes, value.values()))


def has_rows(value):
    """Whether an answer has rows: batches, values that were looked up."""
    if isinstance(value, list):
        return any(map(has_rows, value))
    if isinstance(value, dict):
        return any(has_rows(each) for name, each in value.items() if name not in ("error_code", "error_message"))
    return isinstance(value, bytes) and len(value) > 0


class Notes:
    """What was seen, of all servers, and in which tests."""

    def __init__(self):
        self.lock = threading.Lock()
        self.seen = collections.defaultdict(lambda: collections.defaultdict(set))
        self.failed = set()

    def add(self, kind, client, name, use, outcome):
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        with self.lock:
            self.seen[kind, client, name, str(use)][outcome].add(test)

    def write(self, path):
        """Leaves out what tests saw that failed."""
        with open(path, "w", newline="") as file:
            out = csv.writer(file, delimiter="\t", lineterminator="\n")
            out.writerow(FIELDS)
            for key, outcomes in sorted(self.seen.items()):
                passed = {outcome: tests - self.failed for outcome, tests in outcomes.items() if tests - self.failed}
                modules = {Path(test.partition("::")[0]).name for tests in passed.values() for test in tests}
                if passed:
                    out.writerow([*key, ", ".join(sorted(passed)), ", ".join(sorted(modules))])


notes = Notes()


class Table:
    """The uses that the columns of a table are to be noted under."""

    def __init__(self, descriptor):
        schema = descriptor["schema"]
        keys = schema.get("primary_key") or []
        properties = descriptor.get("properties") or {}
        lake = properties.get("table.datalake.format")
        self.columns = set()
        for column in schema["columns"]:
            name, type = column["name"], column["data_type"]["type"]
            if name in (descriptor.get("partition_key") or []):
                use = "partition key"
            elif name in keys:
                use = "key"
            else:
                use = "value" if keys else "log"
            self.columns.add((type, use))
            if lake in LAKES and properties.get("table.datalake.enabled") == "true":
                self.columns.add((type, lake))


class Conversation:
    """One connection: the requests that wait for their answers, and who asks."""

    def __init__(self, tables):
        self.tables = tables
        self.client = "raw"
        self.pending = {}

    def request(self, data):
        key, version, request_id = struct.unpack_from(">hhi", data)
        self.pending[request_id] = key, version, data[8:]

    def answer(self, data):
        if data[0] > 1:
            return
        asked = self.pending.pop(struct.unpack_from(">i", data, 1)[0], None)
        if not asked or asked[0] not in APIS:
            return
        key, version, payload = asked
        api = APIS[key]
        request = fluss_raw.decode(api["message"] + "Request", payload)
        if data[0] == 1:
            answer = fluss_raw.decode("ErrorResponse", data[5:])
        else:
            answer = fluss_raw.decode(api["message"] + "Response", data[5:])
        self.note(api["name"], version, request, answer, data[0] == 0)

    def note(self, name, version, request, answer, succeeded):
        if name == "API_VERSIONS":
            software = request["client_software_name"]
            self.client = f"java {java_client}" if software == "fluss" and java_client else CLIENTS.get(software, "raw")
        codes = error_codes(answer)
        for code in codes:
            notes.add("api", self.client, name, version, ERRORS.get(code, str(code)))
        if succeeded and not codes:
            notes.add("api", self.client, name, version, "ok")
        if name in ("CREATE_TABLE", "ALTER_TABLE"):
            outcome = ERRORS.get(min(codes), "?") if codes else "ok"
            for option in self.options(name, request):
                notes.add("option", self.client, option, "create" if name == "CREATE_TABLE" else "alter", outcome)
        if succeeded:
            self.tables.learn(name, answer)
            for table_id, outcome in moved_rows(name, request, answer):
                for type, use in self.tables.columns(table_id):
                    notes.add("type", self.client, type, use, outcome)

    @staticmethod
    def options(name, request):
        if name == "ALTER_TABLE":
            return [change["config_key"] for change in request["config_changes"]]
        descriptor = json.loads(request["table_json"])
        properties = descriptor.get("properties") if isinstance(descriptor, dict) else None
        return [key for key in properties or () if key.startswith("table.")]


def moved_rows(name, request, answer):
    """(table id, "wrote" or "read") for each table of which rows came or went; all columns, or it does not count."""
    if name in ("PRODUCE_LOG", "PUT_KV"):
        if any(not bucket.get("error_code") for bucket in answer["buckets_resp"]) and not request.get("target_columns"):
            yield request["table_id"], "wrote"
    elif name == "FETCH_LOG":
        projected = {each["table_id"] for each in request["tables_req"] if each["projection_pushdown_enabled"]}
        for table in answer["tables_resp"]:
            if table["table_id"] not in projected and has_rows(table["buckets_resp"]):
                yield table["table_id"], "read"
    elif name in ("LOOKUP", "PREFIX_LOOKUP", "LIMIT_SCAN") and has_rows(answer):
        yield request["table_id"], "read"


class Tables:
    """What answers of one server tell of its tables."""

    def __init__(self):
        self.known = {}

    def learn(self, name, answer):
        tables = {"GET_TABLE_INFO": [answer], "GET_METADATA": answer.get("table_metadata", [])}.get(name, [])
        for table in tables:
            if table.get("table_json"):
                self.known[table["table_id"]] = Table(json.loads(table["table_json"]))

    def columns(self, table_id):
        return self.known[table_id].columns if table_id in self.known else ()


class Frames:
    """Cuts a stream into frames, and gives up on one that is none, such as TLS."""

    def __init__(self, take):
        self.take = take
        self.data = bytearray()

    def add(self, piece):
        if self.take is None:
            return
        self.data += piece
        while len(self.data) >= 4:
            (size,) = struct.unpack_from(">i", self.data)
            if not 0 < size <= LARGEST_FRAME:
                self.take = None
                self.data.clear()
                return
            if len(self.data) < 4 + size:
                return
            frame = bytes(self.data[4 : 4 + size])
            del self.data[: 4 + size]
            try:
                self.take(frame)
            except UNREADABLE:
                self.take = None  # what only raw clients send: the tests go on, nothing more is noted
                return


def relays_before(bind, options, former):
    """Relays by the names of the listeners of a server, and the options with which it listens behind them.

    Those that choose their port get that of the `former` ones: a restart changes no option.
    """
    listeners = f"FLUSS://{bind}" if bind else options["bind.listeners"]
    addresses = dict(each.split("://") for each in listeners.split(","))
    for name, relay in former.items():
        if addresses[name].endswith(":0"):
            addresses[name] = relay.address
    relays = {name: RecordingRelay(address) for name, address in addresses.items()}
    hidden = {
        "bind.listeners": ",".join(f"{name}://127.0.0.1:0" for name in relays),
        "advertised.listeners": ",".join(f"{name}://{relay.address}" for name, relay in relays.items()),
    }
    return relays, hidden


class RecordingRelay(Relay):
    def __init__(self, address):
        self.tables = Tables()
        super().__init__(address)

    def watchers(self):
        conversation = Conversation(self.tables)
        return Frames(conversation.request).add, Frames(conversation.answer).add
