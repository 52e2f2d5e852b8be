"""Where a project is: its root, its store and its folder for exports and logs.

Read from the files git itself keeps, because starting git costs more than everything else a
command does. Every work tree of a repository finds the same store: in the directory they share, or beside
the files of the main one, where it was before the folder became a repository.
"""

from __future__ import annotations

import os
import re
from stat import S_IMODE, S_ISDIR

from deedlog.core.errors import Denied, NotFound, Part, Unavailable
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

STATE = ".deedlog"
LEDGER = "ledger.db"
PRIVATE = "private"  # the repository of a worker, in what git keeps of its work tree
IGNORING = "# Deedlog's own files; the configuration may be shared\n*\n!/config.toml\n!/clarify.toml\n!/servers.json\n"
PERMISSIONS = "check what is there and the permissions of its folder"
EXCLUDED = f"/{STATE}/"  # what earlier versions wrote into git's info/exclude
OTHERS = 0o077
COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
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

    @property
    def store_beside(self) -> str:
        """Where the store is, or was, without git."""
        return os.path.join(self.state, "store")


def find(start: str, store: str = "") -> Project:
    """The project around a folder, or `NotFound`. As git does it: a `.git` that is no git directory is passed by.

    A folder inside a git work tree belongs to that repository, whatever else is there.
    """
    start = os.path.realpath(start)
    folders = _upwards(start)
    for folder in folders:
        if git_dir := _git_dir(os.path.join(folder, ".git")):
            if not store:
                _refuse_another_s(folder, git_dir)
            return _of_repository(folder, git_dir, store)
    for folder in folders:
        if _is_prepared(folder):
            found = Project(tree=folder, root=folder, git_dir=None, store=store)
            return found.replace(store=store or found.store_beside)
    hint = "go to a git repository, or run `deedlog init` to make this folder a project"
    raise NotFound(f"{start} is not in a project", hint=hint, part=Part.CONFIGURATION)


def _refuse_another_s(tree: str, git_dir: str) -> None:
    """A `.git` file or link may come with an archive, or from an agent: it makes no folder part of another project."""
    path = os.path.join(tree, ".git")
    if os.path.isdir(path) and not os.path.islink(path):
        if os.path.lexists(leading := os.path.join(path, "commondir")):
            raise Denied(
                f"{leading} leads to another repository, so Deedlog does not use {tree}",
                hint="git itself writes no such file there: remove it",
                part=Part.CONFIGURATION,
            )
        return
    other = _named_tree(os.path.realpath(git_dir))
    if other and os.path.isdir(other) and not os.path.samefile(other, tree):
        raise Denied(
            f"{path} leads to the repository of {other}, so Deedlog does not use it",
            hint=f"work in {other}, or remove the file; after a move run `git worktree repair`",
            part=Part.CONFIGURATION,
        )


def _named_tree(git_dir: str) -> str:
    """The work tree whose repository a git directory says it is; empty where it says nothing."""
    if back := _read(os.path.join(git_dir, "gitdir")).strip():  # of a linked work tree
        return os.path.dirname(os.path.join(git_dir, back))
    if named := _configured(_read_all(os.path.join(git_dir, "config")), "core", "", "worktree"):  # of a submodule
        return os.path.join(git_dir, named)
    return os.path.dirname(git_dir) if os.path.basename(git_dir) == ".git" else ""


def _is_prepared(folder: str) -> bool:
    """Whether a folder without git is a project of this user."""
    state = os.path.join(folder, STATE)
    return os.path.isdir(state) and is_ours(state)


def stores_passed_by(start: str, project: Project) -> list[str]:
    """Stores in folders between a folder and the repository that it belongs to; nobody uses them."""
    folders = _upwards(os.path.realpath(start)) if project.git_dir else []
    inner = folders[: folders.index(project.tree)] if project.tree in folders else []
    return [store for folder in inner if has_store(store := os.path.join(folder, STATE, "store"))]


def is_git_directory(folder: str) -> bool:
    return all(os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs"))


def is_ours(path: str) -> bool:
    """Whether nobody else owns it, but for root, who may do everything anyway."""
    return os.lstat(path).st_uid in (os.getuid(), 0)


def refuse_foreign_folder(project: Project) -> None:
    """Like git's `safe.directory`: Deedlog does not use what another user prepared unless you ask for it."""
    for path in (project.root, project.git_dir or project.state, project.state, project.store):
        if os.path.lexists(path) and not is_ours(path):
            raise Denied(
                f"{path} belongs to another user, so Deedlog does not use this project",
                hint=f"if you trust them, set DEEDLOG_STORE to {project.store}",
                part=Part.CONFIGURATION,
            )


def refuse_links(project: Project) -> None:
    """Refuse links in the project's folder of ours that lead out of it: a repository may bring some."""
    for path in _below(project.state):
        if os.path.islink(path) and not _is_inside(path, project.state):
            raise Denied(
                f"{path} is a link that leads out of the project's {STATE} folder, so Deedlog writes nothing there",
                hint="remove the link, or put a folder or file in its place",
                part=Part.CONFIGURATION,
            )


def _below(state: str) -> Iterator[str]:
    """The folder, what is in it, and what is in the folders there; no link is followed."""
    yield state
    if os.path.islink(state):
        return
    for path in _entries(state):
        yield path
        if not os.path.islink(path):
            yield from _entries(path)


def _entries(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        return []


def _is_inside(link: str, state: str) -> bool:
    return link != state and os.path.realpath(link).startswith(os.path.realpath(state) + os.sep)


def _upwards(folder: str) -> list[str]:
    folders = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        folders.append(folder := parent)
    return folders


def may_leave_out(tree: str) -> bool:
    """Whether a sparse checkout was ever set up in a work tree: costs no process."""
    git_dir = _git_dir(os.path.join(tree, ".git"))
    return git_dir is not None and os.path.exists(os.path.join(git_dir, "info", "sparse-checkout"))


def _git_dir(path: str) -> str | None:
    """The git directory that a `.git` directory or file leads to, by git's own rules; None where it leads to none."""
    if os.path.isdir(path):
        return path if _is_valid(path) else None
    text = _read(path)
    if text.startswith("gitdir:"):
        target = os.path.join(os.path.dirname(path), text.removeprefix("gitdir:").strip())
        if _is_valid(target):
            return _owner(os.path.normpath(target))
    return None


def _is_valid(git_dir: str) -> bool:
    """Whether git takes a folder for a git directory: it has a HEAD, and with those it shares, objects and refs."""
    head = os.path.join(git_dir, "HEAD")
    named = os.readlink(head) if os.path.islink(head) else _read(head).removeprefix("ref:").strip()
    shared = common_directory(git_dir)
    return (named.startswith("refs/") or bool(COMMIT.fullmatch(named))) and all(
        os.path.isdir(os.path.join(shared, name)) for name in ("objects", "refs")
    )


def _owner(git_dir: str) -> str:
    """The git directory of a work tree whose worker has a private one, which lies in it."""
    folder, name = os.path.split(git_dir)
    return folder if name == PRIVATE and os.path.isfile(os.path.join(folder, "commondir")) else git_dir


def git_directory(tree: str) -> str | None:
    """The git directory of one work tree, where its index is; None in a folder without git."""
    return _git_dir(os.path.join(tree, ".git"))


def common_directory(git_dir: str) -> str:
    """The directory that all work trees of a repository share, where its configuration is."""
    shared = _read(os.path.join(git_dir, "commondir")).strip()
    return os.path.normpath(os.path.join(git_dir, shared)) if shared else git_dir


def _of_repository(tree: str, git_dir: str, store: str) -> Project:
    common = common_directory(git_dir)
    shared = common != git_dir
    is_main = os.path.basename(common) == ".git"
    found = Project(
        tree=tree,
        root=os.path.dirname(common) if is_main else tree,
        git_dir=common,
        store=store or os.path.join(common, "deedlog"),
    )
    if store or has_store(found.store) or (shared and not is_main) or not _is_from_before(found):
        return found
    return found.replace(store=found.store_beside)


def has_store(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, LEDGER))


def _is_from_before(project: Project) -> bool:
    """Whether a store lies beside the files that was made here, and did not come with a clone.

    git gives all folders the same mode. Ours differ: the store is its owner's alone, the folder around it is not.
    """
    try:
        outer, inner = os.lstat(project.state).st_mode, os.lstat(project.store_beside).st_mode
    except OSError:
        return False
    made_here = S_ISDIR(outer) and S_ISDIR(inner) and outer & OTHERS and not inner & OTHERS
    return bool(made_here) and has_store(project.store_beside)


def unused_store(project: Project) -> str:
    """A store beside the files that is not the one in use."""
    beside = project.store_beside
    return beside if project.git_dir and project.store != beside and has_store(beside) else ""


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(4096)
    except OSError:
        return ""


def make_folder(folder: str) -> None:
    """Make a folder without git a project of its own."""
    try:
        _make(os.path.join(folder, STATE))
    except OSError as error:
        raise Unavailable(
            f"{folder} cannot be prepared: {error.strerror}", hint=PERMISSIONS, part=Part.CONFIGURATION
        ) from error


def shared_name(project: Project) -> str:
    """The project's name in a shared database: its repository's, however that is reached.

    A folder's name would not do: two repositories may lie in folders of one name.
    """
    config = _read_all(os.path.join(project.git_dir, "config")) if project.git_dir else ""
    url = _configured(config, "remote", '"origin"', "url")
    found = _repository(url)
    if not found:
        raise NotFound(
            f"{project.root} has no git remote `origin` that could give it a name in the shared database",
            hint="set DEEDLOG_PROJECT to a name that all who work on it use",
            part=Part.CONFIGURATION,
        )
    return found


def _configured(config: str, section: str, name: str, key: str) -> str:
    """A value in the text of a git configuration; empty where there is none."""
    inside = False
    for line in map(str.strip, config.splitlines()):
        if line.startswith("["):
            found, _, whose = line.partition("]")[0].removeprefix("[").partition(" ")
            inside = (found.lower(), whose.strip()) == (section, name)
        left, equals, value = line.partition("=")
        if inside and equals and left.strip().lower() == key:
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
        _make(project.state)
    except OSError as error:
        raise Unavailable(
            f"{project.state} cannot be made: {error.strerror}", hint=PERMISSIONS, part=Part.CONFIGURATION
        ) from error
    return project.state


def hide_store(project: Project) -> None:
    """Keep a store beside the files out of git's sight, whoever made the folder it is in."""
    if project.store.startswith(project.state + os.sep):
        try:
            _make(project.state)
        except OSError:
            return  # where nothing can be written, what is there can still be read


def _make(state: str) -> None:
    """Make the folder; it tells git itself what to ignore, so that nobody needs to be asked."""
    if not os.path.isdir(state):
        os.makedirs(state, exist_ok=True)
        mode = S_IMODE(os.stat(state).st_mode)
        os.chmod(state, mode | 0o011)  # noqa: S103  # whatever the umask, see `_is_from_before`
    path = os.path.join(state, ".gitignore")
    if not os.path.lexists(path):
        _write(path, IGNORING)


def _write(path: str, text: str) -> None:
    draft = f"{path}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
    if os.path.exists(path):
        os.chmod(draft, S_IMODE(os.stat(path).st_mode))
    os.replace(draft, path)


def drop_exclusion(project: Project) -> bool:
    """Take out of git's info/exclude what earlier versions wrote there, because it hides the configuration too."""
    path = os.path.realpath(os.path.join(project.git_dir or "", "info", "exclude"))
    lines = _read_all(path).splitlines(keepends=True) if project.git_dir else []
    kept = [line for line in lines if line.strip() != EXCLUDED]
    if kept == lines:
        return False
    try:
        _write(path, "".join(kept))
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be written: {error.strerror}", hint=PERMISSIONS, part=Part.CONFIGURATION
        ) from error
    return True


def exclude(project: Project, path: str) -> bool:
    """Have git ignore a file that holds a secret, here and not for others; False where it is outside of the tree."""
    if not project.git_dir:
        return False
    name = os.path.relpath(os.path.realpath(path), os.path.realpath(project.tree))
    if name.startswith(".."):
        return False
    exclusions = os.path.realpath(os.path.join(project.git_dir, "info", "exclude"))
    text = _read_all(exclusions)
    if f"/{name}" not in text.splitlines():
        os.makedirs(os.path.dirname(exclusions), exist_ok=True)
        _write(exclusions, f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}/{name}\n")
    return True


def _read_all(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
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
