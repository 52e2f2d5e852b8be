"""Operations marked `prompt` as MCP prompts, and completion of what a client is typing."""

from __future__ import annotations

from deedlog.core.errors import DeedlogError
from deedlog.faces.mcp import mounted
from deedlog.faces.mcp.protocol import DECODER, INVALID_PARAMS, Failure
from deedlog.faces.mcp.resources import as_failure, values_of
from deedlog.faces.mcp.tools import page_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.faces.mcp.request import Request
    from deedlog.operation.define import Operation

    Json = dict[str, Any]

MOST_VALUES = 100
STAYS = ("_meta", "inputResponses", "requestState")


def prompts_list(request: Request) -> Json:
    app = request.dispatcher.app
    rows = [described(op) for op in app.operations() if op.prompt]
    return page_of(rows + mounted.prompts(app), "prompts", request)


def described(op: Operation) -> Json:
    required = op.input_schema.get("required", ())
    arguments = [
        {"name": name, "description": schema.get("description", ""), "required": name in required}
        for name, schema in op.input_schema.get("properties", {}).items()
    ]
    return {"name": op.name, "title": op.summary, "description": op.help, "arguments": arguments}


def prompt_named(request: Request, name: str) -> Operation:
    catalog = request.dispatcher.app.catalog
    if name in catalog and catalog[name].prompt:
        return catalog[name]
    raise Failure(INVALID_PARAMS, f"Unknown prompt: {name[:80]!r}", {"hint": "prompts/list names them"})


def prompts_get(request: Request) -> Json:
    if foreign := mounted.prompt_named(request.dispatcher.app, request.text("name")):
        return mounted.passed_on(request, foreign[0], "prompts/get", {**_without_meta(request), "name": foreign[1]})
    op = prompt_named(request, request.text("name"))
    properties = op.input_schema.get("properties", {})
    arguments = {
        name: typed(value, properties.get(name, {}).get("type", "string"))
        for name, value in request.mapping("arguments").items()
    }
    try:
        answer = request.call(op, arguments)
    except DeedlogError as error:
        raise as_failure(error) from error
    if op.passes:
        return dict(answer)
    content = {"type": "text", "text": answer["text"]}
    return {"description": op.summary, "messages": [{"role": "user", "content": content}]}


def typed(value: Any, kind: str) -> Any:
    """A prompt's arguments are text on the wire, whatever the operation takes."""
    if kind == "string" or not isinstance(value, str):
        return value
    try:
        return DECODER.decode(value)
    except ValueError:
        return value


def completion_complete(request: Request) -> Json:
    reference, argument = request.mapping("ref"), request.mapping("argument")
    name, prefix = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(prefix, str):
        raise Failure(INVALID_PARAMS, "argument: needs a name and a value, both text")
    if foreign := mounted.referred(request.dispatcher.app, reference):
        return mounted.passed_on(
            request, foreign[0], "completion/complete", {**_without_meta(request), "ref": foreign[1]}
        )
    values, more = _completions(request, reference, name, prefix)
    completion: Json = {"values": values[:MOST_VALUES], "hasMore": more or len(values) > MOST_VALUES}
    return {"completion": completion}


def _without_meta(request: Request) -> Json:
    """The parameters as they are handed on; what belongs to the exchange with this client stays here."""
    return {name: value for name, value in request.params.items() if name not in STAYS}


def _completions(request: Request, reference: Json, name: str, prefix: str) -> tuple[list[str], bool]:
    """The values that were found, and whether there may be others."""
    kind = reference.get("type")
    if kind == "ref/prompt":
        op = prompt_named(request, str(reference.get("name")))
        schema = op.input_schema.get("properties", {}).get(name, {})
        return [value for value in schema.get("enum", ()) if value.startswith(prefix)], False
    if kind == "ref/resource":
        found = values_of(request, str(reference.get("uri")), name, prefix)
        if found is not None:
            return found
    raise Failure(INVALID_PARAMS, "ref: there is no such prompt, template or variable")
