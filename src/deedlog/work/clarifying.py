"""What a request, its repository and the answers so far come to: the gate's verdict, and what is to be recorded."""

from __future__ import annotations

import os

from deedlog.core.clarification import COMPLETED, Clarification
from deedlog.core.clarify.answers import is_settled
from deedlog.core.clarify.asking import questions_of
from deedlog.core.clarify.history import of_history
from deedlog.core.clarify.task import (
    allowed,
    assumed,
    before,
    criteria,
    decisions,
    is_recorded,
    reasons,
    still_open,
    supposed,
    told_reasons,
)  # fmt: skip
from deedlog.core.clarify.telling import Said, alternatives, consequences, rationale, title
from deedlog.core.clarify.told import told
from deedlog.core.clarify.values import Evidence, Proposal, Remembered
from deedlog.core.records.wanted import Wanted
from deedlog.core.words import fold, one_line
from deedlog.work.memory_bank import active

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.clarify.values import Facts, Verdict
    from deedlog.core.records.values import Book, CurrentTask
    from deedlog.ports import Context

LONGEST_TITLE = 80
LAST_ONES = 20
AGAIN = "skipped before and not asked again; give an answer with the request to decide it"
LONGEST_MEMORY = 2_000
FORBIDDEN = (".git/", "node_modules/", "dist/", "build/", "__pycache__/", ".env", "credentials", "secrets")


def gather(ctx: Context, book: Book | None = None) -> tuple[Facts, Lexicon]:
    """What the repository, its ADRs and its memory bank say, and the words the gate knows."""
    book = book or ctx.records.book()
    architecture = book.architecture
    decided_by = {
        f"{area}.{name}": held.uid for area, fields in architecture.areas.items() for name, held in fields.items()
    }
    memories = [
        Remembered(id=entry.id, title=entry.title, text=f"{entry.summary}\n{entry.content}"[:LONGEST_MEMORY])
        for entry in active(ctx)
    ] + of_history(book.adrs)
    facts = ctx.survey.facts().replace(architecture=architecture.plain(), decided_by=decided_by, memories=memories)
    return facts, ctx.survey.lexicon()


def proposal_of(session: Clarification) -> Proposal:
    known = Proposal.defaults()
    return Proposal(**{name: value for name, value in session.proposal.items() if name in known})


def judged(session: Clarification, facts: Facts, lexicon: Lexicon) -> Verdict:
    """What the gate says to a session as it stands."""
    from deedlog.core.clarify.gate import judge  # its rules are many, and few calls need them

    evidence = Evidence(
        context=session.context,
        answers={name: answer for name, answer in session.answers.items() if is_settled(answer)},
        skipped=session.skipped,
        asked=[question.id for question in questions_of(session)],
        proposal=proposal_of(session) if session.proposal else None,
        force_adr=session.force_adr,
        waive_adr=session.waive_adr,
    )
    verdict = judge(session.intention, facts, lexicon, evidence)
    return verdict.replace(assumptions=assumed(session, verdict), reasons=told_reasons(session, verdict))


def as_skipped_before(
    ctx: Context, session: Clarification, task: CurrentTask | None
) -> tuple[Clarification, list[str]]:
    """The same request again, while its task is the current one: what was skipped then is not asked again."""
    if task is None or not task.uid or session.questions:
        return session, []
    for one in ctx.ledger.find(Clarification, {"status": COMPLETED, "tree": session.tree}, limit=LAST_ONES):
        if one.result.get("task_uid") == task.uid and fold(one.intention) == fold(session.intention) and one.skipped:
            return session.replace(skipped=one.skipped), [f"{AGAIN}: {', '.join(one.skipped)}"]
    return session, []


def names_in(lexicon: Lexicon) -> dict[str, str]:
    """How technologies are written, by every name they have."""
    return {fold(name): one.name for one in lexicon.technologies for name in (*one.aliases, one.name)}


def _waived(session: Clarification, verdict: Verdict) -> str:
    """That an ADR was due and the user wanted none."""
    due = reasons(session.replace(force_adr=False), verdict) if session.waive_adr else []
    return f"An ADR was due ({due[0].about}) and was waived." if due else ""


def wanted(ctx: Context, session: Clarification, verdict: Verdict, facts: Facts, lexicon: Lexicon) -> Wanted:
    """What completing a session records."""
    proposal, language = proposal_of(session), verdict.language
    names = _root(ctx.records.tree)
    decided, waived = decisions(session, verdict), _waived(session, verdict)
    made = [one for one in decided if one in verdict.decided]
    said = Said(session=session, questions=questions_of(session), lexicon=lexicon, language=language)
    paths = allowed(session, verdict, facts, lexicon, names)
    context = (session.context, told(session, verdict), proposal.context, waived)
    why = rationale(said, made, verdict.removed)
    return Wanted(
        title=one_line(session.intention, LONGEST_TITLE),
        adr_title=title(made, verdict.removed, language),
        intention=session.intention,
        context="\n\n".join(part for part in context if part),
        adr=is_recorded(session, verdict),
        waived=bool(waived),
        language=language,
        area=next((one.area for one in (*decided, *verdict.removed)), ""),
        decided=decided,
        removed=verdict.removed,
        before=before(verdict),
        assumptions=supposed(verdict),
        still_open=still_open(verdict),
        rejected=verdict.rejected,
        rationale="\n\n".join(part for part in (proposal.rationale, why) if part),
        alternatives=[*proposal.alternatives, *alternatives(said, verdict.rejected)],
        consequences=[*proposal.consequences, *consequences(said, made, verdict.removed, facts, paths)],
        allowlist=paths,
        forbidden=[name for name in FORBIDDEN if name.rstrip("/") in names],
        criteria=criteria(session, verdict, proposal),
        reasons=reasons(session, verdict),
    )


def _root(tree: str) -> set[str]:
    """The names at the root of a work tree."""
    try:
        return {*os.listdir(tree)}
    except OSError:
        return set()
