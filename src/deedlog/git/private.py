"""A private git repository: what a worker or a check gets in place of the user's.

It borrows all objects of the user's repository, starts with the same branches, tags and settings, and has its own
refs, index, logs and new objects. A process that may write nothing else can commit, and change nothing of the user's.
"""

from __future__ import annotations

import os
import shutil
import stat

from deedlog.core.errors import Part, Unavailable
from deedlog.git.command import Git, quoted

POINTS = "gitdir: "
SHARED_REFS = ("refs/heads", "refs/tags", "refs/remotes", "refs/notes", "refs/replace")
FOLDERS = ("hooks", "info", "logs", "objects/info", "objects/pack", "refs/heads", "refs/tags")
COPIED = ("info/exclude", "info/attributes", "shallow")
RULES = "info/sparse-checkout"
# git reads these from the file itself, not from what that includes
FORMAT = ("core.filemode", "core.ignorecase", "core.precomposeunicode", "core.symlinks", "core.sharedrepository")
EXTENSIONS = ("extensions.objectformat", "extensions.partialclone")


def make_private(common: str, folder: str, tree: str, *, head: str, linked: str = "") -> dict[str, str]:
    """Make the git directory `folder` for the work tree `tree`; returns the refs it starts with.

    `common` is the user's git directory. `head` is a full ref name such as `refs/heads/main`, or a commit.
    `linked` is what git keeps of `tree` where that is a linked work tree: its index, rules for a sparse checkout and
    settings are taken over. The caller points the tree to the folder: `pointer_to(folder)` belongs into `tree/.git`.
    One that is there already stays as it is.
    """
    refs = refs_of(common)
    if os.path.isdir(folder):
        return refs
    draft = f"{folder}.new"
    try:
        shutil.rmtree(draft, ignore_errors=True)
        for name in FOLDERS:
            os.makedirs(os.path.join(draft, name))
        _write(draft, "HEAD", f"ref: {head}\n" if head.startswith("refs/") else f"{head}\n")
        _write(draft, "packed-refs", _packed(refs))
        _write(draft, "config", _config(common, tree, linked))
        _write(draft, "objects/info/alternates", _alternate(os.path.join(common, "objects")))
        for name in COPIED:
            _copy(os.path.join(common, name), os.path.join(draft, name))
        if linked:
            for name in ("index", RULES):
                _copy(os.path.join(linked, name), os.path.join(draft, name))
        os.rename(draft, folder)
    except OSError as error:
        raise Unavailable(
            f"{folder} cannot be made: {error.strerror}", hint="check the space and permissions there", part=Part.GIT
        ) from error
    return refs


def pointer_to(folder: str) -> bytes:
    """The content of `.git` in a work tree whose git directory is `folder`."""
    return os.fsencode(f"{POINTS}{folder}\n")


def refs_of(common: str) -> dict[str, str]:
    """The commits and tags of a repository by the names of their refs."""
    out = Git(tree=common, git_dir=common).run("for-each-ref", "--format=%(objectname) %(refname)", *SHARED_REFS)
    rows = (line.split(" ", 1) for line in os.fsdecode(out).splitlines())
    return {name: oid for oid, name in rows}


def _packed(refs: dict[str, str]) -> str:
    lines = sorted((os.fsencode(name), oid) for name, oid in refs.items())
    return "# pack-refs with: sorted \n" + "".join(f"{oid} {os.fsdecode(name)}\n" for name, oid in lines)


def _config(common: str, tree: str, linked: str) -> str:
    """The user's settings by including them; what git does not read from an included file is copied."""
    git = Git(tree=tree, git_dir=linked or common)
    found = _listed(git.run("config", "--list", "-z", "--includes", "--show-scope"))
    included = [os.path.join(common, "config"), os.path.join(linked, "config.worktree") if linked else ""]
    lines = [_setting("include.path", path) for path in included if path and os.path.isfile(path)]
    hooks = [] if "core.hookspath" in found else [("core.hooksPath", os.path.join(common, "hooks"))]
    extensions = [(name, found[name]) for name in EXTENSIONS if name in found]
    own = [
        ("core.repositoryFormatVersion", "1" if extensions else "0"),
        ("core.bare", "false"),
        ("core.logAllRefUpdates", "true"),
        *((name, found[name]) for name in FORMAT if name in found),
        *hooks,
        *extensions,
    ]
    return "".join([*lines, *(_setting(name, value) for name, value in own)])


def _listed(text: bytes) -> dict[str, str]:
    """Settings by their names, without those that Deedlog itself gives to git."""
    words = text.split(b"\0")
    entries = [entry for scope, entry in zip(words[0::2], words[1::2], strict=False) if scope != b"command"]
    pairs = (entry.partition(b"\n") for entry in entries)
    return {os.fsdecode(name): os.fsdecode(value) if equals else "true" for name, equals, value in pairs}


def _setting(name: str, value: str) -> str:
    section, _, key = name.partition(".")
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'[{section}]\n\t{key} = "{text}"\n'


def _alternate(path: str) -> str:
    needs_quotes = path.startswith(('"', "#")) or "\n" in path
    return (os.fsdecode(quoted(os.fsencode(path))) if needs_quotes else path) + "\n"


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "xb") as file:
        file.write(os.fsencode(text))


def _copy(source: str, place: str) -> None:
    if os.path.isfile(source):
        shutil.copy2(source, place)  # with its time: git trusts an index that is younger than the files


def write_whole(path: str, data: bytes) -> None:
    """Replace a file all at once; a link or a folder in its place is the caller's to move away."""
    draft = f"{path}.{os.getpid()}-{os.urandom(4).hex()}"
    with open(draft, "wb") as file:
        file.write(data)
    os.replace(draft, path)


def read_small(path: str, most: int) -> bytes | None:
    """What a plain file holds; None for a link, a pipe, a folder, or one that is too large."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_size > most:
            return None
        with open(file, "rb", closefd=False) as stream:
            return stream.read()
    finally:
        os.close(file)
