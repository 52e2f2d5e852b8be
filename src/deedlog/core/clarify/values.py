"""What the gate reads and what it says: facts in, a verdict with its reasons out."""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REQUEST, ANSWER, REPOSITORY = "request", "answer", "repository"
DECISION, MEMORY, ASSUMPTION, PROPOSAL = "decision", "memory", "assumption", "proposal"
UNASKED = "open"  # the source of what nobody could be asked any more
SINGLE, MULTI, TEXT = "single_choice", "multi_choice", "free_text"
OTHER = "Other (specify)"
OTHER_SUFFIX = "__other"
SKIP = "skip"
MOST_QUESTIONS = 5
KINDS = (
    *("introduce", "replace", "remove", "migrate", "upgrade", "fix", "refactor"),
    *("configure", "docs", "tests", "feature", "question", "vague"),
)


class Reason(Value):
    """Why the gate says so: a rule, and the words of the request that made it speak (none where a fact did)."""

    rule: str
    about: str
    text: str = ""
    start: int = -1
    end: int = -1


class Decided(Value):
    """A choice that is made: `field` of an `area` is `value`, as its `source` says; `detail` is a UID, a file.

    `whole` is what the field then holds, where others stay in it beside the chosen one.
    """

    area: str
    field: str
    value: str
    source: str
    detail: str = ""
    whole: str = ""

    @property
    def key(self) -> str:
        return f"{self.area}.{self.field}"


class Remembered(Value):
    """An active entry of the memory bank, as far as the gate reads it."""

    id: str
    title: str
    text: str


class Facts(Value):
    """What a repository says of itself. `packages` and `technologies` name the file each was seen in."""

    ecosystems: list[str] = []  # noqa: RUF012  # values are never changed in place
    packages: dict[str, str] = {}  # noqa: RUF012
    technologies: dict[str, str] = {}  # noqa: RUF012
    folders: list[str] = []  # noqa: RUF012
    files: int = 0
    architecture: dict[str, dict[str, str]] = {}  # noqa: RUF012
    decided_by: dict[str, str] = {}  # noqa: RUF012  # the UID of the ADR, by `Area.Field`
    memories: list[Remembered] = []  # noqa: RUF012


class Question(Value):
    """One question to the user. `follows` is the id of the choice whose "Other (specify)" it asks about.

    `tells` says of options what choosing them means; `why` is that of the recommended one, with what made it fit.
    """

    id: str
    type: str
    question: str
    options: list[str] = []  # noqa: RUF012
    min_selections: int = 0
    optional: bool = False
    recommended: str = ""
    why: str = ""
    area: str = ""
    field: str = ""
    follows: str = ""
    language: str = ""
    tells: dict[str, str] = {}  # noqa: RUF012


class Proposal(Value):
    """What the calling agent, or a language model, adds as evidence. It never switches a trigger off."""

    kind: str = ""
    categories: list[str] = []  # noqa: RUF012
    context: str = ""
    rationale: str = ""
    alternatives: list[str] = []  # noqa: RUF012
    consequences: list[str] = []  # noqa: RUF012
    new_dependencies: list[str] = []  # noqa: RUF012
    estimated_files: int = 0
    choices: dict[str, str] = {}  # noqa: RUF012  # by `Area.Field`
    acceptance_criteria: list[str] = []  # noqa: RUF012


class Evidence(Value):
    """What is known beside the request: what was answered or skipped so far, and what was proposed."""

    context: str = ""
    answers: dict[str, Any] = {}  # noqa: RUF012  # by question id, as they were validated
    skipped: list[str] = []  # noqa: RUF012
    asked: list[str] = []  # noqa: RUF012  # ids of all questions asked so far, the follow-ups of "Other" left out
    proposal: Proposal | None = None
    force_adr: bool = False
    waive_adr: bool = False


class Verdict(Value):
    """What the gate says. `rule` is the step of the precedence that decided on the ADR; `questions` are best first.

    `rejected` are technologies the request names and does not want; `areas` the parts of the architecture it is about.
    `removed` are fields that a technology leaves, each with what is left of its value, and what left as its detail;
    `beyond` are questions that are
    due and can no longer be asked.
    """

    language: str
    kind: str
    adr: bool
    rule: str
    decided: list[Decided] = []  # noqa: RUF012
    rejected: list[str] = []  # noqa: RUF012
    removed: list[Decided] = []  # noqa: RUF012
    areas: list[str] = []  # noqa: RUF012
    questions: list[Question] = []  # noqa: RUF012
    beyond: list[Question] = []  # noqa: RUF012
    assumptions: list[Decided] = []  # noqa: RUF012
    reasons: list[Reason] = []  # noqa: RUF012
