"""The log of HEAD for work that came back from a private repository: told from the commits, not from its own log.

What git says there tells `provenance.py` the worker's commits from those it took over from others.
"""

from __future__ import annotations

import os

from deedlog.core.value import Value
from deedlog.git.reflog import Reflog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.command import Git

MOST = 1_000
IDENTITY = "Deedlog <deedlog@localhost>"


class Step(Value):
    """HEAD went from one commit to another, in git's words."""

    old: str
    new: str
    said: str


def steps(git: Git, old: str, new: str) -> list[Step]:
    """How HEAD came from one commit to another; asked before a ref of the user's repository leads to the new one."""
    words = ("rev-list", "--first-parent", "--parents", f"--max-count={MOST}", new, "--not", "--all")
    rows = [line.split() for line in git.run(*words).decode().splitlines()]
    first = rows[-1][1] if rows and len(rows[-1]) > 1 else "" if rows else new
    found = [_to_known(git, old, first)] if first and first != old else []
    for commit, *parents in reversed(rows):
        said = "commit (merge)" if len(parents) > 1 else "commit"
        found.append(Step(old=parents[0] if parents else old, new=commit, said=f"{said}: of the worker"))
    return found


def _to_known(git: Git, old: str, new: str) -> Step:
    """The worker went to a commit that was there before: forward, back, or to another line of history."""
    if git.ask("merge-base", "--is-ancestor", old, new, fine=(0, 1))[0] == 0:
        return Step(old=old, new=new, said=f"merge {new}: Fast-forward")
    if git.ask("merge-base", "--is-ancestor", new, old, fine=(0, 1))[0] == 0:
        return Step(old=old, new=new, said=f"reset: moving to {new}")
    return Step(old=old, new=new, said=f"rebase (start): checkout {new}")


def write_log(path: str, taken: list[Step], now: int) -> None:
    """Add the steps to the log, unless a killed call did."""
    if not taken or Reflog(path).head == taken[-1].new:
        return
    lines = "".join(f"{step.old} {step.new} {IDENTITY} {now} +0000\t{step.said}\n" for step in taken)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "ab") as file:
        file.write(lines.encode())
