"""Technologies by their names and packages."""

from __future__ import annotations

from deedlog.core.clarify.folding import folded
from deedlog.core.clarify.matching import Phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon, Technology

_MADE: list[tuple[Lexicon, Phrases, dict[str, Technology]]] = []  # of the last lexicon used


def technologies_in(text: str, lexicon: Lexicon) -> list[Technology]:
    """The technologies a text names, in its order. Names that are plain words too count only with a capital letter."""
    phrases, _ = _made(lexicon)
    inside = folded(text)
    last = -1
    found: list[Technology] = []
    hits = sorted(phrases.find(inside), key=lambda hit: (hit.start, -hit.end))
    for hit in hits:
        technology = lexicon.technologies[int(hit.tag)]
        if hit.start < last or technology in found:
            continue
        if inside[hit.start : hit.end] in technology.guarded and not _has_capital(text, inside[hit.start : hit.end]):
            continue
        last = hit.end
        found.append(technology)
    return found


def by_their_names(found: dict[str, str], lexicon: Lexicon) -> dict[str, str]:
    """What a repository has, under the names the lexicon has for it."""
    names = {one.name for one in lexicon.technologies} if found else set()
    out: dict[str, str] = {}
    for name, where in found.items():
        known = [] if name in names else [one.name for one in technologies_in(name, lexicon)]
        for one in known or [name]:
            out.setdefault(one, where)
    return out


def _has_capital(text: str, word: str) -> bool:
    return text.strip().lower() == word or word.capitalize() in text or word.upper() in text


def of_package(name: str, lexicon: Lexicon) -> Technology | None:
    """The technology a package of a manifest or lock file belongs to."""
    _, packages = _made(lexicon)
    name = name.lower()
    tries = [name, name.rpartition(":")[2], "/".join(name.split("/")[1:3]) if name.count("/") > 1 else ""]
    tries += [part.partition("/v")[0] for part in tries if "/v" in part]
    return next((packages[one] for one in tries if one in packages), None)


def _made(lexicon: Lexicon) -> tuple[Phrases, dict[str, Technology]]:
    if not _MADE or _MADE[0][0] is not lexicon:
        names = (
            (name, str(index))
            for index, technology in enumerate(lexicon.technologies)
            for name in (*technology.aliases, *technology.guarded)
        )
        packages = {
            package: technology for technology in reversed(lexicon.technologies) for package in technology.packages
        }
        _MADE[:] = [(lexicon, Phrases(names), packages)]
    return _MADE[0][1], _MADE[0][2]
