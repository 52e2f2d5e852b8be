"""A private git repository: what a worker or a check gets in place of the user's.

It borrows all objects of the user's repository, starts with the same branches, tags and settings, and has its own
refs, index, logs and new objects. A process that may write nothing else can commit, and change nothing of the user's.
"""

from __future__ import annotations

import os
import re
import shutil
import stat

from deedlog.core.errors import Part, Unavailable
from deedlog.git.command import Git, quoted

POINTS = "gitdir: "
SHARED_REFS = ("refs/heads", "refs/tags", "refs/remotes", "refs/notes", "refs/replace")
FOLDERS = ("hooks", "info", "logs", "objects/info", "objects/pack", "refs/heads", "refs/tags")
COPIED = ("info/exclude", "info/attributes", "shallow")
RULES = "info/sparse-checkout"
REPOSITORY = ("local", "worktree")
EXTENSIONS = ("extensions.objectformat", "extensions.partialclone")
# where files are and how refs are kept is the private repository's own matter
NOT_COPIED = re.compile(r"core\.(bare|worktree|repositoryformatversion)$|extensions\.|include(if)?\.")


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
    """The settings of the user's repository, copied: a file that it includes or replaces may be out of reach."""
    found = _listed(Git(tree=tree, git_dir=linked or common).run("config", "--list", "-z", "--show-scope"))
    theirs = [(name, value) for scope, name, value in found if scope in REPOSITORY and not NOT_COPIED.match(name)]
    extensions = [(name, value) for _, name, value in found if name in EXTENSIONS]
    named = {name for _, name, _ in found}
    hooks = [] if "core.hookspath" in named else [("core.hooksPath", os.path.join(common, "hooks"))]
    own = [("core.repositoryFormatVersion", "1" if extensions else "0"), ("core.bare", "false")]
    return "".join(_setting(name, value) for name, value in (*own, *extensions, *theirs, *hooks))


def hooks_folder(common: str) -> str:
    """The folder of the user's hooks; a relative one is below the top of each work tree."""
    found = _listed(Git(tree=common, git_dir=common).run("config", "--list", "-z", "--show-scope"))
    named = [value for _, name, value in found if name == "core.hookspath" and value]
    return os.path.expanduser(named[-1]) if named else os.path.join(common, "hooks")


def _listed(text: bytes) -> list[tuple[str, str, str | None]]:
    """Settings with their scopes, without those that Deedlog itself gives to git; some have no value."""
    words = [os.fsdecode(word) for word in text.split(b"\0")]
    rows = ((scope, *entry.partition("\n")) for scope, entry in zip(words[0::2], words[1::2], strict=False))
    return [(scope, name, value if equals else None) for scope, name, equals, value in rows if scope != "command"]


def _setting(name: str, value: str | None) -> str:
    section, _, rest = name.partition(".")
    inner, _, key = rest.rpartition(".")
    title = f'{section} "{_escaped(inner)}"' if inner else section
    return f"[{title}]\n\t{key}\n" if value is None else f'[{title}]\n\t{key} = "{_value(value)}"\n'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _value(text: str) -> str:
    return _escaped(text).replace("\n", "\\n").replace("\t", "\\t")


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
