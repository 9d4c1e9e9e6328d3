#!/usr/bin/env python3
"""Lays out a pyarrow wheel as an Arrow C++ prefix: DEST/include and DEST/lib.

usage: arrow_prefix.py WHEEL DEST

The libraries of the wheel carry static copies of OpenSSL, Abseil, RE2, simdjson, Thrift and others, and export
their symbols. A program that also uses the system's OpenSSL would then run a mixture of two versions, depending on
the order of its link line. So each copied library keeps visible only what belongs to Arrow and Parquet (and the
standard library's shared template instances, whose identity matters across libraries), besides what another library
of the wheel imports from it. All other definitions get visibility "hidden" in the dynamic symbol table: the dynamic
linker then binds the library to its own copy and offers it to nobody else. One byte a symbol changes, nothing moves.

Left out: the Python glue, and Substrait, which imports Abseil from arrow_compute and would keep it visible there.
"""

import mmap
import os
import re
import shutil
import struct
import subprocess
import sys
import time
import zipfile

LIBRARY = re.compile(r"pyarrow/(lib(?:arrow|parquet)(?:_(?!python|substrait)\w+)?\.so)\.(\d+)$")
HEADER = re.compile(r"pyarrow/include/(?!arrow/python/)(.+\.(?:h|hpp|inl))$")

# The outermost name of what a visible symbol may belong to.
VISIBLE_CXX = {"arrow", "parquet", "arrow_vendored", "arrow_vendored_private", "org", "std", "__gnu_cxx", "__cxxabiv1"}
VISIBLE_C = re.compile(r"(?:arrow_|Arrow)")
# What the demangler puts before the name of the entity itself.
SPECIAL = re.compile(
    r"^(?:(?:vtable|VTT|typeinfo name|typeinfo|guard variable|construction vtable|reference temporary #\d+"
    r"|TLS (?:init|wrapper) function|transaction clone|non-transaction clone) for "
    r"|(?:non-virtual|virtual|covariant return) thunk to )+"
)

SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
SHT_DYNSYM = 11
STV_HIDDEN = 2


class Symbol:
    def __init__(self, name, other_at, defined, is_local):
        self.name = name
        self.other_at = other_at  # file offset of st_other, whose low two bits are the visibility
        self.defined = defined
        self.is_local = is_local


def dynamic_symbols(image):
    """The dynamic symbols of a little-endian 64-bit ELF image."""
    if image[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a little-endian 64-bit ELF file")
    (table_at,) = struct.unpack_from("<Q", image, 0x28)
    entry_bytes, count = struct.unpack_from("<HH", image, 0x3A)
    sections = [SECTION.unpack_from(image, table_at + i * entry_bytes) for i in range(count)]
    found = []
    for _, kind, _, _, begin, size, link, _, _, _ in sections:
        if kind != SHT_DYNSYM:
            continue
        names_at = sections[link][4]
        for at in range(begin + SYMBOL.size, begin + size, SYMBOL.size):
            name_at, info, _, section, _, _ = SYMBOL.unpack_from(image, at)
            end = image.find(b"\0", names_at + name_at)
            name = image[names_at + name_at : end].decode("ascii")
            found.append(Symbol(name, at + 5, section != 0, info >> 4 == 0))
    return found


def demangled(names):
    """Mangled name -> qualified name without parameter and return types."""
    mangled = sorted(n for n in names if n.startswith("_Z"))
    lines = "\n".join(mangled)
    run = subprocess.run(["c++filt", "--no-params"], input=lines, capture_output=True, text=True, check=True)
    return dict(zip(mangled, run.stdout.split("\n")))


def is_own(name, plain):
    """Whether the symbol belongs to Arrow, Parquet or the standard library."""
    if name not in plain:
        return VISIBLE_C.match(name) is not None
    entity = SPECIAL.sub("", plain[name])
    outermost = re.match(r"\w*", entity).group()
    return outermost in VISIBLE_CXX or plain[name] == name  # what cannot be demangled stays


def extract(wheel, dest):
    """Unpacks headers and libraries; returns the paths of the libraries."""
    libraries = []
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            member = entry.filename
            library, header = LIBRARY.match(member), HEADER.match(member)
            if library:
                target = os.path.join(dest, "lib", os.path.basename(member))
                libraries.append(target)
            elif header:
                target = os.path.join(dest, "include", header.group(1))
            else:
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with archive.open(member) as source, open(target, "wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
            # The wheel's own time: a prefix that is made again must not make every object file stale.
            written = time.mktime((*entry.date_time, 0, 0, -1))
            os.utime(target, (written, written))
            if library:
                os.symlink(os.path.basename(member), os.path.join(dest, "lib", os.path.basename(library.group(1))))
    if not libraries:
        raise ValueError(f"{wheel} holds no Arrow library; it must be a Linux wheel of pyarrow")
    return libraries


def hide_bundled_symbols(libraries):
    symbols = {}
    for path in libraries:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as image:
            symbols[path] = dynamic_symbols(image)
    plain = demangled({s.name for table in symbols.values() for s in table if s.defined})
    imports = {path: {s.name for s in table if not s.defined} for path, table in symbols.items()}
    for path, table in symbols.items():
        wanted = set().union(*(names for other, names in imports.items() if other != path))
        hidden = [
            s for s in table if s.defined and not s.is_local and s.name not in wanted and not is_own(s.name, plain)
        ]
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as image:
            for symbol in hidden:
                image[symbol.other_at] = image[symbol.other_at] & ~3 | STV_HIDDEN
        print(f"{os.path.basename(path)}: {len(hidden)} of {len(table)} symbols hidden")


def main(wheel, dest):
    building = dest.rstrip("/") + ".part"
    shutil.rmtree(building, ignore_errors=True)
    hide_bundled_symbols(extract(wheel, building))
    shutil.rmtree(dest, ignore_errors=True)
    os.rename(building, dest)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
