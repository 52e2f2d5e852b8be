from __future__ import annotations

import json

import pytest

from deedlog.core.speech import is_result, spoken


def test_a_line_ends_and_a_message_of_claude_is_one_line() -> None:
    assert spoken("lines", "a\nb") == "a\nb\n"
    assert spoken("lines", "a\n") == "a\n"
    said = spoken("claude", 'zwei\nZeilen "ü"')
    assert said.count("\n") == 1
    assert json.loads(said)["message"]["content"][0]["text"] == 'zwei\nZeilen "ü"'


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ('{"type": "result"}', True),
        ('{"type": "turn.completed", "usage": {}}', True),
        ('{"type": "assistant"}', False),
        ('{"type": ["result"]}', False),
        ("{broken", False),
        ("result", False),
        ("[1]", False),
    ],
)
def test_a_result_is_told_from_other_lines(line: str, *, result: bool) -> None:
    assert is_result(line) is result
