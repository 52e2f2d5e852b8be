"""The HTTP API as OpenAPI 3.1, made from the operations."""

from __future__ import annotations

from typing import Any

from deedlog import __version__
from deedlog.faces.web.refusal import STATUS
from deedlog.operation.define import Effect, Operation

Json = dict[str, Any]
ERROR: Json = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": [*STATUS, "unexpected"]},
                "message": {"type": "string", "description": "What is wrong"},
                "hint": {"type": "string", "description": "What to do"},
                "data": {"type": "object", "description": "The values a program needs"},
            },
            "required": ["kind", "message", "hint", "data"],
        }
    },
    "required": ["error"],
}
MEANINGS = {
    "401": "The token is missing or wrong",
    "403": "Not allowed, or switched off",
    "404": "What it names does not exist",
    "409": "Something changed meanwhile, or does not fit",
    "422": "The arguments are wrong",
    "500": "Unexpected: a bug",
    "503": "The store cannot be used now, too many calls wait, or the server is stopping",
}
HEADERS: list[Json] = [
    {
        "name": name,
        "in": "header",
        "description": description,
        "schema": {"type": "string", "minLength": 1, "maxLength": longest},
    }
    for name, description, longest in (
        ("Idempotency-Key", "Repeating a call with the same key and arguments gives the first answer again", 200),
        ("Deedlog-Actor", "Who acts, in the log; `http` if left out", 200),
        ("Deedlog-Cause", "Why, in the log: a ticket, a message, a command", 500),
    )
]


def document(operations: list[Operation]) -> Json:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Deedlog", "version": __version__, "description": "One POST address per operation."},
        "paths": {op.path: {"post": described(op)} for op in operations},
        "components": {
            "schemas": {"Error": ERROR},
            "responses": {code: _refusal(meaning) for code, meaning in MEANINGS.items()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _refusal(meaning: str) -> Json:
    return {"description": meaning, "content": _json({"$ref": "#/components/schemas/Error"})}


def _json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


def described(op: Operation) -> Json:
    needed = bool(op.input_schema.get("required"))
    return {
        "operationId": op.name,
        "summary": op.summary,
        "description": op.help,
        "tags": [op.words.partition(" ")[0]],
        "parameters": [] if op.effect is Effect.READ else HEADERS,
        "requestBody": {"required": needed, "content": _json(op.input_schema)},
        "responses": {
            "200": {"description": "The answer", "content": _json(op.output_schema)},
            **{code: {"$ref": f"#/components/responses/{code}"} for code in MEANINGS},
        },
        "security": [{"token": []}],
    }
