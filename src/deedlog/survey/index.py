"""The paths git tracks, read from its index: no process is started, no folder is walked.

Versions 2 to 4, with hashes of both lengths, split and sparse. What cannot be read is not there.
"""

from __future__ import annotations

import os
import re

MOST_BYTES = 32 << 20  # enough for a quarter of a million files
MOST_CONFIG = 1 << 20
HEADER = 12
STAT = 40  # bytes of an entry before its hash
WORD = 8  # entries are padded to so many bytes
COMPRESSED = 4  # the version whose names share their beginnings
EXTENDED, LONG = 0x40, 0xFFF
SPLIT = b"link"
SHA256 = re.compile(rb"^[ \t]*objectformat[ \t]*=[ \t]*\"?sha256", re.IGNORECASE | re.MULTILINE)


def tracked(git_dir: str, common: str) -> list[bytes]:
    """The paths, in any order; one in conflict stands there more than once. A folder that is left out ends in `/`."""
    hash_size = 32 if SHA256.search(_read(os.path.join(common, "config"), MOST_CONFIG)) else 20
    data = _read(os.path.join(git_dir, "index"), MOST_BYTES)
    names, end = _entries(data, hash_size)
    base, deleted = _split(data, end, hash_size)
    if not base:
        return names
    shared, _ = _entries(_read(os.path.join(git_dir, f"sharedindex.{base}"), MOST_BYTES), hash_size)
    kept = [name for place, name in enumerate(shared) if place not in deleted]
    return kept + [name for name in names if name]  # what only has another hash than there has no name here


def _entries(data: bytes, hash_size: int) -> tuple[list[bytes], int]:
    """The names in one file, and where they end. As plain as can be: a step too much is felt with many files."""
    count = int.from_bytes(data[8:HEADER], "big") if data[:4] == b"DIRC" else 0
    names: list[bytes] = []
    read = _compressed if int.from_bytes(data[4:8], "big") == COMPRESSED else _padded
    try:
        return names, read(data, count, STAT + hash_size, names)
    except (IndexError, ValueError):  # it is longer than what is read, or torn
        return names, len(data)


def _padded(data: bytes, count: int, to_flags: int, names: list[bytes]) -> int:
    at = HEADER
    for _ in range(count):
        high = data[at + to_flags]
        start = at + to_flags + (4 if high & EXTENDED else 2)
        length = (high & 0x0F) << 8 | data[at + to_flags + 1]
        if length == LONG:
            length = data.index(b"\0", start) - start
        names.append(data[start : start + length])
        at += (start - at + length + WORD) & -WORD
    return at


def _compressed(data: bytes, count: int, to_flags: int, names: list[bytes]) -> int:
    """Each name says how much of the end of the one before it drops, and what it adds."""
    at, name = HEADER, b""
    for _ in range(count):
        start = at + to_flags + (4 if data[at + to_flags] & EXTENDED else 2)
        dropped = data[start] & 0x7F
        while data[start] & 0x80:
            start += 1
            dropped = (dropped + 1 << 7) | (data[start] & 0x7F)
        at = data.index(b"\0", start + 1) + 1
        name = name[: len(name) - dropped] + data[start + 1 : at - 1]
        names.append(name)
    return at


def _split(data: bytes, at: int, hash_size: int) -> tuple[str, set[int]]:
    """The name of the index this one adds to, and which entries of that are gone."""
    while at + 8 <= len(data) - hash_size:
        size = int.from_bytes(data[at + 4 : at + 8], "big")
        if data[at : at + 4] == SPLIT:
            content = data[at + 8 : at + 8 + size]
            base = content[:hash_size]
            return (base.hex() if any(base) else ""), _ones(content[hash_size:])
        at += 8 + size
    return "", set()


def _ones(data: bytes) -> set[int]:
    """The places of the ones in a bitmap as git compresses it: runs of equal words, then words as they are."""
    words = min(int.from_bytes(data[4:8], "big"), len(data) // WORD)
    numbers = [int.from_bytes(data[at : at + WORD], "big") for at in range(8, 8 + words * WORD, WORD)]
    found: set[int] = set()
    place = at = 0
    while at < len(numbers):
        same, run, literal = numbers[at] & 1, numbers[at] >> 1 & 0xFFFFFFFF, numbers[at] >> 33
        if same:
            found.update(range(place, min(place + run * 64, MOST_BYTES)))
        place += run * 64
        for number in numbers[at + 1 : at + 1 + literal]:
            found.update(place + bit for bit in range(64) if number >> bit & 1)
            place += 64
        at += 1 + literal
    return found


def _read(path: str, most: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:
        return b""
