"""What an agent says while it works on a task: decisions, issues, milestones. And what waits for a person."""

from __future__ import annotations

from deedlog.core.errors import Conflict
from deedlog.core.moment import iso
from deedlog.core.value import Entity, uris
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

OPEN, CLOSED = "open", "closed"
OUT_OF_SCOPE, WORKER_FAILED, OVER_BUDGET = "scope", "worker_failed", "budget"  # why a person is asked
IN_THE_WAY, COMMENTED, REPOSITORY, QUESTION = "in_the_way", "comments", "repository", "question"
APPROVED, SENT_BACK, NOTED, ANSWERED = "approved", "sent_back", "noted", "answered"  # what a person decided
RESOLVED = "resolved"
OLD, NEW = "old", "new"  # the side of a diff that a comment is on


class Remark(Entity):
    """Something said about a task."""

    found_by: ClassVar[tuple[str, ...]] = ("task_id", "workflow_id", "created_at")
    told_of: ClassVar[str] = "task"

    task_id: str
    workflow_id: str = ""
    actor: str
    created_at: int

    def subjects(self) -> list[str]:
        return [self.uri, *uris(task=self.task_id, workflow=self.workflow_id)]


class Decision(Remark):
    kind: ClassVar[str] = "decision"
    seen_with: ClassVar[str] = "task_report"

    category: str
    question: str
    options_considered: list[str] = []  # noqa: RUF012  # values are never changed in place
    chosen: str
    reasoning: str
    trade_offs: str = ""
    adr: str = ""  # the UID of the ADR it was promoted to
    trigger: str | None = None  # why it deserves an ADR, empty where it does not; an earlier release did not ask

    def search_text(self) -> tuple[str, str]:
        options = " ".join(self.options_considered)
        return self.question, f"{self.chosen} {self.reasoning} {self.trade_offs} {options}"

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"decision: {one_line(fields.get('question', ''))} → {fields.get('chosen', '')}"


class Issue(Remark):
    kind: ClassVar[str] = "issue"
    seen_with: ClassVar[str] = "task_report"

    type: str
    description: str
    resolution: str
    requires_human_review: bool = False

    def search_text(self) -> tuple[str, str]:
        return self.description, self.resolution

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"issue: {one_line(fields.get('description', ''))} → {fields.get('resolution', '')}"


class Milestone(Remark):
    kind: ClassVar[str] = "milestone"
    seen_with: ClassVar[str] = "task_report"

    message: str
    progress: float | None = None
    metadata: dict[str, Any] = {}  # noqa: RUF012

    def search_text(self) -> tuple[str, str]:
        return self.message, ""

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        progress = fields.get("progress")
        return f"milestone {'' if progress is None else f'{progress:g} % '}{fields.get('message', '')}"


class Review(Remark):
    """A question for a person, raised by something that was recorded (`about`), open until a person answers it.

    `call` is the digest of the call, or of the thing, that a person is asked to let through. `used_at` is when an
    approved call was made.
    """

    kind: ClassVar[str] = "review"
    found_by: ClassVar[tuple[str, ...]] = ("task_id", "workflow_id", "status", "reason", "created_at")

    about: str
    reason: str
    question: str
    paths: list[str] = []  # noqa: RUF012  # files in conflict; those out of scope are known of the session
    judged: str = ""  # the digest of exactly what is asked about: an approval holds for nothing else
    choices: list[str] = []  # noqa: RUF012  # answers that an agent suggests; a person may give another
    status: str = OPEN
    verdict: str = ""
    note: str = ""
    reviewed_by: str = ""
    reviewed_at: int | None = None
    overtaken_by: str = ""  # the review that asks about the same thing as it is now
    call: str = ""
    used_at: int | None = None

    def search_text(self) -> tuple[str, str]:
        return self.question, self.note

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"review: {fields.get('question', '')}"

    @classmethod
    def news(cls, fields: dict[str, Any], changed: list[str]) -> str:
        if "verdict" in changed and fields["verdict"]:
            told = str(fields["verdict"]).replace("_", " ")
            return f"review {told}: {fields.get('note') or fields.get('question', '')}"
        return super().news(fields, changed)


class Comment(Remark):
    """What a person says about the work on a task: about a line of a file, a file, or all of it.

    Whoever works on the task next is told of those that are open. `session_id` is the attempt it is about.
    """

    kind: ClassVar[str] = "comment"
    found_by: ClassVar[tuple[str, ...]] = ("task_id", "workflow_id", "status", "created_at")

    text: str
    session_id: str = ""
    path: str = ""
    line: int | None = None
    side: str = NEW
    status: str = OPEN
    resolved_at: int | None = None
    resolved_by: str = ""

    @property
    def place(self) -> str:
        """Where it stands: `src/a.py:12`, of the file as it is now unless it says `old`."""
        if not self.path or self.line is None:
            return self.path
        return f"{self.path}:{self.line}" + (f" ({OLD})" if self.side == OLD else "")

    def subjects(self) -> list[str]:
        return [*super().subjects(), *uris(session=self.session_id)]

    def search_text(self) -> tuple[str, str]:
        return self.place, self.text

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        path, line = fields.get("path", ""), fields.get("line")
        where = f" on {path}{f':{line}' if line else ''}" if path else ""
        return f"comment{where}: {one_line(fields.get('text', ''))}"


def resolved(comment: Comment, *, by: str, now: int) -> Comment:
    """`comment` settled; itself when it was settled before."""
    if comment.status == RESOLVED:
        return comment
    return comment.replace(status=RESOLVED, resolved_at=now, resolved_by=by)


def overtaken(review: Review, later: Review, *, by: str, now: int) -> Review:
    """`review` without an answer, because what it asked about changed; `later` asks about that."""
    note = f"overtaken by {later.id}: what it asked about changed"
    return close(review, NOTED, note, by=by, now=now).replace(overtaken_by=later.id)


def close(review: Review, verdict: str, note: str, *, by: str, now: int) -> Review:
    """`review` answered; itself when it was answered just so; refused when it was answered otherwise, or overtaken."""
    if review.overtaken_by:
        raise Conflict(
            f"what review {review.id!r} asked about has changed since",
            hint=f"{review.overtaken_by} asks about it as it is now: look at that one",
            data={"review_id": review.id, "overtaken_by": review.overtaken_by},
        )
    if review.status == OPEN:
        return review.replace(status=CLOSED, verdict=verdict, note=note, reviewed_by=by, reviewed_at=now)
    if (review.verdict, review.note) == (verdict, note):
        return review
    when = f" at {iso(review.reviewed_at)}" if review.reviewed_at else ""
    raise Conflict(
        f"review {review.id!r} was closed as {review.verdict} by {review.reviewed_by}{when}",
        hint="undo that operation to answer it anew",
        data={"review_id": review.id, "verdict": review.verdict},
    )
