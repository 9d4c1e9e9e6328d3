#!/usr/bin/env python3
"""Writes the first inputs of login_fuzz into a folder.

usage: login_corpus.py FOLDER
"""
import sys
from pathlib import Path

EXCHANGE, AUTHENTICATE, JAAS, PRINCIPALS, REFERENCES = (bytes([kind]) for kind in range(5))


def token(text):
    return bytes([len(text)]) + text


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    inputs = {
        "right": EXCHANGE + token(b"\0alice\0secret"),
        "wrong-then-right": EXCHANGE + token(b"\0alice\0wrong") + token(b"alice\0alice\0secret"),
        "of-another": EXCHANGE + token(b"bob\0alice\0secret"),
        "message": AUTHENTICATE + b"\x0a\x05PLAIN\x12\x0d\0alice\0secret",
        "jaas": JAAS + b'x.PlainLoginModule required user_a="b\\"c" user_d=e;',
        "principals": PRINCIPALS + b"User:a;'User:b;c';Group:d",
        "references": REFERENCES + b"a${env:X}b${file:/y}c",
    }
    for name, data in inputs.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
