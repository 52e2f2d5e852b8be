"""What would come of a request: the same rules as for a clarification, of which nothing is kept."""

from __future__ import annotations

from deedlog.core.clarification import Clarification
from deedlog.core.clarify.asking import asking, pending
from deedlog.core.clarify.asking_back import asked_back
from deedlog.core.clarify.decided_before import taken
from deedlog.core.errors import NotFound
from deedlog.core.records.building import plan_records
from deedlog.core.records.uid import later_than
from deedlog.core.value import Value
from deedlog.work.clarifying import as_skipped_before, gather, judged, names_in, wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.values import Question, Verdict
    from deedlog.core.records.values import Book
    from deedlog.core.records.wanted import Planned
    from deedlog.ports import Context, Json

NO_CHANCE = 0  # the UIDs of a preview end so: they are given when something is written


class Preview(Value):
    verdict: Verdict
    open: list[Question]
    notes: list[str]
    session: Clarification
    answers: Json = {}  # noqa: RUF012  # values are never changed in place
    planned: Planned | None = None  # where nothing is open


def previewed(ctx: Context, session: Clarification, answers: Json) -> Preview:
    """What a session that is not stored would come to with these answers."""
    book = ctx.records.look()
    facts, lexicon = gather(ctx, book)

    def judge(one: Clarification) -> Verdict:
        return asked_back(one, judged(one, facts, lexicon), facts, lexicon)

    notes: list[str] = []
    if not answers:
        session, notes = as_skipped_before(ctx, session, book.task)
    session = asking(session, judge(session))
    if answers:
        session, notes = taken(session, answers, (facts, lexicon), names_in(lexicon), judge)
        session = asking(session, judge(session))
    verdict = judge(session)
    if still := pending(session):
        return Preview(verdict=verdict, open=still, notes=notes, session=session, answers=session.answers)
    planned = plan_records(book, wanted(ctx, session, verdict, facts, lexicon), _uids(ctx, book), ctx.now)
    return Preview(verdict=verdict, open=[], notes=notes, session=session, answers=session.answers, planned=planned)


def _uids(ctx: Context, book: Book) -> _Uids:
    return _Uids(ctx.now, book.architecture.uid)


class _Uids:
    """Ever later UIDs that are nobody's."""

    def __init__(self, now: int, last: str) -> None:
        self._now = now
        self._last = last

    def __call__(self) -> str:
        self._last = later_than(self._last, self._now, NO_CHANCE)
        return self._last


def difference(ctx: Context, path: str, text: str) -> str:
    """The change of one file, as a unified diff."""
    from difflib import unified_diff  # only a preview needs it

    before = _text(ctx, path)
    old = f"a/{path}" if before is not None else "/dev/null"
    lines = unified_diff((before or "").splitlines(), text.splitlines(), old, f"b/{path}", lineterm="")
    return "\n".join(lines)


def _text(ctx: Context, path: str) -> str | None:
    try:
        return ctx.records.text(path)
    except NotFound:
        return None
