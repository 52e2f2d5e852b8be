"""Run one operation from the command line and show its answer."""

from __future__ import annotations

from deedlog import bootstrap
from deedlog.app import Caller
from deedlog.core.errors import DeedlogError, Invalid
from deedlog.core.page import NEXT, following
from deedlog.faces.cli import acting
from deedlog.faces.cli.arguments import parse, require
from deedlog.faces.cli.command import SHARED, Invocation
from deedlog.faces.cli.finding import found
from deedlog.faces.cli.output import show_answer, write
from deedlog.faces.cli.refusal import OK, STATE, warn_of_ignored
from deedlog.faces.cli.spelling import kebab, schema_of
from deedlog.operation.define import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.app import App
    from deedlog.faces.cli.arguments import Given
    from deedlog.operation.define import Operation
    from deedlog.settings import Settings

    Json = dict[str, Any]

SETTING_NAMES = ("directory", "actor", "enable", "disable")
WRITING: Json = {
    "idempotency_key": {"type": "string", "description": "Repeating a call with the same key does it once"},
    "cause": {"type": "string", "description": "Why, in the log: a ticket, a message, a command"},
}
FOLLOWING: Json = {"follow": {"type": "boolean", "description": "Show the last 10 and then what comes, until Ctrl-C"}}
QUIET: Json = {"quiet": {"type": "boolean", "description": "Print only ids, one on each line"}}
PAGING: Json = {"all": {"type": "boolean", "description": "Every page to the end, not only the first"}}


def comes_in_pages(op: Operation) -> bool:
    """Whether a call may have to be repeated for the rest; what is raw is printed whole anyway."""
    cursors = "cursor" in op.input_schema["properties"] and any(name in op.output_schema["properties"] for name in NEXT)
    return cursors and not op.raw


def more_options(op: Operation) -> Json:
    """The options of a command that are about how it is shown."""
    quiet = {} if op.raw or op.follows or op.forwards else QUIET
    return {**(FOLLOWING if op.follows else {}), **(PAGING if comes_in_pages(op) else {}), **quiet}


def beside(op: Operation) -> Json:
    """The options a call of `op` takes beside its arguments, as a schema."""
    more = {} if op.effect is Effect.READ else WRITING
    return {"properties": {**SHARED["properties"], **more, **more_options(op)}}


def operation(before: Given) -> int:
    """Run the operation that the words after the first options name."""
    settings = Invocation({}, before.shared).settings()
    app = bootstrap.build(settings)
    op, words = found(app, before.rest, asked_for_help=bool(before.shared.get("help")))
    if op is None:
        return OK
    given = _read(op, words)
    shared = {**before.shared, **given.shared}
    if shared.get("help"):
        from deedlog.faces.cli.explain import explained

        write(explained(op))
        return OK
    invocation = Invocation(given.own, shared)
    if given.shared.keys() & set(SETTING_NAMES):
        settings = invocation.settings()
        app = bootstrap.build(settings)
    app.allowed(op.name)  # that it is off matters more than what it would lack
    require(op.words, schema_of(op), given.own)
    if not invocation.as_json and op.noun != "trust":
        warn_of_ignored(settings)
    try:
        return _call(app, op, invocation, settings)
    finally:
        app.close()


def _read(op: Operation, words: list[str]) -> Given:
    try:
        return parse(words, schema_of(op), beside(op))
    except Invalid as refusal:
        option = refusal.data.get("field", "")
        hint = next((hint for name, hint in op.instead.items() if option == "--" + kebab(name)), "")
        if not hint:
            raise
        raise Invalid(refusal.message, hint=hint, data=refusal.data) from None


def _call(app: App, op: Operation, invocation: Invocation, settings: Settings) -> int:
    """Call it and show the answer; returns the exit code."""
    said = invocation.shared
    caller = acting.caller(settings, cause=said.get("cause", ""), idempotency_key=said.get("idempotency_key"))
    if op.raw and not invocation.as_json:
        from deedlog.faces.cli.raw import print_raw

        print_raw(app, op, invocation.arguments, caller)
        return OK
    if said.get("quiet") and not invocation.as_json:
        _show_ids(app, op, invocation, caller)
        return OK
    if said.get("all"):
        from deedlog.faces.cli.pages import show_all

        if not show_all(app, op, invocation, caller) and not invocation.as_json:
            _say_nothing_was_found(app, op, invocation)
        return OK
    if op.follows:
        from deedlog.faces.cli.follow import all_pages, follow

        if said.get("follow"):
            follow(app, op, invocation, caller)
            return OK
        answer: Any = all_pages(app, op, invocation, caller)
    elif op.forwards and (meant := app.meant(op.name, invocation.arguments)[0]).server:
        return _handed_on(app, op, invocation, caller, meant.server)
    elif op.waits:
        answer = _watched(app, op, invocation, caller)
    else:
        answer = app.call(op.name, invocation.arguments, caller)
    if invocation.as_json or not isinstance(answer, dict):
        show_answer(answer, as_json=invocation.as_json)
    else:
        _show_people(app, op, invocation, answer)
    return STATE if op.fails and answer[op.fails] else OK


def _handed_on(app: App, op: Operation, invocation: Invocation, caller: Caller, server: str) -> int:
    """Call a tool of another server and show what it says."""
    from deedlog.faces.cli.result import show_result, tell_why

    try:
        answer = _watched(app, op, invocation, caller, f"calling {server}")
    except DeedlogError as error:
        if not invocation.as_json:
            tell_why(server, error)
        raise
    return show_result(answer, as_json=invocation.as_json)


def _watched(app: App, op: Operation, invocation: Invocation, caller: Caller, what: str = "") -> Any:
    from deedlog.faces.cli.progress import Watching  # only for what may take long

    peer = Watching()
    if what:
        peer.progress(0, message=what)
    try:
        return app.call(op.name, invocation.arguments, caller.replace(peer=peer))
    finally:
        peer.over()


def _show_ids(app: App, op: Operation, invocation: Invocation, caller: Caller) -> None:
    from deedlog.faces.cli.pages import every_page
    from deedlog.faces.cli.quiet import show_ids

    every = invocation.shared.get("all")
    once = [] if every else [app.call(op.name, invocation.arguments, caller)]
    show_ids(op.noun, every_page(app, op, invocation, caller) if every else once)


def _show_people(app: App, op: Operation, invocation: Invocation, answer: Json) -> None:
    cut = comes_in_pages(op) and following(answer)
    shown = {name: value for name, value in answer.items() if not cut or name not in NEXT}
    show_answer(shown, as_json=False, columns=op.columns, brief=op.brief, whole=op.whole)
    if cut:
        from deedlog.faces.cli.pages import tell_of_the_rest

        tell_of_the_rest(answer)
    elif next(iter(answer.values()), None) == [] and not _says_why(answer):
        _say_nothing_was_found(app, op, invocation)


def _says_why(answer: Json) -> bool:
    """Whether an answer whose list is empty says itself what to do, or has something else to show."""
    return bool(answer.get("hint")) or any(value for value in answer.values() if isinstance(value, list))


def _say_nothing_was_found(app: App, op: Operation, invocation: Invocation) -> None:
    from deedlog.faces.cli.refusal import tell

    if invocation.arguments:
        tell("nothing matches; ask for less, or for something else")
        return
    if app.is_remote or app.ledger.head():
        tell("there is nothing to show")
        return
    first = next((other for other in app.operations() if other.everyday and other.effect is not Effect.READ), op)
    tell(f"nothing here yet; begin with: {first.examples[0] if first.examples else 'deedlog ' + first.words}")
