"""From a clear request to the files that record it."""

from __future__ import annotations

from deedlog.core.clarify.phrases import sentence, spelt
from deedlog.core.clarify.rivals import given_up
from deedlog.core.clarify.telling import constraints, criteria
from deedlog.core.clarify.values import ANSWER, MEMORY, PROPOSAL, REQUEST
from deedlog.core.errors import Invalid
from deedlog.core.moment import iso
from deedlog.core.records.adr import adr_path, render_adr
from deedlog.core.records.architecture import fold, render_state, side_by_side
from deedlog.core.records.foreign import normal
from deedlog.core.records.markdown import cut, flat
from deedlog.core.records.prompt import render_prompt
from deedlog.core.records.task import TITLE_WIDTH, archive_path, render_task
from deedlog.core.records.values import (
    PROMPT_FILE,
    STATE_FILE,
    TASK_FILE,
    Adr,
    Book,
    Change,
    CurrentTask,
    Held,
    RecordFile,
)  # fmt: skip
from deedlog.core.records.wanted import Planned, Wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.clarify.values import Decided

CHOSEN = (REQUEST, ANSWER, PROPOSAL, MEMORY)  # the sources of what is decided anew
AGAIN = "start another clarification for what is still open"


def plan_records(book: Book, spec: Wanted, uid: Callable[[], str], now: int) -> Planned:
    """Every file that recording `spec` beside `book` takes. `now` is in microseconds; `uid` gives ever later UIDs."""
    refuse_dropped_keys(book.adrs)
    archive = _archive(book, uid) if spec.task else None
    adr = _adr(book, spec, uid(), now) if spec.adr else None
    task = _task(spec, uid(), adr, now) if spec.task else None
    files, artifacts = [], []
    if adr:
        files.append(RecordFile(path=adr.path, text=render_adr(adr, _path_of(book, adr.previous)), new=True))
        artifacts.append({"path": adr.path, "type": "adr", "uid": adr.uid})
    if archive:
        files.append(archive[1])
    if task:
        files.append(RecordFile(path=TASK_FILE, text=render_task(task)))
        artifacts.append({"path": TASK_FILE, "type": "task", "uid": task.uid})
    if adr:
        files.append(RecordFile(path=STATE_FILE, text=render_state(fold([*book.adrs, adr]))))
        artifacts.append({"path": STATE_FILE, "type": "projection"})
    if task and book.prompt is not None and _is_stale(book):
        files.append(RecordFile(path=PROMPT_FILE, text="", gone=True))
    if archive:
        artifacts.append({"path": archive[1].path, "type": "archive", "uid": archive[0]})
    return Planned(files=files, artifacts=artifacts, summary=_summary(spec, adr), adr=adr, task=task)


def _is_stale(book: Book) -> bool:
    """Whether the prompt is what was generated for the task that is replaced; one that was changed stays."""
    if book.task is None:
        return False
    adr = next((adr for adr in book.adrs if adr.uid and adr.uid == book.task.adr), None)
    return normal(book.prompt or "") == render_prompt(book.task, book.architecture, adr)


def _path_of(book: Book, uid: str) -> str:
    return next((adr.path for adr in book.adrs if adr.uid == uid), "")


def _summary(spec: Wanted, adr: Adr | None) -> str:
    what = {(True, True): "decision documented and task created"}
    what |= {(True, False): "decision documented", (False, True): "task created"}
    assumed, left = len(spec.assumptions), len(spec.still_open)
    more = f", {assumed} assumption{'s' * (assumed > 1)} noted" if assumed else ""
    done = f"{cut(flat(spec.title), TITLE_WIDTH)}: {what.get((adr is not None, spec.task), 'nothing to record')}{more}."
    if adr and (gone := [f"{c.area}.{c.field} ({c.was})" for c in adr.changes if not c.value]):
        done += f" No longer decided: {flat(', '.join(gone))}."
    if spec.waived and spec.decided:
        done += " No ADR was wanted: what was chosen holds for this task alone."
    names = ", ".join(flat(f"{each.area} {spelt(each.field)}".strip() or each.detail) for each in spec.still_open)
    return f"{done} Still open: {cut(names, TITLE_WIDTH * 2)}; {AGAIN}." if left else done


def refuse_dropped_keys(adrs: list[Adr]) -> None:
    """A snapshot may not silently drop what the one before it had."""
    missing = dropped_keys(adrs[-1], adrs) if adrs else []
    if missing:
        raise Invalid(
            "ADR snapshot validation failed",
            hint=f"restore {adrs[-1].path} as it was written; adr_verify says more",
            data={"code": "VALIDATION_FAILED", "missing_keys": missing, "path": adrs[-1].path},
        )


def dropped_keys(adr: Adr, adrs: list[Adr]) -> list[str]:
    """What the ADR before `adr` had in its snapshot and this one has not; only ours are held to it.

    What it took out itself, or another branch did that it knew of, is no loss.
    """
    before = next((other for other in reversed(adrs) if other.uid == adr.previous), None) if adr.previous else None
    if adr.form != "deedlog" or before is None:
        return []
    removed = _removed(adr, adrs)
    has = {area.casefold(): {field.casefold() for field in fields} for area, fields in adr.snapshot.items()}
    gone = []
    for area, fields in before.snapshot.items():
        kept = has.get(area.casefold(), set())
        lost = [f for f, h in fields.items() if f.casefold() not in kept and removed.get(_key(area, f), "") <= h.uid]
        whole = lost and area.casefold() not in has and len(lost) == len(fields)
        gone += [area] if whole else [f"{area}.{field}" for field in lost]
    return sorted(gone, key=lambda key: "." in key)


def _removed(adr: Adr, adrs: list[Adr]) -> dict[tuple[str, str], str]:
    """By field the last ADR up to this one that took it out."""
    known = [other for other in adrs if other.uid < adr.uid] + [adr]
    return {_key(c.area, c.field): other.uid for other in known for c in other.changes if not c.value}


def _archive(book: Book, uid: Callable[[], str]) -> tuple[str, RecordFile] | None:
    """The current task's file as it is, under its UID; under a new one if it has none or that is taken."""
    if book.task is None or book.archived == book.task_text:
        return None
    name = book.task.uid if book.task.uid and book.archived is None else uid()
    return name, RecordFile(path=archive_path(name, book.task.title), text=book.task_text, new=True)


def _adr(book: Book, spec: Wanted, uid: str, now: int) -> Adr:
    changes = _changes(book, [*spec.decided, *spec.removed])
    area = spec.area or next(iter([*(c.area for c in changes), *(d.area for d in spec.decided)]), "")
    title = cut(flat(spec.adr_title or spec.title), TITLE_WIDTH)
    adr = Adr(
        uid=uid,
        title=title,
        path=adr_path(uid, title),
        area=area,
        date=iso(now),
        previous=book.architecture.uid,
        changes=changes,
        context=_paragraphs(spec.intention, spec.context, _triggers(spec)),
        decision=spec.decision
        or _paragraphs(*constraints(_chosen(spec), spec.removed, (), spec.language))
        or spec.intention,
        rationale=spec.rationale,
        alternatives=[*spec.alternatives, *_given_up(changes, spec.language)],
        consequences=spec.consequences,
    )
    return adr.replace(snapshot=fold([*book.adrs, adr]).areas)


def _given_up(changes: list[Change], language: str) -> list[str]:
    """What was decided before: it could have stayed."""
    return [
        sentence(language, "before", was=was, field=f"{change.area} {spelt(change.field)}", uid=change.was_uid)
        for change in changes
        if change.was_uid and (was := given_up(change.was, change.value))
    ]


def _chosen(spec: Wanted) -> list[Decided]:
    return [d for d in _named(spec) if d.source in CHOSEN]


def _named(spec: Wanted) -> list[Decided]:
    """What is decided but for the request itself, where that names no technology: its words stand elsewhere."""
    return [d for d in spec.decided if not _says_itself(d.field, d.value)]


def _says_itself(field: str, value: str) -> bool:
    return flat(value).startswith(field.rstrip("…"))


def _changes(book: Book, decided: list[Decided]) -> list[Change]:
    """What is decided anew: not what holds already, unless branches disagree on it."""
    architecture, beside = book.architecture, side_by_side(book.adrs)
    held = {_key(a, f): (a, f, h) for a, fields in architecture.areas.items() for f, h in fields.items()}
    torn = {_key(c.area, c.field) for c in architecture.conflicts}
    areas = {area.casefold(): area for area in architecture.areas}
    found: dict[tuple[str, str], Change] = {}
    for choice in decided:
        key = _key(choice.area, choice.field)
        area, field, before = held.get(key) or (
            areas.setdefault(key[0], choice.area),
            choice.field,
            Held(value="", uid=""),
        )
        value = choice.whole or choice.value
        same = before.value.casefold() == value.casefold() and key not in torn
        if choice.source not in CHOSEN or same or not (value or before.uid):
            continue
        over = [uid for uid in beside.get(key, {}) if uid != before.uid]
        found[key] = Change(area=area, field=field, value=value, was=before.value, was_uid=before.uid, over=over)
    return list(found.values())


def _key(area: str, field: str) -> tuple[str, str]:
    return area.casefold(), field.casefold()


def _triggers(spec: Wanted) -> str:
    return f"Recorded because: {spec.reasons[0].about}" if spec.reasons else ""


def _task(spec: Wanted, uid: str, adr: Adr | None, now: int) -> CurrentTask:
    return CurrentTask(
        uid=uid,
        title=cut(flat(spec.title), TITLE_WIDTH),
        created=iso(now),
        adr=adr.uid if adr else "",
        objective=spec.intention,
        context=_paragraphs(spec.context, f"Decided in ADR {adr.uid}: {adr.title}" if adr else ""),
        allowlist=spec.allowlist,
        forbidden=spec.forbidden,
        constraints=[
            *constraints(_named(spec), spec.removed, spec.rejected, spec.language),
            *(_kept(each, spec.language) for each in spec.before),
        ],
        assumptions=[_assumed(each) for each in spec.assumptions],
        still_open=[_open(each) for each in spec.still_open],
        criteria=spec.criteria or criteria("", spec.title, _chosen(spec), spec.removed, spec.language),
    )


def _assumed(each: Decided) -> str:
    name = ": ".join(part for part in (each.area, each.field) if part)
    said = f"{name} = {each.value}" if each.value else f"{name} is left open"
    return f"{said} ({each.detail})" if each.detail else said


def _kept(each: Decided, language: str) -> str:
    return sentence(language, "keep", area=each.area, value=each.value, field=spelt(each.field), uid=each.detail)


def _open(each: Decided) -> str:
    name = ": ".join(part for part in (each.area, each.field) if part) or each.detail
    return f"{name} ({each.detail})" if each.detail and each.detail != name else name


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text.strip())
