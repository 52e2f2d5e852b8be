"""What people are asked about work, in words that need nothing else beside them: the question first, then why."""

from __future__ import annotations

from deedlog.core.terminal import plain
from deedlog.core.trust import CHANGED
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.task import Session, Task
    from deedlog.core.trust import Brought

LONGEST_NAME = 80
LONGEST_LINE = 300  # of what a check printed
MOST_NAMED = 5


def named(task: Task) -> str:
    return f"“{one_line(task.name, LONGEST_NAME)}”"


def number_of(count: int, thing: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """The first of them by name: `a`, `a and b`, `a, b and 7 more`."""
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED:,} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def outside(task: Task, paths: Sequence[str], areas: Sequence[str]) -> str:
    """Whether a task may change what it did not say, or was not given, to change."""
    where = listed(areas) if areas else "its scope"
    are = "It is" if len(paths) == 1 else "They are"
    return f"May {named(task)} also change {listed(paths)}? {are} outside of {where}."


def repository(task: Task, names: Sequence[str]) -> str:
    """Whether changes beside the worker's branch are the user's own."""
    return f"Did you change {listed(names)} in your repository? It changed while the worker of {named(task)} ran."


def unknown(task: Task, why: str) -> str:
    return f"Is the work on {named(task)} right? Nobody can tell what it changed" + (f": {why}" if why else "")


def commented(task: Task, count: int, unseen: int) -> str:
    """Whether the work is as the comments want it; `unseen` of them came when it had begun."""
    comments = f"the {number_of(count, 'open comment')}" if count > 1 else "the open comment"
    which = "It" if count == 1 else "One of them" if unseen == 1 else f"{unseen:,} of them"
    late = f" {which} came while it was being done." if unseen else ""
    return f"Does the work on {named(task)} answer {comments} on it?{late}"


def failed(task: Task, session: Session, problem: str, said: Sequence[str]) -> str:
    return ". ".join(
        [f"Try {named(task)} again? Its worker failed: {problem}", *said, f"Its work is in {session.worktree}"]
    )


def checks(task: Task, labels: Sequence[str], printed: str) -> str:
    """`printed` is what the first of them printed."""
    lines = [plain(line).strip() for line in printed.splitlines()]
    last = one_line(next(filter(None, reversed(lines)), ""), LONGEST_LINE)
    which = f"The {'check' if len(labels) == 1 else 'checks'} {listed(labels)} did not pass, so nothing was merged"
    return f"Send {named(task)} back? {which}" + (f". It printed last: {last}" if last else ".")


def conflict(task: Task, target: str, paths: Sequence[str]) -> str:
    where = number_of(len(paths), "file")
    return f"Send {named(task)} back? It conflicts with {target} in {where}, so nothing was merged: {listed(paths)}"


def in_the_way(task: Task, message: str, *, of_merging: bool) -> str:
    return f"What shall become of {named(task)}? It could not be {'merged' if of_merging else 'started'}: {message}"


def lapsed(task: Task) -> str:
    return f"Give {named(task)} to others? {task.holder} claimed it and has said nothing since."


def which(task: Task, attempts: Sequence[str]) -> str:
    return f"Which attempt at {named(task)} shall be merged? {listed(attempts)} are done."


def merge(task: Task, session: Session, files: int, comments: int = 0) -> str:
    into = f" into {session.target}" if session.target else ""
    said = str(session.outcome.get("summary", ""))
    asked = f"Merge {named(task)}{into}?" if files else f"Is {named(task)} done? It changed nothing."
    return " ".join(filter(None, [asked, said_of(comments), said]))


def said_of(comments: int) -> str:
    """That people said something about the work that nobody has settled."""
    return f"{number_of(comments, 'comment')} on it {'is' if comments == 1 else 'are'} open." if comments else ""


def unapproved(one: Brought) -> str:
    before = "It changed since it was approved." if one.state == CHANGED else "Deedlog ignores it until you do."
    return f"Approve the {one.kind} {one.name!r} that the repository brings? {before}"
