"""The folders and files below docs/ of one work tree. No link is followed, nothing outside is reached."""

from __future__ import annotations

import errno
import os
import stat

from deedlog.core.errors import Conflict, DeedlogError, NotFound, Part, Unavailable
from deedlog.core.records.markdown import flat
from deedlog.core.records.values import ADR_FOLDER, ARCHIVE_FOLDER, PROMPT_FILE, STATE_FILE, TASK_FILE
from deedlog.folders import open_folder, read_file, write_file

MOST_BYTES = 16_000_000
ALONE = (TASK_FILE, STATE_FILE, PROMPT_FILE)
IN_THE_WAY = {errno.ELOOP, errno.ENOTDIR, errno.EISDIR}
NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


class Tree:
    """A work tree while something is read or written; the folders it opened are closed at the end."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._opened: dict[str, int] = {}

    def __enter__(self) -> Tree:
        self._opened[""] = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return self

    def __exit__(self, *_raised: object) -> None:
        while self._opened:
            os.close(self._opened.popitem()[1])

    def folder(self, path: str) -> int:
        """A folder that is there, or `FileNotFoundError`."""
        if path not in self._opened:
            parent, _, name = path.rpartition("/")
            above = self.folder(parent)
            with naming(path):
                self._opened[path] = open_folder(above, name, make=False)
        return self._opened[path]

    def has(self, path: str) -> bool:
        """Whether anything at all is there under this name."""
        return self.mode(path) is not None

    def mode(self, path: str) -> int | None:
        parent, name = parts(path)
        try:
            return os.lstat(name, dir_fd=self.folder(parent)).st_mode
        except FileNotFoundError:
            return None

    def stat(self, path: str) -> os.stat_result | None:
        """What the system says of a file that can be read; nothing of a link, a folder or a far too large one."""
        parent, name = parts(path)
        try:
            seen = os.lstat(name, dir_fd=self.folder(parent))
        except FileNotFoundError:
            return None
        return seen if stat.S_ISREG(seen.st_mode) and seen.st_size <= MOST_BYTES else None

    def names(self, folder: str) -> list[str]:
        """The names of the Markdown files of a folder."""
        try:
            opened = self.folder(folder)
            with naming(folder):
                return sorted(name for name in os.listdir(opened) if name.endswith(".md"))
        except FileNotFoundError:
            return []

    def read(self, path: str) -> str | None:
        """What a file holds, bytes that are no UTF-8 escaped; nothing where there is none."""
        parent, name = parts(path)
        try:
            folder = self.folder(parent)
            with naming(path):
                data = read_file(folder, name, MOST_BYTES + 1)
        except FileNotFoundError:
            return None
        if data is not None and len(data) > MOST_BYTES:  # half of it would be archived as if it were all
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
        return None if data is None else data.decode("utf-8", "surrogateescape")

    def write(self, path: str, text: str, draft: str, *, new: bool) -> None:
        """Write a file, whole or not at all; a `new` one never over another. Its draft lies beside it until then."""
        parent, name = parts(path)
        folder = self.folder(parent)
        with naming(path):
            _drop(folder, draft)
            old = self.mode(path)
            write_file(folder, draft, text.encode("utf-8", "surrogateescape"))
            if old is not None and stat.S_ISREG(old):
                os.chmod(draft, stat.S_IMODE(old), dir_fd=folder)
            if new:
                _link(folder, draft, name)
                _drop(folder, draft)
            else:
                os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)

    def remove(self, path: str) -> None:
        """Remove a file; one that is not there is no mistake."""
        parent, name = parts(path)
        try:
            folder = self.folder(parent)
            os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            return
        os.fsync(folder)

    def make(self, folder: str) -> None:
        parent, name = parts(folder)
        above = self.folder(parent)
        try:
            with naming(folder):
                os.mkdir(name, dir_fd=above)
        except FileExistsError:
            return
        os.fsync(self.folder(parent))

    def unmake(self, folder: str) -> None:
        """Remove a folder that nobody put anything into."""
        parent, name = parts(folder)
        opened = self._opened.pop(folder, None)
        if opened is not None:
            os.close(opened)
        try:
            os.rmdir(name, dir_fd=self.folder(parent))
        except OSError:  # it is gone, or holds something by now
            pass


class naming:  # noqa: N801  # reads as what it does
    """A failure within names the whole path, not only its last part."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, raised: object, _trace: object) -> None:
        if isinstance(raised, OSError):
            raised.filename = self._path


def parts(path: str) -> tuple[str, str]:
    parent, _, name = path.rpartition("/")
    return parent, name


def _drop(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass


def _link(folder: int, draft: str, name: str) -> None:
    try:
        os.link(draft, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, dir_fd=folder))
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)  # over the empty file that is ours


def checked(path: str) -> str:
    """`path`, refused where no record can lie there."""
    parent, name = parts(path)
    if path in ALONE or (parent in {ADR_FOLDER, ARCHIVE_FOLDER} and name.endswith(".md") and "\0" not in name):
        return path
    raise NotFound("there is no such record", hint="adr_list shows those there are")


def failed(error: OSError, path: str = "", doing: str = "written") -> DeedlogError:
    """The refusal that a failure of the file system becomes."""
    where = path or _named(error)
    if error.errno in IN_THE_WAY:
        what, place = ("folder", "file") if where.endswith(".md") else ("file", "folder")
        return Unavailable(
            f"{where} cannot be {doing}: a symbolic link or a {what} is in its place, or above it",
            hint=f"links are not followed there; put a real {place} in its place",
            part=Part.CONFIGURATION,
            data={"code": "FILESYSTEM_ERROR", "path": where},
        )
    return Unavailable(
        f"{where} cannot be {doing}: {error.strerror}",
        hint="check the space and the permissions there, then repeat the call",
        part=Part.CONFIGURATION,
        data={"code": "FILESYSTEM_ERROR", "path": where},
    )


def _named(error: OSError) -> str:
    name = error.filename
    return name if isinstance(name, str) and name.startswith("docs") else "docs"


def refuse_odd(tree: Tree, path: str) -> bool:
    """False where nothing is in the way; what is no file is never replaced."""
    if tree.has(path):
        raise Unavailable(
            f"{path} is no plain file",
            hint="links are not followed; move it away",
            part=Part.CONFIGURATION,
            data={"code": "FILESYSTEM_ERROR", "path": path},
        )
    return False


def refuse_absent(paths: list[str]) -> None:
    """What would be decided beside decisions that cannot be seen would take them for undone."""
    if paths:
        raise Unavailable(
            f"{len(paths)} ADRs are kept out of this work tree by git, {flat(paths[0])} first",
            hint=f"check them out, as with `git sparse-checkout add {ADR_FOLDER}`, then repeat the call",
            part=Part.CONFIGURATION,
            data={"code": "FILESYSTEM_ERROR", "path": ADR_FOLDER},
        )


def not_generated(path: str) -> DeedlogError:
    return Conflict(
        f"{path} was not generated by Deedlog: the comment it would begin with is missing",
        hint="move it away or delete it; it is made anew",
        data={"code": "PARSE_ERROR", "path": path},
    )
