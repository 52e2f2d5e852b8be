"""Which command the words on a command line name, and what was meant where there is none."""

from __future__ import annotations

from deedlog.core.errors import Invalid
from deedlog.core.words import did_you_mean, nearest
from deedlog.faces.cli.command import MODULES, SHARED
from deedlog.faces.cli.output import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.app import App
    from deedlog.operation.define import Operation

MEANT = {"log": "events", "history": "events"}
VERBS = {"ls": "list", "rm": "remove", "get": "show", "start": "activate", "stop": "deactivate"}  # of other programs


def found(app: App, words: list[str], *, asked_for_help: bool) -> tuple[Operation | None, list[str]]:
    """The operation `words` begin with, and the words after it; None when its noun was explained instead."""
    commands = {command: op for op in app.catalog for command in (op.words, op.alias) if command}
    for length in range(len(words), 0, -1):
        *before, verb = words[:length]
        for last in (verb, VERBS.get(verb, verb)):
            if op := commands.get(" ".join([*before, last])):
                return op, words[length:]
    usable = [command for op in app.operations() for command in (op.words, op.alias) if command] + list(MODULES)
    begun = _begun(words, usable)
    if begun:
        from deedlog.faces.cli.explain import noun_overview, verb_list

        noun, rest = " ".join(begun), words[len(begun) :]
        if asked_for_help or rest[:1] in (["--help"], ["-h"]):
            write(noun_overview(noun, app.operations()))
            return None, []
        if all(word.startswith("-") for word in rest):
            raise Invalid(f"{noun!r} is not a whole command", hint=verb_list(noun, app.operations()))
    raise _unknown(words, begun, usable)


def _begun(words: list[str], known: list[str]) -> list[str]:
    """As many of the first words as some longer command begins with."""
    lengths = range(len(words), 0, -1)
    starts = (words[:length] for length in lengths)
    return next((start for start in starts if any(name.startswith(" ".join(start) + " ") for name in known)), [])


def _unknown(words: list[str], begun: list[str], known: list[str]) -> Invalid:
    name = " ".join(word for word in words[: len(begun) + 1 if begun else 2] if not word.startswith("-"))
    if begun:  # the same kind of thing was meant, so nothing else is
        noun, verb = " ".join(begun), words[len(begun)]
        siblings = [command.removeprefix(noun + " ") for command in known if command.startswith(noun + " ")]
        near = spelt if (spelt := VERBS.get(verb)) in siblings else nearest(verb, siblings)
        hint = f"did you mean '{noun} {near}'?" if near else f"`deedlog {noun} --help` lists its commands"
    else:
        hint = _meant(words[0], known) or did_you_mean(name, known) or did_you_mean(words[0], known)
    return Invalid(f"there is no command {name!r}", hint=hint or "`deedlog --help` lists the commands")


def _meant(word: str, known: list[str]) -> str:
    """The commands that a verb alone, an option without its dashes or another program's word may stand for."""
    found = [MEANT[word]] if word in MEANT else [command for command in known if word in command.split()[1:]]
    if word in SHARED["properties"]:
        found.append("--" + word)
    return f"did you mean {' or '.join(map(repr, found))}?" if found else ""
