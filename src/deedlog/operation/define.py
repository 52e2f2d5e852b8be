"""The single definition of an operation, from which every face is generated.

    @operation(Effect.WRITE, capability="tracking", callers=ANYONE, words="workflow start")
    def start_workflow(ctx: Context, *, name: Annotated[str, Field("Short name", max_length=200)]) -> Started:
        ...  # with a docstring

Its keyword-only parameters are the input, its return annotation the output, its docstring
the help. The decorator only marks the function; `schema.py` reads the marks when the
catalog is generated, so that calling one operation never pays for describing all.
"""

from __future__ import annotations

from enum import StrEnum

from deedlog.core.caller import CALLERS, PEOPLE
from deedlog.core.value import Value
from deedlog.operation.validate import spellings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])
    Json = dict[str, Any]


class Effect(StrEnum):
    READ = "read"  # changes nothing, leaves no op
    WRITE = "write"  # leaves one op, can be undone
    DESTROY = "destroy"  # leaves one op, cannot be undone


RARE = "rare"  # never published: `schema.py` takes these two out
PERSON = "person"


class Field:
    """What a parameter means and which values it takes, in JSON Schema's words.

    A `rare` one is left out of the short tool list; it is accepted all the same.
    A `person` one needs a person: an agent that uses it is refused, unless a person approved.
    """

    def __init__(
        self,
        description: str,
        *,
        min_length: int | None = None,
        max_length: int | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
        pattern: str | None = None,
        max_items: int | None = None,
        nullable: bool | None = None,
        rare: bool = False,
        person: bool = False,
    ) -> None:
        limits = {
            "minLength": min_length,
            "maxLength": max_length,
            "minimum": minimum,
            "maximum": maximum,
            "pattern": pattern,
            "maxItems": max_items,
            "nullable": nullable,  # null is as good as absent for every input; this one says so
            RARE: rare or None,
            PERSON: person or None,
        }
        self.schema: Json = {"description": description}
        self.schema |= {word: limit for word, limit in limits.items() if limit is not None}


class Operation(Value):
    """One thing the product can do. Faces read only these fields, so a mounted remote tool is one too.

    `callers` says who may call it: ANYONE, PEOPLE or INTERNAL of `core/caller.py`. `by_person` are the inputs that only
    a person may use, in an operation that anyone may call.
    `words` are its CLI command and its HTTP address. `alias` is a shorter CLI command.
    `waits` marks a call that may take long or asks its caller, so that a server runs it beside the others;
    the name of an argument says that only calls with this argument do.
    `follows` marks a read that can be repeated from its own `next_seq` (CLI `--follow`).
    `columns` are the parts of its rows that a terminal shows people first, and others where there is room. `brief`
    leaves the others out also where there is no terminal: they say little to people. `whole` is the one of them that
    a terminal shows uncut, below the others: the text that the rows are about.
    `by_place` are the inputs that a command takes by their place, where these are not just the required ones.
    `raw` names the text in an answer that the command prints as it is, for other programs, page after page.
    `fails` names the list in an answer that, when it is not empty, ends the command with exit code 6.
    `passes` marks an answer that already is an MCP result, to be handed on as it is.
    `resource` is a URI, or a template such as `workflow://{workflow_id}`, under which a read is
    also an MCP resource; `listed_by` names the operation whose rows list those there are.
    `templates` are further such URIs, each handed as a whole to the input `uri`; rows that list them have it, too.
    `resource_name` and `resource_about` are what such a resource is called and described by, with the
    template's variables in them; one that is no JSON is the text that `raw` names.
    `prompt` marks a read whose answer's `text` is offered as an MCP prompt instead of a tool.
    `people` marks one for people and their programs: a command and an HTTP address, but no MCP tool, so that it
    costs agents nothing. It may still be an MCP resource.
    `further` marks a tool that the short list leaves out: it is called by its name, or found by `mcp_tools` and called
    by `mcp_call`.
    `rare` are the inputs, with dots where they are inside of others, that the short list leaves out.
    `forwards` marks one whose function answers with `name` and `arguments` of another tool, called in its place.
    `camel` marks one whose inputs are published as `taskId`; its function has them as `task_id` all the same.
    `only_changes` marks a write that leaves no op where it changes nothing: agents ask it again and again.
    `retold_by` names the function beside it that answers a call repeated under one idempotency key. It is given the
    first answer, which it may refuse to give again: what was done then can have been taken back since.
    `settles` has what dead supervisors left behind settled before it runs, so that nothing is told to run
    that does not.
    `also` is a further capability without which it is off: that of the module it does many things of at once.
    `at` names the input that is a path: the call runs in the project around it, with that one's store and settings,
    and the function never sees it.
    `instead` are inputs that people expect and it does not have, each with what to do instead.
    `renames` are further names under which inputs are taken, each with the input it stands for.
    `server` names the mounted server whose tool it is; `tool` is then the tool as that server describes it, under our
    name, which is handed on as it is. Its function gets all arguments as one, unchecked: they are that server's.
    `everyday` asks clients that load tools on demand to have this one at hand always; those come first in
    every list, in the order of their numbers.
    """

    name: str
    help: str
    effect: Effect
    capability: str
    callers: str
    words: str
    input_schema: Json
    output_schema: Json
    module: str = ""
    run: Callable[..., Any] | None = None
    alias: str = ""
    examples: list[str] = []  # noqa: RUF012  # values are never changed in place
    waits: bool | str = False
    follows: bool = False
    columns: list[str] = []  # noqa: RUF012
    brief: bool = False
    whole: str = ""
    by_place: list[str] = []  # noqa: RUF012
    raw: str = ""
    fails: str = ""
    passes: bool = False
    everyday: int = 0
    resource: str = ""
    mime_type: str = "application/json"
    templates: list[str] = []  # noqa: RUF012
    listed_by: str = ""
    resource_name: str = ""
    resource_about: str = ""
    prompt: bool = False
    people: bool = False
    further: bool = False
    rare: list[str] = []  # noqa: RUF012
    by_person: list[str] = []  # noqa: RUF012
    forwards: bool = False
    camel: bool = False
    settles: bool = False
    only_changes: bool = False
    retold_by: str = ""
    also: str = ""
    at: str = ""
    instead: dict[str, str] = {}  # noqa: RUF012
    renames: dict[str, str] = {}  # noqa: RUF012
    server: str = ""
    tool: Json = {}  # noqa: RUF012

    @property
    def summary(self) -> str:
        return self.help.partition("\n")[0]

    @property
    def capabilities(self) -> list[str]:
        """All that must be on for it."""
        return [self.capability, self.also] if self.also else [self.capability]

    @property
    def is_tool(self) -> bool:
        """Whether agents are offered it as an MCP tool."""
        return not (self.prompt or self.people)

    @property
    def path(self) -> str:
        return "/api/" + self.words.replace(" ", "/")

    @property
    def noun(self) -> str:
        """What an argument `id` is the id of."""
        return self.words.partition(" ")[0]

    def may_wait(self, arguments: Mapping[str, object]) -> bool:
        """Whether a call with these arguments, not yet checked, may take long."""
        if isinstance(self.waits, bool):
            return self.waits
        return any(value and self.waits in spellings(name) for name, value in arguments.items())

    def needs_person(self, arguments: Mapping[str, object]) -> list[str]:
        """What in a call with these arguments needs a person: the operation by its name, or inputs as `name.input`."""
        if self.callers == PEOPLE:
            return [self.name]
        found = []
        for name in self.by_person:
            usual = self.input_schema["properties"][name].get("default")
            given = [value for spelling, value in arguments.items() if name in spellings(spelling)]
            found += [f"{self.name}.{name}"] if any(value not in (None, usual) for value in given) else []
        return found


def operation(effect: Effect, *, capability: str, callers: str, **more: Any) -> Callable[[Function], Function]:
    """Mark a function as an operation; `more` are further fields of `Operation`.

    `words` is only needed where the name is not noun_verb.
    """
    if callers not in CALLERS:
        raise TypeError(f"callers must be one of: {', '.join(CALLERS)}, not {callers!r}")
    mark = {"effect": effect, "capability": capability, "callers": callers, "words": "", **more}

    def attach(function: Function) -> Function:
        function.__operation__ = mark  # type: ignore[attr-defined]
        return function

    return attach
