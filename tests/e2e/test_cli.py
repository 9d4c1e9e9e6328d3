"""The command line: what goes in comes out in every format, and wrong input is told apart by message and exit code."""

import io
import json
import os
import re
import signal
import subprocess
import time

import pyarrow as pa
import pytest

from command import REFUSED, RUN_TIMEOUT_S, SUCCESS, WRONG_USAGE, cli  # noqa: F401
from server import BINARY, ROOT


# A column of each kind, and rows in the texts that `tail` prints.
EVERY_TYPE = """
CREATE TABLE {table} (
  id BIGINT NOT NULL COMMENT 'the row',
  flag BOOLEAN, tiny TINYINT, small SMALLINT, whole INT,
  single FLOAT, exact DOUBLE, amount DECIMAL(30, 4),
  code CHAR(3), name STRING, raw BYTES, fixed BINARY(2),
  day DATE, at TIME(3), local_time TIMESTAMP(6), instant TIMESTAMP_LTZ(9),
  tags ARRAY<STRING>, counts MAP<STRING, INT>, place ROW<city STRING, zip INT>
)
"""
ROWS = [
    {
        "id": 1, "flag": True, "tiny": -128, "small": 32767, "whole": -2147483648,
        "single": 1.5, "exact": 1e300, "amount": 12345678901234567890123456.7890,
        "code": "äbc", "name": 'a "quoted", text\nof two lines', "raw": "AAH/", "fixed": "aGk=",
        "day": "2024-02-29", "at": "23:59:59.999", "local_time": "1969-12-31T23:59:59.000001",
        "instant": "2024-05-31T13:45:30.123456789Z",
        "tags": ["x", None, ""], "counts": {"a": 1, "b": None}, "place": {"city": "Zürich", "zip": None},
    },
    {"id": 9223372036854775807, "name": ""},
    {"id": 3, "exact": "NaN", "single": "-Infinity", "tags": [], "counts": {}},
]  # fmt: skip
AMOUNT = "12345678901234567890123456.7890"


@pytest.fixture
def tail_process(server):
    """Starts `tail` and gives the process; what still runs at the end is killed."""
    started = []

    def start(*arguments):
        environment = dict(os.environ, LAKESTREAM_SERVER=server.address)
        started.append(
            subprocess.Popen(
                [str(BINARY), "tail", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
            )
        )
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ndjson(rows):
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return lines.replace(json.dumps(ROWS[0]["amount"]), AMOUNT)


def parse_ndjson(text):
    return [json.loads(line) for line in text.splitlines()]


def tail(cli, table, *arguments):
    return cli("tail", table, "--no-follow", *arguments)


def in_order(text):
    """Lines of CSV or NDJSON by content; the order between buckets is not fixed."""
    return sorted(text.decode().splitlines())


# --- wrong usage and refused operations -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], ["a command is missing", "server, database, table"]),
        (["tabel"], ["'tabel' is no command", "did you mean 'table'"]),
        (["table"], ["a command is missing", "create, list, describe, alter, partitions, drop"]),
        (["table", "creat"], ["'creat' is no command of `lakestream table`", "'create'"]),
        (["tail"], ["TABLE is required", "`lakestream tail --help`"]),
        (["tail", "t", "--formt", "csv"], ["'--formt' is no option", "'--format'"]),
        (["tail", "t", "--format", "xml"], ["'xml' is none of table, csv, ndjson, arrow"]),
        (["tail", "t", "--limit", "-1"], ["--limit", "'-1' is no whole number"]),
        (["tail", "t", "--from", "yesterday"], ["'yesterday' is none of earliest, latest, offset:N"]),
        (["tail", "a.b.c"], ["'b.c'", "DATABASE.TABLE"]),
        (["tail", "t", "--server", "nowhere"], ["'nowhere' is not HOST:PORT"]),
        (["put", "t", "rows.xml"], ["format of rows.xml is not known", "--input-format"]),
        (["put", "t"], ["format of standard input is not known"]),
        (["put", "t", "--acks", "two"], ["'two' is none of all, leader, none"]),
        (["put", "t", "--batch-bytes", "1 parsec"], ["'1 parsec' is no size from 1 kb to 32 mb"]),
        (["put", "t", "x.ndjson", "--header"], ["are for CSV"]),
        (["put", "t", "x.csv", "--delimiter", "ab"], ["'ab' is no single character"]),
        (["database", "alter", "d"], ["nothing to change"]),
        (["database", "create", "a.b"], ["'a.b'"]),
        (["database", "create", "d", "--property", "x"], ["'x' is not KEY=VALUE"]),
        (["bench", "--rows", "many"], ["--rows", "'many' is no whole number"]),
        (["put", "t", "x.csv", "--timeout", "5"], ["--timeout", "'5' is no time; give a number with ms, s, min or h"]),
        (["completion", "tcsh"], ["'tcsh' is none of bash, zsh, fish"]),
        (["config", "log.segment.file-size"], ["--explain log.segment.file-size"]),
    ],
)
def test_wrong_usage_names_the_word_and_the_rule(cli, arguments, words):
    """Exit code 2, one line that names what is wrong and where help is, before any server is asked."""
    told = cli(*arguments, code=WRONG_USAGE, address="127.0.0.1:1")
    for word in words:
        assert word in told, told
    assert told.count("\n") == 1 and "--help`" in told, told


def test_no_server(cli):
    """A server that does not answer is told with what to do."""
    told = cli("table", "list", code=REFUSED, address="127.0.0.1:1")
    assert "no server answers at 127.0.0.1:1" in told and "lakestream server --data" in told, told
    told = cli("table", "list", "--format", "json", code=REFUSED, address="127.0.0.1:1")
    assert json.loads(told)["error"]["code"] == "NETWORK_EXCEPTION"


@pytest.mark.parametrize("command", ["put", "bench", "tail"])
def test_a_server_that_goes_away(new_server, command):
    """Work with an end gives up in time and says what to do, instead of waiting for ever."""
    server = new_server().start()
    environment = dict(os.environ, LAKESTREAM_SERVER=server.address)

    def start(*arguments):
        command = [str(BINARY), *arguments]
        pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return subprocess.Popen(command, env=environment, **pipes)

    if command == "bench":
        process = start("bench", "--rows", "100000000", "--timeout", "1 s")
        time.sleep(1)
    elif command == "put":
        assert start("table", "create", "CREATE TABLE t (id INT)").wait(RUN_TIMEOUT_S) == SUCCESS
        process = start("put", "t", "--input-format", "ndjson", "--timeout", "1 s")
        process.stdin.write(b'{"id": 1}\n')
        process.stdin.flush()
        followed = start("tail", "t", "--from", "earliest", "--limit", "1")
        assert followed.wait(RUN_TIMEOUT_S) == SUCCESS
    else:  # more rows than it has in memory while nobody takes what it prints
        filled = start("bench", "--rows", "80000", "--row-bytes", "1000", "--codec", "none", "--keep")
        table = filled.communicate(timeout=RUN_TIMEOUT_S)[1].split()[-1].decode()
        process = start("tail", table, "--no-follow", "--format", "csv", "--timeout", "1 s")
        assert process.stdout.readline() == b"id,payload\n"
    server.kill()
    _, told = process.communicate(b'{"id": 2}\n' if command == "put" else None, timeout=RUN_TIMEOUT_S)
    assert process.returncode == REFUSED, told
    assert b"1 s (the last attempt: " in told and b"see that the server runs, or allow more time" in told, told
    if command == "put":
        assert b"1 row was written before" in told, told


def test_refused_operations(cli, database):
    """Exit code 1, and the reason names the thing."""
    table = f"{database}.t"
    cli("table", "create", f"CREATE TABLE {table} (id INT)")
    for arguments, words in [
        (["table", "describe", f"{database}.none"], ["none does not exist"]),
        (["table", "drop", f"{database}.none"], ["none does not exist"]),
        (["table", "create", f"CREATE TABLE {table} (id INT)"], ["exists"]),
        (["table", "create", "CREATE TABLE t (id INTT)"], ["line 1, column 20", "'INTT'"]),
        (["table", "create", f"DROP TABLE {table}"], ["creates nothing"]),
        (["table", "create", ""], ["the DDL is empty"]),
        (["table", "create", "-f", "/nonexistent"], ["/nonexistent cannot be read"]),
        (["table", "create", "--database", "no_such_db", "CREATE TABLE t (id INT)"], ["no_such_db"]),
        (["database", "create", database], ["exists"]),
        (["database", "drop", database], ["1 table", "cascade"]),
        (["database", "drop", "no_such_db"], ["no_such_db does not exist"]),
        (["put", f"{database}.none", "--input-format", "csv"], ["none does not exist"]),
        (["put", table, "/nonexistent.csv"], ["/nonexistent.csv cannot be read"]),
        (["put", table, "--input-format", "csv", "--bucket", "7"], ["bucket 7", "the buckets 0 to 0"]),
        (["tail", table, "--columns", "idd"], ["no column 'idd'", "'id'"]),
        (["tail", table, "--bucket", "9"], ["bucket 9"]),
        (["offsets", f"{database}.none"], ["none does not exist"]),
        (["config", "--explain", "table.log.ttll"], ["'table.log.ttll' is unknown", "'table.log.ttl'"]),
    ]:
        told = cli(*arguments, code=REFUSED)
        for word in words:
            assert word in told, told


BAD_ROWS = [
    # format, text of the input, what is told
    ("csv", "id,flag\nx,true\n", ["line 2, column 'id': 'x' is no BIGINT", "whole number from -9223372036854775808"]),
    ("csv", "id,flag\n,true\n", ["line 2, column 'id': NULL where BIGINT NOT NULL is wanted"]),
    ("csv", "id,flag\n1,maybe\n", ["column 'flag': 'maybe' is no BOOLEAN (true or false)"]),
    ("csv", "id,tiny\n1,128\n", ["'128' is no TINYINT", "from -128 to 127"]),
    ("csv", "id,amount\n1,1.23456\n", ["is no DECIMAL(30, 4)", "26 digits before the point and 4 behind it"]),
    ("csv", "id,code\n1,abcd\n", ["is no CHAR(3)", "at most 3 characters"]),
    ("csv", "id,raw\n1,?\n", ["is no BYTES (base64 text)"]),
    ("csv", "id,fixed\n1,AAAA\n", ["is no BINARY(2) (base64 text of exactly 2 bytes)"]),
    ("csv", "id,day\n1,2023-02-29\n", ["is no DATE (a date as 2024-05-31)"]),
    ("csv", "id,at\n1,24:00\n", ["is no TIME(3)"]),
    ("csv", "id,local_time\n1,2024-01-01T00:00:00Z\n", ["is no TIMESTAMP(6)", "without a zone"]),
    ("csv", "id,instant\n1,2024-01-01T00:00:00.0000000001Z\n", ["is no TIMESTAMP_LTZ(9)", "at most 9 digits"]),
    ("csv", 'id,tags\n1,"[1]"\n', ["column 'tags'[0]: 1 is no STRING"]),
    ("csv", "id,flag\n1,true,2\n", ["line 2: it has 3 fields where 2 columns are named"]),
    ("csv", 'id,name\n1,"a\nb"\n2,"x"y\n', ["line 4: there is text between a closing double quote"]),
    ("csv", 'id,name\n1,"a\n', ["line 2: a double quote opens a field and nothing closes it"]),
    ("csv", "id,nmae\n", ["header line", "no column 'nmae', did you mean 'name'", "--ignore-unknown"]),
    ("csv", "id,id\n", ["column 'id' is there twice"]),
    ("csv", "name\nx\n", ["column 'id' is missing, which is NOT NULL"]),
    ("ndjson", "{}\n", ["line 1, column 'id': NULL where BIGINT NOT NULL is wanted"]),
    ("ndjson", '\n{"id": 1\n', ["line 2, the JSON ends in the middle"]),
    ("ndjson", "[1]\n", ["line 1: [1] is no JSON object"]),
    ("ndjson", '{"id": 1.5}\n', ["column 'id': 1.5 is no BIGINT"]),
    ("ndjson", '{"id": 9223372036854775808}\n', ["9223372036854775808 is no BIGINT"]),
    ("ndjson", '{"id": 1, "name": 5}\n', ["column 'name': 5 is no STRING"]),
    ("ndjson", '{"id": 1, "place": {"zip": "x"}}\n', ["column 'place'.zip: \"x\" is no INT"]),
    ("ndjson", '{"id": 1, "place": {"street": "x"}}\n', ["column 'place'", "a JSON object with the fields city, zip"]),
    ("ndjson", '{"id": 1, "counts": {"k": true}}\n', ["column 'counts'[k]: true is no INT"]),
    ("ndjson", '{"id": 1, "nope": 1}\n', ["line 1: the table has no column 'nope'", "its columns are id, flag"]),
    ("arrow", "not arrow at all, but long enough", ["standard input is no Arrow IPC"]),
]


def test_bad_rows(cli, database):
    """Each bad row is refused with its line, column, value and the rule of the type."""
    table = f"{database}.bad"
    cli("table", "create", EVERY_TYPE.format(table=table))
    for kind, text, words in BAD_ROWS:
        told = cli("put", table, "--input-format", kind, stdin=text, code=REFUSED)
        for word in words:
            assert word in told, (text, told)
    # The one good row in front of a bad one.
    assert in_order(tail(cli, table, "--columns", "id,name", "--format", "csv")) == ['1,"a', 'b"', "id,name"]


def test_bad_rows_are_left_out_and_counted(cli, database):
    """--on-error skip takes the good rows and counts the others; without it the rows before the first are there."""
    table = f"{database}.some"
    cli("table", "create", f"CREATE TABLE {table} (id INT NOT NULL, name STRING)")
    text = "id,name\n1,a\nx,b\n3,c\n4,d,e\n"
    told = cli("put", table, "--input-format", "csv", stdin=text, code=REFUSED)
    assert "line 3" in told and "--on-error skip" in told and "1 row was written before" in told, told
    answer = cli("put", table, "--input-format", "csv", "--on-error", "skip", "--format", "json", stdin=text)
    assert {k: json.loads(answer)[k] for k in ("rows", "skipped")} == {"rows": 2, "skipped": 2}

    batch = pa.record_batch({"id": pa.array([5, 1 << 40, 7, None, 9]), "name": pa.array(list("vwxyz"))})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    told = cli("put", table, "--input-format", "arrow", stdin=sink.getvalue(), code=REFUSED)
    assert "row 2: column 'id': int64 to INT" in told, told
    cli("put", table, "--input-format", "arrow", "--on-error", "skip", stdin=sink.getvalue())
    rows = [row["id"] for row in parse_ndjson(tail(cli, table, "--format", "ndjson").decode())]
    assert sorted(rows) == [1, 1, 3, 5, 5, 7, 9]


# --- databases and tables ---------------------------------------------------------------------------------------------


def test_databases(cli, database):
    """Create, alter, describe, list and drop, as text and as JSON."""
    name = f"{database}_more"
    assert cli("database", "create", name, "--comment", "for tests", "--property", "a=1") == (
        f"created database {name}\n".encode()
    )
    assert b"kept" in cli("database", "create", name, "--if-not-exists")
    cli("database", "alter", name, "--set", "b=2", "--reset", "a", "--comment", "changed")
    described = json.loads(cli("database", "describe", name, "--format", "json"))
    assert described["comment"] == "changed" and described["properties"] == {"b": "2"} and described["tables"] == []
    assert name in [d["database"] for d in json.loads(cli("database", "list", "--format", "json"))]
    cli("table", "create", "--database", name, "CREATE TABLE t (id INT)")
    assert json.loads(cli("database", "drop", name, "--cascade", "--format", "json"))["action"] == "dropped"
    assert b"there was no database" in cli("database", "drop", name, "--if-exists")


def test_tables(cli, database, tmp_path):
    """DDL from an argument, a file and stdin; describe gives DDL that makes the same table."""
    first = f"{database}.first"
    ddl = EVERY_TYPE.format(table=first) + " WITH ('bucket.num' = '3', 'table.log.ttl' = '2 d', 'owner' = 'me')"
    assert cli("table", "create", ddl) == f"created table {first}\n".encode()

    described = json.loads(cli("table", "describe", first, "--format", "json"))
    assert [c["name"] for c in described["columns"]][:3] == ["id", "flag", "tiny"]
    assert described["columns"][0] == {"name": "id", "type": "BIGINT", "nullable": False, "comment": "the row"}
    assert described["bucket_count"] == 3 and [b["bucket"] for b in described["buckets"]] == [0, 1, 2]
    assert described["properties"]["table.log.ttl"] == "2 d" and described["custom_properties"] == {"owner": "me"}
    text = cli("table", "describe", first).decode()
    assert "BIGINT NOT NULL" in text and "the row" in text and described["ddl"] in text

    copy = described["ddl"].replace("`first`", "`second`")
    file = tmp_path / "tables.sql"
    file.write_text(f"-- two\nUSE {database};\n{copy};\nCREATE TABLE IF NOT EXISTS first (x INT);")
    made = json.loads(cli("table", "create", "-f", file, "--format", "json"))
    assert [(m["action"], m["name"]) for m in made] == [("created", f"{database}.second"), ("kept", first)]
    second = json.loads(cli("table", "describe", f"{database}.second", "--format", "json"))
    for key in ("columns", "bucket_count", "properties", "custom_properties"):
        assert second[key] == described[key], key

    cli("table", "create", "--database", database, stdin="CREATE TABLE third LIKE first WITH ('bucket.num' = '1')")
    listed = {t["table"]: t for t in json.loads(cli("table", "list", database, "--format", "json"))}
    assert {name: t["buckets"] for name, t in listed.items()} == {"first": 3, "second": 3, "third": 1}
    told = cli("table", "create", f"CREATE TABLE {database}.fourth (id INT); CREATE TABLE {first} (id INT)", code=1)
    assert "statement of line 1" in told and "exists" in told

    assert cli("table", "drop", first) == f"dropped table {first}\n".encode()
    assert b"there was no table" in cli("table", "drop", first, "--if-exists")


# --- rows -------------------------------------------------------------------------------------------------------------


def test_every_format_gives_back_what_it_took(cli, database, tmp_path):
    """Rows of every type, through each output format into each input format, stay what they were."""
    table = f"{database}.t0"
    cli("table", "create", EVERY_TYPE.format(table=table))
    columns = [c["name"] for c in json.loads(cli("table", "describe", table, "--format", "json"))["columns"]]
    cli("put", table, "--input-format", "ndjson", stdin=ndjson(ROWS))

    lines = tail(cli, table, "--format", "ndjson").decode()
    assert f'"amount":{AMOUNT}' in lines
    assert parse_ndjson(lines) == [{column: row.get(column) for column in columns} for row in ROWS]

    with pa.ipc.open_stream(tail(cli, table, "--format", "arrow")) as reader:
        rows = reader.read_all()
    assert rows.column_names == columns and rows["name"].to_pylist() == [r.get("name") for r in ROWS]
    arrow_file = tmp_path / "rows.arrow"  # the file format, whereas tail gives the stream
    with pa.ipc.new_file(arrow_file, rows.schema) as writer:
        writer.write_table(rows)

    inputs = {
        "rows.csv": tail(cli, table, "--format", "csv"),
        "rows.ndjson": lines.encode(),
        "rows.arrows": tail(cli, table, "--format", "arrow"),
    }
    for name, content in inputs.items():
        (tmp_path / name).write_bytes(content)
    for i, name in enumerate([*inputs, "rows.arrow"], start=1):
        copy = f"{database}.t{i}"
        cli("table", "create", f"CREATE TABLE {copy} LIKE {table}")
        answer = json.loads(cli("put", copy, tmp_path / name, "--format", "json"))
        assert answer["rows"] == len(ROWS) and answer["skipped"] == 0
        assert tail(cli, copy, "--format", "ndjson").decode() == lines, name


def test_csv_input(cli, database):
    """Delimiter, NULL text, columns without a header, blank lines, CR LF, a byte order mark, unknown columns."""
    table = f"{database}.csv"
    cli("table", "create", f"CREATE TABLE {table} (id INT, name STRING, must STRING NOT NULL)")

    def put(text, *arguments):
        cli("put", table, "--input-format", "csv", *arguments, stdin=text)

    put("\ufeffid,must,name\r\n1,a,\r\n\r\n2,,\"\"\r\n")
    put("3|NA|NA\n4|'|\"NA\"", "--delimiter", "|", "--null", "NA", "--columns", "id,name,must", "--on-error", "skip")
    put("must\tother\tid\nx\ty\t5\n", "--delimiter", "\\t", "--ignore-unknown")
    assert in_order(tail(cli, table, "--format", "csv")) == sorted(
        ["id,name,must", "1,,a", '2,"",""', "4,',NA", "5,,x"]
    )


def test_batches_buckets_and_acks(cli, database):
    """--bucket sends all rows to one bucket, other tables and options spread them; offsets counts them."""
    plain, keyed = f"{database}.plain", f"{database}.keyed"
    cli("table", "create", f"CREATE TABLE {plain} (id INT) WITH ('bucket.num' = '3')")
    cli("table", "create", f"CREATE TABLE {keyed} (id INT) WITH ('bucket.num' = '3', 'bucket.key' = 'id')")
    rows = "id\n" + "".join(f"{i}\n" for i in range(1000))
    for acks in ("all", "leader"):
        cli("put", plain, "--input-format", "csv", "--bucket", "1", "--acks", acks, stdin=rows)
    cli("put", keyed, "--input-format", "csv", "--batch-bytes", "1kb", stdin=rows)
    told = cli("put", keyed, "--input-format", "csv", "--bucket", "1", stdin=rows, code=REFUSED)
    assert "bucket key id" in told

    offsets = json.loads(cli("offsets", plain, "--format", "json"))
    assert [(b["bucket"], b["earliest"], b["latest"], b["rows"]) for b in offsets] == [
        (0, 0, 0, 0),
        (1, 0, 2000, 2000),
        (2, 0, 0, 0),
    ]
    offsets = json.loads(cli("offsets", keyed, "--timestamp", "2000-01-01T00:00:00Z", "--format", "json"))
    assert sum(b["rows"] for b in offsets) == 1000 and min(b["rows"] for b in offsets) > 0
    assert [b["at_time"] for b in offsets] == [0, 0, 0]
    assert re.search(r"all +1000\n", cli("offsets", keyed).decode())


def test_tail_positions_projection_and_limits(cli, database):
    """--columns in any order, --with-position, --from offset, time and timestamp, --bucket, --limit."""
    table = f"{database}.tail"
    cli("table", "create", f"CREATE TABLE {table} (a INT, b STRING, c INT) WITH ('bucket.num' = '2')")
    begin_ms = int(time.time() * 1000)
    for bucket in (0, 1):
        text = "a,b,c\n" + "".join(f"{i},text {i},{bucket}\n" for i in range(5))
        cli("put", table, "--input-format", "csv", "--bucket", bucket, stdin=text)

    def rows(*arguments):
        return parse_ndjson(tail(cli, table, "--format", "ndjson", *arguments).decode())

    assert sorted(map(tuple, (r.items() for r in rows("--columns", "c,a")))) == sorted(
        (("c", c), ("a", a)) for c in (0, 1) for a in range(5)
    )
    positions = rows("--bucket", "1", "--with-position", "--columns", "b", "--from", "offset:3")
    assert [(r["_bucket"], r["_log_offset"], r["b"]) for r in positions] == [(1, 3, "text 3"), (1, 4, "text 4")]
    assert all(r["_commit_timestamp"].endswith("Z") for r in positions)
    assert len(rows("--limit", "3")) == 3
    assert len(rows("--limit", "0")) == 0
    assert len(rows("--from", f"timestamp:{begin_ms}")) == 10
    assert len(rows("--from", "2001-02-03T04:05:06Z")) == 10
    assert len(rows("--from", "latest")) == 0
    header, line, *cells = tail(cli, table, "--bucket", "0").decode().splitlines()
    assert header.split() == ["a", "b", "c"] and set(line) == {"-", " "} and len(cells) == 5
    assert tail(cli, table, "--from", "latest", "--format", "csv") == b"a,b,c\n"
    with pa.ipc.open_stream(tail(cli, table, "--from", "latest", "--format", "arrow")) as reader:
        assert reader.read_all().num_rows == 0


def test_tail_follows_and_ends_with_an_interrupt(cli, database, tail_process):
    """Rows come as they are put, each in its own time; Ctrl-C ends it with 0 and nothing on stderr."""
    table = f"{database}.follow"
    cli("table", "create", f"CREATE TABLE {table} (id INT)")
    follower = tail_process(table, "--from", "earliest", "--format", "csv")
    for i in range(3):
        cli("put", table, "--input-format", "csv", stdin=f"id\n{i}\n")
        if i == 0:
            assert follower.stdout.readline() == b"id\n"
        assert follower.stdout.readline() == f"{i}\n".encode()
    follower.send_signal(signal.SIGINT)
    out, err = follower.communicate(timeout=RUN_TIMEOUT_S)
    assert (follower.returncode, out, err) == (SUCCESS, b"", b"")


def test_tail_ends_when_nobody_reads(cli, database, tail_process):
    """A closed pipe is no error."""
    table = f"{database}.pipe"
    cli("table", "create", f"CREATE TABLE {table} (id INT)")
    follower = tail_process(table, "--from", "earliest", "--format", "ndjson")
    cli("put", table, "--input-format", "csv", stdin="id\n1\n")
    assert follower.stdout.readline() == b'{"id":1}\n'
    follower.stdout.close()
    cli("put", table, "--input-format", "csv", stdin="id\n2\n")
    assert follower.wait(RUN_TIMEOUT_S) == SUCCESS
    assert follower.stderr.read() == b""


def test_put_does_not_keep_back_rows_that_trickle_in(cli, database, server):
    """A row is in the table although the pipe it came through stays open; an interrupt ends the stream in order."""
    table = f"{database}.trickle"
    cli("table", "create", f"CREATE TABLE {table} (id INT)")
    put = subprocess.Popen(
        [str(BINARY), "put", table, "--input-format", "ndjson", "--server", server.address, "--format", "json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        put.stdin.write(b'{"id"')
        for i in range(3):
            put.stdin.write(b': %d}\n{"id"' % i)  # the end of a row, and the beginning of the next one
            put.stdin.flush()
            seen = cli("tail", table, "--from", "earliest", "--limit", i + 1, "--format", "csv")
            assert seen.decode().split() == ["id", *map(str, range(i + 1))]
        put.send_signal(signal.SIGINT)
        out, _ = put.communicate(timeout=RUN_TIMEOUT_S)
    finally:
        if put.poll() is None:
            put.kill()
    assert put.returncode == SUCCESS
    assert json.loads(out)["rows"] == 3


def test_many_rows(cli, database, tmp_path):
    """More rows than any buffer holds: the sum over the stream is that of the file."""
    table = f"{database}.many"
    count = 200_000
    file = tmp_path / "many.csv"
    with open(file, "w") as out:
        out.write("id,text\n")
        for i in range(count):
            out.write(f'{i},"row, {i}"\n')
    cli("table", "create", f"CREATE TABLE {table} (id BIGINT, text STRING) WITH ('bucket.num' = '4')")
    assert json.loads(cli("put", table, file, "--format", "json"))["rows"] == count
    with pa.ipc.open_stream(tail(cli, table, "--columns", "id", "--format", "arrow")) as reader:
        ids = reader.read_all()["id"].to_pylist()
    assert sorted(ids) == list(range(count))


# --- the rest ---------------------------------------------------------------------------------------------------------


def test_bench(cli):
    """It reads as many rows as it appended, and leaves no table behind."""
    before = cli("table", "list")
    for arguments in (
        ["--connections", "2", "--buckets", "3", "--codec", "lz4"],
        ["--acks", "none", "--codec", "none"],
    ):
        answer = json.loads(cli("bench", "--rows", "20000", "--format", "json", *arguments))
        assert answer["append"]["rows"] == answer["read"]["rows"] == 20000
        assert answer["append"]["latency_ms"]["p50"] <= answer["append"]["latency_ms"]["max"]
    assert "rows/s" in cli("bench", "--rows", "1000", "--row-bytes", "10").decode()
    assert cli("table", "list") == before


def test_config(cli):
    """Options are explained from the tables that the server reads; a running server tells its own."""
    explained = {o["key"]: o for o in json.loads(cli("config", "--explain", "--format", "json"))}
    documented = re.findall(r"^\| `([a-z0-9.\-]+)` \|", (ROOT / "docs/config.md").read_text(), re.M)
    assert set(documented) == set(explained)
    one = json.loads(cli("config", "--explain", "table.log.format", "--format", "json"))
    assert one == explained["table.log.format"] and one["default"] == "ARROW" and "INDEXED" in one["limits"]
    assert "1 gb" in cli("config", "--explain", "log.segment.file-size").decode()
    assert "data.dir" in [entry["key"] for entry in json.loads(cli("config", "--format", "json"))]


def test_help_and_version(cli):
    """The main help has the five examples; every command has its own."""
    text = cli("--help", address="127.0.0.1:1").decode()
    examples = [line for line in text.splitlines() if line.startswith("  lakestream ")]
    assert len(examples) == 5
    assert cli("version").decode().startswith(cli("--version").decode().strip())
    assert json.loads(cli("version", "--format", "json"))["version"] in cli("--version").decode()
    for command in re.findall(r"^  (\w+) +\w.*$", text.partition("Commands:\n")[2], re.M):
        assert f"Usage: lakestream {command}" in cli(command, "--help").decode()


def test_completion(cli):
    """The bash script completes commands, nested commands, options and choices; the others name every command."""
    script = cli("completion", "bash").decode()

    def complete(*words):
        line = " ".join(f"'{w}'" for w in ("lakestream", *words))
        program = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}; _lakestream; echo ${{COMPREPLY[*]}}"
        return subprocess.run(["bash", "-c", program], capture_output=True, check=True, text=True).stdout.split()

    assert complete("ta") == ["table", "tail"]
    assert complete("table", "d") == ["describe", "drop"]
    assert complete("table", "create", "--d") == ["--database"]
    assert complete("tail", "t", "--format", "") == ["table", "csv", "ndjson", "arrow"]
    for shell in ("zsh", "fish"):
        text = cli("completion", shell).decode()
        assert all(word in text for word in ("bench", "describe", "input-format", "ndjson"))
