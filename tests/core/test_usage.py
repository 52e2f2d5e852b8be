from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.usage import Meter


def total(*lines: object) -> dict[str, float]:
    meter = Meter()
    for line in lines:
        meter.read(line if isinstance(line, str) else json.dumps(line))
    return meter.total()


def message(number: str, given_: int, out: int, **more: int) -> dict[str, object]:
    usage = {"input_tokens": given_, "output_tokens": out, **more}
    return {"type": "assistant", "message": {"id": number, "usage": usage}}


def test_claudes_messages_are_added_up_while_it_works_each_once() -> None:
    found = total(
        message("a", 10, 5, cache_read_input_tokens=100),
        message("a", 10, 5, cache_read_input_tokens=100),
        message("b", 1, 2),
    )
    assert found == {"tokens": 118, "input_tokens": 11, "cached_tokens": 100, "output_tokens": 7}


@pytest.mark.proves("worker:usage")
def test_claudes_result_tells_everything() -> None:
    result = {
        "type": "result",
        "total_cost_usd": 0.25,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "modelUsage": {
            "opus": {"inputTokens": 20, "outputTokens": 10, "cacheReadInputTokens": 5, "cacheCreationInputTokens": 2},
            "haiku": {"inputTokens": 1, "outputTokens": 1},
        },
    }
    assert total(message("a", 10, 5), result) == {
        "tokens": 39,
        "input_tokens": 23,
        "cached_tokens": 5,
        "output_tokens": 11,
        "cost": 0.25,
    }


@pytest.mark.parametrize(
    "event",
    [
        {"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 9}},
        {
            "id": "1",
            "msg": {
                "type": "token_count",
                "info": {"total_token_usage": {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 9}},
            },
        },
        {
            "type": "result",
            "status": "success",
            "stats": {"total_tokens": 109, "input_tokens": 100, "output_tokens": 9, "cached": 40},
        },
        {"stats": {"models": {"m": {"tokens": {"prompt": 100, "candidates": 4, "total": 109, "cached": 40}}}}},
    ],
    ids=["codex", "codex before", "gemini", "gemini's other way"],
)
def test_what_codex_and_gemini_cached_is_a_part_of_their_input(event: object) -> None:
    assert total(event) == {"tokens": 109, "input_tokens": 60, "cached_tokens": 40, "output_tokens": 9}


def test_steps_of_opencode_are_added_up() -> None:
    part = {"cost": 0.1, "tokens": {"input": 10, "output": 5, "reasoning": 1, "cache": {"read": 3, "write": 2}}}
    found = total({"type": "step_finish", "part": part}, {"type": "step_finish", "part": part})
    assert found == {"tokens": 42, "input_tokens": 24, "cached_tokens": 6, "output_tokens": 12, "cost": 0.2}


def test_aider_tells_it_in_words() -> None:
    found = total(
        "Tokens: 2.3k sent, 120 received. Cost: $0.0090 message, $0.02 session.",
        "Tokens: 1,000 sent, 1k cache hit, 80 received. Cost: $0.01 message, $0.03 session.",
    )
    assert found == {"tokens": 3500, "input_tokens": 3300, "cached_tokens": 0, "output_tokens": 200, "cost": 0.03}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "plain text about tokens",
        '{"usage": ',
        '{"type": "result", "usage": []}',
        '{"type": "assistant", "message": "usage"}',
        '{"type": "turn.completed", "usage": {"input_tokens": "many", "output_tokens": -5}}',
        '{"type": "turn.completed", "usage": {"input_tokens": NaN, "output_tokens": 1e400}}',
        '{"type": "turn.completed", "usage": {"input_tokens": true}}',
        '{"usage":' + "[" * 100_000,
        "[1]",
    ],
)
def test_whatever_else_is_printed_counts_nothing(line: str) -> None:
    assert sum(total(line).values()) == 0


@given(
    st.recursive(
        st.none() | st.floats() | st.text(),
        lambda inner: (
            st.dictionaries(
                st.sampled_from(
                    ["usage", "message", "stats", "models", "tokens", "part", "info", "msg", "type", "cost"]
                ),
                inner,
            )
            | st.lists(inner)
        ),
    ),
    st.sampled_from(["result", "assistant", "turn.completed", "step_finish"]),
)
def test_no_line_is_a_mistake(inner: object, kind: str) -> None:
    total({"type": kind, "usage": inner, "message": inner, "part": inner, "stats": inner})
