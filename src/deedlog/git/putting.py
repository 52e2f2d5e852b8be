"""Files of ours in a work tree of a session, out of git's sight.

What lies in `.deedlog/` is hidden by a `.gitignore` there. For other files the tree gets an excludes file of its own,
which begins with what the user's own says. No symbolic link is followed on the way.
"""

from __future__ import annotations

import errno
import os
import stat

from deedlog.core.errors import Conflict, Invalid, Part, Unavailable
from deedlog.git.acting import ActingGit
from deedlog.git.linked import configure
from deedlog.git.repository import text_at
from deedlog.git.sparse import literally
from deedlog.project import STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deedlog.git.command import Git

HIDING = f"{STATE}/.gitignore"
IGNORING = "# Deedlog's own files\n*\n"
OURS = "deedlog-files"  # in what git keeps of the tree: the paths that are ours
EXCLUDES = "deedlog-excludes"
MARK = b"# what Deedlog put here\n"
WRITING = 0o222
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def put_files(common: str, git_dir: str, tree: str, files: Mapping[str, str], *, read_only: bool) -> None:
    wanted = {_checked(path): text for path, text in files.items()}
    wanted = {HIDING: IGNORING, **wanted}
    ours = our_files(git_dir)
    tracked = _tracked(git_dir, tree, wanted)
    free = {path: text for path, text in wanted.items() if path not in tracked}
    free = {path: text for path, text in free.items() if path in ours or not os.path.lexists(os.path.join(tree, path))}
    known = {*ours, *free}
    _write_whole(os.path.join(git_dir, OURS), b"".join(os.fsencode(path) + b"\0" for path in sorted(known)))
    shown = sorted(path for path in known if not path.startswith(f"{STATE}/") or HIDING in tracked)
    if shown:
        _hide(common, git_dir, tree, shown)
    for path, text in free.items():
        _write(tree, path, text, read_only=read_only and path != HIDING)


def our_files(git_dir: str) -> set[str]:
    """The paths of what was put into the tree."""
    return {os.fsdecode(path) for path in text_at(os.path.join(git_dir, OURS)).split(b"\0") if path}


def _checked(path: str) -> str:
    parts = path.split("/")
    if "\0" in path or any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts):
        raise Invalid(f"{path!r} is no path of a file in a work tree", hint="name it relative to the tree")
    return path


def _tracked(git_dir: str, tree: str, paths: Iterable[str]) -> set[str]:
    git = ActingGit(tree=tree, git_dir=git_dir)
    return {os.fsdecode(name) for name in git.run("ls-files", "-z", "--", *paths).split(b"\0") if name}


def _hide(common: str, git_dir: str, tree: str, paths: list[str]) -> None:
    own = os.path.join(git_dir, EXCLUDES)
    in_force = _in_force(ActingGit(tree=tree, git_dir=git_dir))
    theirs = text_at(own).partition(MARK)[0] if in_force == own else text_at(in_force)
    lines = b"".join(os.fsencode(literally(path)) + b"\n" for path in paths)
    _write_whole(own, theirs.rstrip(b"\n") + b"\n" + MARK + lines)
    if in_force != own:
        configure(common, git_dir, {"core.excludesFile": own})


def _in_force(git: Git) -> str:
    """The user's excludes file, or ours; git is asked beside the tree, whose `.git` may be anything by now."""
    found = git.run("config", "--type=path", "--get", "core.excludesFile", fine=(0, 1)).removesuffix(b"\n")
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.fsdecode(found) or os.path.join(base, "git", "ignore")


def _write(tree: str, path: str, text: str, *, read_only: bool) -> None:
    *folders, name = path.split("/")
    opened: list[int] = []
    try:
        opened.append(os.open(tree, FOLDER))
        drafts = _entered(opened, [STATE])
        place = _entered(opened, folders)
        _written(drafts, place, name, text.encode("utf-8", "surrogateescape"), read_only=read_only)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EISDIR}:
            raise Conflict(
                f"{path} cannot be put into {tree}: a part of it is a symbolic link or another file there",
                hint="take that out of the repository, or let the worker use another client",
                part=Part.GIT,
            ) from error
        raise Unavailable(
            f"{path} cannot be written in {tree}: {error.strerror}",
            hint="check the space and the permissions there",
            part=Part.GIT,
        ) from error
    finally:
        for place in opened:
            os.close(place)


def _entered(opened: list[int], folders: list[str]) -> int:
    """A folder below the first one opened, made where it is not there."""
    place = opened[0]
    for folder in folders:
        try:
            os.mkdir(folder, dir_fd=place)
        except FileExistsError:
            pass
        place = os.open(folder, FOLDER, dir_fd=place)
        opened.append(place)
    return place


def _written(drafts: int, place: int, name: str, data: bytes, *, read_only: bool) -> None:
    """A killed process leaves its draft where git does not look."""
    draft = f"draft-{os.getpid()}-{os.urandom(4).hex()}"
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=drafts)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            if read_only:
                os.fchmod(file, stat.S_IMODE(os.fstat(file).st_mode) & ~WRITING)
        os.rename(draft, name, src_dir_fd=drafts, dst_dir_fd=place)
    except BaseException:
        os.unlink(draft, dir_fd=drafts)
        raise


def _write_whole(path: str, data: bytes) -> None:
    draft = f"{path}.{os.getpid()}-{os.urandom(4).hex()}"
    with open(draft, "wb") as file:
        file.write(data)
    os.replace(draft, path)
