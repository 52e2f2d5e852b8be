"""What a typed line means, and answers given before anybody is asked."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deedlog.core.errors import Invalid
from deedlog.faces.cli.clarify.explaining import marked
from deedlog.faces.cli.clarify.given import given_answers, given_proposal
from deedlog.faces.cli.clarify.showing import answer_command, question_lines, why_lines
from deedlog.faces.cli.clarify.typed import AGAIN, ANSWER, BACK, WHY, meaning
from deedlog.faces.cli.clarify.words import LANGUAGES, told
from deedlog.faces.cli.command import Invocation
from deedlog.faces.cli.style import Style

Json = dict[str, Any]
SINGLE: Json = {
    "id": "db_type",
    "type": "single_choice",
    "question": "Which database?",
    "options": ["PostgreSQL", "MySQL", "Other (specify)"],
    "recommended": "PostgreSQL",
    "why": "most projects like this have it",
}
MULTI: Json = {
    "id": "oauth_providers",
    "type": "multi_choice",
    "question": "Which providers?",
    "options": ["Google", "GitHub", "Other (specify)"],
    "min_selections": 1,
}
TEXT: Json = {"id": "limits", "type": "free_text", "question": "Which limits?", "optional": True}


@pytest.mark.parametrize(
    ("question", "typed", "value"),
    [
        (SINGLE, "", "PostgreSQL"),
        (SINGLE, "2", "MySQL"),
        (SINGLE, " mysql ", "MySQL"),
        (SINGLE, "CockroachDB", "CockroachDB"),
        (SINGLE, "s", "skip"),
        (SINGLE, "SKIP", "skip"),
        (MULTI, "1,2", ["Google", "GitHub"]),
        (MULTI, "google, GITHUB, google", ["Google", "GitHub"]),
        (MULTI, "Okta", ["Okta"]),
        ({**MULTI, "recommended": "GitHub"}, "", ["GitHub"]),
        (MULTI, "skip", "skip"),
        (TEXT, "10 requests, at most", "10 requests, at most"),
        (TEXT, "2", "2"),
        (TEXT, "", "skip"),
        (TEXT, "s", "skip"),
        ({**SINGLE, "options": ["B", "C"]}, "b", "B"),
    ],
)
def test_a_line_is_an_answer(question: Json, typed: str, value: object) -> None:
    line = meaning(question, typed)
    assert (line.kind, line.value, line.open_other) == (ANSWER, value, False)


@pytest.mark.parametrize(
    ("question", "typed", "value"),
    [
        (SINGLE, "3", "Other (specify)"),
        (SINGLE, "other (specify)", "Other (specify)"),
        (MULTI, "1, 3", ["Google", "Other (specify)"]),
    ],
)
def test_other_asks_for_its_text(question: Json, typed: str, value: object) -> None:
    line = meaning(question, typed)
    assert (line.value, line.open_other) == (value, True)


@pytest.mark.parametrize("question", [SINGLE, MULTI, TEXT])
def test_words_that_are_no_answers_are_wishes(question: Json) -> None:
    assert [meaning(question, typed).kind for typed in ("b", "Back", "?", "why")] == [BACK, BACK, WHY, WHY]


@pytest.mark.parametrize(
    ("question", "typed", "note"),
    [
        (SINGLE, "4", "from 1 to 3"),
        (SINGLE, "0", "from 1 to 3"),
        (MULTI, "1,9", "from 1 to 3"),
        (MULTI, ",", "one or more"),
        ({**SINGLE, "recommended": ""}, "", "nothing is recommended"),
        (SINGLE, "Postgre", "did you mean PostgreSQL?"),
    ],
)
def test_what_nobody_can_mean_is_asked_again(question: Json, typed: str, note: str) -> None:
    line = meaning(question, typed)
    assert line.kind == AGAIN
    assert note in told("en", line.note, **line.filling)


def test_the_same_text_again_is_meant() -> None:
    assert meaning(SINGLE, "Postgre", insists=True).value == "Postgre"


def test_a_question_shows_its_options_and_why_one_is_recommended() -> None:
    lines = list(question_lines(SINGLE, Style(), 80, "Question 1 of 2: "))
    assert lines == [
        "Question 1 of 2: Which database?",
        "  1. PostgreSQL (recommended)",
        "     most projects like this have it",
        "  2. MySQL",
        "  3. Other (specify)",
    ]
    assert max(len(line) for line in question_lines(SINGLE, Style(), 40)) <= 40


def test_why_tells_the_reason_the_options_and_what_a_skip_does() -> None:
    reasons = [{"rule": "first.topic", "about": "a first decision in this area", "text": "a database"}]
    question = {**SINGLE, "tells": {"PostgreSQL": "A server to run.", "MySQL": "Fewer types."}}
    assert list(why_lines(question, reasons, 80)) == [
        "Asked because: a first decision in this area (“a database”)",
        "  PostgreSQL: A server to run.",
        "  MySQL: Fewer types.",
        "PostgreSQL: most projects like this have it",
        "Skipped, PostgreSQL is recorded as an assumption, and this request does not ask",
        "it again.",
    ]
    french = " ".join(why_lines({**question, "language": "fr"}, reasons, 80))
    assert "Demandé parce que : une première décision dans ce domaine (“a database”)" in french
    assert "Passée, PostgreSQL est noté" in french


@pytest.mark.parametrize("language", ["fr", "ja"])
def test_every_sentence_is_there_in_each_language_with_the_same_fields(language: str) -> None:
    ours, theirs = LANGUAGES["fr"], LANGUAGES[language]
    assert set(ours) == set(theirs)
    for text, said in theirs.items():
        assert sorted(re.findall(r"{\w+}", text)) == sorted(re.findall(r"{\w+}", said)), text
    options = list(question_lines({**SINGLE, "language": language}, Style(), 80))
    assert told(language, "Other (specify)") in options[-1]
    assert "recommended" not in "".join(options)


def test_a_question_cannot_steer_the_terminal() -> None:
    hostile = {**SINGLE, "question": "a\x1b[2Jb\nc", "options": ["x\x07\n2. y"], "recommended": "", "id": "i"}
    text = "\n".join(question_lines(hostile, Style(), 80))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert len(text.splitlines()) == 2


def test_the_command_that_answers_survives_the_shell() -> None:
    told = answer_command("sess-1", [{**SINGLE, "recommended": "it's $HOME"}, {**TEXT}])
    assert told == """deedlog clarify answer db_type='it'"'"'s $HOME' limits='…' --session sess-1"""


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("from PostgreSQL to MySQL", [(5, 15), (19, 24)], ["from PostgreSQL to MySQL", "     ^^^^^^^^^^    ^^^^^"]),
        ("認証を追加", [(0, 2), (-1, -1)], ["認証を追加", "^^^^"]),
        ("a\nbc", [(3, 4)], ["a", "bc", " ^"]),
        ("nothing", [], ["nothing"]),
    ],
)
def test_the_words_that_counted_are_underlined(text: str, spans: list[tuple[int, int]], expected: list[str]) -> None:
    assert list(marked(text, spans, Style())) == expected


def test_a_terminal_underlines_by_itself() -> None:
    assert list(marked("use Redis", [(4, 9)], Style(80, colour=True))) == ["use \x1b[4mRedis\x1b[0m"]


def invocation(folder: Path, **arguments: object) -> Invocation:
    return Invocation(dict(arguments), {"directory": str(folder)})


@pytest.mark.parametrize(
    "content",
    ['{"a": "1", "b": ["x", "y"]}', 'a=1\n# a remark\n\nb = ["x", "y"]\n', '\ufeff{"a": "1", "b": ["x", "y"]}'],
)
def test_answers_come_from_a_file_in_two_forms(tmp_path: Path, content: str) -> None:
    (tmp_path / "answers").write_text(content)
    assert given_answers(invocation(tmp_path, answers_file="answers"), []) == {"a": "1", "b": ["x", "y"]}


def test_an_answer_on_the_command_line_is_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a=1\nb=2")
    found = given_answers(invocation(tmp_path, answers_file="answers"), ["a=x=y", "c=[half"])
    assert found == {"a": "x=y", "b": "2", "c": "[half"}


@pytest.mark.parametrize("name", ["-", "@-"])
def test_standard_input_is_a_file(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b'{"kind": "introduce"}')))
    assert given_proposal(invocation(tmp_path, proposal=name)) == {"kind": "introduce"}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"{half", "no JSON object"), (b"[1]", "is no answer"), (b"\xff\xfe", "not UTF-8"), (b"text", "is no answer")],
)
def test_a_file_without_answers_is_refused(tmp_path: Path, content: bytes, complaint: str) -> None:
    (tmp_path / "answers").write_bytes(content)
    with pytest.raises(Invalid, match=complaint) as refused:
        given_answers(invocation(tmp_path, answers_file="answers"), [])
    assert refused.value.hint
    with pytest.raises(Invalid, match="cannot be read"):
        given_proposal(invocation(tmp_path, proposal="missing.json"))
