"""The language model that is configured: asked for a proposal, at most three times."""

from __future__ import annotations

import json
import random
import time

from deedlog.core.clarify.wished import is_wished
from deedlog.core.errors import Part, Unavailable
from deedlog.model.redacting import redacted_data
from deedlog.model.reply import checked
from deedlog.model.transport import Failed, post, prepared
from deedlog.model.wire import WIRES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from deedlog.model.transport import Response
    from deedlog.model.wire import Wire

    Json = dict[str, Any]

SECONDS = 15.0
RETRIES = 2
PAUSE, LONGEST_PAUSE = 0.5, 8.0
LONGEST_REQUEST, LONGEST_CONTEXT, MOST_NAMES = 8_000, 16_000, 200
BUSY = (408, 409, 425, 429)
OK, SERVER = 200, 500
HINT = "`deedlog doctor` tells what is configured; without it the rules decide alone"


class LanguageModel:
    """`wait` and `chance` are given by tests."""

    def __init__(
        self,
        wire: Wire,
        *,
        url: str,
        model: str,
        key: str,
        seconds: float = SECONDS,
        wait: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.provider = wire.provider
        self._wire = wire
        self._url = url
        self._model = model
        self._key = key
        self._seconds = seconds
        self._wait = wait
        self._chance = chance

    def propose(self, question: Json) -> Json:
        if missing := _missing(self._wire, self._url, self._model, self._key):
            raise Unavailable(missing, hint=HINT, part=Part.CONFIGURATION)
        content = json.dumps(redacted_data(told(question)), ensure_ascii=False)
        body = json.dumps(self._wire.body(self._model, content)).encode()
        for tries in range(RETRIES + 1):
            try:
                return self._once(body, lambda field, value: is_made(field, value, question))
            except Failed as failed:
                if not failed.again or tries == RETRIES:
                    raise _unavailable(failed.what, tries + 1, self.provider) from None
                self._wait(self._pause(tries, failed.after))
        raise AssertionError

    def _once(self, body: bytes, is_made: Callable[[str, str], bool]) -> Json:
        headers = self._wire.headers(self._key)
        response = post(self._wire.address(self._url), headers, body, self._seconds)
        if response.status != OK:
            busy = response.status in BUSY or response.status >= SERVER
            raise Failed(f"it replied with status {response.status}", again=busy, after=_asked_pause(response))
        try:
            return checked(self._wire.proposal(json.loads(response.body)), is_made)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise Failed("its reply is not what was asked for", again=True) from None

    def _pause(self, tries: int, asked: float) -> float:
        """Longer each time and never the same, so that many who wait do not come back together."""
        own = PAUSE * (1 << tries) * (1 + self._chance())
        return min(max(own, asked), LONGEST_PAUSE)


def told(question: Mapping[str, Any]) -> Json:
    """What leaves the machine: the request, and names. Never paths, versions or what a file holds."""
    facts = question.get("facts") or {}
    return {
        "request": str(question.get("request") or "")[:LONGEST_REQUEST],
        "context": str(question.get("context") or "")[:LONGEST_CONTEXT],
        "ecosystems": _names(facts.get("ecosystems")),
        "technologies": _names(facts.get("technologies")),
        "architecture": _architecture(facts.get("architecture")),
        "fields": _names(question.get("fields")),
        "open_questions": _names(question.get("questions")),
    }


def is_made(field: str, value: str, question: Mapping[str, Any]) -> bool:
    """Whether the request itself makes a choice: it wishes for the value, and there is such a field."""
    said = f"{question.get('request') or ''}\n{question.get('context') or ''}"
    architecture = _architecture((question.get("facts") or {}).get("architecture"))
    fields = {
        *_names(question.get("fields")),
        *(f"{area}.{name}" for area in architecture for name in architecture[area]),
    }
    return is_wished(value, said) and (field in fields or not question.get("fields"))


def _names(given: object) -> list[str]:
    return [str(name) for name in given][:MOST_NAMES] if isinstance(given, dict | list | tuple) else []


def _architecture(given: object) -> dict[str, dict[str, str]]:
    areas = given if isinstance(given, dict) else {}
    return {
        str(area): {str(field): str(value) for field, value in fields.items()}
        for area, fields in list(areas.items())[:MOST_NAMES]
        if isinstance(fields, dict)
    }


def _asked_pause(response: Response) -> float:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else 0.0


def _unavailable(what: str, tries: int, provider: str) -> Unavailable:
    times = "once" if tries == 1 else f"{tries} times"
    return Unavailable(
        f"the language model was asked {times}: {what}", hint=HINT, data={"provider": provider, "attempts": tries}
    )


def _missing(wire: Wire, url: str, model: str, key: str) -> str:
    if not model:
        return "no language model is named: set DEEDLOG_LLM_MODEL"
    if not key and (not url or wire.provider == "anthropic"):
        return "the language model has no key: set DEEDLOG_LLM_API_KEY"
    return ""


def flaw(settings: Mapping[str, Any]) -> str:
    """What keeps the configured one from being asked at all; nothing where all is there."""
    wire, url = WIRES[settings["llm_provider"]], settings["llm_url"]
    try:
        prepared(wire.address(url), SECONDS)
    except Failed as failed:
        return failed.what
    return _missing(wire, url, settings["llm_model"], settings["llm_api_key"])


def configured(settings: Mapping[str, Any]) -> LanguageModel:
    return LanguageModel(
        WIRES[settings["llm_provider"]],
        url=settings["llm_url"],
        model=settings["llm_model"],
        key=settings["llm_api_key"],
    )
