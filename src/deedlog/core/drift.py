"""Where what is done departs from what was decided: a choice or a package that an ADR decided otherwise."""

from __future__ import annotations

import re

from deedlog.core.clarify.decided import of_package, technologies_in
from deedlog.core.clarify.rivals import is_alternative
from deedlog.core.clarify.values import REQUEST, Facts
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deedlog.core.clarify.lexicon import Lexicon, Technology
    from deedlog.core.records.values import Architecture, Held

MANIFEST = re.compile(
    r"(?:.*/)?(?:package\.json|pyproject\.toml|requirements[^/]*\.txt|Pipfile|setup\.(?:py|cfg)|Cargo\.toml|go\.mod"
    r"|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|[^/]*\.csproj|pubspec\.yaml|mix\.exs)"
)
NAME = r"@?[A-Za-z0-9][\w.:/-]*"
FIRST = re.compile(
    rf"""\s*(?:gem\s+|<artifactId>|<PackageReference\s+Include=|require\s+|-\s+|\{{\s*:
    |(?:\w*[iI]mplementation|api|compile\w*|kapt|ksp|runtimeOnly)[\s(]+)?["']?({NAME})""",
    re.VERBOSE,
)
QUOTED = re.compile(rf"""["']({NAME})""")
IN_LISTS = (".toml", ".py", ".cfg")  # manifests where several may stand in one line
VERSION = re.compile(r"(?<=.)@.*$|[\s=<>~!^;\[(,].*$", re.DOTALL)


class Against(Value):
    """What was chosen for a field, although the ADR `uid` decided on something else."""

    field: str
    chosen: str
    decided: str
    uid: str


def chosen_in(text: str, lexicon: Lexicon) -> list[Technology]:
    """The technologies that somebody chose who says this: of "Drizzle instead of Prisma" the first."""
    named = technologies_in(text, lexicon)
    if not named or len(text.split()) == 1:
        return named
    from deedlog.core.clarify.gate import judge  # only where there is more to understand than a name

    verdict = judge(f"Use {text}", Facts(), lexicon)
    wanted = [one for one in verdict.decided if one.source == REQUEST]
    if not wanted:
        return [technology for technology in named if technology.name not in verdict.rejected]
    return [
        technology
        for technology in named
        if any(one.key == technology.key and one.value.startswith(technology.name) for one in wanted)
    ]


def against(chosen: Sequence[Technology], architecture: Architecture, lexicon: Lexicon) -> list[Against]:
    """Where these technologies are not what was decided; one that names the decided technology too keeps to it."""
    found: dict[str, Against] = {}
    kept = set[str]()
    for technology in chosen:
        held = _held(technology, architecture)
        if held is None:
            continue
        key = technology.key
        if _is_named(technology, held, lexicon):
            kept.add(key)
        elif not is_alternative(held.value, technology, key, lexicon):
            continue
        found.setdefault(key, Against(field=key, chosen=technology.name, decided=held.value, uid=held.uid))
    return [one for key, one in found.items() if key not in kept]


def _held(technology: Technology, architecture: Architecture) -> Held | None:
    """The value of the field a technology decides, however its names are spelt."""
    area, field = technology.area.casefold(), technology.field.casefold()
    for name, fields in architecture.areas.items():
        if name.casefold() == area:
            return next((held for other, held in fields.items() if other.casefold() == field), None)
    return None


def _is_named(technology: Technology, held: Held, lexicon: Lexicon) -> bool:
    if technology.name.casefold() in held.value.casefold():
        return True
    return any(other.name == technology.name for other in technologies_in(held.value, lexicon))


def packages_against(names: Iterable[str], architecture: Architecture, lexicon: Lexicon) -> list[tuple[str, Against]]:
    """The packages that belong to a technology other than the decided one, with what they are against."""
    told: dict[str, tuple[str, Against]] = {}
    for name in names:
        technology = of_package(name, lexicon)
        behind = [one for one in lexicon.technologies if one.name in technology.implies] if technology else []
        for one in against([technology, *behind], architecture, lexicon) if technology else ():
            told.setdefault(f"{one.field} {one.chosen}", (name, one))
    return [*told.values()]


def bare(package: str) -> str:
    """The name of a package without the version it was given with."""
    return VERSION.sub("", package.strip())


def packages_in(patch: bytes) -> list[str]:
    """The packages that a patch adds to manifests: names in lines it adds and does not take away."""
    added, removed = dict[str, None](), set[str]()
    path = ""
    for line in patch.decode("utf-8", "replace").splitlines():
        if line.startswith(("diff --git ", "--- ")):
            path = "" if line.startswith("diff") else path
        elif line.startswith("+++ "):
            path = line[4:].partition("\t")[0].strip('"').removeprefix("b/")
            path = path if MANIFEST.fullmatch(path) else ""
        elif path and line[:1] in ("+", "-"):
            names = _names(line[1:], path)
            if line[0] == "+":
                added |= dict.fromkeys(names)
            else:
                removed.update(names)
    return [name for name in added if name not in removed]


def _names(line: str, path: str) -> list[str]:
    first = FIRST.match(line)
    found = [first[1]] if first else []
    if path.endswith(IN_LISTS):
        found += QUOTED.findall(line)
    return [bare(name).rstrip(":.") for name in found]
