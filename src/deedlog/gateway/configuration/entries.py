"""One server as somebody's file has it, in whichever words, made a server of ours."""

from __future__ import annotations

import os
import re

from deedlog.core.gate.server import Server
from deedlog.gateway.configuration import tolerant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.gateway.places import Places

    Json = dict[str, Any]

TRANSPORTS = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamablehttp": "http",
    "streamable_http": "http",
    "sse": "sse",
}
MOST_SECONDS = 10**9
ADDRESSES = ("url", "httpUrl", "serverUrl")
FOLDERS = re.compile(
    r"\$\{(?:(workspaceFolder|workspaceRoot|CLAUDE_PROJECT_DIR(?::-[^}]*)?)|(userHome)|(workspaceFolderBasename)|(pathSeparator|/))\}"
)
INPUT = re.compile(r"\$\{input:([^}]+)\}")


class Unusable(Exception):
    """Why an entry is no server; in words of ours, without anything of the entry."""


def is_overlay(entry: Json) -> bool:
    """Whether it only adds to a server that is configured elsewhere."""
    return not entry.get("command") and not any(entry.get(name) for name in ADDRESSES)


def fields(entry: Any, places: Places, inputs: Mapping[str, str] | None = None, *, of_project: bool = False) -> Json:
    """The fields of `Server` that an entry sets.

    `inputs` has what VS Code takes for an input where nobody says otherwise. An entry of the project is read without
    anybody having approved of it, so that it names no file elsewhere.
    """
    if not isinstance(entry, dict):
        raise Unusable("it is not an object")
    if of_project and not all(_is_within(path, places.root) for path in beside(entry, places)):
        raise Unusable("its envFile is not in the project")
    try:
        found = _launch(_in_our_words(entry), places, inputs or {})
    except tolerant.Unreadable as error:
        raise Unusable(f"its envFile says nothing: {error}") from error
    found |= {name: entry[name] for name in ("description", "category", "title") if is_text(entry.get(name))}
    found |= {name: entry[name] for name in ("boot", "core") if isinstance(entry.get(name), bool)}
    if isinstance(entry.get("disabled"), bool) or isinstance(entry.get("enabled"), bool):
        found["disabled"] = entry.get("disabled") is True or entry.get("enabled") is False
    if "required" in entry:
        found["required"] = _texts(entry["required"], "required")
    if policy := _policy(entry):
        found["policy"] = policy
    if seconds := _seconds(entry):
        found["call_seconds"] = seconds
    if entry.get("auth") == "oauth" or (isinstance(entry.get("oauth"), dict) and entry["oauth"].get("enabled", True)):
        found["auth"] = "oauth"
    return found


def beside(entry: Any, places: Places) -> list[str]:
    """The file of variables that an entry names, if it does."""
    name = entry.get("envFile") if isinstance(entry, dict) else None
    if not name or not isinstance(name, str):
        return []
    return [os.path.join(places.root, _expanded(_placed(name, places, {}), places))]


def _expanded(path: str, places: Places) -> str:
    return places.home + path[1:] if path.startswith("~/") else path


def _is_within(path: str, root: str) -> bool:
    folder = os.path.realpath(root)
    return os.path.commonpath([folder, os.path.realpath(path)]) == folder


def _in_our_words(entry: Json) -> Json:
    """Codex calls some things differently: what is only named there is a reference here."""
    headers = {**_table(entry.get("headers"), "headers"), **_table(entry.get("http_headers"), "http_headers")}
    named = _table(entry.get("env_http_headers"), "env_http_headers")
    headers |= {name: f"${{{key}}}" for name, key in named.items()}
    if isinstance(key := entry.get("bearer_token_env_var"), str) and key:
        headers["Authorization"] = f"Bearer ${{{key}}}"
    elif isinstance(entry.get("bearer_token"), str):
        headers["Authorization"] = f"Bearer {entry['bearer_token']}"
    env = _table(entry.get("env"), "env")
    passed_on = entry.get("env_vars")
    for given in passed_on if isinstance(passed_on, list) else ():
        key = given.get("name") if isinstance(given, dict) else given
        if isinstance(key, str) and key not in env:
            env[key] = f"${{{key}}}"
    return {**entry, "headers": headers, "env": env}


def _launch(entry: Json, places: Places, inputs: Mapping[str, str]) -> Json:
    found: Json = {}
    if command := entry.get("command"):
        program, *more = [_text(command, "command")] if isinstance(command, str) else _texts(command, "command")
        found |= {"command": program, "args": more}
    if "args" in entry:
        found["args"] = found.get("args", []) + _texts(entry["args"] or [], "args")
    if address := next((entry[name] for name in ADDRESSES if entry.get(name)), ""):
        found["url"] = _text(address, "url")
    if isinstance(entry.get("cwd"), str):
        found["cwd"] = _text(entry["cwd"], "cwd")
    found |= {name: entry[name] for name in ("env", "headers") if entry[name]}
    found = {name: _each(value, lambda text: _placed(text, places, inputs)) for name, value in found.items()}
    for path in beside(entry, places):
        found |= {"env": {**tolerant.variables(path), **found.get("env", {})}, "env_file": path}
    if env := found.get("env"):  # what one would be asked for is kept under the variable's own name
        found["env"] = {key: f"${{{key}}}" if INPUT.fullmatch(text) else text for key, text in env.items()}
    if found.get("command") or found.get("url"):
        found["transport"] = _transport(entry, found)
    return found


def _transport(entry: Json, found: Json) -> str:
    said = entry.get("type") or entry.get("transport")
    if isinstance(said, str) and said:
        kind = TRANSPORTS.get(said.lower(), "")
        if not kind:
            raise Unusable("its type is none that is known here")
    elif entry.get("httpUrl"):
        kind = "http"
    else:
        kind = "stdio" if found.get("command") else "sse" if found["url"].rstrip("/").endswith("/sse") else "http"
    if kind == "stdio" and not found.get("command"):
        raise Unusable("it has no command")
    if kind != "stdio" and not found.get("url"):
        raise Unusable("it has no url")
    for name in ("url", "headers") if kind == "stdio" else ("command", "args", "env", "env_file", "cwd"):
        found.pop(name, None)
    return kind


def _placed(text: str, places: Places, inputs: Mapping[str, str]) -> str:
    """With the folders that editors know by name, and with what an input is by default."""

    def folder(found: re.Match[str]) -> str:
        root, home, name, _ = found.groups()
        return places.root if root else places.home if home else os.path.basename(places.root) if name else os.sep

    return INPUT.sub(lambda found: inputs.get(found[1], found[0]), FOLDERS.sub(folder, text))


def _each(value: Any, change: Any) -> Any:
    if isinstance(value, dict):
        return {name: change(text) for name, text in value.items()}
    return [change(text) for text in value] if isinstance(value, list) else change(value)


def _policy(entry: Json) -> dict[str, str]:
    """What may be called: our own words, or the lists that Codex and Gemini have."""
    only = entry.get("enabled_tools") or entry.get("includeTools")
    never = entry.get("disabled_tools") or entry.get("excludeTools") or []
    found = {"*": "deny", **dict.fromkeys(_tools(only), "allow")} if only else {}
    found |= dict.fromkeys(_tools(never), "deny")
    return found | _table(entry.get("policy"), "policy")


def _tools(given: Any) -> list[str]:
    """Gemini allows `tool(parameter)`: the tool counts."""
    return [text.partition("(")[0] for text in _texts(given, "tools")]


def _seconds(entry: Json) -> float:
    for name, unit in (("callSeconds", 1), ("tool_timeout_sec", 1), ("timeout", 1000)):
        given = entry.get(name)
        if isinstance(given, int | float) and not isinstance(given, bool) and 0 < given < MOST_SECONDS:
            return given / unit
    return 0


def _text(value: Any, what: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise Unusable(f"its {what} is not what it should be")
    text = str(value)
    if "\0" in text:
        raise Unusable(f"its {what} has a null character")
    if not is_text(text):
        raise Unusable(f"its {what} is not text")
    return text


def is_text(value: object) -> bool:
    """Whether it can be written: JSON may spell halves of characters."""
    try:
        return isinstance(value, str) and bool(value.encode() or True)
    except UnicodeEncodeError:
        return False


def _texts(values: Any, what: str) -> list[str]:
    if not isinstance(values, list | tuple):
        raise Unusable(f"its {what} is not a list")
    return [_text(value, what) for value in values]


def _table(values: Any, what: str) -> dict[str, str]:
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise Unusable(f"its {what} is not an object")
    return {name: _text(value, what) for name, value in values.items() if value is not None}


def is_deedlog(server: Server, own: tuple[str, ...]) -> bool:
    """Whether it is ourselves: whoever asks us for servers has us already."""
    if server.transport != "stdio":
        return any(server.url.startswith(f"{address}/") or server.url == address for address in own) or (
            server.name == "deedlog" and bool(re.match(r"https?://(?:127\.0\.0\.1|localhost|\[::1\])[:/]", server.url))
        )
    words = [os.path.basename(word) for word in (server.command, *server.args)]
    if words[0].removesuffix(".exe") == "deedlog":
        return True
    is_module = any(words[at : at + 2] == ["-m", "deedlog"] for at in range(len(words)))
    serves = any(words[at : at + 2] == ["mcp", "serve"] for at in range(len(words)))
    return is_module or (serves and any(re.fullmatch(r"deedlog(?:[=@\[].*)?", word) for word in words))
