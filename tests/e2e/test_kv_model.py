"""The model that other tests trust, against golden vectors made by the official Java client, and by hand."""

import decimal
import json

import pytest

import kv_model
import kv_rows
from fluss_raw import column
from kv_model import Bucket, Delete, Refused, Table, Upsert, aggregate
from server import ROOT

VECTORS = json.loads((ROOT / "tests/golden/vectors/index.json").read_text())["vectors"]
NESTED = ("ARRAY", "MAP", "ROW")


def scalar(vector):
    return not any(c["data_type"]["type"] in NESTED for c in vector["schema"]["columns"])


def of_kind(kind, **fields):
    return [v for v in VECTORS if v["kind"] == kind and scalar(v) and all(v.get(k) == x for k, x in fields.items())]


def plain_row(columns, row):
    """The vector's row with bytes for hex and floats for their names."""
    values = []
    for type, value in zip(kv_rows.types_of(columns), row):
        root = type["type"]
        if value is not None and root in ("BINARY", "BYTES"):
            value = bytes.fromhex(value)
        if value is not None and root in ("FLOAT", "DOUBLE"):
            value = float(value)
        values.append(value)
    return values


@pytest.mark.parametrize("format", ["compacted", "indexed"])
def test_rows(format):
    vectors = of_kind("row", format=format)
    assert vectors
    for v in vectors:
        columns = v["schema"]["columns"]
        row = plain_row(columns, v["row"])
        assert kv_rows.encode_row(columns, row, format).hex() == v["hex"], v["id"]
        again = kv_rows.decode_row(columns, bytes.fromhex(v["hex"]), format)
        if "decoded_row" not in v:
            assert kv_rows.encode_row(columns, again, format).hex() == v["hex"], v["id"]


def test_keys_and_buckets():
    vectors = [v for v in of_kind("key") if v["encoder"] != "hudi"]
    assert len(vectors) > 50
    encoders = {"compacted": kv_rows.compacted_key, "paimon": kv_rows.paimon_key, "iceberg": kv_rows.iceberg_key}
    buckets = {"fluss": kv_rows.fluss_bucket, "paimon": kv_rows.paimon_bucket, "iceberg": kv_rows.iceberg_bucket}
    for v in vectors:
        columns = v["schema"]["columns"]
        row = dict(zip([c["name"] for c in columns], plain_row(columns, v["row"])))
        types = {c["name"]: c["data_type"] for c in columns}
        key = encoders[v["encoder"]]([types[n] for n in v["key_columns"]], [row[n] for n in v["key_columns"]])
        assert key.hex() == v["hex"], v["id"]
        for count, bucket in v.get("buckets", {}).items():
            assert buckets[v["bucketing"]](key, int(count)) == bucket, v["id"]


def test_keys_of_tables():
    vectors = [v for v in of_kind("table_key") if v["properties"].get("table.datalake.format") != "hudi"]
    assert vectors
    for v in vectors:
        columns = v["schema"]["columns"]
        keys = kv_rows.Keys(
            columns, v["schema"]["primary_key"], v["bucket_keys"], v.get("partition_keys", ()), v["properties"]
        )
        row = plain_row(columns, v["row"])
        assert keys.key(row).hex() == v["primary_key_hex"], v["id"]
        assert keys.bucket_key(row).hex() == v["bucket_key_hex"], v["id"]
        for count, bucket in v["buckets"].items():
            assert keys.bucket(row, int(count)) == bucket, v["id"]


def test_batches():
    for v in of_kind("kv_batch"):
        columns = v["schema"]["columns"]
        header = v["header"]
        records = [
            (
                bytes.fromhex(r["key_hex"]),
                None if r["row"] is None else kv_rows.encode_row(columns, plain_row(columns, r["row"]), v["format"]),
            )
            for r in v["records"]
        ]
        data = kv_rows.kv_batch(records, header["schema_id"], header["writer_id"], header["batch_sequence"])
        assert data.hex() == v["hex"], v["id"]
    for v in of_kind("value_batch"):
        if v.get("layout_version", 1) == 1:
            columns = v["schema"]["columns"]
            values = kv_rows.parse_values(bytes.fromhex(v["hex"]))
            rows = [kv_rows.encode_row(columns, plain_row(columns, r["row"]), v["format"]) for r in v["records"]]
            assert values == [(r["schema_id"], row) for r, row in zip(v["records"], rows)]


# --- the model of a bucket --------------------------------------------------------------------------------------------

K, A, B = column("k", "INTEGER"), column("a", "STRING"), column("b", "STRING")


def log_of(bucket):
    return [(c.offset, c.type, *c.row) for c in bucket.changes]


def test_a_plain_bucket():
    bucket = Bucket(Table([K, A], ["k"]))
    assert bucket.put([Upsert([1, "a"])]) == 1
    assert bucket.put([Upsert([1, "a"]), Upsert([2, "b"])]) == 4
    assert bucket.put([Delete([3])]) == 5
    assert bucket.put([Delete([1]), Upsert([1, "c"])]) == 7
    assert log_of(bucket) == [
        (0, "+I", 1, "a"), (1, "-U", 1, "a"), (2, "+U", 1, "a"), (3, "+I", 2, "b"),
        (5, "-D", 1, "a"), (6, "+I", 1, "c"),
    ]  # fmt: skip
    assert bucket.rows == {(1,): (1, "c"), (2,): (2, "b")}


def test_images_without_old_rows():
    bucket = Bucket(Table([K, A, B], ["k"], image="wal"))
    bucket.put([Upsert([1, "a", None]), Upsert([1, "b", "x"])])
    bucket.put([Upsert([1, "c", None]), Upsert([2, "d", None])], target=[0, 1])
    bucket.put([Delete([1])])
    assert log_of(bucket) == [
        (0, "+U", 1, "a", None), (1, "+U", 1, "b", "x"), (2, "+U", 1, "c", "x"), (3, "+I", 2, "d", None),
        (4, "-D", 1, "c", "x"),
    ]  # fmt: skip


def test_partial_writes():
    bucket = Bucket(Table([K, A, B], ["k"]))
    bucket.put([Upsert([1, "x", "not a target"])], target=[0, 1])
    bucket.put([Upsert([1, None, None])], target=[0])
    bucket.put([Upsert([1, None, "y"])], target=[0, 2])
    bucket.put([Delete([1])], target=[0, 1])
    bucket.put([Delete([1])], target=[0, 2])
    assert log_of(bucket) == [
        (0, "+I", 1, "x", None), (2, "-U", 1, "x", None), (3, "+U", 1, "x", "y"),
        (4, "-U", 1, "x", "y"), (5, "+U", 1, None, "y"), (6, "-D", 1, None, "y"),
    ]  # fmt: skip
    for target in ([1], [1, 2]):
        with pytest.raises(Refused) as refused:
            bucket.put([Upsert([1, None, None])], target=target)
        assert refused.value.code == 35


def test_a_refused_batch_changes_nothing():
    bucket = Bucket(Table([K, A], ["k"], delete="disable"))
    with pytest.raises(Refused):
        bucket.put([Upsert([1, "a"]), Delete([1])])
    assert (bucket.rows, bucket.changes, bucket.end) == ({}, [], 0)


def test_merge_engines():
    first = Bucket(Table([K, A], ["k"], engine="first_row"))
    assert first.put([Upsert([1, "a"]), Upsert([1, "b"])]) == 1
    assert first.put([Upsert([1, "c"]), Delete([1])]) == 2
    assert log_of(first) == [(0, "+I", 1, "a")]
    versioned = Bucket(Table([K, column("v", "BIGINT")], ["k"], engine="versioned", version_column="v"))
    versioned.put([Upsert([1, None]), Upsert([1, 5]), Upsert([1, 4]), Upsert([1, 5]), Upsert([1, None])])
    assert log_of(versioned) == [
        (0, "+I", 1, None),
        (1, "-U", 1, None),
        (2, "+U", 1, 5),
        (3, "-U", 1, 5),
        (4, "+U", 1, 5),
    ]
    ids = Bucket(Table([K, column("n", "BIGINT")], ["k"], auto_increment="n"))
    ids.put([Upsert([7, None]), Upsert([8, None]), Upsert([7, None])], target=[0])
    assert ids.rows == {(7,): (7, 1), (8,): (8, 2)}


def test_aggregate_functions():
    def of(name, root, old, new, **parameters):
        return aggregate({"type": name}, {"type": root, **parameters}, old, new)

    D = decimal.Decimal
    assert of("sum", "TINYINT", 100, 100) == -56
    assert of("product", "INTEGER", 2**20, 2**20) == 0
    assert of("sum", "BIGINT", None, 3) == of("sum", "BIGINT", 3, None) == 3
    assert of("sum", "DECIMAL", D("99.9"), D("0.1"), precision=3, scale=1) is None
    assert of("product", "DECIMAL", D("1.5"), D("0.5"), precision=3, scale=1) == D("0.8")
    assert of("max", "STRING", "b", "ä") == "ä" and of("min", "STRING", "b", "ä") == "b"
    assert of("last_value", "STRING", "b", None) is None
    assert aggregate({"type": "listagg", "parameters": {"delimiter": "|"}}, {"type": "STRING"}, "a", "b") == "a|b"


# Written by RoaringBitmap 1.3.0 for Java, which the reference server uses.
RBM32_A = "3a300000020000000000010001000000180000001c000000010005007011"
RBM32_B = "3a3000000200000000000200ffff0000180000001e000000050006000700ffff"
RBM32_OR = "3a300000030000000000030001000000ffff000020000000280000002a00000001000500060007007011ffff"


def test_bitmaps():
    a, b = bytes.fromhex(RBM32_A), bytes.fromhex(RBM32_B)
    assert kv_model.read_rbm32(a) == {1, 5, 70000}
    assert kv_model.read_rbm32(b) == {5, 6, 7, 2**32 - 1}
    assert aggregate({"type": "rbm32"}, {"type": "BYTES"}, a, b).hex() == RBM32_OR


def test_where_the_rust_client_differs():
    """Measured with pyfluss 1.0.0: a key with a byte above 127 behind its last whole word goes to another bucket."""
    assert kv_rows.rust_bucket(b"\x02\xc3\xa4", 100) == 22 and kv_rows.fluss_bucket(b"\x02\xc3\xa4", 100) == 93
    assert kv_rows.rust_bucket(b"\xff\x7f", 100) == 67 and kv_rows.fluss_bucket(b"\xff\x7f", 100) == 46
    assert kv_rows.rust_bucket(b"\x01a\x7f", 100) == kv_rows.fluss_bucket(b"\x01a\x7f", 100)
