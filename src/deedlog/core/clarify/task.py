"""What a clear request comes to as a task: decisions, the paths it may touch, and when it is done."""

from __future__ import annotations

from deedlog.core.clarify import telling
from deedlog.core.clarify.asking import questions_of
from deedlog.core.clarify.values import (
    ASSUMPTION,
    DECISION,
    PROPOSAL,
    REPOSITORY,
    REQUEST,
    UNASKED,
    Decided,
    Reason,
)  # fmt: skip
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from deedlog.core.clarification import Clarification
    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.clarify.values import Facts, Proposal, Verdict

ELSE = "Other"
LONGEST_FIELD, LONGEST_VALUE = 40, 300
MOST_PATHS, MOST_TESTS, MOST_CRITERIA = 10, 3, 20
PATHS, CRITERIA = "allowlist_paths", "acceptance_criteria"  # questions whose answers are lists
UNCONFIRMED, PROPOSED = "recommended, not confirmed", "proposed by the agent, not confirmed"
SEPARATORS = (";", "、")
FORCED = Reason(rule="asked.force", about="asked for with force_adr")
DUE = ("asked", "structure", "first")  # the steps of rules that make an ADR due
MANIFESTS = (
    *("package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"),
    *("pyproject.toml", "poetry.lock", "uv.lock", "pdm.lock", "requirements.txt", "Pipfile", "Pipfile.lock"),
    *("setup.py", "setup.cfg", "go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "Gemfile", "Gemfile.lock"),
    *("composer.json", "composer.lock", "pubspec.yaml", "pubspec.lock", "mix.exs", "mix.lock", "pom.xml"),
    *("build.gradle", "build.gradle.kts", "settings.gradle", "gradle.lockfile", "Directory.Packages.props"),
    *("Package.swift", "Package.resolved", "CMakeLists.txt", "conanfile.txt", "vcpkg.json"),
)  # at the root: what a new dependency changes
TESTING = "Testing"
ASKED_FOR = "asked.adr"


def decisions(session: Clarification, verdict: Verdict) -> list[Decided]:
    """What is decided by this request. An ADR that chooses no technology decides on the request itself."""
    found = chosen(verdict)
    if found or not is_recorded(session, verdict) or verdict.removed:
        return found
    title = one_line(session.intention, LONGEST_FIELD)
    return [Decided(area=ELSE, field=title, value=one_line(session.intention, LONGEST_VALUE), source=REQUEST)]


def chosen(verdict: Verdict) -> list[Decided]:
    return [one for one in verdict.decided if one.source not in (DECISION, REPOSITORY)]


def is_recorded(session: Clarification, verdict: Verdict) -> bool:
    """Whether an ADR is written. One that was due is not, where all that could be decided was left open."""
    if not verdict.adr or session.force_adr or verdict.rule == ASKED_FOR or chosen(verdict) or verdict.removed:
        return verdict.adr
    return not (session.skipped or verdict.beyond)


def reasons(session: Clarification, verdict: Verdict) -> list[Reason]:
    """Why there is an ADR."""
    due = [reason for reason in verdict.reasons if reason.rule.partition(".")[0] in DUE]
    return due or ([FORCED] if session.force_adr else [])


def told_reasons(session: Clarification, verdict: Verdict) -> list[Reason]:
    """All that the gate says, and that an ADR was forced where nothing else makes one due."""
    forced = [one for one in reasons(session, verdict) if one == FORCED and one not in verdict.reasons]
    return [*forced, *verdict.reasons]


def before(verdict: Verdict) -> list[Decided]:
    """What earlier ADRs decided of what the request is about."""
    return [one for one in verdict.assumptions if one.source == DECISION]


def supposed(verdict: Verdict) -> list[Decided]:
    """What nobody decided and the task goes by."""
    return [one for one in verdict.assumptions if one.source != DECISION and one.value]


def still_open(verdict: Verdict) -> list[Decided]:
    """What has no value: it was skipped and nothing was recommended, or there was no question left to ask it with."""
    beyond = [
        Decided(area=question.area, field=question.field, value="", source=UNASKED, detail=question.id)
        for question in verdict.beyond
        if question.field
    ]
    return [*(one for one in verdict.assumptions if one.source != DECISION and not one.value), *beyond]


def assumed(session: Clarification, verdict: Verdict) -> list[Decided]:
    """What is assumed. Who skips a question goes on with what was recommended, where something was."""
    recommended = {question.id: question.recommended for question in questions_of(session)}
    return [_supposing(one, recommended.get(one.detail, "")) for one in verdict.assumptions]


def _supposing(one: Decided, recommended: str) -> Decided:
    value = one.value or recommended
    if one.source == PROPOSAL:
        return one.replace(detail=PROPOSED)
    return one.replace(value=value, detail=UNCONFIRMED) if one.source == ASSUMPTION and value else one


def allowed(
    session: Clarification, verdict: Verdict, facts: Facts, lexicon: Lexicon, root: Collection[str] = ()
) -> list[str]:
    """What the user said; else the usual folders of all areas it is about, as globs, with the tests and the manifests
    at the root. Nothing where one of the areas has no folder yet: new ones are to be expected.
    """
    if said := _listed(session.answers.get(PATHS), commas=True):
        return said[:MOST_PATHS]
    areas = [*dict.fromkeys([*verdict.areas, *(one.area for one in (*verdict.decided, *verdict.removed))])]
    found: list[str] = []
    for area in areas:
        inside = _folders(lexicon.areas[area].paths if area in lexicon.areas else [], facts)
        if not inside:
            return []
        found += inside
    if not found:
        return []
    tests = _folders(lexicon.areas[TESTING].paths, facts) if TESTING in lexicon.areas else []
    folders = [*dict.fromkeys(found)][:MOST_PATHS]
    more = [folder for folder in tests if not any(f"{folder}/".startswith(f"{one}/") for one in folders)]
    return [*(f"{folder}/**" for folder in [*folders, *more[:MOST_TESTS]]), *(n for n in MANIFESTS if n in root)]


def _folders(names: Sequence[str], facts: Facts) -> list[str]:
    """The folders of the repository with one of these names, without those inside of others."""
    wanted = [f"/{name.strip('/').lower()}" for name in names]
    found: list[str] = []
    for folder in sorted((f.rstrip("/") for f in facts.folders), key=lambda folder: (folder.count("/"), folder)):
        fits = any(f"/{folder}".lower().endswith(name) for name in wanted)
        if fits and not any(folder.startswith(f"{other}/") for other in found):
            found.append(folder)
    return found


def criteria(session: Clarification, verdict: Verdict, proposal: Proposal) -> list[str]:
    said = _listed(session.answers.get(CRITERIA)) or proposal.acceptance_criteria
    if said:
        return said[:MOST_CRITERIA]
    found = telling.criteria(verdict.kind, session.intention, chosen(verdict), verdict.removed, verdict.language)
    return found[:MOST_CRITERIA]


def _listed(answer: object, *, commas: bool = False) -> list[str]:
    """An answer as a list: lines and semicolons part it. Commas are part of sentences."""
    if isinstance(answer, list):
        return [str(item) for item in answer]
    text = answer if isinstance(answer, str) else ""
    for separator in (*SEPARATORS, *("," if commas else "")):
        text = text.replace(separator, "\n")
    return [line for line in (part.strip().lstrip("-*").strip() for part in text.split("\n")) if line]
