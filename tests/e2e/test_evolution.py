"""Columns that are added and options that change while clients write and read: every batch keeps the schema that it was
written under, and readers see one schema."""

import json

import pyarrow as pa
import pytest
from fluss import TablePath

from command import REFUSED, WRONG_USAGE, cli  # noqa: F401
from fluss_raw import arrow_batch, column, connect, path
from kv_rows import Keys, decode_row, encode_row, kv_batch, parse_values
from raw_checks import ARROW, COLUMNS, INVALID_PROJECTION, SCHEMA_NOT_EXIST, TABLE_NOT_EXIST, UNKNOWN, batch, error_of
from test_java import EXTRA, run_checks
from test_pyfluss import append, scan
from test_pyfluss import connect as connect_python
from waiting import eventually

INVALID_CONFIG, INVALID_ALTER = 39, 56
SET, RESET, APPEND = 0, 1, 2
MORE = column("more", "BIGINT")
WIDE_COLUMNS = [*COLUMNS, MORE]
WIDE = pa.schema([*ARROW, ("more", pa.int64())])
NOT_COMPRESSED = {"table.log.arrow.compression.type": "NONE"}


def alter(raw, database, table="t", **changes):
    raw.call("ALTER_TABLE", table_path=path(database, table), ignore_if_not_exists=False, **changes)


def added(name, type="BIGINT", position=0, **more):
    data_type = {"type": type, **more.pop("data_type", {})}
    return {
        "column_name": name,
        "data_type_json": json.dumps(data_type).encode(),
        "column_position_type": position,
        **more,
    }


def add_column(raw, database, table="t", *columns):
    alter(raw, database, table, add_columns=list(columns) or [added("more")])


def config(key, value=None, op=SET):
    return {"config_key": key, "op_type": op, **({} if value is None else {"config_value": value})}


def info_of(raw, database, table="t"):
    info = raw.call("GET_TABLE_INFO", table_path=path(database, table))
    return info, json.loads(info["table_json"])


def wide_rows(begin, end):
    return [{"id": i, "name": f"row {i}", "more": i * 10} for i in range(begin, end)]


def wide_batch(begin, end, **header):
    return arrow_batch(wide_rows(begin, end), WIDE, schema_id=2, **header)


# --- the change itself ------------------------------------------------------------------------------------------------


def test_a_new_column_makes_a_new_schema(raw, database, table):
    before, _ = info_of(raw, database)
    point = {"fields": [{"name": "x", "field_type": {"type": "INTEGER"}, "field_id": 0}]}
    add_column(raw, database, "t", added("more", comment="new"), added("p", "ROW", data_type=point))
    add_column(raw, database, "t", added("last"))
    info, descriptor = info_of(raw, database)
    assert info["schema_id"] == 3 and info["table_id"] == table
    assert info["modified_time"] >= before["modified_time"] and info["created_time"] == before["created_time"]
    columns = descriptor["schema"]["columns"]
    assert [(c["name"], c["id"]) for c in columns[2:]] == [("more", 2), ("p", 3), ("last", 5)]
    assert columns[2]["comment"] == "new" and columns[3]["data_type"]["fields"][0]["field_id"] == 4
    assert descriptor["schema"]["highest_field_id"] == 5
    for schema_id, count in {1: 2, 2: 4, 3: 5}.items():
        answer = raw.call("GET_TABLE_SCHEMA", table_path=path(database, "t"), schema_id=schema_id)
        assert len(json.loads(answer["schema_json"])["columns"]) == count
    error = error_of(lambda: raw.call("GET_TABLE_SCHEMA", table_path=path(database, "t"), schema_id=4))
    assert error.code == SCHEMA_NOT_EXIST


@pytest.mark.parametrize(
    "code, changes",
    [
        (INVALID_ALTER, {"add_columns": [added("name")]}),
        (UNKNOWN, {"add_columns": [added("c", data_type={"nullable": False})]}),
        (UNKNOWN, {"add_columns": [added("c", position=1)]}),
        (INVALID_ALTER, {"drop_columns": [{"column_name": "none"}]}),
        (INVALID_ALTER, {"rename_columns": [{"old_column_name": "none", "new_column_name": "n"}]}),
        (INVALID_ALTER, {"rename_columns": [{"old_column_name": "name", "new_column_name": "id"}]}),
        (UNKNOWN, {"modify_columns": [{"column_name": "name"}]}),
        (INVALID_ALTER, {"modify_bucket_count": {"new_bucket_count": 7}}),
        (INVALID_ALTER, {"add_columns": [added("c")], "config_changes": [config("a", "b")]}),
        (INVALID_ALTER, {"config_changes": [config("table.log.format", "INDEXED")]}),
        (INVALID_ALTER, {"config_changes": [config("table.no-such-option", "1")]}),
        (INVALID_CONFIG, {"config_changes": [config("table.log.ttl", "often")]}),
        (UNKNOWN, {"config_changes": [config("a", "b", APPEND)]}),
    ],
)
def test_refused_changes(raw, database, table, code, changes):
    before = info_of(raw, database)
    assert error_of(lambda: alter(raw, database, **changes)).code == code
    assert info_of(raw, database) == before


def test_options_and_own_properties(raw, database, table):
    alter(raw, database, config_changes=[config("table.log.ttl", "3 d"), config("owner", "me"), config("no", op=RESET)])
    info, descriptor = info_of(raw, database)
    assert descriptor["properties"]["table.log.ttl"] == "3 d" and descriptor["custom_properties"] == {"owner": "me"}
    assert info["schema_id"] == 1
    alter(raw, database, config_changes=[config("table.log.ttl", op=RESET), config("owner", op=RESET)])
    _, descriptor = info_of(raw, database)
    assert "table.log.ttl" not in descriptor["properties"] and descriptor["custom_properties"] == {}
    alter(raw, database)
    assert error_of(lambda: alter(raw, database, "missing")).code == TABLE_NOT_EXIST
    raw.call("ALTER_TABLE", table_path=path(database, "missing"), ignore_if_not_exists=True)


def test_a_shorter_ttl_has_effect_at_once(new_server):
    """Old segments go at the next look at them; nothing has to be opened anew."""
    options = {
        "log.segment.file-size": "1 kb",
        "log.retention.check-interval": "100 ms",
    }
    server = new_server(options=options).start()
    with connect(server.address) as raw:
        table = raw.create_table("fluss", "t", COLUMNS, properties={**NOT_COMPRESSED, "table.log.ttl": "1 h"})
        for i in range(0, 100, 10):
            raw.produce(table, batch(i, i + 10).encode())
        assert raw.offset(table, 0)["offset"] == 0
        alter(raw, "fluss", config_changes=[config("table.log.ttl", "1 ms")])
        eventually(lambda: raw.offset(table, 0)["offset"] > 0, "segments go")


# --- logs -------------------------------------------------------------------------------------------------------------


def test_batches_of_both_schemas_side_by_side(raw, database, table):
    """They are stored as they were written; writers of the old schema go on."""
    raw.produce(table, batch(0, 3).encode())
    assert raw.produce(table, wide_batch(3, 5).encode())["error_code"] == UNKNOWN
    add_column(raw, database)
    assert raw.produce(table, wide_batch(3, 5).encode()) == {"bucket_id": 0, "base_offset": 3}
    assert raw.produce(table, batch(5, 6).encode()) == {"bucket_id": 0, "base_offset": 5}
    batches = raw.fetch_all(table)
    assert [b.schema_id for b in batches] == [1, 2, 1]
    assert [b.rows(s) for b, s in zip(batches, [ARROW, WIDE, ARROW])] == [
        [[i, f"row {i}"] for i in range(3)],
        [[i, f"row {i}", i * 10] for i in (3, 4)],
        [[5, "row 5"]],
    ]
    # A batch has the columns of its own schema and no other.
    mislabeled = arrow_batch(wide_rows(0, 1), WIDE, schema_id=1).encode()
    assert "error_code" in raw.produce(table, mislabeled)


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_a_projection_has_its_columns_whatever_the_schema(raw, database, compression):
    """What an older batch lacks comes as nulls, so that clients decode all batches alike."""
    table = raw.create_table(database, "t", COLUMNS)
    rows = [{"id": i, "name": f"row {i}"} for i in range(300)]
    raw.produce(table, arrow_batch(rows, ARROW, compression).encode())
    list_of = {"element_type": {"type": "STRING"}}
    add_column(raw, database, "t", added("more"), added("tags", "ARRAY", data_type=list_of), added("text", "STRING"))
    schema = pa.schema([*WIDE, ("tags", pa.list_(pa.utf8())), ("text", pa.utf8())])
    rows = [{**row, "tags": [row["name"]], "text": "x"} for row in wide_rows(300, 303)]
    raw.produce(table, arrow_batch(rows, schema, compression, schema_id=2).encode())
    for columns in [[0], [0, 2], [1, 2, 3, 4], [3], [2, 4]]:
        narrow = pa.schema([schema.field(i) for i in columns])
        old, new = raw.fetch_all(table, columns=columns)
        assert old.crc_is_right and new.crc_is_right and (old.schema_id, new.schema_id) == (1, 2)
        full = [[i, f"row {i}", None, None, None] for i in range(300)]
        assert old.rows(narrow) == [[row[i] for i in columns] for row in full]
        full = [[i, f"row {i}", i * 10, [f"row {i}"], "x"] for i in range(300, 303)]
        assert new.rows(narrow) == [[row[i] for i in columns] for row in full]
    assert raw.fetch(table, 0, columns=[0, 5])["error_code"] == INVALID_PROJECTION


def test_everything_is_there_after_a_kill(new_server):
    server = new_server().start()
    with connect(server.address) as raw:
        table = raw.create_table("fluss", "t", COLUMNS, properties=NOT_COMPRESSED)
        raw.produce(table, batch(0, 3).encode())
        add_column(raw, "fluss")
        raw.produce(table, wide_batch(3, 5).encode())
        alter(raw, "fluss", config_changes=[config("owner", "me")])
    server.kill()
    server.restart()
    with connect(server.address) as raw:
        raw.wait_for_leaders("fluss", "t")
        info, descriptor = info_of(raw, "fluss")
        assert info["schema_id"] == 2 and descriptor["custom_properties"] == {"owner": "me"}
        assert [b.schema_id for b in raw.fetch_all(table)] == [1, 2]
        assert raw.produce(table, wide_batch(5, 6).encode())["base_offset"] == 5


# --- primary-key tables -----------------------------------------------------------------------------------------------


class Keyed:
    """A table with a key whose writers use either schema."""

    def __init__(self, raw, database, **descriptor):
        self.raw = raw
        properties = {**NOT_COMPRESSED, **descriptor.pop("properties", {})}
        self.id = raw.create_table(database, "t", COLUMNS, primary_key=["id"], properties=properties)
        self.keys = Keys(COLUMNS, ["id"], properties={**properties, "table.kv.format-version": "2"})

    def put(self, *rows, schema=1, deletes=(), target=None):
        columns = WIDE_COLUMNS[: schema + 1]
        records = [(self.keys.key_of(row[0]), encode_row(columns, list(row))) for row in rows]
        records += [(self.keys.key_of(key), None) for key in deletes]
        answer = self.raw.put_kv(self.id, kv_batch(records, schema_id=schema), target=target)
        assert "error_code" not in answer, answer

    def decode(self, schema, data):
        row = list(decode_row(WIDE_COLUMNS[: schema + 1], data))
        return row + [None] * (3 - len(row))

    def limit_scan(self, limit):
        answer = self.raw.call("LIMIT_SCAN", table_id=self.id, bucket_id=0, limit=limit)
        return [self.decode(schema, data) for schema, data in parse_values(answer["records"])]

    def lookup(self, key):
        (value,) = self.raw.lookup(self.id, [self.keys.key_of(key)])
        schema = int.from_bytes(value[:2], "little")
        return schema, self.decode(schema, value[2:])

    def changes(self):
        """(schema id, change, row) of the whole log."""
        found = []
        for one in self.raw.fetch_all(self.id):
            schema = pa.schema([WIDE.field(i) for i in range(one.schema_id + 1)])
            kinds = one.records[: one.record_count]
            found += [(one.schema_id, kind, row) for kind, row in zip(kinds, one.rows(schema))]
        return found


INSERT, BEFORE, AFTER, DELETE = 1, 2, 3, 4


def test_a_limit_scan_after_a_new_column(raw, database):
    """Rows of both schemas in one answer; deleted keys are absent."""
    keyed = Keyed(raw, database)
    keyed.put(*((i, f"row {i}") for i in range(10)))
    add_column(raw, database)
    keyed.put(*((i, f"row {i}", i * 10) for i in range(10, 20)), schema=2)
    keyed.put(schema=2, deletes=[1, 2, 15])
    assert len(keyed.limit_scan(5)) == 5
    expected = [[i, f"row {i}", i * 10 if i >= 10 else None] for i in range(20) if i not in (1, 2, 15)]
    assert sorted(keyed.limit_scan(100)) == sorted(expected) and len(expected) == 17


def test_puts_of_both_schemas(raw, database):
    """The changelog has the latest schema from the change on, whoever writes."""
    keyed = Keyed(raw, database)
    keyed.put((1, "a"), (2, "b"))
    add_column(raw, database)
    keyed.put((1, "aa"))
    keyed.put((2, "bb", 20), schema=2)
    keyed.put((2, "cc"))
    keyed.put(deletes=[1])
    assert [schema for schema, _, _ in keyed.changes()] == [1, 1, 2, 2, 2, 2, 2, 2, 2]
    assert [(kind, row) for _, kind, row in keyed.changes()] == [
        (INSERT, [1, "a"]),
        (INSERT, [2, "b"]),
        (BEFORE, [1, "a", None]),
        (AFTER, [1, "aa", None]),
        (BEFORE, [2, "b", None]),
        (AFTER, [2, "bb", 20]),
        (BEFORE, [2, "bb", 20]),
        (AFTER, [2, "cc", None]),
        (DELETE, [1, "aa", None]),
    ]
    assert keyed.lookup(2)[1] == [2, "cc", None]


def test_partial_updates_across_schemas(raw, database):
    """A writer of the old schema leaves a column alone that it does not know."""
    keyed = Keyed(raw, database)
    keyed.put((1, "a"), (2, "b"))
    add_column(raw, database)
    keyed.put((1, None, 10), (2, None, 20), (3, None, 30), schema=2, target=[0, 2])
    keyed.put((1, "aa"), target=[0, 1])
    assert [keyed.lookup(key)[1] for key in (1, 2, 3)] == [[1, "aa", 10], [2, "b", 20], [3, None, 30]]


def test_a_restart_replays_both_schemas(new_server):
    server = new_server().start()
    with connect(server.address) as raw:
        keyed = Keyed(raw, "fluss")
        keyed.put((1, "a"), (2, "b"))
        add_column(raw, "fluss")
        keyed.put((2, "bb", 20), (3, "c", 30), schema=2)
        keyed.put((4, "d"))
    server.kill()
    server.restart()
    with connect(server.address) as raw:
        raw.wait_for_leaders("fluss", "t")
        keyed.raw = raw
        expected = [[1, "a", None], [2, "bb", 20], [3, "c", 30], [4, "d", None]]
        assert [keyed.lookup(key)[1] for key in (1, 2, 3, 4)] == expected
        assert sorted(keyed.limit_scan(10)) == expected


# --- official clients -------------------------------------------------------------------------------------------------


async def test_a_python_client_that_knows_the_old_schema(server, raw, database):
    """It was there before the column: it goes on writing, and reads what the others write."""
    table = raw.create_table(database, "t", COLUMNS)
    async with connect_python(server) as connection:
        old = await connection.get_table(TablePath(database, "t"))
        await append(old, [{"id": 0, "name": "row 0"}])
        add_column(raw, database)
        raw.produce(table, wide_batch(1, 3).encode())
        await append(old, [{"id": 3, "name": "row 3"}])
        assert [b.schema_id for b in raw.fetch_all(table)] == [1, 2, 1]


async def test_a_python_client_and_renamed_columns(server, raw, database):
    """Places and ids stay: it writes and reads by the names that it knows, old or new."""
    raw.create_table(database, "t", COLUMNS, buckets=1)
    async with connect_python(server) as connection:
        old = await connection.get_table(TablePath(database, "t"))
        await append(old, [{"id": 0, "name": "row 0"}])
        alter(raw, database, rename_columns=[{"old_column_name": "name", "new_column_name": "label"}])
        await append(old, [{"id": 1, "name": "row 1"}])
        async with connect_python(server) as later:
            new = await later.get_table(TablePath(database, "t"))
            await append(new, [{"id": 2, "label": "row 2"}])
            for table, name in ((old, "name"), (new, "label")):
                rows = [record.row for record in await scan(table, 3)]
                assert rows == [{"id": i, name: f"row {i}"} for i in range(3)]


@pytest.mark.parametrize("version", EXTRA)
def test_java_client(server, database, version, subtests):
    run_checks("EvolutionCheck", server, database, version, subtests)


# --- the command ------------------------------------------------------------------------------------------------------


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def test_the_command_alters_tables(cli, database):  # noqa: F811
    table = f"{database}.trips"
    cli("table", "create", f"CREATE TABLE {table} (id BIGINT, city STRING) WITH ('bucket.num' = '1')")
    cli("put", table, "--input-format", "ndjson", stdin='{"id": 1, "city": "Oslo"}')
    cli("table", "alter", table, "ADD COLUMN note STRING", "SET ('table.log.ttl' = '3 d', 'owner' = 'me')")
    cli("put", table, "--input-format", "ndjson", stdin='{"id": 2, "city": "Rome", "note": "x"}')
    shown = json.loads(cli("table", "describe", table, "--format", "json"))
    assert shown["schema_id"] == 2 and [c["name"] for c in shown["columns"]] == ["id", "city", "note"]
    assert shown["properties"]["table.log.ttl"] == "3 d" and shown["custom_properties"] == {"owner": "me"}
    cli("table", "alter", table, "RESET ('owner')")
    shown = json.loads(cli("table", "describe", table, "--format", "json"))
    assert shown["custom_properties"] == {}

    def tail(*arguments):
        return lines_of(cli("tail", table, "--no-follow", "--format", "ndjson", *arguments))

    assert [(r["id"], r["city"], r["note"]) for r in tail()] == [(1, "Oslo", None), (2, "Rome", "x")]
    assert [(r["id"], r["note"]) for r in tail("--columns", "id,note")] == [(1, None), (2, "x")]


def test_the_command_reads_keyed_tables_of_two_schemas(cli, database):  # noqa: F811
    table = f"{database}.riders"
    cli("table", "create", f"CREATE TABLE {table} (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)")
    cli("put", table, "--input-format", "csv", stdin="id,name\n1,Ada\n2,Bo\n")
    cli("table", "alter", table, "ADD (city STRING, age INT)")
    cli("put", table, "--input-format", "csv", stdin="id,name,city,age\n3,Cy,Rome,30\n")
    cli("put", table, "--columns", "id,city", "--input-format", "csv", stdin="2,Oslo\n")
    rows = sorted(lines_of(cli("scan", table, "--format", "ndjson")), key=lambda row: row["id"])
    assert [tuple(row.values()) for row in rows] == [
        (1, "Ada", None, None),
        (2, "Bo", "Oslo", None),
        (3, "Cy", "Rome", 30),
    ]
    (row,) = lines_of(cli("lookup", table, "id=1", "--format", "ndjson"))
    assert row == {"id": 1, "name": "Ada", "city": None, "age": None}


def test_the_command_renames_and_drops_columns(cli, database):  # noqa: F811
    """A dropped column is gone for the command, and its name is free; what is there stays readable."""
    for table, key in ((f"{database}.log", ""), (f"{database}.keyed", ", PRIMARY KEY (id) NOT ENFORCED")):
        cli("table", "create", f"CREATE TABLE {table} (id BIGINT, name STRING, age INT{key}) WITH ('bucket.num' = '1')")
        cli("put", table, "--input-format", "csv", stdin="id,name,age\n1,Ada,36\n2,Bo,7\n")
        cli("table", "alter", table, "RENAME COLUMN name TO label", "DROP COLUMN age", "ADD age STRING")
        cli("put", table, "--input-format", "csv", stdin="id,label,age\n3,Cy,old\n")
        cli("put", table, "--input-format", "ndjson", stdin='{"id": 4, "label": "Di"}')
        shown = json.loads(cli("table", "describe", table, "--format", "json"))
        assert [(c["name"], c["type"]) for c in shown["columns"]] == [
            ("id", "BIGINT"), ("label", "STRING"), ("age", "STRING"),
        ]  # fmt: skip
        assert "dropped" not in shown["ddl"] and "dropped" not in cli("table", "describe", table).decode()
        cli("table", "create", f"CREATE TABLE {table}_too LIKE {table}")
        assert "dropped" not in cli("table", "describe", f"{table}_too").decode()
        expected = [(1, "Ada", None), (2, "Bo", None), (3, "Cy", "old"), (4, "Di", None)]
        rows = lines_of(cli("tail", table, "--no-follow", "--format", "ndjson"))
        assert [(r["id"], r["label"], r["age"]) for r in rows] == expected
        assert not any("dropped" in name for r in rows for name in r)
        error = cli("put", table, "--input-format", "csv", stdin="id,name\n5,Ed\n", code=REFUSED)
        assert "no column 'name'" in error and "dropped" not in error
    rows = lines_of(cli("scan", f"{database}.keyed", "--format", "ndjson"))
    assert sorted((r["id"], r["label"], r["age"]) for r in rows) == expected
    (row,) = lines_of(cli("lookup", f"{database}.keyed", "id=2", "--format", "ndjson"))
    assert row == {"id": 2, "label": "Bo", "age": None}


def test_the_command_says_what_is_wrong(cli, database):  # noqa: F811
    table = f"{database}.trips"
    cli("table", "create", f"CREATE TABLE {table} (id BIGINT)")
    assert "column 6" in cli("table", "alter", table, "ADD (", code=REFUSED)
    assert "'id' is the only one" in cli("table", "alter", table, "DROP COLUMN id", code=REFUSED)
    assert "there are id" in cli("table", "alter", table, "RENAME COLUMN ix TO b", code=REFUSED)
    assert "'id' is there already" in cli("table", "alter", table, "ADD id INT", code=REFUSED)
    assert "1 of 2" in cli("table", "alter", table, "ADD a INT", "ADD a INT", code=REFUSED)
    cli("table", "alter", table, code=WRONG_USAGE)
    cli("table", "alter", f"{database}.missing", "ADD a INT", code=REFUSED)
    cli("table", "alter", f"{database}.missing", "ADD a INT", "--if-exists")
