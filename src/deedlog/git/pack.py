"""Objects of git's in one pack file: as loose objects a thousand contents would cost ten times as much."""

from __future__ import annotations

import hashlib
import os
import struct
import zlib

from deedlog.core.errors import Part, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Tree = dict[bytes, "tuple[bytes, bytes] | Tree"]

TYPES = {b"tree": 2, b"blob": 3}
MOST_STORED = 0xFFFF  # bytes in one stored block


class Pack:
    """Collects objects, then writes them into an object directory."""

    def __init__(self, hash_name: str) -> None:
        self._new_hash: Callable[..., hashlib._Hash] = getattr(hashlib, hash_name)
        self._objects: dict[bytes, tuple[int, bytes]] = {}
        self.size = 0

    def add(self, kind: bytes, data: bytes) -> str:
        """Add an object; returns its id."""
        oid = self._new_hash(b"%s %d\0" % (kind, len(data)) + data, usedforsecurity=False)
        self._objects[oid.digest()] = (TYPES[kind], data)
        self.size += len(data)
        return oid.hexdigest()

    def add_tree(self, files: Mapping[str, tuple[str, str]]) -> str:
        """Add the trees that hold files, given as path → (mode, id); returns the id of the topmost."""
        top: Tree = {}
        for path, (mode, oid) in files.items():
            *folders, name = path.encode("utf-8", "surrogateescape").split(b"/")
            folder = top
            for part in folders:
                inner = folder.get(part)
                if not isinstance(inner, dict):  # what is deeper wins over a file in its way
                    folder[part] = inner = {}
                folder = inner
            folder.setdefault(name, (mode.encode(), bytes.fromhex(oid)))
        return self._add_folder(top)

    def _add_folder(self, folder: Tree) -> str:
        rows = []
        for name, entry in folder.items():
            if isinstance(entry, dict):
                rows.append((name + b"/", b"40000", name, bytes.fromhex(self._add_folder(entry))))
            else:
                rows.append((name, entry[0], name, entry[1]))
        return self.add(b"tree", b"".join(b"%s %s\0%s" % (mode, name, oid) for _, mode, name, oid in sorted(rows)))

    def write(self, objects: str) -> None:
        """Write everything as one pack with its index; nothing when there is nothing."""
        if not self._objects:
            return
        pack = self._new_hash(usedforsecurity=False)
        chunks = [struct.pack(">4sII", b"PACK", 2, len(self._objects))]
        places: dict[bytes, tuple[int, int]] = {}
        offset = len(chunks[0])
        for oid, (kind, data) in self._objects.items():
            entry = _header(kind, len(data)) + _stored(data)
            places[oid] = (zlib.crc32(entry), offset)
            offset += len(entry)
            chunks.append(entry)
        body = b"".join(chunks)
        pack.update(body)
        name = os.path.join(objects, "pack", f"pack-{pack.hexdigest()}")
        _put(name + ".pack", body + pack.digest())
        _put(name + ".idx", self._index(places, pack.digest()))  # last: git looks for packs by their index

    def _index(self, places: dict[bytes, tuple[int, int]], pack: bytes) -> bytes:
        oids = sorted(places)
        fanout = [0] * 256
        for oid in oids:
            fanout[oid[0]] += 1
        for byte in range(1, 256):
            fanout[byte] += fanout[byte - 1]
        body = b"".join((
            b"\377tOc", struct.pack(">I256I", 2, *fanout), *oids,
            struct.pack(f">{len(oids)}I", *(places[oid][0] for oid in oids)),
            struct.pack(f">{len(oids)}I", *(places[oid][1] for oid in oids)),
            pack,
        ))  # fmt: skip
        return body + self._new_hash(body, usedforsecurity=False).digest()


def _header(kind: int, size: int) -> bytes:
    """Type and size of an object as packs have them: seven bits a byte, the first one has four."""
    byte, size = (kind << 4) | (size & 15), size >> 4
    header = bytearray()
    while size:
        header.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    header.append(byte)
    return bytes(header)


def _stored(data: bytes) -> bytes:
    """A zlib stream that is not compressed: it is read once or twice, then thrown away."""
    if len(data) > MOST_STORED:
        return zlib.compress(data, 0)
    size = len(data)
    return struct.pack("<2sBHH", b"\x78\x01", 1, size, size ^ 0xFFFF) + data + struct.pack(">I", zlib.adler32(data))


def _put(path: str, data: bytes) -> None:
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as error:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise Unavailable(
            f"{path} cannot be written: {error.strerror}",
            hint="check the space and the permissions there",
            part=Part.DATABASE,
        ) from error
