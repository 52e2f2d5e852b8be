"""A clarification from its first call to its last."""

from __future__ import annotations

from deedlog.core.clarification import COMPLETED, OPEN, RESET, Clarification
from deedlog.core.clarify.adding import added
from deedlog.core.clarify.asking import asking, pending, waits, without_rest
from deedlog.core.clarify.asking_back import asked_back
from deedlog.core.clarify.decided_before import taken
from deedlog.core.errors import Conflict, Invalid, NotFound, Overtaken
from deedlog.work import clarify_model
from deedlog.work.clarify_ending import completed, given_digest
from deedlog.work.clarify_form import ACCEPTED, filled_in
from deedlog.work.clarify_rows import EXPIRED, Clarified, asked_answer, explained, idle_moments, status_of
from deedlog.work.clarifying import as_skipped_before, gather, judged, names_in
from deedlog.work.edited import edited
from deedlog.work.lookup import repeated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.clarify.values import Facts, Verdict
    from deedlog.ports import Context, Json

MOST_FORMS = 3
BEGIN = "call require_clarification without a session_id to start a new session"


class Turn:
    """One call of a conversation: what is known when it begins, and what comes of it."""

    def __init__(self, ctx: Context, session: Clarification, known: tuple[Facts, Lexicon]) -> None:
        self.ctx = ctx
        self.session = session
        self.shown = {question.id for question in pending(session)}
        self.known = known
        self.names = names_in(known[1])
        self.notes: list[str] = []
        self._last: tuple[Clarification, Verdict] | None = None
        self.beside: Json = {}

    def judge(self, session: Clarification) -> Verdict:
        return asked_back(session, judged(session, *self.known), *self.known)

    def take(self, given: Json) -> None:
        self.session, notes = taken(self.session, given, self.known, self.names, self.judge)
        self.notes += notes

    def ask(self) -> Verdict:
        """The verdict on the session as it stands; what it wants to know is asked. The same answers are judged once."""
        if self._last and _says_the_same(self._last[0], self.session):
            return self._last[1]
        verdict = self.judge(self.session)
        self.session = asking(self.session, verdict)
        self._last = (self.session, verdict)
        return verdict

    def show_forms(self) -> None:
        """Ask the user at once, where the client can. What is left open in a form is not put into another one."""
        for place in range(MOST_FORMS):
            self.ask()
            asked = pending(self.session)
            if not asked or any(question.id in self.shown for question in asked):
                return
            given, became = filled_in(self.ctx, f"questions_{place + 1}", self.session.intention, asked)
            if became:
                self.beside["elicitation"] = became
            if became != ACCEPTED:
                return
            self.shown |= {question.id for question in asked}
            self._take_what_is_valid(given)

    def _take_what_is_valid(self, given: Json) -> None:
        """Nobody is there to repeat a form: what is wrong in it is told, and asked again."""
        try:
            self.take(given)
        except Invalid as error:
            flaws = error.data.get("invalid", [error.data])
            wrong = {str(flaw["id"]): str(flaw["reason"]) for flaw in flaws}  # type: ignore[attr-defined]
            self.notes += [f"{name}: {reason}" for name, reason in wrong.items()]
            rest = {name: value for name, value in given.items() if name.removesuffix("__other") not in wrong}
            if rest:
                self.take(rest)

    def end(self, given: Json | None, *, said_something: bool) -> Clarified:
        """Ask what is still open, or complete."""
        verdict = self.ask()
        if waits(self.session, self.shown if said_something else set()):
            session = self.session.replace(used_at=self.ctx.now)
            answer = explained(asked_answer(self.ctx, session), verdict, self.notes)
            answer.update(self.beside)  # type: ignore[typeddict-item]
            return self.ctx.commit(session, answer=answer)
        if pending(self.session):
            self.session = without_rest(self.session)
            verdict = self.judge(self.session)
        said = {"given": given_digest(given), "notes": self.notes, "beside": self.beside}
        try:
            return completed(self.ctx, self.session, verdict, self.known, said)
        except Overtaken:  # who tries again judges by what holds then
            self.known, self._last = gather(self.ctx), None
            raise


def _says_the_same(one: Clarification, other: Clarification) -> bool:
    return (one.answers, one.skipped) == (other.answers, other.skipped)


def started(ctx: Context, session: Clarification, answers: Json | None) -> Clarified:
    """The first call. Nothing is committed before the forms have come back: until then it may run again."""
    book = ctx.records.book()
    known = gather(ctx, book)
    session, warning, failed = clarify_model.with_proposal(ctx, session, known[0])
    session, notes = as_skipped_before(ctx, session.replace(tree=ctx.records.tree), book.task if not answers else None)
    turn = Turn(ctx, session, known)
    turn.beside |= warning
    turn.notes += [*failed, *notes, *edited(ctx)]
    if answers:
        turn.ask()
        turn.shown = {question.id for question in pending(turn.session)}
        turn.take(answers)
    turn.show_forms()
    clarify_model.forget(session)
    return repeated(lambda: turn.end(answers, said_something=True))


def continued(ctx: Context, session_id: str, answers: Json | None, beside: Json | None = None) -> Clarified:
    """A later call, of whichever process. `beside` is what it says beside its answers."""
    return repeated(lambda: _continued(ctx, session_id, answers, beside or {}))


def _continued(ctx: Context, session_id: str, answers: Json | None, beside: Json) -> Clarified:
    session = found(ctx, session_id)
    given = {"answers": answers or {}, **beside} if beside else answers
    if session.status == COMPLETED:
        return _repeated(ctx, session, given)
    turn = Turn(ctx, added(session, beside), gather(ctx))
    if answers:
        turn.take(answers)
    return turn.end(given, said_something=answers is not None)


def session_named(ctx: Context, session_id: str) -> Clarification:
    if session := ctx.ledger.find_one(Clarification, session_id):
        return session
    hint = f"{BEGIN}; one that was begun with a repo_path goes on with the same repo_path"
    raise _missing(f"there is no session {session_id[:80]!r}", hint, session_id)


def found(ctx: Context, session_id: str) -> Clarification:
    """A session that can go on, or is completed; else the refusal that says what became of it."""
    session = session_named(ctx, session_id)
    if session.status == RESET:
        raise _missing(f"the session {session.id} was given up", BEGIN, session.id)
    if status_of(ctx, session) == EXPIRED:
        raise Conflict(
            f"the session {session.id} has expired: nobody used it for {ctx.settings['clarify_idle']} minutes",
            hint=BEGIN,
            data={"code": "SESSION_EXPIRED", "session_id": session.id, "user_intention": session.intention},
        )
    if session.status == OPEN and session.tree != ctx.records.tree:
        raise _missing(
            f"the session {session.id} belongs to another work tree",
            f"repeat the call with repo_path {session.tree!r}",
            session.id,
            repo_path=session.tree,
        )
    return session


def _repeated(ctx: Context, session: Clarification, given: Json | None) -> Clarified:
    """A final call that came again, because its answer was lost, gets the same answer."""
    if session.given == given_digest(given) and ctx.now - session.used_at <= idle_moments(ctx):
        answer: Clarified = session.result  # type: ignore[assignment]
        return answer
    raise _missing(
        f"the session {session.id} is completed", f"{BEGIN}; read_architecture shows what was decided", session.id
    )


def _missing(message: str, hint: str, session_id: str, **more: object) -> NotFound:
    return NotFound(message, hint=hint, data={"code": "SESSION_NOT_FOUND", "session_id": session_id[:80], **more})
