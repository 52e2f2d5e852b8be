"""What is known of a repository before anything is asked about its files."""

from __future__ import annotations

import os

from deedlog.core.errors import Part, Unavailable
from deedlog.core.value import Value
from deedlog.git.command import Git, GitFailed, not_understood

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Stamp = tuple[int, int, int] | None

EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
PLACES = ("index", "objects", "logs/HEAD", "info/sparse-checkout", "info/exclude", "info/attributes")
QUESTIONS = (
    ("--show-toplevel",),
    ("--git-dir",),
    ("--git-common-dir",),
    ("--show-object-format",),
    *(("--git-path", place) for place in PLACES),
)


class Repository(Value):
    """One repository as seen from one of its work trees. `places` are files of git's by their usual names."""

    root: str
    git_dir: str
    common: str
    hash_name: str
    places: dict[str, str]
    config: dict[str, str]

    @property
    def empty_tree(self) -> str:
        return EMPTY_TREES[self.hash_name]

    @property
    def modes_count(self) -> bool:
        return self.config.get("core.filemode", "true") == "true"

    @property
    def is_sparse(self) -> bool:
        return self.config.get("core.sparsecheckout", "false") == "true"

    @property
    def filters(self) -> set[str]:
        """The names of the content filters that are configured."""
        return {key[len("filter.") : key.rindex(".")] for key in self.config if key.startswith("filter.")}

    def excludes(self) -> list[str]:
        """The files besides `.gitignore` that say what git ignores."""
        return [self.places["info/exclude"], _configured(self.config, "core.excludesfile", "ignore")]

    def attributes(self) -> list[str]:
        """The files besides `.gitattributes` that say how git converts contents."""
        own = _configured(self.config, "core.attributesfile", "attributes")
        return [self.places["info/attributes"], own, "/etc/gitattributes"]


def open_repository(tree: str) -> Repository:
    """The repository whose work tree `tree` is."""
    git = Git(tree=tree)
    try:
        found = _asked(git)
    except GitFailed as error:
        if git.run("rev-parse", "--is-bare-repository", fine=(0, 128)).strip() == b"true":
            raise Unavailable(
                f"{tree} is a bare repository: it has no files to work on", hint="use a work tree", part=Part.GIT
            ) from error
        raise
    root, git_dir, common, hash_name, *places = found
    if hash_name not in EMPTY_TREES or not os.path.isdir(root):
        raise not_understood(tree, "rev-parse")
    return Repository(
        root=root,
        git_dir=git_dir,
        common=common,
        hash_name=hash_name,
        places=dict(zip(PLACES, places, strict=True)),
        config=_config(git.run("config", "--list", "-z")),
    )


def _asked(git: Git) -> list[str]:
    """What git says about `QUESTIONS`, in one go where no path has a line break in it."""
    words = ("rev-parse", "--path-format=absolute")
    found = git.run(*words, *(word for question in QUESTIONS for word in question)).split(b"\n")[:-1]
    if len(found) != len(QUESTIONS):
        found = [git.run(*words, *question).removesuffix(b"\n") for question in QUESTIONS]
    return [os.fsdecode(answer) for answer in found]


def _config(text: bytes) -> dict[str, str]:
    """Settings by their names, which git lists in lower case but for what users named; the last one given counts."""
    pairs = (entry.partition(b"\n") for entry in text.split(b"\0") if entry)
    return {os.fsdecode(name): os.fsdecode(value) if equals else "true" for name, equals, value in pairs}


def _configured(config: Mapping[str, str], name: str, usual: str) -> str:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.expanduser(config.get(name, "")) or os.path.join(base, "git", usual)


def config_stamp(repository: Repository) -> list[Stamp]:
    """Changes when the configuration may have changed."""
    files = [os.path.join(repository.common, "config"), os.path.join(repository.git_dir, "config.worktree")]
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    own = os.environ.get("GIT_CONFIG_GLOBAL") or os.path.expanduser("~/.gitconfig")
    return [stamp(path) for path in (*files, own, os.path.join(base, "git", "config"))]


def stamp(path: str) -> Stamp:
    """Changes when a file does; None while there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def text_at(path: str) -> bytes:
    """What a file holds; nothing where there is none to be read."""
    if not os.path.lexists(path):  # as mostly; cheaper than failing to open it
        return b""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
