"""What is wrong with the records of a work tree, a line each."""

from __future__ import annotations

import hashlib

from deedlog.core.errors import DeedlogError
from deedlog.core.records.adr import read_adr
from deedlog.core.records.architecture import fold, in_order, is_ours, render_state
from deedlog.core.records.building import dropped_keys
from deedlog.core.records.digest import digest_of
from deedlog.core.records.foreign import normal
from deedlog.core.records.markdown import flat
from deedlog.core.records.task import read_task
from deedlog.core.records.uid import is_uid
from deedlog.core.records.values import STATE_FILE, TASK_FILE
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deedlog.core.records.values import Adr

SHA_1 = 40


class Evidence(Value):
    """The files as they are, and what the ledger (`written`, by UID) and git (`committed`, by path) say of them."""

    sources: dict[str, str | None]
    state: str | None = None
    task: str | None = None
    written: dict[str, str] = {}  # noqa: RUF012  # values are never changed in place
    committed: dict[str, str] = {}  # noqa: RUF012


def problems(evidence: Evidence) -> list[str]:
    adrs, found = readable(evidence.sources)
    for adr in adrs:
        text = evidence.sources[adr.path] or ""
        found += [f"{flat(adr.path)} {line}" for line in (*_changed(adr, text, evidence), *_inside(adr, adrs))]
    found += [f"{flat(path)} is committed but missing" for path in _lost(evidence)]
    found += _repeated(adrs)
    found += _projection(adrs, evidence.state)
    task = read_task(evidence.task) if evidence.task is not None else None
    if task and task.adr and task.adr not in {adr.uid for adr in adrs}:
        found.append(f"{TASK_FILE} refers to ADR {task.adr}, which is not there")
    return found


def readable(sources: dict[str, str | None]) -> tuple[list[Adr], list[str]]:
    """The ADRs among some files, in order, and a line for each that cannot be read."""
    adrs, found = [], []
    for path, text in sources.items():
        try:
            if text is None:
                found.append(f"{flat(path)} is no plain file, or far too large, and is left out")
            else:
                adrs.append(read_adr(path, text))
        except DeedlogError as error:
            found.append(error.message)
    return in_order(adrs), found


def _changed(adr: Adr, text: str, evidence: Evidence) -> Iterator[str]:
    versions = (text, normal(text))  # git may have changed the ends of lines
    if adr.form != "deedlog":
        return  # what others keep, they also edit
    blob = evidence.committed.get(adr.path)
    if blob and blob not in {_blob(version, len(blob)) for version in versions}:
        yield "is not as it was committed"
    digest = evidence.written.get(adr.uid)
    if digest and digest not in map(digest_of, versions):
        yield "is not as it was written"


def _blob(text: str, length: int) -> str:
    """The name git gives a file's content."""
    data = text.encode("utf-8", "surrogateescape")
    name = hashlib.sha1(usedforsecurity=False) if length == SHA_1 else hashlib.sha256()
    name.update(b"blob %d\0" % len(data) + data)
    return name.hexdigest()


def _inside(adr: Adr, adrs: list[Adr]) -> Iterator[str]:
    if adr.form not in {"deedlog", "preflights"}:
        return
    if not adr.path.rpartition("/")[2].startswith(adr.uid):
        yield f"has another UID in its name than inside: {adr.uid}"
    if adr.previous and adr.previous >= adr.uid:
        yield f"names a previous ADR that is not earlier: {flat(adr.previous)}"
    elif adr.previous and adr.previous not in {other.uid for other in adrs}:
        yield f"names a previous ADR that is not there: {flat(adr.previous)}"
    yield from (f"drops {flat(key)} from the snapshot before it" for key in dropped_keys(adr, adrs))
    for change in adr.changes if adr.form == "deedlog" else ():
        held = adr.snapshot.get(change.area, {}).get(change.field)
        said = (held.value, held.uid) if held else ("", "")
        if said != ((change.value, adr.uid) if change.value else ("", "")):
            yield f"sets {flat(change.area)}.{flat(change.field)}, and its snapshot says otherwise"


def _lost(evidence: Evidence) -> list[str]:
    """ADRs that git has and the tree has not."""
    named = {path: path.rpartition("/")[2].partition("_")[0] for path in evidence.committed}
    return sorted(path for path, uid in named.items() if is_uid(uid) and path not in evidence.sources)


def _repeated(adrs: list[Adr]) -> list[str]:
    paths: dict[str, list[str]] = {}
    for adr in adrs:
        if is_uid(adr.uid):
            paths.setdefault(adr.uid, []).append(flat(adr.path))
    return [f"{' and '.join(several)} have one UID: {uid}" for uid, several in paths.items() if len(several) > 1]


def _projection(adrs: list[Adr], state: str | None) -> list[str]:
    architecture = fold(adrs)
    again = "`deedlog adr rebuild` makes it anew"
    if state is None:
        return [f"{STATE_FILE} is missing; {again}"] if architecture.uid else []
    if not is_ours(state):
        return [f"{STATE_FILE} was not generated by Deedlog and is in the way"]
    return [] if normal(state) == render_state(architecture) else [f"{STATE_FILE} is out of date; {again}"]
