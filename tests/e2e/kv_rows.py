"""Bytes of primary-key tables, written and read by the book: rows, keys, buckets, batches of puts and of values.

    keys = Keys(columns, ["id"], properties=info["properties"])
    key, bucket = keys.key(row), keys.bucket(row, 4)
    records = kv_batch([(key, encode_row(columns, row))])

Columns are those of fluss_raw.column(); rows are lists of plain values: int, float, bool, str, bytes, Decimal, and
date, time or datetime (or days, milliseconds, and pairs of milliseconds and nanoseconds).
"""

import datetime as dt
import decimal
import struct

from fluss_raw import crc32c, read_varint, varint

EPOCH = dt.datetime(1970, 1, 1)
FIXED = {
    "BOOLEAN": "<?", "TINYINT": "<b", "SMALLINT": "<h", "INTEGER": "<i", "BIGINT": "<q", "FLOAT": "<f", "DOUBLE": "<d",
    "DATE": "<i", "TIME_WITHOUT_TIME_ZONE": "<i",
}  # fmt: skip
STAMPS = ("TIMESTAMP_WITHOUT_TIME_ZONE", "TIMESTAMP_WITH_LOCAL_TIME_ZONE")
TEXTS = ("CHAR", "STRING")
BLOBS = ("CHAR", "STRING", "BINARY", "BYTES")


# --- values -----------------------------------------------------------------------------------------------------------


def plain(type, value):
    """The number behind a date, time or decimal; the pair behind a timestamp; the bytes of a text."""
    root = type["type"]
    if value is None:
        return None
    if root == "DATE" and isinstance(value, dt.date):
        return (value - EPOCH.date()).days
    if root == "TIME_WITHOUT_TIME_ZONE" and isinstance(value, dt.time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1000 + value.microsecond // 1000
    if root in STAMPS and isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(dt.timezone.utc).replace(tzinfo=None)
        micros = (value - EPOCH) // dt.timedelta(microseconds=1)
        return micros // 1000, micros % 1000 * 1000
    if root in STAMPS and isinstance(value, dict):
        return value["ms"], value["ns"]
    if root == "DECIMAL":
        with decimal.localcontext(prec=80):
            return int(decimal.Decimal(value).scaleb(type["scale"]).to_integral_exact())
    if root in TEXTS:
        return value.encode()
    if root in ("BINARY", "BYTES"):
        return bytes(value)
    return value


def compact(type):
    """A decimal or timestamp that fits eight bytes."""
    return type["precision"] <= (18 if type["type"] == "DECIMAL" else 3)


def unscaled_bytes(value):
    """The fewest big-endian bytes that keep the sign."""
    return value.to_bytes(((value if value >= 0 else ~value).bit_length() + 8) // 8, "big", signed=True)


def from_plain(type, value):
    """The value that `plain` was made of, as far as tests compare it."""
    root = type["type"]
    if root == "DECIMAL":
        with decimal.localcontext(prec=80):
            return decimal.Decimal(value).scaleb(-type["scale"])
    return value.decode() if root in TEXTS else value


# --- rows -------------------------------------------------------------------------------------------------------------


def compacted_field(type, value):
    root, value = type["type"], plain(type, value)
    if root in ("INTEGER", "DATE", "TIME_WITHOUT_TIME_ZONE"):
        return varint(value & 0xFFFFFFFF)
    if root == "BIGINT" or (root == "DECIMAL" and compact(type)):
        return varint(value)
    if root in FIXED:
        return struct.pack(FIXED[root], value)
    if root in BLOBS:
        return varint(len(value)) + value
    if root == "DECIMAL":
        data = unscaled_bytes(value)
        return varint(len(data)) + data
    assert root in STAMPS, f"rows of {root} are not written here"
    return varint(value[0]) + (b"" if compact(type) else varint(value[1]))


def null_bits(values):
    bits = bytearray((len(values) + 7) // 8)
    for i, value in enumerate(values):
        if value is None:
            bits[i // 8] |= 1 << i % 8
    return bytes(bits)


def types_of(columns):
    return [c["data_type"] for c in columns]


def is_variable(type):
    root = type["type"]
    return root in ("STRING", "BYTES") or (root == "DECIMAL" and not compact(type))


def indexed_field(type, value):
    root, value = type["type"], plain(type, value)
    if root in FIXED:
        return struct.pack(FIXED[root], value)
    if root in ("CHAR", "BINARY"):
        assert len(value) <= type["length"]
        return value.ljust(type["length"], b"\0")
    if root in BLOBS:
        return value
    if root == "DECIMAL":
        return struct.pack("<q", value) if compact(type) else unscaled_bytes(value)
    assert root in STAMPS, f"rows of {root} are not written here"
    return struct.pack("<q", value[0]) + (b"" if compact(type) else struct.pack("<i", value[1]))


def encode_row(columns, row, format="compacted"):
    """A row of these columns in a KV format."""
    assert len(columns) == len(row)
    present = [(t, v) for t, v in zip(types_of(columns), row) if v is not None]
    if format == "compacted":
        return null_bits(row) + b"".join(compacted_field(t, v) for t, v in present)
    fields = [indexed_field(t, v) for t, v in present]
    lengths = [len(f) for (t, _), f in zip(present, fields) if is_variable(t)]
    lengths += [0] * (sum(is_variable(t) for t in types_of(columns)) - len(lengths))
    return null_bits(row) + struct.pack(f"<{len(lengths)}i", *lengths) + b"".join(fields)


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


class Reader:
    """Fields of a row, one after the other."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        piece = self.data[self.at : self.at + count]
        assert len(piece) == count, "the row ends within a field"
        self.at += count
        return piece

    def unpack(self, format):
        return struct.unpack(format, self.take(struct.calcsize(format)))[0]

    def number(self, bits):
        value, self.at = read_varint(self.data, self.at)
        return signed(value, bits)


def read_compacted(reader, type):
    root = type["type"]
    if root in ("INTEGER", "DATE", "TIME_WITHOUT_TIME_ZONE"):
        return reader.number(32)
    if root == "BIGINT" or (root == "DECIMAL" and compact(type)):
        return reader.number(64)
    if root in FIXED:
        return reader.unpack(FIXED[root])
    if root in BLOBS:
        return reader.take(reader.number(32))
    if root == "DECIMAL":
        return int.from_bytes(reader.take(reader.number(32)), "big", signed=True)
    return reader.number(64), 0 if compact(type) else reader.number(32)


def read_indexed(reader, type, lengths):
    root = type["type"]
    if root in FIXED:
        return reader.unpack(FIXED[root])
    if root in ("CHAR", "BINARY"):
        return reader.take(type["length"]).rstrip(b"\0")
    if root in BLOBS:
        return reader.take(next(lengths))
    if root == "DECIMAL":
        return reader.unpack("<q") if compact(type) else int.from_bytes(reader.take(next(lengths)), "big", signed=True)
    return reader.unpack("<q"), 0 if compact(type) else reader.unpack("<i")


def decode_row(columns, data, format="compacted"):
    """The values of a row; all of its bytes must be used up."""
    reader = Reader(data)
    types = types_of(columns)
    nulls = reader.take((len(types) + 7) // 8)
    lengths = iter([reader.unpack("<i") for t in types if is_variable(t)] if format == "indexed" else [])
    row = []
    for i, type in enumerate(types):
        if nulls[i // 8] >> i % 8 & 1:
            row.append(None)
        elif format == "compacted":
            row.append(from_plain(type, read_compacted(reader, type)))
        else:
            row.append(from_plain(type, read_indexed(reader, type, lengths)))
    assert reader.at == len(data), f"{len(data) - reader.at} bytes behind the row"
    return row


# --- keys and buckets -------------------------------------------------------------------------------------------------


def compacted_key(types, values):
    return b"".join(compacted_field(t, v) for t, v in zip(types, values))


def paimon_key(types, values):
    """Paimon's binary row."""
    header = bytearray(8 * ((len(types) + 8 + 63) // 64))
    slots, variable = [], b""
    base = len(header) + 8 * len(types)
    for i, (type, value) in enumerate(zip(types, values)):
        root, value = type["type"], plain(type, value)
        if value is None:
            header[(8 + i) // 8] |= 1 << (8 + i) % 8
            slots.append(bytes(8))
        elif root in FIXED:
            slots.append(struct.pack(FIXED[root], value).ljust(8, b"\0"))
        elif root in BLOBS and len(value) <= 7:
            slots.append(value.ljust(7, b"\0") + bytes([0x80 | len(value)]))
        elif root in BLOBS:
            slots.append(struct.pack("<II", len(value), base + len(variable)))
            variable += value + bytes(-len(value) % 8)
        elif compact(type):
            slots.append(struct.pack("<q", value if root == "DECIMAL" else value[0]))
        elif root == "DECIMAL":
            data = unscaled_bytes(value)
            slots.append(struct.pack("<II", len(data), base + len(variable)))
            variable += data.ljust(16, b"\0")
        else:
            slots.append(struct.pack("<II", value[1], base + len(variable)))
            variable += struct.pack("<q", value[0])
    return bytes(header) + b"".join(slots) + variable


def iceberg_key(types, values):
    """What Iceberg hashes of its one key column."""
    ((type, value),) = zip(types, values)
    root, value = type["type"], plain(type, value)
    if root in ("INTEGER", "DATE", "BIGINT"):
        return struct.pack("<q", value)
    if root == "TIME_WITHOUT_TIME_ZONE":
        return struct.pack("<q", value * 1000)
    if root == "TIMESTAMP_WITHOUT_TIME_ZONE":
        return struct.pack("<q", value[0] * 1000 + value[1] // 1000)
    if root in ("FLOAT", "DOUBLE"):
        return struct.pack(FIXED[root], value)
    if root == "DECIMAL":
        return unscaled_bytes(value)
    assert root in BLOBS, f"{root} is no key of Iceberg"
    return value


def rotl(value, count):
    value &= 0xFFFFFFFF
    return (value << count | value >> (32 - count)) & 0xFFFFFFFF


def mix_k(k):
    return rotl((k & 0xFFFFFFFF) * 0xCC9E2D51, 15) * 0x1B873593 & 0xFFFFFFFF


def mix_h(h, k):
    return (rotl(h ^ k, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF


def finish(h):
    h ^= h >> 16
    h = h * 0x85EBCA6B & 0xFFFFFFFF
    h ^= h >> 13
    h = h * 0xC2B2AE35 & 0xFFFFFFFF
    return h ^ h >> 16


def murmur42(data, signed_tail=True):
    """Murmur3 as Flink and Paimon have it: bytes behind the last word are mixed one by one."""
    h = 42
    whole = len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        h = mix_h(h, mix_k(word))
    for byte in data[whole:]:
        h = mix_h(h, mix_k(signed(byte, 8) if signed_tail else byte))
    return signed(finish(h ^ len(data)), 32)


def fluss_bucket(data, count, signed_tail=True):
    assert data, "an empty key has no bucket"
    hash = signed(finish(mix_h(0, mix_k(murmur42(data, signed_tail))) ^ 4), 32)
    return (0 if hash == -(2**31) else abs(hash)) % count


def rust_bucket(data, count):
    """Where the Rust client 1.0.0 and pyfluss put a row of an ordinary table: it takes those last bytes as unsigned."""
    return fluss_bucket(data, count, signed_tail=False)


def paimon_bucket(data, count):
    return abs(murmur42(data)) % count


def iceberg_bucket(data, count):
    h = 0
    whole = len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        h = mix_h(h, mix_k(word))
    if data[whole:]:
        h ^= mix_k(int.from_bytes(data[whole:], "little"))
    return (finish(h ^ len(data)) & 0x7FFFFFFF) % count


ENCODERS = {None: compacted_key, "lance": compacted_key, "paimon": paimon_key, "iceberg": iceberg_key}
BUCKETS = {None: fluss_bucket, "lance": fluss_bucket, "paimon": paimon_bucket, "iceberg": iceberg_bucket}


class Keys:
    """How a table writes its keys and where its rows belong."""

    def __init__(self, columns, primary_key, bucket_key=None, partition_key=(), properties=None):
        properties = properties or {}
        lake = properties.get("table.datalake.format")
        self.columns = columns
        self.names = [c["name"] for c in columns]
        self.key_names = [n for n in primary_key if n not in partition_key]
        self.bucket_names = list(bucket_key or self.key_names)
        self.types = {c["name"]: c["data_type"] for c in columns}
        default = self.bucket_names == self.key_names
        version = int(properties.get("table.kv.format-version", 1))
        self.encode = ENCODERS[lake] if version == 1 or default else compacted_key
        self.encode_bucket = ENCODERS[lake]
        self.function = BUCKETS[lake]

    def encode_columns(self, encoder, names, row):
        return encoder([self.types[n] for n in names], [row[self.names.index(n)] for n in names])

    def key(self, row):
        return self.encode_columns(self.encode, self.key_names, row)

    def key_of(self, *values):
        return self.encode([self.types[n] for n in self.key_names], values)

    def prefix_of(self, *values):
        return self.encode([self.types[n] for n in self.bucket_names], values)

    def bucket_key(self, row):
        return self.encode_columns(self.encode_bucket, self.bucket_names, row)

    def bucket(self, row, count):
        return self.function(self.bucket_key(row), count)


# --- batches ----------------------------------------------------------------------------------------------------------


def kv_record(key, row):
    body = varint(len(key)) + key + (row or b"")
    return struct.pack("<i", len(body)) + body


def kv_batch(records, schema_id=1, writer_id=-1, sequence=-1, magic=0, attributes=0, count=None, crc=None, length=None):
    """A batch of puts: (key, row or None); what is wrong on purpose may be given."""
    body = records if isinstance(records, bytes) else b"".join(kv_record(k, r) for k, r in records)
    count = len(records) if count is None else count
    covered = struct.pack("<hbqii", schema_id, attributes, writer_id, sequence, count) + body
    crc = crc32c(covered) if crc is None else crc
    length = 5 + len(covered) if length is None else length
    return struct.pack("<ibI", length, magic, crc) + covered


def parse_values(data):
    """(schema id, row bytes) of each record of a value batch, which must be all there is."""
    length, magic, count = struct.unpack_from("<ibi", data)
    assert (length, magic) == (len(data) - 4, 0)
    values, at = [], 9
    for _ in range(count):
        size, schema_id = struct.unpack_from("<ih", data, at)
        values.append((schema_id, data[at + 6 : at + 4 + size]))
        at += 4 + size
    assert at == len(data)
    return values


def decode_value(columns, value, format="compacted"):
    """The row of a looked-up value of schema 1; None when there is none."""
    if value is None:
        return None
    assert struct.unpack_from("<h", value) == (1,)
    return decode_row(columns, value[2:], format)
