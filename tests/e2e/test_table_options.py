"""Every option of tables (src/table/options.tsv): set at creation, altered and reset, or refused."""

import csv
import json

import pytest

import fluss_raw
from fluss_raw import column, path
from raw_checks import INVALID_TABLE, error_of
from server import ROOT, module_server
from test_evolution import INVALID_ALTER, RESET, alter, config

DAYS = {"table.auto-partition.enabled": "true", "table.auto-partition.time-unit": "DAY"}
LAKE = {"table.datalake.enabled": "true"}
KEYED, PARTITIONED, BY_TWO = ["id"], ["day"], ["day", "region"]
HISTORICAL = {"key": ["id", "day"], "partitions": PARTITIONED, **DAYS, **LAKE}

# A value that is not the default, and what the table has besides: primary key, partition keys, options.
CASES = {
    "table.replication.factor": ("1", {}),
    "table.log.format": ("INDEXED", {}),
    "table.log.arrow.compression.type": ("LZ4_FRAME", {}),
    "table.log.arrow.compression.zstd.level": ("5", {}),
    "table.log.ttl": ("3 d", {}),
    "table.log.local-ttl": ("1 h", {}),
    "table.log.tiered.local-segments": ("3", {}),
    "table.statistics.columns": ("id", {}),
    "table.kv.format": ("INDEXED", {"key": KEYED}),
    "table.kv.format-version": ("2", {"key": KEYED}),
    "table.kv.value-layout-version": ("1", {"key": KEYED}),
    "table.kv.standby-replica.enabled": ("false", {"key": KEYED}),
    "table.kv.ttl": ("1 h", {"key": KEYED}),
    "table.kv.ttl.time-column": ("at", {"key": KEYED, "table.kv.ttl": "1 h"}),
    "table.merge-engine": ("FIRST_ROW", {"key": KEYED}),
    "table.merge-engine.versioned.ver-column": ("version", {"key": KEYED, "table.merge-engine": "VERSIONED"}),
    "table.delete.behavior": ("IGNORE", {"key": KEYED}),
    "table.changelog.image": ("WAL", {"key": KEYED}),
    "table.auto-increment.cache-size": ("10", {"key": KEYED}),
    "table.auto-partition.enabled": ("true", {"partitions": PARTITIONED, "table.auto-partition.time-unit": "DAY"}),
    "table.auto-partition.key": ("day", {"partitions": BY_TWO, **DAYS}),
    "table.auto-partition.time-unit": ("HOUR", {"partitions": PARTITIONED, "table.auto-partition.enabled": "true"}),
    "table.auto-partition.time-format": ("yyyy-MM-dd", {"partitions": PARTITIONED, **DAYS}),
    "table.auto-partition.time-zone": ("Asia/Tokyo", {"partitions": PARTITIONED, **DAYS}),
    "table.auto-partition.num-precreate": ("1", {"partitions": PARTITIONED, **DAYS}),
    "table.auto-partition.num-retention": ("3", {"partitions": PARTITIONED, **DAYS}),
    "table.datalake.enabled": ("true", {}),
    "table.datalake.format": ("iceberg", {}),
    "table.datalake.database-name": ("other", {}),
    "table.datalake.table-name": ("other", {}),
    "table.datalake.freshness": ("1 min", LAKE),
    "table.datalake.auto-compaction": ("true", LAKE),
    "table.datalake.auto-expire-snapshot": ("true", LAKE),
    "table.datalake.historical-partition.enabled": ("true", HISTORICAL),
    "table.lakestream.iceberg.deletes": ("position", {"key": KEYED, "table.datalake.format": "iceberg"}),
}
REFUSED = ("table.kv.ttl", "table.kv.ttl.time-column", "table.datalake.historical-partition.enabled")
ALTERABLE = {
    row["key"]: row["alterable"] == "yes"
    for row in csv.DictReader(open(ROOT / "src/table/options.tsv", newline=""), delimiter="\t")
}


@pytest.fixture(scope="module")
def raw(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lakes")
    options = {
        "datalake.format": "paimon",
        "datalake.paimon.warehouse": folder / "paimon",
        "datalake.iceberg.type": "hadoop",
        "datalake.iceberg.warehouse": folder / "iceberg",
    }
    for server in module_server(request, tmp_path_factory, "options", options):
        with fluss_raw.connect(server.address) as connection:
            connection.create_database("db")
            yield connection


def create(raw, test, option, with_option=True):
    """A table with what the option needs, and with the option; its name."""
    value, more = CASES[option]
    properties = {name: text for name, text in more.items() if name.startswith("table.")}
    columns = [
        column("id", "INTEGER", nullable=False),
        column("day", "STRING", nullable=False),
        column("region", "STRING", nullable=False),
        column("version", "BIGINT"),
        column("at", "TIMESTAMP_WITHOUT_TIME_ZONE", precision=3),
    ]
    descriptor = fluss_raw.table_json(
        columns,
        primary_key=more.get("key"),
        partition_key=more.get("partitions"),
        properties=properties | ({option: value} if with_option else {}),
    )
    name = f"{test}_{option}".replace(".", "_").replace("-", "_")
    raw.call("CREATE_TABLE", table_path=path("db", name), table_json=descriptor, ignore_if_exists=False)
    return name


def value_of(raw, name, option):
    descriptor = json.loads(raw.call("GET_TABLE_INFO", table_path=path("db", name))["table_json"])
    return descriptor["properties"].get(option)


def test_no_option_is_forgotten():
    assert set(CASES) == set(ALTERABLE)


@pytest.mark.parametrize("option", CASES)
def test_created(raw, option):
    if option in REFUSED:
        assert error_of(lambda: create(raw, "created", option)).code == INVALID_TABLE
    else:
        name = create(raw, "created", option)
        assert value_of(raw, name, option) == CASES[option][0]


@pytest.mark.parametrize("option", [option for option in CASES if option not in REFUSED])
def test_altered(raw, option):
    change = [config(option, CASES[option][0])]
    if not ALTERABLE[option]:
        name = create(raw, "altered", option)
        assert error_of(lambda: alter(raw, "db", name, config_changes=change)).code == INVALID_ALTER
        return
    name = create(raw, "altered", option, with_option=False)
    alter(raw, "db", name, config_changes=change)
    assert value_of(raw, name, option) == CASES[option][0]
    alter(raw, "db", name, config_changes=[config(option, op=RESET)])
    assert value_of(raw, name, option) is None
