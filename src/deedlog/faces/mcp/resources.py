"""Reads with a URI as MCP resources: the variables of its template are the operation's arguments."""

from __future__ import annotations

import re

from deedlog.core.errors import DeedlogError, NotFound
from deedlog.core.page import cursor, following
from deedlog.faces.mcp import mounted, protocol
from deedlog.faces.mcp.protocol import INTERNAL_ERROR, INVALID_PARAMS, READABLE, Failure
from deedlog.faces.mcp.tools import PAGE, page_of, place_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.app import App
    from deedlog.faces.mcp.request import Request
    from deedlog.operation.define import Operation

    Json = dict[str, Any]

VARIABLE = re.compile(r"\{(\w+)\}")
JSON = "application/json"
FULL_PAGE = 50
WHOLE = "whole"  # the input that asks for all in one answer
MOST_PAGES = 5  # looked through for a completion: it is asked for at every key


def found(app: App, uri: str) -> tuple[Operation, dict[str, str]] | None:
    """The operation behind a URI, with the arguments the URI holds."""
    from urllib.parse import unquote  # costs as much as this whole package

    for op in app.operations():
        if op.resource and (match := _pattern(op.resource, "[^/?#]+").fullmatch(uri)):
            return op, {name: unquote(value) for name, value in match.groupdict().items()}
        if any(_pattern(template).fullmatch(uri) for template in op.templates):
            whole: Json = {WHOLE: True} if WHOLE in op.input_schema["properties"] else {}  # such a read has no pages
            return op, {"uri": uri} | whole
    return None


def _pattern(template: str, value: str = "[^/]+") -> re.Pattern[str]:
    """What the URIs of a template match, the variables as groups."""
    escaped = re.escape(template).replace(r"\{", "{").replace(r"\}", "}")
    return re.compile(VARIABLE.sub(lambda name: f"(?P<{name[1]}>{value})", escaped))


def missing(request: Request, uri: str, message: str = "there is no such resource") -> Failure:
    code = INVALID_PARAMS if request.modern else protocol.RESOURCE_NOT_FOUND
    return Failure(code, message, {"uri": uri[:500]})


def resources_read(request: Request) -> Json:
    uri = request.text("uri")
    if foreign := mounted.resource_at(request.dispatcher.app, uri):
        return mounted.passed_on(request, foreign[0], "resources/read", {"uri": foreign[1]})
    match = found(request.dispatcher.app, uri)
    if match is None:
        raise missing(request, uri)
    op, arguments = match
    try:
        answer = request.call(op, arguments)
    except NotFound as error:
        raise missing(request, uri, error.message) from error
    except DeedlogError as error:
        raise as_failure(error) from error
    return {"contents": [{"uri": uri, "mimeType": op.mime_type, **_content(op, answer)}]}


def _content(op: Operation, answer: Json) -> Json:
    if op.mime_type == JSON:
        return {"text": READABLE.encode(answer)}
    return {"text": answer[op.raw]} if op.raw else answer


def as_failure(error: DeedlogError) -> Failure:
    """A refusal where only a JSON-RPC error can carry it."""
    code = INVALID_PARAMS if error.kind in ("invalid", "not_found") else INTERNAL_ERROR
    return Failure(code, error.message, {"kind": error.kind, "hint": error.hint})


def templates_list(request: Request) -> Json:
    rows = [
        {"uriTemplate": template, "name": _name(op, template), "title": op.summary, "mimeType": op.mime_type}
        for op in request.dispatcher.app.operations()
        for template in (op.resource, *op.templates)
        if "{" in template
    ]
    return page_of(rows + mounted.templates(request.dispatcher.app), "resourceTemplates", request)


def _name(op: Operation, template: str) -> str:
    """What a template is called: where its operation has several, by what comes before and after its variables."""
    words = re.findall("[a-z]+", VARIABLE.sub("", template).partition("://")[2])
    return "_".join([op.name, *words]) if template in op.templates else op.name


def resources_list(request: Request) -> Json:
    """The fixed ones first, those of mounted servers, then, a page at a time, what lists the others."""
    operations = request.dispatcher.app.operations()
    listed = [None, *(op for op in operations if op.listed_by)]  # none: those of mounted servers
    place, inner = place_in(request)
    fixed = [op for op in operations if op.resource and "{" not in op.resource]
    resources = [] if request.params.get("cursor") else [_fixed(op) for op in fixed]
    while place < len(listed) and len(resources) < FULL_PAGE:  # many clients read the first page only
        op = listed[place]
        rows, rest = _rows(request, op, inner) if op else _mounted(request, inner)
        resources += [_row(op, row) for row in rows] if op else rows
        place, inner = (place, rest) if rest else (place + 1, "")
    return {"resources": resources} | ({"nextCursor": cursor((place, inner))} if place < len(listed) else {})


def _mounted(request: Request, inner: str) -> tuple[list[Json], str]:
    """One page of what mounted servers offer."""
    rows, start = mounted.resources(request.dispatcher.app), int(inner) if inner.isdecimal() else 0
    return rows[start : start + PAGE], str(start + PAGE) if start + PAGE < len(rows) else ""


def _fixed(op: Operation) -> Json:
    return {"uri": op.resource, "name": op.resource_name or op.name, "title": op.summary, **_facts(op, {})}


def _row(op: Operation, row: Json) -> Json:
    if op.templates:
        return {"uri": row["uri"], "name": row["uri"], "description": row["kind"], "mimeType": op.mime_type}
    from urllib.parse import quote  # see above

    uri = VARIABLE.sub(lambda match: quote(str(row[match[1]]), safe=""), op.resource)
    name = row.get("name") or row.get("title") or row[VARIABLE.findall(op.resource)[-1]]
    return {"uri": uri, "name": _filled(op.resource_name, row) or str(name), **_facts(op, row)}


def _facts(op: Operation, row: Json) -> Json:
    about = {"description": _filled(op.resource_about, row)} if op.resource_about else {}
    return {**about, "mimeType": op.mime_type}


def _filled(template: str, row: Json) -> str:
    return VARIABLE.sub(lambda match: str(row[match[1]]), template)


def _rows(request: Request, op: Operation, inner: str | None, **more: str) -> tuple[list[Json], str]:
    """One page of the operation that lists what a template's resources are."""
    arguments = {"cursor": inner, **more} if inner else more
    try:
        answer = request.call(request.dispatcher.app.catalog[op.listed_by], arguments)
    except DeedlogError as error:
        raise as_failure(error) from error
    rows = next(value for value in answer.values() if isinstance(value, list))
    return rows, following(answer)


def values_of(request: Request, template: str, variable: str, prefix: str) -> tuple[list[str], bool] | None:
    """What a variable of a template can be, from the first pages, and whether there are more pages.

    None when there is no such template.
    """
    for op in request.dispatcher.app.operations():
        if template in (op.resource, *op.templates) and variable in VARIABLE.findall(template):
            return (_values if op.resource else _values_of_uris)(request, op, variable, prefix, template)
    return None


def _values_of_uris(
    request: Request, op: Operation, variable: str, prefix: str, template: str
) -> tuple[list[str], bool]:
    """The same where rows have whole URIs: those that begin as far as it was typed. Other variables may be known."""
    known = request.mapping("context").get("arguments")
    for name, value in (known if isinstance(known, dict) else {}).items():
        template = template.replace(f"{{{name}}}", str(value)) if name != variable else template
    before = template.partition(f"{{{variable}}}")[0]
    begun = VARIABLE.split(before)[0] + ("" if VARIABLE.search(before) else prefix)
    pattern, values, rest = _pattern(template, "[^/@]+"), dict[str, None](), ""
    for _ in range(MOST_PAGES):
        rows, rest = _rows(request, op, rest, prefix=begun)
        matches = [match for row in rows if (match := pattern.fullmatch(row["uri"]))]
        values |= dict.fromkeys(match[variable] for match in matches if match[variable].startswith(prefix))
        if not rest:
            break
    return list(values), bool(rest)


def _values(request: Request, op: Operation, variable: str, prefix: str, _template: str) -> tuple[list[str], bool]:
    values: list[str] = []
    rest = ""
    for _ in range(MOST_PAGES if op.listed_by else 0):
        rows, rest = _rows(request, op, rest)
        values += [value for row in rows if (value := str(row[variable])).startswith(prefix)]
        if not rest:
            break
    return values, bool(rest)
