"""What is wrong with the records of a work tree, a line each."""

from __future__ import annotations

import hashlib

from deedlog.core.errors import DeedlogError
from deedlog.core.records.adr import SNAPSHOT, read_adr
from deedlog.core.records.architecture import fold, in_order, is_ours, render_state
from deedlog.core.records.building import dropped_keys
from deedlog.core.records.digest import digest_of
from deedlog.core.records.foreign import normal
from deedlog.core.records.markdown import flat
from deedlog.core.records.prompt import is_our_prompt, task_of
from deedlog.core.records.task import read_task
from deedlog.core.records.uid import is_moment, is_uid
from deedlog.core.records.values import PROMPT_FILE, STATE_FILE, TASK_FILE
from deedlog.core.standing import OWN_FORMS
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deedlog.core.records.values import Adr, Held

SHA_1 = 40


class Evidence(Value):
    """The files as they are, and what the ledger (`written`, by UID) and git (`committed`, by path) say of them."""

    sources: dict[str, str | None]
    state: str | None = None
    task: str | None = None
    prompt: str | None = None
    written: dict[str, str] = {}  # noqa: RUF012  # values are never changed in place
    committed: dict[str, str] = {}  # noqa: RUF012


def problems(evidence: Evidence) -> list[str]:
    adrs, found = readable(evidence.sources)
    among = _Among(adrs)
    for adr in adrs:
        text = evidence.sources[adr.path] or ""
        lines = (*_changed(adr, text, evidence), *_named(adr, text), *_inside(adr, among))
        found += [f"{flat(adr.path)} {line}" for line in lines]
    found += [f"{flat(path)} is committed but missing" for path in _lost(evidence)]
    found += _repeated(adrs)
    found += _projection(adrs, evidence.state)
    task = read_task(evidence.task) if evidence.task is not None else None
    if task and task.adr and task.adr not in {adr.uid for adr in adrs}:
        found.append(f"{TASK_FILE} refers to ADR {task.adr}, which is not there")
    if evidence.prompt and is_our_prompt(evidence.prompt) and task_of(evidence.prompt) != (task.uid if task else ""):
        found.append(f"{PROMPT_FILE} is about another task than {TASK_FILE}; `deedlog clarification prompt` writes it")
    return found


def readable(sources: dict[str, str | None]) -> tuple[list[Adr], list[str]]:
    """The ADRs among some files, in order, and a line for each that cannot be read."""
    adrs, found = [], []
    known: dict[tuple[str, str], Held] = {}
    for path, text in sources.items():
        try:
            if text is None:
                found.append(f"{flat(path)} is no plain file, or far too large, and is left out")
            else:
                adrs.append(read_adr(path, text, known))
        except DeedlogError as error:
            found.append(error.message)
    return in_order(adrs), found


def uid_in_name(path: str) -> str:
    """The UID that a file's name begins with; empty where there is none."""
    uid = path.rpartition("/")[2].removesuffix(".md").partition("_")[0]
    return uid if is_uid(uid) else ""


def _changed(adr: Adr, text: str, evidence: Evidence) -> Iterator[str]:
    """What others keep, they also edit; what is named as ours is held to it, whatever an edit made of it."""
    if adr.form != "deedlog" and not uid_in_name(adr.path):
        return
    versions = (text, normal(text))  # git may have changed the ends of lines
    blob = evidence.committed.get(adr.path)
    if blob and blob not in {_blob(version, len(blob)) for version in versions}:
        yield "is not as it was committed"
    digests = {evidence.written.get(uid_in_name(adr.path)), evidence.written.get(adr.uid)} - {None}
    if digests and not digests.intersection(map(digest_of, versions)):
        yield "is not as it was written"


def _named(adr: Adr, text: str) -> Iterator[str]:
    uid = uid_in_name(adr.path)
    if uid and adr.form not in OWN_FORMS:
        yield "is named as an ADR, and what it says is none: nothing of it counts"
    elif adr.form == "preflights" and f"json {SNAPSHOT}" in text:
        yield "was written by Deedlog, and its head is no longer as it was"
    if uid and not is_moment(uid):
        yield f"has a UID that is no moment: {uid}"


def _blob(text: str, length: int) -> str:
    """The name git gives a file's content."""
    data = text.encode("utf-8", "surrogateescape")
    name = hashlib.sha1(usedforsecurity=False) if length == SHA_1 else hashlib.sha256()
    name.update(b"blob %d\0" % len(data) + data)
    return name.hexdigest()


class _Among:
    """The ADRs that one is held against."""

    def __init__(self, adrs: list[Adr]) -> None:
        self.by_uid = {adr.uid: adr for adr in adrs}
        self._removing = [adr for adr in adrs if not all(change.value for change in adr.changes)]

    def dropped(self, adr: Adr) -> list[str]:
        """See `dropped_keys`, which would look through all of them for each."""
        before = self.by_uid.get(adr.previous)
        return dropped_keys(adr, in_order({one.path: one for one in (*self._removing, before) if one}.values()))


def _inside(adr: Adr, among: _Among) -> Iterator[str]:
    if adr.form not in OWN_FORMS:
        return
    if not adr.path.rpartition("/")[2].startswith(adr.uid):
        yield f"has another UID in its name than inside: {adr.uid}"
    if adr.previous and adr.previous >= adr.uid:
        yield f"names a previous ADR that is not earlier: {flat(adr.previous)}"
    elif adr.previous and adr.previous not in among.by_uid:
        yield f"names a previous ADR that is not there: {flat(adr.previous)}"
    yield from (f"drops {flat(key)} from the snapshot before it" for key in among.dropped(adr))
    for change in adr.changes if adr.form == "deedlog" else ():
        held = adr.snapshot.get(change.area, {}).get(change.field)
        said = (held.value, held.uid) if held else ("", "")
        if said != ((change.value, adr.uid) if change.value else ("", "")):
            yield f"sets {flat(change.area)}.{flat(change.field)}, and its snapshot says otherwise"


def _lost(evidence: Evidence) -> list[str]:
    """ADRs that git has and the tree has not."""
    return sorted(path for path in evidence.committed if uid_in_name(path) and path not in evidence.sources)


def _repeated(adrs: list[Adr]) -> list[str]:
    paths: dict[str, list[str]] = {}
    for adr in adrs:
        if is_uid(adr.uid):
            paths.setdefault(adr.uid, []).append(flat(adr.path))
    return [f"{' and '.join(several)} have one UID: {uid}" for uid, several in paths.items() if len(several) > 1]


def _projection(adrs: list[Adr], state: str | None) -> list[str]:
    """Of a file that is missing there is nothing to say: whoever reads makes it again."""
    if state is None:
        return []
    if not is_ours(state):
        return [f"{STATE_FILE} was not generated by Deedlog and is in the way"]
    if normal(state) == render_state(fold(adrs)):
        return []
    return [f"{STATE_FILE} is out of date; `deedlog adr rebuild` makes it anew"]
