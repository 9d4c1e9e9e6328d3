"""Tables with a lake: made there first, tiered by workers that are fenced, kept here until they are there."""

import json
import time

import pytest

import fluss_raw
from fluss_raw import column, path, table_json
from raw_checks import ALL, COLUMNS, TABLE_NOT_EXIST, batch, error_of
from test_java import EXTRA, run_checks
from waiting import eventually

INVALID_CONFIG, INVALID_COORDINATOR, NO_SNAPSHOT, LAKE_EXISTS = 39, 23, 53, 54
FENCED, INVALID_ALTER, INVALID_TABLE, STORAGE = 50, 56, 15, 26
EARLIEST, LATEST = 0, 1
PLAIN = {"table.log.arrow.compression.type": "NONE"}
LAKE = {"table.datalake.enabled": "true", "table.datalake.freshness": "1 s", **PLAIN}


@pytest.fixture
def lake_server(new_server, tmp_path):
    def make(options=None, start=True):
        lake = {
            "datalake.format": "paimon", "datalake.paimon.metastore": "filesystem",
            "lakestream.tiering.enabled": "false",  # the tests are the worker
            "datalake.paimon.warehouse": tmp_path / "lake", "datalake.paimon.s3.secret-key": "hush",
            "remote.data.dir": tmp_path / "remote",
        }  # fmt: skip
        server = new_server(options={**lake, **(options or {})})
        return server.start() if start else server

    return make


class Worker:
    """One that tiers: it says what a worker says, but writes no rows."""

    def __init__(self, raw):
        self.raw = raw
        self.epoch = raw.call("LAKE_TIERING_HEARTBEAT")["coordinator_epoch"]

    def beat(self, **report):
        return self.raw.call("LAKE_TIERING_HEARTBEAT", **report)

    def ask(self):
        return self.beat(request_table=True).get("tiering_table")

    def wait(self):
        return eventually(self.ask, "a table that is due")

    def claim(self, task, **more):
        return {
            "table_id": task["table_id"], "coordinator_epoch": self.epoch, "tiering_epoch": task["tiering_epoch"],
            **more,
        }  # fmt: skip

    def finish(self, task):
        (answer,) = self.beat(finished_tables=[self.claim(task)])["finished_table_resp"]
        return answer.get("error", {}).get("error_code")

    def prepare(self, database, table, table_id, offsets, **flags):
        buckets = [{"bucket_id": b, "log_end_offset": o} for b, o in offsets.items()]
        request = {"table_id": table_id, "table_path": path(database, table), "bucket_offsets": buckets}
        answer = self.raw.call("PREPARE_LAKE_TABLE_SNAPSHOT", bucket_offsets=[request], **flags)
        return answer["prepare_lake_table_resp"][0]

    def commit(self, table_id, snapshot, document, readable=True, **more):
        metadata = {
            "table_id": table_id, "snapshot_id": snapshot, "tiered_bucket_offsets_file_path": document, **more,
        }  # fmt: skip
        if readable:
            metadata["readable_bucket_offsets_file_path"] = document
        answer = self.raw.call("COMMIT_LAKE_TABLE_SNAPSHOT", lake_table_snapshot_metadata=[metadata])
        return answer["table_resp"][0]

    def tier(self, database, table, table_id, snapshot, offsets, **more):
        document = self.prepare(database, table, table_id, offsets)["lake_table_offsets_path"]
        assert "error_code" not in self.commit(table_id, snapshot, document, **more)
        return document


def snapshot_of(raw, database, table, **which):
    answer = raw.call("GET_LAKE_SNAPSHOT", table_path=path(database, table), **which)
    return answer["snapshotId"], {b["bucket_id"]: b["log_offset"] for b in answer["bucket_snapshots"]}


def properties_of(raw, database, table):
    info = raw.call("GET_TABLE_INFO", table_path=path(database, table))
    return json.loads(info["table_json"])["properties"]


def alter(raw, database, table, **changes):
    return raw.call("ALTER_TABLE", table_path=path(database, table), ignore_if_not_exists=False, **changes)


def set_option(raw, table, key, value):
    alter(raw, "db", table, config_changes=[{"config_key": key, "config_value": value, "op_type": 0}])


def new_column(name):
    return {"column_name": name, "data_type_json": b'{"type":"STRING"}', "column_position_type": 0}


def create(raw, table, properties=LAKE, columns=COLUMNS, **more):
    return raw.create_table("db", table, columns, properties=properties, **more)


def try_create(raw, table, properties=LAKE, columns=COLUMNS, **more):
    description = table_json(columns, properties=properties, **more)
    return error_of(
        lambda: raw.call(
            "CREATE_TABLE", table_path=path("db", table), table_json=description, ignore_if_exists=False
        )
    )


@pytest.fixture
def raw_lake(lake_server):
    with fluss_raw.connect(lake_server().address) as raw:
        raw.create_database("db")
        yield raw


def test_created_in_the_lake_first(raw_lake, tmp_path):
    """The lake has the table, clients learn where; only tables with a lake say so, and nobody hears secrets."""
    create(raw_lake, "t")
    schema = json.loads((tmp_path / "lake/db.db/t/schema/schema-0").read_text())
    names = [f["name"] for f in schema["fields"]]
    assert names == ["id", "name", "__bucket", "__offset", "__timestamp"]
    properties = properties_of(raw_lake, "db", "t")
    assert properties["table.datalake.format"] == "paimon"
    assert properties["table.datalake.paimon.warehouse"] == str(tmp_path / "lake")
    assert not any("secret" in key for key in properties)
    create(raw_lake, "plain", PLAIN)
    properties = properties_of(raw_lake, "db", "plain")
    assert properties["table.datalake.format"] == "paimon"
    assert not any("paimon." in key for key in properties)
    assert not (tmp_path / "lake/db.db/plain").exists()


def test_another_name(raw_lake, tmp_path):
    """The table in the lake may have a name of its own, which stays."""
    create(raw_lake, "t", {**LAKE, "table.datalake.database-name": "x", "table.datalake.table-name": "y"})
    assert (tmp_path / "lake/x.db/y/schema/schema-0").exists()
    other = error_of(lambda: set_option(raw_lake, "t", "table.datalake.table-name", "z"))
    assert other.code == INVALID_ALTER


def test_plain_layout(lake_server, tmp_path):
    """Without system columns, when the server is told so."""
    with fluss_raw.connect(lake_server({"lakestream.paimon.layout": "plain"}).address) as raw:
        raw.create_database("db")
        create(raw, "t")
    schema = json.loads((tmp_path / "lake/db.db/t/schema/schema-0").read_text())
    assert [f["name"] for f in schema["fields"]] == ["id", "name"]


def test_refused(raw_lake, raw, database, tmp_path):
    """No lake, another format, a lake table that does not fit: each with its code, and nothing half made."""
    error = try_create(raw_lake, "t", {"table.datalake.format": "iceberg"})
    assert error.code == INVALID_CONFIG and "paimon" in error.message and "datalake.iceberg.*" in error.message
    assert try_create(raw_lake, "t", {"table.datalake.paimon.x": "1"}).code == INVALID_CONFIG
    create(raw_lake, "t")
    raw_lake.call("DROP_TABLE", table_path=path("db", "t"), ignore_if_not_exists=False)
    other = [column("id", "INTEGER"), column("other", "INTEGER")]
    error = try_create(raw_lake, "t", columns=other)
    assert error.code == LAKE_EXISTS, error
    assert error_of(lambda: properties_of(raw_lake, "db", "t")).code == TABLE_NOT_EXIST
    # The same again finds the empty table that it made.
    create(raw_lake, "t")
    missing = table_json(COLUMNS, properties=LAKE)
    error = error_of(
        lambda: raw.call(
            "CREATE_TABLE", table_path=path(database, "t"), table_json=missing, ignore_if_exists=False
        )
    )
    assert error.code == INVALID_TABLE and "datalake.format" in error.message


def test_lake_away(raw_lake, tmp_path):
    """When the lake can not be written nothing is made; when it is back the same request succeeds."""
    (tmp_path / "lake").write_text("no folder")
    error = try_create(raw_lake, "t")
    assert error.code == STORAGE, error
    assert raw_lake.call("LIST_TABLES", database_name="db")["table_name"] == []
    (tmp_path / "lake").unlink()
    create(raw_lake, "t")


@pytest.mark.parametrize(
    "options, words",
    [
        ({"datalake.enabled": "true"}, "datalake.format"),
        ({"datalake.format": "paimon"}, "warehouse"),
        ({"datalake.format": "delta"}, "delta"),
        ({"datalake.format": "paimon", "datalake.paimon.warehouse": "ftp://h/w"}, "ftp"),
        ({"datalake.format": "paimon", "datalake.paimon.warehouse": "/w", "datalake.iceberg.type": "x"}, "'x'"),
    ],
)
def test_start_refused(new_server, options, words):
    """A server that can not have the lake that it is told to have does not start, and says why."""
    server = new_server(options=options)
    server.launch()
    assert server.wait(10) != 0
    assert words in server.log_tail(), server.log_tail()


def test_format_alone(lake_server):
    """With datalake.enabled=false tables get the format, and no lake."""
    with fluss_raw.connect(lake_server({"datalake.enabled": "false"}).address) as raw:
        raw.create_database("db")
        create(raw, "t", PLAIN)
        assert properties_of(raw, "db", "t")["table.datalake.format"] == "paimon"
        assert try_create(raw, "u").code == INVALID_TABLE


def test_altered(raw_lake, tmp_path):
    """The lake is switched on and off, columns come to it first, and none is renamed or dropped."""
    create(raw_lake, "t", PLAIN)
    schemas = tmp_path / "lake/db.db/t/schema"
    assert not schemas.exists()
    set_option(raw_lake, "t", "table.datalake.enabled", "true")
    assert (schemas / "schema-0").exists()
    alter(raw_lake, "db", "t", add_columns=[new_column("more")])
    latest = max(schemas.glob("schema-*"), key=lambda p: int(p.name.split("-")[1]))
    names = [f["name"] for f in json.loads(latest.read_text())["fields"]]
    assert names[:3] == ["id", "name", "more"]
    rename = [{"old_column_name": "more", "new_column_name": "less"}]
    assert error_of(lambda: alter(raw_lake, "db", "t", rename_columns=rename)).code == INVALID_ALTER
    drop = [{"column_name": "more"}]
    assert error_of(lambda: alter(raw_lake, "db", "t", drop_columns=drop)).code == INVALID_ALTER
    set_option(raw_lake, "t", "paimon.snapshot.num-retained.max", "50")
    latest = max(schemas.glob("schema-*"), key=lambda p: int(p.name.split("-")[1]))
    assert json.loads(latest.read_text())["options"]["snapshot.num-retained.max"] == "50"
    set_option(raw_lake, "t", "table.datalake.enabled", "false")
    assert not any("paimon." in key for key in properties_of(raw_lake, "db", "t"))
    set_option(raw_lake, "t", "table.datalake.enabled", "true")
    set_option(raw_lake, "t", "table.datalake.freshness", "10 min")
    assert error_of(lambda: set_option(raw_lake, "t", "paimon.bucket", "5")).code == INVALID_ALTER


def test_rounds(raw_lake, tmp_path):
    """A table comes when it is due, one round after the other; snapshots are found by what readers ask for."""
    table_id = create(raw_lake, "t", buckets=2)
    assert error_of(lambda: snapshot_of(raw_lake, "db", "t")).code == NO_SNAPSHOT
    worker = Worker(raw_lake)
    task = worker.wait()
    assert task == {"table_id": table_id, "table_path": path("db", "t"), "tiering_epoch": 1}
    assert worker.ask() is None
    document = worker.tier("db", "t", table_id, 1, {0: 10})
    folder = f"{tmp_path}/remote/lake/db/t-{table_id}/metadata"
    assert document.removeprefix("file://").startswith(folder) and document.endswith(".offsets")
    with open(document.removeprefix("file://")) as file:
        assert json.load(file) == {"version": 1, "table_id": table_id, "bucket_offsets": [10]}
    assert worker.finish(task) is None
    worker.tier("db", "t", table_id, 2, {1: 5}, readable=False, earliest_snapshot_id_to_keep=-1)
    assert snapshot_of(raw_lake, "db", "t") == (2, {0: 10, 1: 5})
    assert snapshot_of(raw_lake, "db", "t", readable=True) == (1, {0: 10})
    assert snapshot_of(raw_lake, "db", "t", snapshot_id=1) == (1, {0: 10})
    both = error_of(lambda: snapshot_of(raw_lake, "db", "t", snapshot_id=1, readable=True))
    assert both.code == -1
    assert error_of(lambda: snapshot_of(raw_lake, "db", "t", snapshot_id=3)).code == NO_SNAPSHOT
    worker.tier("db", "t", table_id, 3, {1: 7})
    assert snapshot_of(raw_lake, "db", "t", readable=True) == (3, {0: 10, 1: 7})
    assert error_of(lambda: snapshot_of(raw_lake, "db", "t", snapshot_id=1)).code == NO_SNAPSHOT
    assert worker.wait()["tiering_epoch"] == 2


def test_two_workers(raw_lake):
    """A table is one worker's; who lost it, is of another coordinator or knows no table is told so."""
    table_id = create(raw_lake, "t")
    first, second = Worker(raw_lake), Worker(raw_lake)
    task = first.wait()
    assert second.ask() is None
    (failed,) = first.beat(failed_tables=[first.claim(task)])["failed_table_resp"]
    assert "error" not in failed
    taken = second.wait()
    assert taken["tiering_epoch"] == 2
    assert first.finish(task) == FENCED
    (renewed,) = first.beat(tiering_tables=[first.claim(task)])["tiering_table_resp"]
    assert renewed["error"]["error_code"] == FENCED
    second.epoch += 1
    assert second.finish(taken) == INVALID_COORDINATOR
    second.epoch -= 1
    behind = first.prepare("db", "t", table_id, {0: 5})["lake_table_offsets_path"]
    second.tier("db", "t", table_id, 1, {0: 9})
    assert first.commit(table_id, 2, behind)["error_code"] == FENCED
    assert snapshot_of(raw_lake, "db", "t") == (1, {0: 9})
    forced = second.beat(finished_tables=[second.claim(taken)], force_finished_tables=[table_id], request_table=True)
    assert forced["tiering_table"]["tiering_epoch"] == 3
    assert second.finish({"table_id": 999, "tiering_epoch": 1}) == TABLE_NOT_EXIST


def test_dropped_in_the_middle(raw_lake, tmp_path):
    """A round of a table that was dropped and made anew comes to nothing; the lake keeps its table."""
    table_id = create(raw_lake, "t")
    worker = Worker(raw_lake)
    task = worker.wait()
    document = worker.tier("db", "t", table_id, 1, {0: 3}).removeprefix("file://")
    raw_lake.call("DROP_TABLE", table_path=path("db", "t"), ignore_if_not_exists=False)
    new_id = create(raw_lake, "t")
    assert new_id != table_id
    assert worker.finish(task) == TABLE_NOT_EXIST
    assert worker.prepare("db", "t", table_id, {0: 4})["error_code"] == TABLE_NOT_EXIST
    assert worker.commit(table_id, 2, document)["error_code"] == TABLE_NOT_EXIST
    assert worker.commit(new_id, 2, document)["error_code"] == NO_SNAPSHOT
    assert error_of(lambda: snapshot_of(raw_lake, "db", "t")).code == NO_SNAPSHOT
    folder = tmp_path / f"remote/lake/db/t-{table_id}"
    eventually(lambda: not any(folder.rglob("*.offsets")), "documents that go")
    assert (tmp_path / "lake/db.db/t/schema/schema-0").exists()


def test_restart(lake_server):
    """What was made known stays known; rounds of before are not, and the next one goes on from it."""
    server = lake_server()
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        table_id = create(raw, "t", buckets=2)
        worker = Worker(raw)
        task = worker.wait()
        worker.tier("db", "t", table_id, 7, {0: 3})
    server.stop()
    with fluss_raw.connect(server.start().address) as raw:
        assert worker.epoch == 0
        worker.raw = raw
        assert worker.finish(task) == INVALID_COORDINATOR
        assert snapshot_of(raw, "db", "t", readable=True) == (7, {0: 3})
        worker = Worker(raw)
        assert worker.wait()["tiering_epoch"] == 1
        worker.tier("db", "t", table_id, 8, {1: 4})
        assert snapshot_of(raw, "db", "t") == (8, {0: 3, 1: 4})


def test_offsets_without_documents(raw_lake):
    """Clients of before documents are served, too."""
    table_id = create(raw_lake, "t", buckets=2)
    for snapshot, buckets in ((4, {0: 2}), (5, {1: 3})):
        infos = [
            {
                "table_id": table_id, "snapshot_id": snapshot,
                "buckets_req": [{"bucket_id": b, "log_end_offset": o} for b, o in buckets.items()],
            }
        ]  # fmt: skip
        (answer,) = raw_lake.call("COMMIT_LAKE_TABLE_SNAPSHOT", tables_req=infos)["table_resp"]
        assert "error_code" not in answer
    assert snapshot_of(raw_lake, "db", "t", readable=True) == (5, {0: 2, 1: 3})


RETENTION = {"log.segment.file-size": "3kb", "log.retention.check-interval": "100ms"}
COPIED = {"remote.log.task-interval-duration": "100ms"}
LOCAL = {"remote.log.task-interval-duration": "0 ms"}


@pytest.mark.parametrize("where", [COPIED, LOCAL], ids=["remote", "local"])
def test_rows_wait_for_the_lake(lake_server, where):
    """Rows past their time stay until a lake snapshot that readers find has them, also over a restart."""
    server = lake_server({**RETENTION, **where})
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        table_id = create(raw, "t", {**LAKE, "table.log.ttl": "1 s"})
        other_id = create(raw, "other", {**PLAIN, "table.log.ttl": "1 s"})
        for begin in range(0, 200, 2):
            for table in (table_id, other_id):
                raw.produce(table, batch(begin, begin + 2).encode(), acks=ALL)
        eventually(lambda: raw.offset(other_id, EARLIEST)["offset"] > 100, "rows that go")
        assert raw.offset(table_id, EARLIEST)["offset"] == 0
    server.stop()
    with fluss_raw.connect(server.start().address) as raw:
        worker = Worker(raw)
        worker.tier("db", "t", table_id, 1, {0: 90}, readable=False, earliest_snapshot_id_to_keep=-1)
        time.sleep(1.5)
        assert raw.offset(table_id, EARLIEST)["offset"] == 0
        worker.tier("db", "t", table_id, 2, {0: 100})
    server.stop()
    with fluss_raw.connect(server.start().address) as raw:
        eventually(lambda: raw.offset(table_id, EARLIEST)["offset"] > 50, "rows that go")
        time.sleep(1)
        assert raw.offset(table_id, EARLIEST)["offset"] <= 100
        Worker(raw).tier("db", "t", table_id, 3, {0: 150})
        eventually(lambda: raw.offset(table_id, EARLIEST)["offset"] > 100, "rows that go")
        assert raw.offset(table_id, EARLIEST)["offset"] <= 150
        set_option(raw, "t", "table.datalake.enabled", "false")
        eventually(lambda: raw.offset(table_id, EARLIEST)["offset"] > 150, "rows that need not wait")


@pytest.mark.parametrize("version", EXTRA)
def test_java(lake_server, tmp_path, version, subtests):
    """The official Java clients find snapshots, options of each format and errors."""
    server = lake_server({"datalake.iceberg.warehouse": tmp_path / "iceberg"})
    with fluss_raw.connect(server.address) as raw:
        raw.create_database("db")
        table_id = create(raw, "t", buckets=2)
        worker = Worker(raw)
        worker.tier("db", "t", table_id, 11, {0: 3, 1: 4})
        worker.tier("db", "t", table_id, 12, {0: 5}, readable=False, earliest_snapshot_id_to_keep=-1)
        run_checks("LakeCheck", server, "db", version, subtests)
