"""The operations the official conformance suite asks for, as a plug-in of the real server."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Denied, Invalid
from deedlog.operation.define import Effect, Field, Operation, operation
from deedlog.ports import Context

Json = dict[str, Any]
Mark = Callable[[Callable[..., Json]], Callable[..., Json]]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
PATTERN_SCHEMA: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
HEADER_SCHEMA: Json = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
    "additionalProperties": False,
}


def tool(**more: Any) -> Mark:
    """A read whose answer is an MCP result; `waits` because most of them ask or pause."""
    return operation(Effect.READ, capability="conformance", callers=ANYONE, passes=True, waits=True, **more)


def prompt() -> Mark:
    return tool(prompt=True)


def resource(uri: str, mime_type: str, **more: Any) -> Mark:
    return operation(Effect.READ, capability="conformance", callers=ANYONE, resource=uri, mime_type=mime_type, **more)


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def said(words: str) -> Json:
    return {"content": [text(words)]}


def form(message: str, required: list[str] | None = None, **properties: Json) -> Json:
    schema = {"type": "object", "properties": properties, "required": required or list(properties)}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampling(words: str, most: int = 100) -> Json:
    messages = [{"role": "user", "content": text(words)}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": most}}


ROOTS: Json = {"method": "roots/list", "params": {}}
NAME: Json = {"type": "string"}


def needed(replies: Json | None, capability: str) -> Json:
    """The replies, or the refusal of a client that cannot be asked."""
    if replies is None:
        message = f"this needs a client with the capability {capability!r}"
        raise Denied(message, data={"required_capabilities": {capability: {}}})
    return replies


@tool()
def test_simple_text(ctx: Context) -> Json:
    """Answer with text."""
    return said("This is a simple text response for testing.")


@tool()
def test_image_content(ctx: Context) -> Json:
    """Answer with an image."""
    return {"content": [{"type": "image", "data": PIXEL, "mimeType": "image/png"}]}


@tool()
def test_audio_content(ctx: Context) -> Json:
    """Answer with a sound."""
    return {"content": [{"type": "audio", "data": SOUND, "mimeType": "audio/wav"}]}


@tool()
def test_embedded_resource(ctx: Context) -> Json:
    """Answer with a resource."""
    uri = "test://embedded-resource"
    embedded = {"uri": uri, "mimeType": "text/plain", "text": "This is an embedded resource content."}
    return {"content": [{"type": "resource", "resource": embedded}]}


@tool()
def test_multiple_content_types(ctx: Context) -> Json:
    """Answer with text, an image and a resource."""
    uri = "test://mixed-content-resource"
    embedded = {"uri": uri, "mimeType": "application/json", "text": '{"test":"data","value":123}'}
    image = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    return {"content": [text("Multiple content types test:"), image, {"type": "resource", "resource": embedded}]}


@tool()
def test_tool_with_logging(ctx: Context) -> Json:
    """Log three times."""
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        ctx.peer.log("info", words)
    return said("Tool with logging executed successfully")


@tool()
def test_logging_tool(ctx: Context) -> Json:
    """Log once, to whoever asked for it."""
    ctx.peer.log("info", "a message")
    return said("logged")


@tool()
def test_tool_with_progress(ctx: Context) -> Json:
    """Report progress three times."""
    for done in (0, 50, 100):
        ctx.peer.progress(done, 100, f"Completed step {done} of 100")
    return said("Tool with progress executed successfully")


@operation(Effect.READ, capability="conformance", callers=ANYONE)
def test_error_handling(ctx: Context) -> Json:
    """Refuse, always."""
    raise Invalid("This tool intentionally returns an error for testing")


@tool()
def test_sampling(ctx: Context, *, prompt: Annotated[str, Field("What to ask the model")]) -> Json:
    """Ask the client's model."""
    replies = needed(ctx.peer.ask({"prompt": sampling(prompt)}), "sampling")
    return said(f"LLM response: {replies['prompt']['content']['text']}")


@tool()
def test_elicitation(ctx: Context, *, message: Annotated[str, Field("What to ask the user")]) -> Json:
    """Ask the user."""
    username = {"type": "string", "description": "User's response"}
    email = {"type": "string", "description": "User's email address"}
    replies = needed(ctx.peer.ask({"user": form(message, username=username, email=email)}), "elicitation")
    return said(f"User response: {json.dumps(replies['user'])}")


@tool()
def test_elicitation_sep1034_defaults(ctx: Context) -> Json:
    """Ask with defaults."""
    asked = form(
        "Please review and update the form fields with defaults",
        [],
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    )
    reply = needed(ctx.peer.ask({"form": asked}), "elicitation")["form"]
    return said(f"Elicitation completed: action={reply['action']}, content={json.dumps(reply.get('content'))}")


def titled(word: str, label: str) -> list[Json]:
    return [
        {"const": f"{word}{n}", "title": f"{name} {label}"} for n, name in enumerate(("First", "Second", "Third"), 1)
    ]


@tool()
def test_elicitation_sep1330_enums(ctx: Context) -> Json:
    """Ask for choices of every kind."""
    options = ["option1", "option2", "option3"]
    asked = form(
        "Please select options from the enum fields",
        [],
        untitledSingle={"type": "string", "enum": options},
        titledSingle={"type": "string", "oneOf": titled("value", "Option")},
        legacyEnum={
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti={"type": "array", "items": {"type": "string", "enum": options}},
        titledMulti={"type": "array", "items": {"anyOf": titled("value", "Choice")}},
    )
    reply = needed(ctx.peer.ask({"form": asked}), "elicitation")["form"]
    return said(f"Elicitation completed: action={reply['action']}, content={json.dumps(reply.get('content'))}")


@tool()
def test_streaming_elicitation(ctx: Context) -> Json:
    """Report progress, then ask."""
    ctx.peer.progress(1, 2)
    needed(ctx.peer.ask({"user_name": form("What is your name?", name=NAME)}), "elicitation")
    return said("done")


@tool()
def test_missing_capability(ctx: Context) -> Json:
    """Need a client that can sample."""
    needed(ctx.peer.ask({"question": sampling("Anything")}), "sampling")
    return said("done")


@tool()
def test_reconnection(ctx: Context) -> Json:
    """Answer on a stream, for a client that reconnects."""
    ctx.peer.log("info", "about to answer")
    return said("Reconnection test completed")


@tool(input_schema=PATTERN_SCHEMA)
def json_schema_2020_12_tool(
    ctx: Context, *, name: Annotated[str, Field("Who")] = "", email: Annotated[str, Field("Where")] = ""
) -> Json:
    """Tool with JSON Schema 2020-12 features."""
    return said(f"{name} {email}")


@tool(input_schema=HEADER_SCHEMA)
def test_header_parameter(ctx: Context, *, region: Annotated[str, Field("Where")]) -> Json:
    """Have an argument repeated in a header."""
    return said(region)


@tool()
def test_input_required_result_elicitation(ctx: Context) -> Json:
    """Ask for a name."""
    replies = needed(ctx.peer.ask({"user_name": form("What is your name?", name=NAME)}), "elicitation")
    return said(f"Hello, {(replies['user_name'].get('content') or {}).get('name')}!")


@tool()
def test_input_required_result_sampling(ctx: Context) -> Json:
    """Ask the model for a capital."""
    replies = needed(ctx.peer.ask({"capital_question": sampling("What is the capital of France?")}), "sampling")
    return said(replies["capital_question"]["content"]["text"])


@tool()
def test_input_required_result_list_roots(ctx: Context) -> Json:
    """Ask for the roots."""
    replies = needed(ctx.peer.ask({"client_roots": ROOTS}), "roots")
    return said(", ".join(root["uri"] for root in replies["client_roots"]["roots"]))


@tool()
def test_input_required_result_request_state(ctx: Context) -> Json:
    """Ask for a confirmation."""
    needed(ctx.peer.ask({"confirm": form("Please confirm", ok={"type": "boolean"})}), "elicitation")
    return said("state-ok")


@tool()
def test_input_required_result_tampered_state(ctx: Context) -> Json:
    """Ask for a confirmation whose state is then changed."""
    needed(ctx.peer.ask({"confirm": form("Please confirm", ok={"type": "boolean"})}), "elicitation")
    return said("state-ok")


@tool()
def test_input_required_result_multiple_inputs(ctx: Context) -> Json:
    """Ask three things at once."""
    asked = {
        "user_name": form("What is your name?", name=NAME),
        "greeting": sampling("Generate a greeting", 50),
        "client_roots": ROOTS,
    }
    return said(", ".join(needed(ctx.peer.ask(asked), "sampling")))


@tool()
def test_input_required_result_multi_round(ctx: Context) -> Json:
    """Ask one thing after the other."""
    first = needed(ctx.peer.ask({"step1": form("Step 1: What is your name?", name=NAME)}), "elicitation")
    second = needed(ctx.peer.ask({"step2": form("Step 2: What is your favorite color?", color=NAME)}), "elicitation")
    return said(f"{first['step1']['content']['name']}: {second['step2']['content']['color']}")


@tool()
def test_input_required_result_capabilities(ctx: Context) -> Json:
    """Ask what the client can be asked."""
    asked = {"user_name": form("What is your name?", name=NAME)}
    replies = ctx.peer.ask(asked) or ctx.peer.ask({"greeting": sampling("Generate a greeting")})
    return said(", ".join(needed(replies, "sampling")))


@tool()
def test_trigger_tool_change(ctx: Context) -> Json:
    """Let a tool come and go."""
    return came_and_went(ctx, prompt=False)


@tool()
def test_trigger_prompt_change(ctx: Context) -> Json:
    """Let a prompt come and go."""
    return came_and_went(ctx, prompt=True)


def came_and_went(ctx: Any, *, prompt: bool) -> Json:
    catalog = ctx._app.catalog
    name = f"test_passing_{'prompt' if prompt else 'tool'}"
    new = Operation(
        name=name,
        help="Come and go.",
        effect=Effect.READ,
        capability="conformance",
        callers=ANYONE,
        words=name,
        input_schema={"type": "object", "properties": {}},
        output_schema={"type": "object"},
        run=test_simple_text,
        prompt=prompt,
    )
    catalog.add(new)
    catalog.remove(name)
    return said("changed")


@resource("test://static-text", "text/plain")
def test_static_text(ctx: Context) -> Json:
    """Read a fixed text."""
    return {"text": "This is the content of the static text resource."}


@resource("test://static-binary", "image/png")
def test_static_binary(ctx: Context) -> Json:
    """Read a fixed image."""
    return {"blob": PIXEL}


@resource("test://watched-resource", "text/plain")
def test_watched_resource(ctx: Context) -> Json:
    """Read what is watched."""
    return {"text": "Watched resource content"}


@resource("test://template/{id}/data", "application/json")
def test_template_data(ctx: Context, *, id: Annotated[str, Field("Which one")]) -> Json:  # noqa: A002
    """Read one of many."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


@prompt()
def test_simple_prompt(ctx: Context) -> Json:
    """A prompt."""
    return messages(text("This is a simple prompt for testing."))


@prompt()
def test_prompt_with_arguments(
    ctx: Context,
    *,
    arg1: Annotated[str, Field("First test argument")],
    arg2: Annotated[str, Field("Second test argument")],
) -> Json:
    """A prompt with arguments."""
    return messages(text(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))


@prompt()
def test_prompt_with_embedded_resource(
    ctx: Context,
    *,
    resourceUri: Annotated[str, Field("The resource to embed")],  # noqa: N803
) -> Json:
    """A prompt with a resource."""
    embedded = {"uri": resourceUri, "mimeType": "text/plain", "text": "Embedded resource content for testing."}
    words = text("Please process the embedded resource above.")
    return messages({"type": "resource", "resource": embedded}, words)


@prompt()
def test_prompt_with_image(ctx: Context) -> Json:
    """A prompt with an image."""
    image = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    return messages(image, text("Please analyze the image above."))


@prompt()
def test_input_required_result_prompt(ctx: Context) -> Json:
    """A prompt that asks first."""
    asked = form("What context should the prompt use?", context=NAME)
    replies = needed(ctx.peer.ask({"user_context": asked}), "elicitation")
    return messages(text(f"In the context of {replies['user_context']['content']['context']}"))


def messages(*contents: Json) -> Json:
    return {"messages": [{"role": "user", "content": content} for content in contents]}
