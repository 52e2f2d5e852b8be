"""The rules of the gate as a table, in the order of their precedence: the first that speaks decides on the ADR.

What they are called is told to users (`docs/concepts/gate.md`).
"""

from __future__ import annotations

from deedlog.core.clarify import finding
from deedlog.core.clarify.acts import DOCS, FIX, REFACTOR, TESTS
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.clarify.signals import Signals

ASKED, STRUCTURE, NONE, FIRST = "asked", "structure", "none", "first"


class Rule(Value):
    """`id` begins with the step of the precedence; `kind` is what kind of change it is when this rule decides."""

    id: str
    kind: str
    about: str
    find: Callable[[Signals], tuple[int, int] | None]

    @property
    def step(self) -> str:
        return self.id.partition(".")[0]


def _rule(name: str, kind: str, find: Callable[[Signals], tuple[int, int] | None], about: str) -> Rule:
    return Rule(id=name, kind=kind, about=about, find=find)


RULES = (
    _rule("asked.adr", "docs", finding.adr, "a decision record is asked for"),
    _rule("asked.choice", "question", finding.choice, "asks which of several technologies to take"),
    _rule("asked.strategy", "question", finding.strategy, "architecture, strategy or approach is to be decided"),
    _rule("asked.open", "question", finding.undecided, "asks how it should be done"),
    _rule("none.another", "configure", finding.another, "one more of what is there already"),
    _rule("structure.replace", "replace", finding.replaces, "a technology takes another's place"),
    _rule("structure.instead", "replace", finding.instead, "one technology and not another"),
    _rule("structure.change", "replace", finding.changes, "changes what is decided"),
    _rule("structure.migrate", "migrate", finding.migrates, "a migration"),
    _rule("structure.upgrade", "upgrade", finding.upgrades, "another major version"),
    _rule("structure.introduce", "introduce", finding.introduces, "brings in a technology"),
    _rule("structure.remove", "remove", finding.leaves, "takes a technology out"),
    _rule("structure.library", "introduce", finding.library, "a new dependency or service"),
    _rule("structure.alternative", "replace", finding.alternative, "something else is wanted, and not said what"),
    _rule("structure.unknown", "introduce", finding.unknown, "brings in something by its name"),
    _rule("structure.files", "refactor", finding.many_files, "ten files or more, or cross-cutting"),
    _rule("structure.proposed", "introduce", finding.new_dependencies, "new dependencies are proposed"),
    _rule("first.project", "introduce", finding.new_project, "a new project"),
    _rule("first.except", "introduce", finding.all_but, "any technology but one"),
    _rule("first.topic", "introduce", finding.first, "a first decision in this area"),
    _rule("first.absent", "introduce", finding.absent, "there is nothing for it yet"),
    _rule("none.configure", "configure", finding.configures, "configuration only"),
    _rule("none.docs", "docs", finding.led_by(DOCS), "documentation"),
    _rule("none.tests", "tests", finding.led_by(TESTS), "tests"),
    _rule("first.proposed", "introduce", finding.category, "an area is proposed"),
    _rule("none.vague", "vague", finding.vague, "what to do is left open"),
    _rule("none.fix", "fix", finding.led_by(FIX), "a bug fix"),
    _rule("none.refactor", "refactor", finding.led_by(REFACTOR), "a refactoring"),
    _rule("none.problem", "fix", finding.problem, "a fault is reported"),
    _rule("none.question", "question", finding.question, "something is asked"),
)
