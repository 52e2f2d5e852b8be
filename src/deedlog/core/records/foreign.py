"""ADRs that other tools or people wrote, read as far as it goes.

Preflights' have changes and a snapshot. MADR's, Nygard's and all others are history: known by their file's name.
"""

from __future__ import annotations

import re

from deedlog.core.records.markdown import flat, plain
from deedlog.core.records.uid import PATTERN, is_uid
from deedlog.core.records.values import Adr, Change, Held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Each is linear in its text: what stands in a repository may be written to keep us busy.
COMMENT = re.compile(r"<!--\s*([A-Za-z][A-Za-z ]{0,40}):([^\n]*)-->\s*$")
HEADING = re.compile(r"(#{1,6})[ \t]+(\S[^\n]*)")
SAID_UID = re.compile(rf"^(?:\*\*)?UID:?(?:\*\*)?:?[ \t]{{0,9}}({PATTERN})[ \t]*$", re.MULTILINE)
SAID_PREVIOUS = re.compile(rf"Previous:?(?:\*\*)?:?[ \t]{{0,9}}\[?({PATTERN})")
BY = re.compile(rf"\(ADR ({PATTERN})\)")
NUMBERED = re.compile(r"(?:ADR[- ]?)?\d{1,9}[.:)]\s+(\S.*)", re.IGNORECASE)
LABEL = re.compile(
    r"^(?:[-*][ \t]{1,9})?(?:\*\*)?(Status|Date)(?:\*\*)?[ \t]{0,9}:(?:\*\*)?([^\n]{1,200})",
    re.IGNORECASE | re.MULTILINE,
)
FRONT = re.compile(r"([A-Za-z][\w -]{0,40}):([^\n]*)")
BULLET = re.compile(r"\s{0,3}(?:[-*+]|\d{1,9}[.)])\s(.*)")
SNAPSHOT_SECTIONS = ("architecture snapshot", "current architecture state")
UNDERLINED = {"=": "#", "-": "##"}
PLAIN_LINE = re.compile(r" {0,3}(?![-*+>#=|`~]|\d{1,9}[.)]\s)\S")
OUTCOME = ("decision outcome", "consequences", "positive consequences", "negative consequences", "confirmation")
MADR_SECTIONS = ("decision outcome", "context and problem statement", "considered options")


def normal(text: str) -> str:
    """Text as it was before git or an editor changed its line ends."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def head_of(text: str) -> dict[str, str]:
    """The comments that a file of ours begins with."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        comment = COMMENT.match(line)
        if comment:
            found.setdefault(comment[1].rstrip(), comment[2].strip())
        elif line.strip():
            break
    return found


def _heading(found: re.Match[str]) -> str:
    text = found[2].rstrip()
    closed = text.rstrip("#")
    return closed.rstrip() if closed[-1:].isspace() else text


def _begins(heading: re.Match[str], section: str) -> str:
    """The section that a heading begins. Deeper ones belong to theirs, but for what MADR puts below its outcome."""
    name = plain(_heading(heading)).lower()
    return name if len(heading[1]) <= 2 or (section in OUTCOME and name in OUTCOME) else ""  # noqa: PLR2004


def _with_marks(lines: list[str]) -> list[str]:
    """The lines, with headings that are underlined written as others are."""
    found: list[str] = []
    for line in lines:
        mark = UNDERLINED.get(line.rstrip()[:1], "") if found and len(set(line.rstrip())) == 1 else ""
        if mark and PLAIN_LINE.match(found[-1]) and not (found[1:] and found[-2].strip()):
            found[-1] = f"{mark} {found[-1].strip()}"
        else:
            found.append(line)
    return found


class Sections:
    """The sections of a Markdown file by their headings in lower case, code left alone; the first of a name counts."""

    def __init__(self, text: str) -> None:
        self.title = ""
        self._found: dict[str, list[str]] = {"": []}
        name, fenced = "", False
        for line in _with_marks(text.splitlines()):
            if line.lstrip().startswith(("```", "~~~")):
                fenced = not fenced
            heading = None if fenced else HEADING.match(line)
            if heading and heading[1] == "#" and not self.title:
                self.title = _heading(heading)
            elif heading and (begun := _begins(heading, name)):
                name = begun
                self._found.setdefault(name, [])
            else:
                self._found[name].append(line)

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def lines(self, *names: str) -> list[str]:
        return next((self._found[name] for name in names if name in self._found), [])

    def text(self, *names: str) -> str:
        return "\n".join(self.lines(*names)).strip()

    def items(self, *names: str) -> list[str]:
        found = (BULLET.match(line) for line in self.lines(*names))
        return [plain(item[1]) for item in found if item]


def read_foreign(path: str, text: str) -> Adr:
    head, (front, body) = head_of(text), _front(text)
    sections = Sections(body)
    said = SAID_UID.search(body)
    uid = head.get("UID", "") or (said[1] if said else "")
    if is_uid(uid) and any(name in sections for name in SNAPSHOT_SECTIONS):
        return _preflights(path, uid, head, sections)
    return _history(path, front, sections, body)


def _preflights(path: str, uid: str, head: dict[str, str], sections: Sections) -> Adr:
    snapshot = _snapshot(sections.lines(*SNAPSHOT_SECTIONS))
    before = dict(filter(None, map(_before, sections.lines("changes in this version"))))
    previous = head.get("Previous", "")
    if not is_uid(previous):
        said = SAID_PREVIOUS.search(sections.text(""))
        previous = said[1] if said else ""
    return Adr(
        uid=uid,
        title=_title(sections, path),
        path=path,
        form="preflights",
        area=head.get("Category", ""),
        date=head.get("Date", "") or uid[:4] + "-" + uid[4:6] + "-" + uid[6:8],
        previous=previous,
        changes=[_set(area, field, held, before.get(f"{area}.{field}")) for area, field, held in _own(snapshot, uid)],
        snapshot=snapshot,
        context=sections.text("context"),
        decision=sections.text("decision"),
        rationale=sections.text("rationale"),
        alternatives=sections.items("alternatives considered", "alternatives"),
        consequences=sections.items("consequences"),
    )


def _own(snapshot: dict[str, dict[str, Held]], uid: str) -> Iterable[tuple[str, str, Held]]:
    """What a snapshot says its own ADR set."""
    return ((area, name, held) for area, fields in snapshot.items() for name, held in fields.items() if held.uid == uid)


def _before(line: str) -> tuple[str, tuple[str, str]] | None:
    """What `- Modified: Area.Field = value (was: old (ADR uid))` says was before, by the name of the field."""
    name, equals, rest = line.lstrip("-* ").partition(" = ")
    _, was, old = rest.rpartition("(was: ")
    uid = BY.search(old)
    if not (name.startswith("Modified: ") and equals and was and uid):
        return None
    return plain(name.removeprefix("Modified: ")), (plain(old[: uid.start()]), uid[1])


def _set(area: str, field: str, held: Held, before: tuple[str, str] | None) -> Change:
    was, was_uid = before or ("", "")
    return Change(area=area, field=field, value=held.value, was=was, was_uid=was_uid)


def _snapshot(lines: list[str]) -> dict[str, dict[str, Held]]:
    found: dict[str, dict[str, Held]] = {}
    area = ""
    for line in lines:
        if heading := HEADING.match(line):
            area = plain(_heading(heading))
        elif area and (field := _field(line)):
            found.setdefault(area, {})[field[0]] = field[1]
    return found


def _field(line: str) -> tuple[str, Held] | None:
    """The name and the value in `- **Field**: value (ADR uid)`; the last ADR that is named counts."""
    item, named = BULLET.match(line), list(BY.finditer(line))
    if not item or not named or line[named[-1].end() :].strip():
        return None
    said = line[item.start(1) : named[-1].start()]
    name, colon, value = said[2:].partition("**:") if said.startswith("**") else said.partition(":")
    return (plain(name), Held(value=plain(value), uid=named[-1][1])) if colon else None


def _front(text: str) -> tuple[dict[str, str], str]:
    """Simple keys of YAML front matter, and what stands behind it."""
    opening, _, rest = text.partition("\n")
    if opening.rstrip() != "---":
        return {}, text
    lines = rest.split("\n")
    end = next((i for i, line in enumerate(lines) if line.rstrip() in {"---", "..."}), -1)
    if end < 0:
        return {}, text
    found = (FRONT.match(line) for line in lines[:end])
    return {m[1].lower(): m[2].strip("\"' {}\t\r") for m in found if m}, "\n".join(lines[end + 1 :])


def _history(path: str, front: dict[str, str], sections: Sections, body: str) -> Adr:
    labels = {name.lower(): plain(value) for name, value in reversed(LABEL.findall(body)) if value.strip()}
    is_madr = any(name in sections for name in MADR_SECTIONS)
    is_nygard = not is_madr and "decision" in sections and ("status" in sections or "context" in sections)
    status = front.get("status") or labels.get("status") or flat(next(iter(sections.text("status").splitlines()), ""))
    return Adr(
        uid=_name(path),
        title=_title(sections, path),
        path=path,
        form="madr" if is_madr else "nygard" if is_nygard else "other",
        date=front.get("date") or labels.get("date", ""),
        status=status,
        context=sections.text("context and problem statement", "context"),
        decision=sections.text("decision outcome", "decision"),
        alternatives=sections.items("considered options", "options", "alternatives considered"),
        consequences=sections.items("consequences")
        or [*sections.items("positive consequences"), *sections.items("negative consequences")],
    )


def _title(sections: Sections, path: str) -> str:
    title = flat(plain(sections.title).removeprefix("ADR:"))
    numbered = NUMBERED.match(title)
    return (numbered[1] if numbered else title) or _name(path)


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
