"""`deedlog doctor`."""

from __future__ import annotations

import json
import os
import sys

from deedlog import __version__, bootstrap, project
from deedlog.core.caller import ANYONE
from deedlog.core.errors import DeedlogError
from deedlog.core.run import RUNNING
from deedlog.core.words import did_you_mean
from deedlog.faces.cli.command import Command, Invocation, refuse_agent
from deedlog.faces.cli.connect.reach import unreachable
from deedlog.faces.cli.output import write
from deedlog.faces.cli.refusal import CONFIGURATION, DATABASE, OK
from deedlog.faces.cli.show import answer_lines, style_of_output
from deedlog.faces.cli.terminal import clean
from deedlog.rights import EVERYTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.core.run import Run
    from deedlog.settings import Settings

    Facts = dict[str, Any]


LABELS = {
    "language_model": "language model",
    "bytes": "size in bytes",
    "version": "store format",
    "rebuilt": "things rebuilt",
}
READ_ONLY = "the store can be read but not written"
SETTLED = "the next command about workers, such as `deedlog worker list`, settles it"
SEE_NAMES = "docs/concepts/permissions.md explains the names"
GONE = "if that machine is gone, "
REBUILD = "`deedlog doctor --rebuild` makes the tables anew from the log, if the log itself is whole"


def run(invocation: Invocation) -> int:
    if invocation.arguments.get("rebuild"):
        refuse_agent("`deedlog doctor --rebuild`")
    settings = invocation.settings()
    facts = _facts(settings)
    warnings, hint = [*_unused(settings), *_unasked(settings), *_misspelt(settings), *settings.notes], ""
    if settings.project:
        warnings += unreachable(settings.project.tree, os.environ)
    try:
        found, problems = _examined(settings, invocation.arguments)
        facts |= found
        warnings += [] if facts.get("writable", True) else [READ_ONLY]
        warnings += [] if problems else _forsaken(settings)
        warnings += _unread(settings)
        hint = "" if invocation.arguments.get("rebuild") else REBUILD
    except DeedlogError as error:
        problems = [_told(error)]
    flawed = _flawed_words(settings)
    hint = hint if problems else ""
    problems += flawed
    if invocation.as_json:
        said = {"ok": not problems, "facts": facts, "problems": problems, "warnings": warnings}
        write(json.dumps(said, ensure_ascii=False, default=str))
    else:
        for line in _report(facts, problems, warnings, hint):
            write(line)
    return (DATABASE if len(problems) > len(flawed) else CONFIGURATION) if problems else OK


def _told(error: DeedlogError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message


def _flawed_words(settings: Settings) -> list[str]:
    """What is wrong in the project's own words for clarification; with a fault in it, nothing can be clarified."""
    if settings.project is None or not bootstrap.open_switchboard(settings).on("clarify"):
        return []
    try:
        bootstrap.open_survey(settings).lexicon()
    except DeedlogError as error:
        return [_told(error)]
    return []


def _facts(settings: Settings) -> Facts:
    facts: Facts = {"deedlog": __version__, "python": sys.version.split()[0], "platform": sys.platform}
    if settings.project:
        facts["folder"] = settings.project.root
        facts |= {"database": "PostgreSQL"} if settings["database_url"] else {"store": settings.project.store}
    facts["capabilities"] = sorted(bootstrap.open_switchboard(settings).now())
    facts["language_model"] = f"{settings['llm_provider']} {settings['llm_model']}".strip() or "none"
    return facts


def _unused(settings: Settings) -> list[str]:
    """Points at a store that git's own now stands before."""
    if settings.project is None or settings["database_url"] or settings.origins["store"] != "default":
        return []
    other = project.unused_store(settings.project)
    if not other:
        return []
    from shlex import quote  # hardly ever needed

    way = f"DEEDLOG_STORE={quote(other)} deedlog export - | deedlog import -"
    return [f"the store in {other} is not used; if it is yours, add what it has to this one, then remove it: {way}"]


def _misspelt(settings: Settings) -> list[str]:
    """Names in `agents_may` that allow nothing."""
    names = [name for name in settings["agents_may"] if name != EVERYTHING]
    if not names:
        return []
    from deedlog.operation import catalog  # most people allow nothing

    known = [op.name for op in catalog.load()]
    wrong = [name for name in names if name.partition(".")[0] not in known]
    return [f"agents_may: {name[:80]!r} allows nothing; {did_you_mean(name, known, SEE_NAMES)}" for name in wrong]


def _unasked(settings: Settings) -> list[str]:
    flaw = bootstrap.model_flaw(settings)
    return [f"{flaw}; clarification goes on by its rules alone"] if flaw else []


def _examined(settings: Settings, asked: dict[str, Any]) -> tuple[Facts, list[str]]:
    upkeep = bootstrap.open_upkeep(settings)
    try:
        found: Facts = {"rebuilt": upkeep.rebuild(anyway=asked.get("anyway", False))} if asked.get("rebuild") else {}
        return {**upkeep.facts(), **found}, upkeep.verify()
    finally:
        upkeep.close()


def _forsaken(settings: Settings) -> list[str]:
    """Runs and sessions that go on by the store although nobody is at them, or nobody here can tell."""
    from deedlog.work.forsaken import elsewhere, is_forsaken, unfinished, without_supervisor  # reads, unlike the rest

    app = bootstrap.build(settings)
    try:
        here, runs = app.workers.host, unfinished(app)
        said = [f"{run.id} is {run.state}, but nobody drives it: {_ways(run)}" for run in runs if is_forsaken(app, run)]
        said += [f"{one.ref} is running, but its supervisor is dead: {SETTLED}" for one in without_supervisor(app)]
        said += [f"{run.id} is driven on {run.host}: {_ways(run, GONE)}" for run in runs if run.host != here]
        return said + [
            f"{one.ref} runs on {one.host}: {GONE}`deedlog worker stop {one.ref} --force` ends it"
            for one in elsewhere(app)
        ]
    finally:
        app.close()


def _unread(settings: Settings) -> list[str]:
    """Files of MCP servers, and of their keys, that say nothing because they are broken or open to others."""
    if not bootstrap.open_switchboard(settings).on("gateway"):
        return []
    return bootstrap.flaws_of_servers(settings)


def _ways(run: Run, gone: str = "") -> str:
    force = " --force" if gone else ""
    goes_on = f"`deedlog plan resume {run.id}{force}` goes on with it, " if run.state == RUNNING else ""
    return f"{gone}{goes_on}`deedlog plan cancel {run.id}{force}` ends it"


def _report(facts: Facts, problems: list[str], warnings: list[str], hint: str) -> Iterator[str]:
    style = style_of_output()
    yield from answer_lines({LABELS.get(name, name): value for name, value in facts.items()}, style)
    for problem in problems:
        yield style.bold("problem: ") + clean(problem)
    for warning in warnings:
        yield style.bold("warning: ") + clean(warning)
    if problems:
        yield "not all is well" + (f"; {hint}" if hint else "")
    else:
        yield "nothing is damaged" if warnings else "all is well"


COMMAND = Command(
    words="doctor",
    callers=ANYONE,
    help="Examine the store: its files, the chain of its log, and whether the log gives what the tables hold.\n\n"
    "Warns of a second store that is not used, and of clients whose configuration names a command that is not there, "
    "of a language model that lacks its key, of files of MCP servers that cannot be read, and of runs and workers "
    "that nobody is at any more. "
    "Ends with exit code 4 when something is wrong.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "rebuild": {"type": "boolean", "description": "First make every table anew from the log"},
            "anyway": {"type": "boolean", "description": "Rebuild from what is left of a damaged log"},
        },
    },
    examples=["deedlog doctor", "deedlog doctor --rebuild", "deedlog doctor --json"],
)
