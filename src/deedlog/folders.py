"""Folders of a work tree, opened step by step: a link that a repository brings is never followed."""

from __future__ import annotations

import errno
import os
import stat

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe in the way must not stop us
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def open_folder(parent: int, path: str, *, make: bool = True) -> int:
    """A folder below another one, made where it is missing and shall be; the caller closes it."""
    current = os.dup(parent)
    for name in path.split("/"):
        try:
            if make:
                make_folder(current, name)
            following = os.open(name, FOLDER, dir_fd=current)
        finally:
            os.close(current)
        current = following
    return current


def make_folder(parent: int, name: str) -> bool:
    """Make a folder; returns whether it was missing."""
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        return False
    return True


def read_file(folder: int, name: str, most: int = -1) -> bytes | None:
    """What a file holds, at most so many bytes; nothing where there is none or something else is in its place."""
    try:
        file = os.open(name, FILE, dir_fd=folder)
    except FileNotFoundError:
        return None
    try:
        mode = os.fstat(file).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        if not stat.S_ISREG(mode):
            return None
        with open(file, "rb", closefd=False) as opened:
            return opened.read(most)
    finally:
        os.close(file)


def write_file(folder: int, name: str, data: bytes, mode: int = 0o666) -> None:
    """Write a new file, to the disk."""
    file = os.open(name, NEW, mode, dir_fd=folder)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fsync(file)
    finally:
        os.close(file)
