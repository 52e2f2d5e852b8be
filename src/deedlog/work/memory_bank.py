"""What the memory bank tells workers and people: its entries, their summary, and the files that show them."""

from __future__ import annotations

from deedlog.core.errors import DeedlogError
from deedlog.core.memory import ACTIVE, BANK, CATEGORIES, DRAFT, Memory
from deedlog.core.moment import iso
from deedlog.core.records.values import TASK_FILE
from deedlog.core.slug import is_slug
from deedlog.core.words import SHORT, one_line
from deedlog.core.yaml import scalar
from deedlog.ports import EventQuery
from deedlog.work.lookup import every
from deedlog.work.records import Recorded, main_records, recorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deedlog.core.records.values import Held
    from deedlog.ports import Context

FOLDER = "memory"
PREFIX = f".deedlog/{FOLDER}/"
MOST_BULLETS = 10
MOST_FILES = 200
MOST_AREAS = 20
LONGEST_BULLET, LONGEST_TITLE = 500, 200
EXPORTS = 5
LABELS = {
    "en": {"rule": "Rule", "convention": "Convention", "architecture": "Architecture", "tooling": "Tooling"},
    "ja": {"rule": "ルール", "convention": "規約", "architecture": "アーキテクチャ", "tooling": "ツール選定"},
}
NOTHING = {"en": "There are no active entries.", "ja": "有効なエントリはありません。"}


def active(ctx: Context) -> list[Memory]:
    """The active entries that are stored, those of the well-known categories first."""
    return _sorted(every(ctx.ledger, Memory, {"status": ACTIVE}))


def _told(ctx: Context, found: Recorded) -> list[Memory]:
    """The entries workers are told of: what is stored, then the ADRs that hold, the newest first."""
    return [*active(ctx), *reversed([entry for entry in found.memories if entry.status == ACTIVE])]


def _sorted(entries: Iterable[Memory]) -> list[Memory]:
    """What an import brought under a name that could lead elsewhere is not shown at all."""
    safe = (entry for entry in entries if is_slug(entry.id) and is_slug(entry.category))
    return sorted(safe, key=lambda entry: (_rank(entry.category), entry.category, entry.created_at, entry.id))


def _rank(category: str) -> int:
    return CATEGORIES.index(category) if category in CATEGORIES else len(CATEGORIES)


def preview(ctx: Context, labels: str = "", records: Recorded | None = None) -> str:
    """What workers are told: the summaries, and where the whole entries are.

    The decision records are those of the tree the worker stands in; by default, the caller.
    """
    language = labels or ctx.settings["memory_labels"]
    names = LABELS.get(language, LABELS["en"])
    found = records or recorded(ctx)
    entries = _told(ctx, found)
    nothing = f"- {NOTHING.get(language, NOTHING['en'])}"
    told = {adr.path for adr in found.adrs if adr.changes} if found.architecture.areas else set()
    own = [entry for entry in entries if entry.origin not in told]  # the architecture says the rest
    bullets = [f"- {_label(entry.category, names)}: {_summary(entry)}" for entry in own[:MOST_BULLETS]]
    lines = [f"- {PREFIX}{path_of(e)} - {one_line(e.title, LONGEST_TITLE)}" for e in sorted(entries, key=path_of)]
    if len(lines) > MOST_FILES:
        lines = [*lines[:MOST_FILES], f"- and {len(lines) - MOST_FILES} more in {PREFIX}"]
    parts = ["## Memory Bank Summary", *(bullets or [nothing]), "", *_decided(found)]
    parts += ["## Project Context (Memory Bank)", *(lines or [nothing])]
    return "\n".join([*parts, "", f"Read these files in {PREFIX} for details."] if entries else parts)


def _decided(found: Recorded) -> list[str]:
    """The architecture that the ADRs add up to, and the current task; only what there is."""
    lines = list[str]()
    if areas := found.architecture.areas:
        lines += ["## Architecture", *(_area(area, areas[area]) for area in sorted(areas)[:MOST_AREAS]), ""]
    if found.task:
        lines += ["## Current Task", f"- {one_line(found.task.title, LONGEST_TITLE)} ({TASK_FILE})", ""]
    return lines


def _area(area: str, fields: dict[str, Held]) -> str:
    held = (f"{name} {held.value}" for name, held in sorted(fields.items()))
    return f"- {one_line(area, SHORT)}: {one_line(', '.join(held), LONGEST_BULLET)}"


def _label(category: str, names: dict[str, str]) -> str:
    return names.get(category) or category.replace("-", " ").replace("_", " ").capitalize()


def _summary(entry: Memory) -> str:
    return one_line(entry.summary, LONGEST_BULLET) or one_line(entry.title, LONGEST_BULLET)


def path_of(entry: Memory) -> str:
    """Where an entry is shown, below the memory folder. Both parts were checked when it was stored."""
    return f"{entry.category}/{entry.id}.md"


def files(ctx: Context, records: Recorded | None = None) -> dict[str, str]:
    """The active entries as files, by their paths below `.deedlog/memory/`; the records are as in `preview`."""
    return {path_of(entry): document(entry) for entry in _told(ctx, records or recorded(ctx))}


def document(entry: Memory) -> str:
    """An entry as a Markdown file."""
    head = {
        "id": entry.id,
        "title": entry.title,
        "category": entry.category,
        "summary": entry.summary,
        "status": entry.status,
        "created": iso(entry.created_at),
        "updated": iso(entry.updated_at or entry.created_at),
    }
    lines = "".join(f"{name}: {scalar(value)}\n" for name, value in head.items())  # a line each, whatever is in it
    body = entry.content if entry.content.endswith("\n") or not entry.content else f"{entry.content}\n"
    return f"---\n{lines}---\n\n{body}" if body else f"---\n{lines}---\n"


def export(ctx: Context) -> list[str]:
    """Let the files follow the store; what went wrong, to be told: the store is right all the same.

    Another call may commit meanwhile, and write its files before these.
    """
    try:
        for _ in range(EXPORTS):
            head = ctx.ledger.head()
            ctx.documents.export(FOLDER, _shown(ctx))
            if not ctx.ledger.events(EventQuery(after=head, subject=BANK, limit=1)):
                break
    except DeedlogError as error:
        return [f"the files in {PREFIX} could not be brought up to date: {error.message}"]
    return []


def _shown(ctx: Context) -> dict[str, str]:
    """Both active entries and drafts. The files are the main work tree's, and so are the ADRs among them."""
    stored = (entry for status in (ACTIVE, DRAFT) for entry in every(ctx.ledger, Memory, {"status": status}))
    derived = (entry for entry in recorded(ctx, main_records(ctx)).memories if entry.status in (ACTIVE, DRAFT))
    return {path_of(entry): document(entry) for entry in (*_sorted(stored), *derived)}
