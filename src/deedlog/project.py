"""Where a project is: its root, its store and its folder for exports and logs.

Read from the files git itself keeps, because starting git costs more than everything else a
command does. Every work tree of a repository finds the same store, in the directory they share.
"""

from __future__ import annotations

import os

from deedlog.core.errors import Denied, NotFound, Part, Unavailable
from deedlog.core.value import Value

STATE = ".deedlog"
PERMISSIONS = "check what is there and the permissions of its folder"
EXCLUDED = f"/{STATE}/"
NETWORK = ("nfs", "cifs", "smb", "afs", "fuse.sshfs", "9p", "ncpfs", "glusterfs", "ceph", "lustre")


class Project(Value):
    """`tree` is the work tree one stands in, `root` the main one; they differ in a linked work tree."""

    tree: str
    root: str
    git_dir: str | None
    store: str

    @property
    def state(self) -> str:
        """The folder for exports, logs and work trees."""
        return os.path.join(self.root, STATE)


def find(start: str, store: str = "") -> Project:
    """The project around a folder, or `NotFound`."""
    start = os.path.realpath(start)
    for folder in _upwards(start):
        if git_dir := _git_dir(os.path.join(folder, ".git")):
            return _of_repository(folder, git_dir, store)
        if os.path.isdir(state := os.path.join(folder, STATE)) and is_ours(state):
            return Project(tree=folder, root=folder, git_dir=None, store=store or os.path.join(folder, STATE, "store"))
    hint = "go to a git repository, or run `deedlog init` to make this folder a project"
    raise NotFound(f"{start} is not in a project", hint=hint, part=Part.CONFIGURATION)


def is_ours(path: str) -> bool:
    """Whether nobody else owns it, but for root, who may do everything anyway."""
    return os.stat(path).st_uid in (os.getuid(), 0)


def refuse_foreign_folder(project: Project) -> None:
    """Like git: what another user prepared is not used unless one asks for it."""
    for path in (project.git_dir or project.state, project.store):
        if os.path.exists(path) and not is_ours(path):
            raise Denied(
                f"{path} belongs to another user",
                hint=f"if you trust them, set DEEDLOG_STORE to {project.store}",
                part=Part.CONFIGURATION,
            )


def _upwards(folder: str) -> list[str]:
    folders = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        folders.append(folder := parent)
    return folders


def _git_dir(path: str) -> str | None:
    """What a `.git` directory or file stands for."""
    if os.path.isfile(os.path.join(path, "HEAD")):
        return path
    text = _read(path)
    if text.startswith("gitdir:"):
        target = os.path.join(os.path.dirname(path), text.removeprefix("gitdir:").strip())
        if os.path.isfile(os.path.join(target, "HEAD")):
            return os.path.normpath(target)
    return None


def _of_repository(tree: str, git_dir: str, store: str) -> Project:
    shared = _read(os.path.join(git_dir, "commondir")).strip()
    common = os.path.normpath(os.path.join(git_dir, shared)) if shared else git_dir
    root = os.path.dirname(common) if os.path.basename(common) == ".git" else tree
    return Project(tree=tree, root=root, git_dir=common, store=store or os.path.join(common, "deedlog"))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(4096)
    except OSError:
        return ""


def make_folder(folder: str) -> None:
    """Make a folder without git a project of its own."""
    try:
        os.makedirs(os.path.join(folder, STATE), exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"{folder} cannot be prepared: {error.strerror}", hint=PERMISSIONS, part=Part.CONFIGURATION
        ) from error


def shared_name(project: Project) -> str:
    """The project's name in a shared database: its repository's, however that is reached.

    A folder's name would not do: two repositories may lie in folders of one name.
    """
    url = _origin(_read_all(os.path.join(project.git_dir, "config"))) if project.git_dir else ""
    found = _repository(url)
    if not found:
        raise NotFound(
            f"{project.root} has no git remote `origin` that could give it a name in the shared database",
            hint="set DEEDLOG_PROJECT to a name that all who work on it use",
            part=Part.CONFIGURATION,
        )
    return found


def _origin(config: str) -> str:
    """The URL of the remote `origin` in the text of a git configuration."""
    inside = False
    for line in map(str.strip, config.splitlines()):
        if line.startswith("["):
            section, _, name = line.partition("]")[0].removeprefix("[").partition(" ")
            inside = section.lower() == "remote" and name.strip() == '"origin"'
        key, equals, value = line.partition("=")
        if inside and equals and key.strip().lower() == "url":
            return value.strip().strip('"')
    return ""


def _repository(url: str) -> str:
    """`host/path` without user, port and `.git`: the same for ssh and https."""
    if url.startswith("."):
        return ""  # a path that means something else to everybody
    _, separator, rest = url.partition("://")
    if not separator:
        host, colon, path = url.partition(":")
        rest = f"{host}/{path}" if colon and "/" not in host else url
    host, _, path = rest.partition("/")
    host = host.rpartition("@")[2].lower()
    name, _, port = host.rpartition(":")
    parts = [name if port.isdigit() else host, *path.split("/")]
    return "/".join(part for part in parts if part).removesuffix(".git").rstrip("/")


def make_state(project: Project) -> str:
    """The project's `.deedlog` folder, made and kept out of git's sight."""
    try:
        os.makedirs(project.state, exist_ok=True)
        if project.git_dir:
            _exclude(os.path.join(project.git_dir, "info"))
    except OSError as error:
        raise Unavailable(
            f"{project.state} cannot be made: {error.strerror}", hint=PERMISSIONS, part=Part.CONFIGURATION
        ) from error
    return project.state


def _exclude(folder: str) -> None:
    path = os.path.join(folder, "exclude")
    text = _read_all(path)
    if EXCLUDED not in text.splitlines():
        os.makedirs(folder, exist_ok=True)
        with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(("\n" if text and not text.endswith("\n") else "") + EXCLUDED + "\n")


def _read_all(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def refuse_network_folder(folder: str) -> None:
    """SQLite's locks cannot be trusted on a network file system."""
    kind = _file_system(os.path.realpath(folder))
    if kind.startswith(NETWORK):
        raise Unavailable(
            f"{folder} lies on a network file system ({kind}), where a store would be damaged",
            hint="set DEEDLOG_STORE to a local folder, or DEEDLOG_DATABASE_URL to a PostgreSQL",
            part=Part.DATABASE,
        )


def is_network(folder: str) -> bool:
    return _file_system(os.path.realpath(folder)).startswith(NETWORK)


def _file_system(path: str, table: str = "/proc/self/mounts") -> str:
    """The kind of the file system a path lies on, where the system tells."""
    best, kind = -1, ""
    for line in _read_all(table).splitlines():
        words = line.split(" ")
        point = words[1].replace("\\040", " ")
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) > best:
            best, kind = len(point), words[2]
    return kind
