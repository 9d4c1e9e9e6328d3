"""What one bucket of a primary-key table must hold and log after a sequence of puts, written from the rules alone.

    table = Table([column("k", "INTEGER"), column("v", "STRING")], ["k"])
    bucket = Bucket(table)
    bucket.put([Upsert([1, "a"]), Delete([1])])
    bucket.rows       # {(1,): (1, "a")} and so on
    bucket.changes    # [Change(offset, "+I", (1, "a")), Change(1, "-D", (1, "a"))]
    bucket.end        # offset behind the changelog

One put() is one batch: it happens whole or, when it raises Refused, not at all.
"""

import dataclasses
import decimal
import math
import struct

UNSUPPORTED = -1
INVALID_TARGET_COLUMN, DELETION_DISABLED = 35, 57
INTEGER_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64}


class Refused(Exception):
    def __init__(self, code):
        super().__init__(f"error {code}")
        self.code = code


@dataclasses.dataclass(frozen=True)
class Change:
    offset: int
    type: str  # +I, -U, +U, -D
    row: tuple


@dataclasses.dataclass(frozen=True)
class Upsert:
    row: list  # of all columns; what is no target does not matter


@dataclasses.dataclass(frozen=True)
class Delete:
    key: list  # in the order of the primary key


@dataclasses.dataclass
class Table:
    columns: list  # of fluss_raw.column(), with "agg_function" where there is one
    primary_key: list
    engine: str | None = None  # first_row, versioned, aggregation
    version_column: str | None = None
    delete: str | None = None  # allow, ignore, disable
    image: str = "full"  # or wal
    auto_increment: str | None = None

    def __post_init__(self):
        self.names = [c["name"] for c in self.columns]
        self.key_positions = [self.names.index(n) for n in self.primary_key]
        if self.delete is None:
            self.delete = "ignore" if self.engine else "allow"

    @property
    def properties(self):
        """The properties that make such a table."""
        properties = {}
        if self.engine:
            properties["table.merge-engine"] = self.engine
        if self.version_column:
            properties["table.merge-engine.versioned.ver-column"] = self.version_column
        if self.delete != ("ignore" if self.engine else "allow"):
            properties["table.delete.behavior"] = self.delete
        if self.image != "full":
            properties["table.changelog.image"] = self.image
        return properties

    def key_of(self, row):
        return tuple(row[i] for i in self.key_positions)

    def positions(self, names):
        return [self.names.index(n) for n in names]


class Bucket:
    def __init__(self, table):
        self.table = table
        self.rows = {}
        self.changes = []
        self.end = 0
        self.last_id = 0

    def put(self, records, target=None, overwrite=False):
        """Applies a batch and returns the offset behind it. `target`: positions of the columns that it sets."""
        self.check_target(target, overwrite)
        saved = dict(self.rows), self.last_id
        changes = []
        try:
            for record in records:
                self.apply(record, target, overwrite, changes)
        except Refused:
            self.rows, self.last_id = saved
            raise
        self.changes += [Change(self.end + i, type, row) for i, (type, row) in enumerate(changes)]
        self.end += max(1, len(changes))  # a batch without changes takes an offset too
        return self.end

    # --- one record

    def check_target(self, target, overwrite):
        table = self.table
        if table.auto_increment and (not target or table.names.index(table.auto_increment) in target):
            raise Refused(INVALID_TARGET_COLUMN)
        if not target:
            return
        if not overwrite and table.engine in ("first_row", "versioned"):
            raise Refused(UNSUPPORTED)
        if (not table.engine or overwrite) and set(target) == set(range(len(table.columns))):
            return
        if not set(table.key_positions) <= set(target):
            raise Refused(INVALID_TARGET_COLUMN)
        for i, column in enumerate(table.columns):
            if i not in table.key_positions and column["data_type"].get("nullable") is False:
                raise Refused(INVALID_TARGET_COLUMN)

    def is_partial(self, target):
        return bool(target) and set(target) != set(range(len(self.table.columns)))

    def apply(self, record, target, overwrite, changes):
        if isinstance(record, Delete):
            self.delete(record, target, overwrite, changes)
            return
        table = self.table
        key = table.key_of(record.row)
        old = self.rows.get(key)
        new = self.merged(old, tuple(record.row), target, overwrite)
        if old is not None and new is old:
            return
        if old is None and table.auto_increment:
            self.last_id += 1
            position = table.names.index(table.auto_increment)
            new = new[:position] + (self.last_id,) + new[position + 1 :]
        self.rows[key] = new
        unread = not table.engine or overwrite  # what the key had before is not looked at
        blind = table.image == "wal" and unread and not self.is_partial(target) and not table.auto_increment
        if old is None and not blind:
            changes.append(("+I", new))
        elif table.image == "wal":
            changes.append(("+U", new))
        else:
            changes += [("-U", old), ("+U", new)]

    def delete(self, record, target, overwrite, changes):
        behavior = "allow" if overwrite else self.table.delete
        if behavior == "disable":
            raise Refused(DELETION_DISABLED)
        old = self.rows.get(tuple(record.key))
        if behavior == "ignore" or old is None:
            return
        keys = self.table.key_positions
        whole = not self.is_partial(target) and not (target and self.table.engine == "aggregation")
        if whole or all(v is None for i, v in enumerate(old) if i not in target):
            del self.rows[tuple(record.key)]
            changes.append(("-D", old))
            return
        new = tuple(None if i in target and i not in keys else v for i, v in enumerate(old))
        self.rows[tuple(record.key)] = new
        changes += [("+U", new)] if self.table.image == "wal" else [("-U", old), ("+U", new)]

    # --- merge engines

    def merged(self, old, new, target, overwrite):
        engine = None if overwrite else self.table.engine
        if engine == "aggregation":
            return self.aggregated(old, new, target)
        if engine == "first_row":
            return new if old is None else old
        if engine == "versioned":
            return new if old is None or self.version(old) <= self.version(new) else old
        if not self.is_partial(target):
            return new
        if old is not None and set(target) == set(self.table.key_positions):
            return old
        return tuple(n if i in target else o for i, (o, n) in enumerate(zip(old or [None] * len(new), new)))

    def version(self, row):
        value = row[self.table.names.index(self.table.version_column)]
        return (value is not None, value) if value is not None else (False,)

    def aggregated(self, old, new, target):
        if old is None:
            return tuple(v if not target or i in target else None for i, v in enumerate(new))
        row = []
        for i, column in enumerate(self.table.columns):
            if i in self.table.key_positions or (target and i not in target):
                row.append(old[i])
                continue
            function = column.get("agg_function", {"type": "last_value_ignore_nulls"})
            row.append(aggregate(function, column["data_type"], old[i], new[i]))
        return tuple(row)


# --- aggregate functions ----------------------------------------------------------------------------------------------


def aggregate(function, type, old, new):
    name = function["type"].lower().replace("-", "_")
    if name == "last_value":
        return new
    if old is None or new is None:
        return new if old is None else old
    if name in ("first_value", "first_value_ignore_nulls"):
        return old
    if name == "last_value_ignore_nulls":
        return new
    if name in ("listagg", "string_agg"):
        return old + function.get("parameters", {}).get("delimiter", ",") + new
    if name in ("max", "min"):
        first = sort_key(new) > sort_key(old) if name == "max" else sort_key(new) < sort_key(old)
        return new if first else old
    if name == "bool_and":
        return old and new
    if name == "bool_or":
        return old or new
    if name == "rbm32":
        return write_rbm32(read_rbm32(old) | read_rbm32(new))
    return calculate(name, type, old, new)


def sort_key(value):
    return value.encode() if isinstance(value, str) else value


def calculate(name, type, old, new):
    """sum and product within the bounds of the type."""
    root = type["type"]
    if root == "DECIMAL":
        with decimal.localcontext(prec=100, rounding=decimal.ROUND_HALF_UP):
            result = old + new if name == "sum" else old * new
            result = result.quantize(decimal.Decimal(1).scaleb(-type["scale"]))
            return None if abs(result.scaleb(type["scale"])) >= 10 ** type["precision"] else result
    result = old + new if name == "sum" else old * new
    if root == "FLOAT":
        try:
            return struct.unpack("<f", struct.pack("<f", result))[0]
        except OverflowError:
            return math.copysign(math.inf, result)
    if root == "DOUBLE":
        return result
    bits = INTEGER_BITS[root]
    result &= (1 << bits) - 1
    return result - (1 << bits) if result >> (bits - 1) else result


# --- bitmaps: the portable format of 32-bit Roaring -------------------------------------------------------------------


def read_rbm32(data):
    (cookie,) = struct.unpack_from("<I", data)
    at, runs = 4, None
    if cookie & 0xFFFF == 12347:
        size = (cookie >> 16) + 1
        runs = data[4 : 4 + (size + 7) // 8]
        at += len(runs)
    else:
        assert cookie == 12346
        (size,) = struct.unpack_from("<I", data, 4)
        at += 4
    headers = [struct.unpack_from("<HH", data, at + 4 * i) for i in range(size)]
    at += 4 * size + (4 * size if runs is None or size >= 4 else 0)
    values = set()
    for i, (high, last) in enumerate(headers):
        if runs is not None and runs[i // 8] >> i % 8 & 1:
            (count,) = struct.unpack_from("<H", data, at)
            for start, length in struct.iter_unpack("<HH", data[at + 2 : at + 2 + 4 * count]):
                values |= {high << 16 | v for v in range(start, start + length + 1)}
            at += 2 + 4 * count
        elif last + 1 <= 4096:
            values |= {high << 16 | v for (v,) in struct.iter_unpack("<H", data[at : at + 2 * (last + 1)])}
            at += 2 * (last + 1)
        else:
            bits = int.from_bytes(data[at : at + 8192], "little")
            values |= {high << 16 | v for v in range(1 << 16) if bits >> v & 1}
            at += 8192
    assert at == len(data)
    return values


def write_rbm32(values):
    groups = {}
    for value in sorted(values):
        groups.setdefault(value >> 16, []).append(value & 0xFFFF)
    assert all(len(lows) <= 4096 for lows in groups.values())
    data = struct.pack("<II", 12346, len(groups))
    data += b"".join(struct.pack("<HH", high, len(lows) - 1) for high, lows in groups.items())
    at = len(data) + 4 * len(groups)
    for lows in groups.values():
        data += struct.pack("<I", at)
        at += 2 * len(lows)
    return data + b"".join(struct.pack(f"<{len(lows)}H", *lows) for lows in groups.values())
