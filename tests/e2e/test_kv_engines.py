"""Puts by the raw protocol under every merge engine and option, beside the model: changelog, state, counts, errors."""

import datetime as dt
import decimal

import pytest

from fluss_raw import column
from kv_checks import OVERWRITE, Driven, RandomPuts
from kv_model import Delete, Table, Upsert, read_rbm32
from raw_checks import UNKNOWN
from test_kv_model import RBM32_A, RBM32_B

D = decimal.Decimal
KEY = column("k", "INTEGER")
COLUMNS = [KEY, column("a", "STRING"), column("b", "BIGINT"), column("c", "BOOLEAN")]
VALUES = {"k": [0, 1, 2, 3, -1], "a": ["x", "", "grüße", None], "b": [0, 7, -(2**63), None], "c": [True, False, None]}
FORMATS = [
    ("compacted", "arrow"), ("compacted", "compacted"), ("indexed", "arrow"), ("indexed", "indexed"),
    ("indexed", "compacted"),
]  # fmt: skip


def drive(raw, database, table, values, seed=1, batches=60, **more):
    driven = Driven(raw, database, "t", table, **more)
    RandomPuts(driven, values, seed).run(batches)
    driven.check()
    return driven


@pytest.mark.parametrize("image", ["full", "wal"])
@pytest.mark.parametrize("delete", ["allow", "ignore", "disable"])
def test_the_last_row_wins(raw, database, image, delete):
    drive(raw, database, Table(COLUMNS, ["k"], delete=delete, image=image), VALUES)


@pytest.mark.parametrize("formats", FORMATS, ids="-".join)
def test_formats(raw, database, formats):
    """Any KV format with any log format, but for the pair that is refused."""
    kv_format, log_format = formats
    drive(raw, database, Table(COLUMNS, ["k"]), VALUES, seed=2, kv_format=kv_format, log_format=log_format)


@pytest.mark.parametrize("delete", ["ignore", "disable"])
@pytest.mark.parametrize("image", ["full", "wal"])
def test_first_row(raw, database, image, delete):
    table = Table(COLUMNS, ["k"], engine="first_row", image=image, delete=delete)
    driven = drive(raw, database, table, VALUES, seed=3)
    assert any(change.type == "+I" for change in driven.model.changes)


def stamp(*time):
    return dt.datetime(2024, 2, 29, *time)


STAMPS = [stamp(1), stamp(1, 0, 0, 1000), stamp(2), dt.datetime(1960, 1, 1), None]
VERSIONS = {
    "int": (column("v", "INTEGER"), [-5, 0, 1, 2, None]),
    "bigint": (column("v", "BIGINT"), [-(2**40), 0, 1, 2**40, None]),
    "timestamp": (column("v", "TIMESTAMP_WITHOUT_TIME_ZONE", precision=6), [*STAMPS, stamp(1, 0, 0, 1)]),
    "timestamp ltz": (column("v", "TIMESTAMP_WITH_LOCAL_TIME_ZONE", precision=3), STAMPS),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_versioned(raw, database, version):
    """A row of an older version changes nothing, one of the same version replaces."""
    version_column, versions = VERSIONS[version]
    table = Table([KEY, column("a", "STRING"), version_column], ["k"], engine="versioned", version_column="v")
    drive(raw, database, table, {"k": [1, 2], "a": ["x", "y", "z", None], "v": versions}, seed=4)


def test_versioned_without_old_images(raw, database):
    version_column, versions = VERSIONS["int"]
    table = Table([KEY, version_column], ["k"], engine="versioned", version_column="v", image="wal", delete="disable")
    drive(raw, database, table, {"k": [1, 2], "v": versions}, seed=5)


# function -> (column type, values)
NUMBERS = {
    "TINYINT": [1, 100, -128, 127, None],
    "SMALLINT": [1, 300, -32768, None],
    "INTEGER": [1, 2, 2**30, -(2**31), None],
    "BIGINT": [1, 3, 2**62, -(2**63), None],
    "FLOAT": [0.5, -1.25, 2.0**100, None],
    "DOUBLE": [0.1, -2.5, 1e200, None],
}
STRINGS = ["b", "a", "", "ä", None]


def function(number, name, type, parameters=None, **type_parameters):
    parameters = {"parameters": parameters} if parameters else {}
    return {**column(f"f{number}", type, **type_parameters), "agg_function": {"type": name, **parameters}}


def aggregation_columns():
    kinds = [(name, root, {}, values) for name in ("sum", "product", "max", "min") for root, values in NUMBERS.items()]
    decimals = [D("1.50"), D("-0.05"), D("99.99"), None]
    for name in ("sum", "product", "max", "min"):
        kinds.append((name, "DECIMAL", {"precision": 4, "scale": 2}, decimals))
        kinds.append((name, "DECIMAL", {"precision": 30, "scale": 2}, [*decimals, D("1E+20")]))
    for name in ("max", "min"):
        kinds.append((name, "STRING", {}, STRINGS))
        kinds.append((name, "CHAR", {"length": 3}, STRINGS))
        kinds.append((name, "DATE", {}, [dt.date(2024, 2, 29), dt.date(1960, 1, 1), None]))
        kinds.append(
            (name, "TIME_WITHOUT_TIME_ZONE", {"precision": 3}, [dt.time(1), dt.time(23, 59, 59, 999000), None])
        )
        kinds.append((name, "TIMESTAMP_WITHOUT_TIME_ZONE", {"precision": 6}, [*STAMPS, stamp(1, 0, 0, 1)]))
        kinds.append((name, "TIMESTAMP_WITH_LOCAL_TIME_ZONE", {"precision": 3}, STAMPS))
    for name in ("last_value", "last_value_ignore_nulls", "first_value", "first_value_ignore_nulls"):
        kinds.append((name, "STRING", {}, STRINGS))
        kinds.append((name, "BYTES", {}, [b"", b"\0\1", None]))
    for name in ("bool_and", "bool_or"):
        kinds.append((name, "BOOLEAN", {}, [True, False, None]))
    columns = [KEY]
    values = {"k": [1, 2]}
    for number, (name, root, parameters, choice) in enumerate(kinds):
        columns.append(function(number, name, root, **parameters))
        values[f"f{number}"] = choice
    columns.append(column("plain", "INTEGER"))
    values["plain"] = [1, 2, None]
    return columns, values


@pytest.mark.parametrize("delete", ["ignore", "allow", "disable"])
def test_aggregation(raw, database, delete):
    """Every function on every type that it takes, whole rows and partial ones."""
    columns, values = aggregation_columns()
    drive(raw, database, Table(columns, ["k"], engine="aggregation", delete=delete), values, seed=6, batches=40)


def test_aggregation_of_indexed_rows(raw, database):
    columns, values = aggregation_columns()
    table = Table(columns, ["k"], engine="aggregation")
    drive(raw, database, table, values, seed=7, batches=20, kv_format="indexed", log_format="indexed")


def test_aggregation_of_texts(raw, database):
    """Lists grow, so they get few rows; the names may be written with hyphens and in any case."""
    columns = [
        KEY, function(0, "listagg", "STRING"), function(1, "string_agg", "STRING", {"delimiter": "; "}),
        function(2, "LISTAGG", "STRING", {"delimiter": "|"}), function(3, "Last-Value", "STRING"),
    ]  # fmt: skip
    driven = Driven(raw, database, "t", Table(columns, ["k"], engine="aggregation"))
    driven.upsert((1, "a", None, "", "x"), (1, "b", "c", "", None), (1, None, "d", "ß", "y"))
    driven.check()
    assert driven.lookup((1,)) == [[1, "a,b", "c; d", "||ß", "y"]]


RBM64_A = (
    "0102000000000000000002000500000000000000010004000000000000000000000000000000000004000000000000000001010000000000"
    "000001000000fe0200000001020200000001000500010201000000701102000000000000000000000001000000"
)
RBM64_B = (
    "010300000000000000000200000000ff00000200010000000100040000000000000000000000000000000000040000000000010000000100"
    "00000000000004000000ffffffffffff020000000000000001000000fe0300000001020100000005000102010000000000010201000000ff"
    "ff03000000000000000000000002000000"
)
RBM64_OR = (
    "010400000000000000000200000000ff00000200010000000100000200020000000001000400000000000000000000000000000000000400"
    "0000000000000001010000000000000004000000000001000000020000000000000004000000ffffffffffff030000000000000001000000"
    "fe040000000102020000000100050001020100000070110102010000000000010201000000ffff04000000000000000000000003000000"
)


def test_aggregation_of_bitmaps(raw, database):
    """Bitmaps as RoaringBitmap 1.3.0 for Java writes them, the 64-bit ones in its own format, not the portable one."""
    columns = [KEY, function(0, "rbm32", "BYTES"), function(1, "rbm64", "BYTES")]
    driven = Driven(raw, database, "t", Table(columns, ["k"], engine="aggregation"))
    for a, b in ((RBM32_A, RBM64_A), (RBM32_B, RBM64_B)):
        driven.send([Upsert([1, bytes.fromhex(a), bytes.fromhex(b)])])
    ((_, small, large),) = driven.lookup((1,))
    assert read_rbm32(small) == {1, 5, 6, 7, 70000, 2**32 - 1}
    assert large.hex() == RBM64_OR
    answer = driven.send([Upsert([1, b"no bitmap", None])])
    assert answer["error_code"] == UNKNOWN and answer["error_message"]
    assert [small, large] == driven.lookup((1,))[0][1:]


def test_auto_increment(raw, database):
    """Ids are given to new keys only, and rise."""
    columns = [KEY, column("a", "STRING"), column("n", "BIGINT"), column("b", "STRING")]
    table = Table(columns, ["k"], auto_increment="n")
    drive(raw, database, table, {"k": [1, 2, 3, 4], "a": ["x", None], "b": ["y", None]}, seed=8)


def test_auto_increment_over_buckets(raw, database):
    """Each bucket reserves its own range, so ids of two buckets differ."""
    columns = [KEY, column("n", "INTEGER")]
    table = Table(columns, ["k"], auto_increment="n")
    driven = Driven(raw, database, "t", table, buckets=2, properties={"table.auto-increment.cache-size": "3"})
    for key in range(10):
        bucket = driven.keys.bucket([key, None], 2)
        assert "error_code" not in driven.send([Upsert([key, None])], bucket, target=[0])
    given = [[row[1] for row in driven.limit_scan(100, bucket)] for bucket in range(2)]
    assert all(given) and len({*given[0], *given[1]}) == 10
    assert min(given[0] + given[1]) == 1


@pytest.mark.parametrize("engine", ["first_row", "versioned", "aggregation"])
def test_overwriting_passes_the_engine(raw, database, engine):
    """In this mode rows replace each other and deletes delete, as undoing needs it."""
    columns = [KEY, function(0, "sum", "INTEGER") if engine == "aggregation" else column("f0", "INTEGER")]
    version = "f0" if engine == "versioned" else None
    driven = Driven(raw, database, "t", Table(columns, ["k"], engine=engine, version_column=version))
    driven.upsert((1, 10), (2, 5))
    driven.upsert((1, 3), overwrite=True)
    driven.upsert((1, 4))
    driven.delete((2,))
    driven.delete((2,), overwrite=True)
    driven.check()


def test_modes_that_do_not_exist(raw, database):
    driven = Driven(raw, database, "t", Table(COLUMNS[:2], ["k"]))
    for mode in (2, 3, -1):
        try:
            answer = driven.send([Upsert([1, "x"])], overwrite=mode)
            assert answer["error_code"] == UNKNOWN, answer
        except Exception as error:
            assert getattr(error, "code", None) == UNKNOWN, error
    driven.check()
    driven.upsert((1, "x"), overwrite=OVERWRITE)
    driven.check()


def test_refused_targets(raw, database):
    """A target must have the key, and every other column of the table must be nullable."""
    driven = Driven(raw, database, "t", Table(COLUMNS, ["k"]))
    for target in ([1], [1, 2, 3], [2]):
        driven.upsert((1, "x", 5, True), target=target)
    strict = [KEY, {**column("a", "STRING")}, column("b", "BIGINT", nullable=False)]
    other = Driven(raw, database, "strict", Table(strict, ["k"]))
    other.upsert((1, "x", 5), target=[0, 1])
    other.upsert((1, "x", 5), target=[0, 1, 2])
    other.upsert((1, "x", 5))
    for each in (driven, other):
        each.check()
    ids = Driven(raw, database, "ids", Table([KEY, column("n", "BIGINT")], ["k"], auto_increment="n"))
    for target in (None, [0, 1]):
        ids.upsert((1, None), target=target)
    ids.upsert((1, None), target=[0])
    ids.check()


def test_targets_that_do_not_exist(raw, database):
    driven = Driven(raw, database, "t", Table(COLUMNS, ["k"]))
    for target in ([0, 4], [0, -1], [0, 2**31 - 1]):
        answer = driven.send([Upsert([1, "x", 5, True])], target=target)
        assert answer["error_code"] in (UNKNOWN, 35), answer
    driven.check()


def test_columns_that_are_not_targeted(raw, database):
    """What a partial row carries beside its targets is not stored, also when the key is new."""
    driven = Driven(raw, database, "t", Table([KEY, column("a", "STRING"), column("b", "STRING")], ["k"]))
    driven.upsert((1, "x", "y"), target=[0, 1])
    assert driven.lookup((1,)) == [[1, "x", None]]
    driven.check()


def test_partial_aggregation(raw, database):
    """Two writers of different columns of one row do not touch each other's."""
    columns = [KEY, function(0, "sum", "BIGINT"), function(1, "max", "INTEGER")]
    driven = Driven(raw, database, "t", Table(columns, ["k"], engine="aggregation"))
    for i in range(4):
        driven.upsert((1, 10 + i, None), target=[0, 1])
        driven.upsert((1, None, 5 - i), target=[0, 2])
    assert driven.lookup((1,)) == [[1, 46, 5]]
    driven.check()


def test_a_partial_delete(raw, database):
    """It clears its columns; the row goes when the others are null."""
    driven = Driven(raw, database, "t", Table(COLUMNS, ["k"]))
    driven.upsert((1, "x", 5, True), (2, "x", None, None))
    driven.delete((1,), (2,), (3,), target=[0, 1])
    driven.delete((1,), target=[0, 2, 3])
    driven.check()
    assert driven.model.rows == {}


def test_composite_keys(raw, database):
    """Key columns that are not the first and not in order."""
    columns = [column("a", "STRING"), column("x", "INTEGER"), column("b", "BIGINT"), column("y", "STRING")]
    table = Table(columns, ["b", "a"])
    values = {"a": ["", "b", "bb"], "b": [1, -1, 300], "x": [1, None], "y": ["y", None]}
    drive(raw, database, table, values, seed=9)


def test_a_batch_sees_its_own_records(raw, database):
    """Records of one batch are applied in their order, each on top of the others."""
    driven = Driven(raw, database, "t", Table(COLUMNS[:2], ["k"]))
    driven.put(
        [Upsert([1, "a"]), Upsert([1, "b"]), Delete([1]), Upsert([1, "c"]), Delete([2]), Delete([1]), Delete([1])]
    )
    driven.check()
    assert [c.type for c in driven.model.changes] == ["+I", "-U", "+U", "-D", "+I", "-D"]
