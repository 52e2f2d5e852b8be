"""What a repository says of itself: read from git's index and a few manifests, nothing is run."""

from __future__ import annotations

import os

from deedlog import project
from deedlog.core.clarify.decided import of_package
from deedlog.core.clarify.values import Facts
from deedlog.survey import languages, listing, surroundings
from deedlog.survey.found import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.clarify.lexicon import Lexicon, Technology
    from deedlog.survey.listing import Listing

ECOSYSTEMS = (
    *("javascript", "typescript", "python", "go", "rust", "java", "kotlin", "scala", "dotnet"),
    *("php", "ruby", "elixir", "dart", "swift", "cpp", "terraform"),
)
MOST_READ = 4 << 20  # characters, of all manifests together
READERS: dict[str, Callable[[str, Found], None]] = {**languages.BY_NAME, **surroundings.BY_NAME}
ENDINGS = {**languages.BY_ENDING, **surroundings.BY_ENDING}


class TreeSurvey:
    """Of one work tree. `state` is the project's folder for what it adds to the lexicon."""

    def __init__(self, tree: str, state: str) -> None:
        self._tree = os.path.realpath(tree)
        self._state = state
        self._listed: tuple[object, Listing] | None = None

    def lexicon(self) -> Lexicon:
        from deedlog.survey.lexicon import read  # its data is much, and only the gate needs it

        return read(self._state)

    def facts(self) -> Facts:
        listed = self._listing()
        found = Found()
        left = MOST_READ
        for path in listed.telling:
            found.path = path
            left -= _look_at(self._tree, path, found, left)
        for folder, technology in _told_by_folders(listed.folders).items():
            found.path = folder
            found.name(technology)
        return Facts(
            ecosystems=[name for name in ECOSYSTEMS if name in found.ecosystems],
            packages=dict(sorted({name: path for (_, name), path in reversed(found.packages.items())}.items())),
            technologies=_technologies(found, self.lexicon()),
            folders=listed.folders,
            files=listed.files,
        )

    def _listing(self) -> Listing:
        """Read again only where git's index was written since: it is most of what this costs in a large repository."""
        git_dir = project.git_directory(self._tree)
        if git_dir is None:
            return listing.of_folder(self._tree)
        stamp = _stamp(git_dir, self._tree)
        if self._listed is None or self._listed[0] != stamp:
            self._listed = stamp, listing.of_git(self._tree, git_dir, project.common_directory(git_dir))
        return self._listed[1]


def _stamp(git_dir: str, tree: str) -> object:
    """What changes when the index or the names at the root do."""
    found = []
    for path in (os.path.join(git_dir, "index"), tree):
        try:
            status = os.stat(path)
        except OSError:
            return object()  # nothing to go by
        found.append((status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return found


def _look_at(tree: str, path: str, found: Found, most: int) -> int:
    """Take what a file says, unless it would be more than `most`; returns how much was read."""
    name = path.rpartition("/")[2]
    if there := surroundings.THERE.get(name):
        found.name(there)
    read = _reader(path, name)
    text = listing.read_text(tree, path) if read else None
    if read is None or not text or len(text) > most:
        return 0
    try:
        read(text, found)
    except Exception:  # noqa: BLE001, S110  # whatever is wrong with it: a manifest nobody can read says nothing
        pass
    return len(text)


def _reader(path: str, name: str) -> Callable[[str, Found], None] | None:
    if path.startswith(".github/workflows/"):
        return surroundings.services
    if name.startswith("requirements") and name.endswith((".txt", ".in")):
        return languages.requirements_txt
    others = [read for ending, read in ENDINGS.items() if name.endswith(ending)]
    others += [read for beginning, read in surroundings.BY_BEGINNING.items() if name.startswith(beginning)]
    return READERS.get(name) or (others[0] if others else None)


def _told_by_folders(folders: list[str]) -> dict[str, str]:
    known = {folder: name for folder, name in surroundings.FOLDERS.items() if folder in folders}
    inside = [folder for folder in folders if folder.rpartition("/")[2] in surroundings.KUBERNETES]
    return known | ({inside[0]: "Kubernetes"} if inside else {})


def _technologies(found: Found, lexicon: Lexicon) -> dict[str, str]:
    """By the names the lexicon has for them; what it does not know keeps the name it has here."""
    known = {name.lower(): technology for technology in lexicon.technologies for name in _names(technology)}
    technologies: dict[str, str] = {}
    for name, path in found.named.items():
        technology = known.get(name.lower())
        technologies[technology.name if technology else name] = path
    for (ecosystem, package), path in found.packages.items():
        technology = _behind(ecosystem, package, known, lexicon)
        if technology:
            technologies.setdefault(technology.name, path)
    return dict(sorted(technologies.items()))


def _names(technology: Technology) -> list[str]:
    return [*technology.guarded, *technology.aliases, technology.name]


def _behind(ecosystem: str, package: str, known: dict[str, Technology], lexicon: Lexicon) -> Technology | None:
    """What a package stands for: where it is at home, or, outside of any ecosystem, by any of its names."""
    by_package, by_name = of_package(package, lexicon), known.get(package)
    if by_package and (not ecosystem or not by_package.ecosystems or ecosystem in by_package.ecosystems):
        return by_package
    return by_name if by_name and (not ecosystem or ecosystem in by_name.ecosystems) else None
