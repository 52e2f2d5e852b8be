"""What a worker used, read from the lines its client prints: tokens and dollars.

Each client tells it in its own way, and some more than once; whatever else a line holds is no mistake.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LIKELY = re.compile(r"usage|tokens|token_count|total_cost|costUSD|\"cost\"|\"stats\"")
AIDER = re.compile(
    r"Tokens: (?P<sent>[\d.,]+[kM]?) sent,.*?(?P<received>[\d.,]+[kM]?) received\."
    r"(?: Cost: \$[\d.,]+ message, \$(?P<cost>[\d.,]+) session)?"
)
FACTORS = {"k": 1_000, "M": 1_000_000}
MOST = 1e15  # what is more was not counted but made up
Counts = tuple[float, float, float]  # input, cached input, output


class Meter:
    """Adds up what the lines of one worker tell."""

    def __init__(self) -> None:
        self._messages: dict[str, Counts] = {}  # of messages that are told while it works
        self._steps: list[Counts] = []
        self._whole: Counts | None = None  # what was told of all together
        self._cost: float | None = None

    def read(self, line: str) -> bool:
        """Take note of a line; returns whether it told anything."""
        if line.startswith("{") and LIKELY.search(line):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                return False
            return isinstance(found, dict) and self._event(found)
        matched = AIDER.search(line) if line.startswith("Tokens: ") else None
        return bool(matched) and self._aider(matched)

    def total(self) -> dict[str, float]:
        """What is known so far; nothing where nothing was told."""
        told = [self._whole] if self._whole else [*self._messages.values(), *self._steps]
        given, cached, out = (sum(counts) for counts in zip(*told, strict=True)) if told else (0, 0, 0)
        found: dict[str, float] = {}
        if told:
            found = {
                "tokens": given + cached + out,
                "input_tokens": given,
                "cached_tokens": cached,
                "output_tokens": out,
            }
        return found | ({} if self._cost is None else {"cost": round(self._cost, 6)})

    def _event(self, event: dict[str, Any]) -> bool:
        kind = event.get("type")
        if kind == "assistant":
            return self._claude_message(_part(event, "message"))
        if kind == "result" and "stats" in event:
            return self._all(_gemini(_part(event, "stats")))
        if kind == "result":
            return self._claude_result(event)
        if kind == "turn.completed":
            return self._all(_codex(_part(event, "usage")))
        if kind == "step_finish":
            return self._opencode(_part(event, "part"))
        message = _part(event, "msg") or _part(event, "payload")
        if message.get("type") == "token_count":
            return self._all(_codex(_part(_part(message, "info"), "total_token_usage")))
        return self._all(_gemini(_part(event, "stats"))) if "stats" in event else False

    def _claude_message(self, message: dict[str, Any]) -> bool:
        """One message comes in several lines, each with all its tokens."""
        usage = _part(message, "usage")
        if usage:
            self._messages[str(message.get("id", len(self._messages)))] = _claude(usage)
        return bool(usage)

    def _claude_result(self, event: dict[str, Any]) -> bool:
        models = [_claude_model(each) for each in _part(event, "modelUsage").values() if isinstance(each, dict)]
        found = _summed(models) if models else _claude(_part(event, "usage"))
        if "total_cost_usd" in event:
            self._cost = max(self._cost or 0.0, _number(event, "total_cost_usd"))
        self._all(found)
        return True

    def _opencode(self, part: dict[str, Any]) -> bool:
        tokens = _part(part, "tokens")
        cache = _part(tokens, "cache")
        out = _number(tokens, "output") + _number(tokens, "reasoning")
        self._steps.append((_number(tokens, "input") + _number(cache, "write"), _number(cache, "read"), out))
        self._cost = (self._cost or 0.0) + _number(part, "cost")
        return True

    def _aider(self, found: re.Match[str] | None) -> bool:
        assert found is not None
        self._steps.append((_short(found["sent"]), 0.0, _short(found["received"])))
        if found["cost"]:
            self._cost = _short(found["cost"])
        return True

    def _all(self, found: Counts) -> bool:
        if any(found):
            self._whole = max(found, self._whole or found, key=sum)
        return any(found)


def _claude(usage: dict[str, Any]) -> Counts:
    written = _number(usage, "cache_creation_input_tokens")
    return (
        _number(usage, "input_tokens") + written,
        _number(usage, "cache_read_input_tokens"),
        _number(usage, "output_tokens"),
    )


def _claude_model(usage: dict[str, Any]) -> Counts:
    written = _number(usage, "cacheCreationInputTokens")
    return (
        _number(usage, "inputTokens") + written,
        _number(usage, "cacheReadInputTokens"),
        _number(usage, "outputTokens"),
    )


def _codex(usage: dict[str, Any]) -> Counts:
    """Its input includes what was cached."""
    cached = _number(usage, "cached_input_tokens")
    return max(0.0, _number(usage, "input_tokens") - cached), cached, _number(usage, "output_tokens")


def _gemini(stats: dict[str, Any]) -> Counts:
    """One answer for all models, or one for each; its input includes what was cached."""
    if "models" in stats and "total_tokens" not in stats:
        models = [_part(each, "tokens") for each in _part(stats, "models").values() if isinstance(each, dict)]
        return _summed([_gemini_model(tokens) for tokens in models])
    cached = _number(stats, "cached")
    given = _number(stats, "input_tokens")
    out = max(_number(stats, "output_tokens"), _number(stats, "total_tokens") - given)
    return max(0.0, given - cached), cached, out


def _gemini_model(tokens: dict[str, Any]) -> Counts:
    cached, given = _number(tokens, "cached"), _number(tokens, "prompt")
    out = max(_number(tokens, "candidates"), _number(tokens, "total") - given)
    return max(0.0, given - cached), cached, out


def _summed(counts: list[Counts]) -> Counts:
    given, cached, out = (sum(each) for each in zip(*counts, strict=True)) if counts else (0.0, 0.0, 0.0)
    return given, cached, out


def _part(whole: dict[str, Any], name: str) -> dict[str, Any]:
    found = whole.get(name)
    return found if isinstance(found, dict) else {}


def _number(whole: dict[str, Any], name: str) -> float:
    """A count that can be believed, else 0."""
    found = whole.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return 0
    return found if 0 <= found <= MOST else 0


def _short(text: str) -> float:
    factor = FACTORS.get(text[-1:], 1)
    try:
        return float(text.rstrip("kM").replace(",", "").rstrip(".")) * factor
    except ValueError:
        return 0
