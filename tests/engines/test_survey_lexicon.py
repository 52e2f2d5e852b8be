"""The lexicon a project uses: ours, with what it adds in `.deedlog/clarify.toml`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.clarify.gate import judge
from deedlog.core.clarify.values import OTHER, Evidence, Facts
from deedlog.core.errors import Invalid
from deedlog.survey.checking import refuse_loose_ends
from deedlog.survey.lexicon import COMPILED, read


def loaded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(COMPILED).read_text())
    for one in found["technologies"]:
        one.setdefault("ecosystems", [])
    return found


def own(folder: Path, text: str) -> str:
    (folder / "clarify.toml").write_text(text)
    return str(folder)


@pytest.mark.proves("clarify:gate:extend")
def test_a_project_adds_technologies_of_its_own(tmp_path: Path) -> None:
    state = own(tmp_path, '[technologies.Messaging.Queue]\nHermes = { also = ["hermes bus"], packages = ["@a/h"] }\n')
    found = judge("Send the events through Hermes", Facts(), read(state))
    assert found.adr
    assert [(one.key, one.value) for one in found.decided] == [("Messaging.Queue", "Hermes")]
    assert not judge("use Hermes", Facts(), read()).adr


@pytest.mark.proves("clarify:gate:extend")
def test_a_project_changes_questions_and_adds_areas(tmp_path: Path) -> None:
    state = own(
        tmp_path,
        '[questions.caching]\noptions = ["Hazelcast", "Files"]\n'
        '[questions.ledger]\nsets = "Accounting.Ledger"\noptions = ["Ours", "Theirs"]\n'
        'text = { en = "Which ledger?" }\n'
        '[areas.Accounting]\nfields = ["Ledger"]\n'
        '[areas.Accounting.topics.Ledger]\nasks = ["ledger"]\nwords.en = ["ledger"]\n',
    )
    lexicon = read(state)
    assert judge("Add caching", Facts(), lexicon).questions[0].options == ["Hazelcast", "Files", OTHER]
    found = judge("We need a ledger", Facts(), lexicon)
    assert found.areas == ["Accounting"]
    assert [question.question for question in found.questions] == ["Which ledger?"]
    answered = judge("We need a ledger", Facts(), lexicon, Evidence(answers={"ledger": "Ours"}))
    assert [(one.key, one.value) for one in answered.decided] == [("Accounting.Ledger", "Ours")]
    assert answered.questions == []


@pytest.mark.proves("clarify:gate:extend")
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[technologies", "end of document"),
        ("a = 1\n= 3\n", "line 2"),
        ("[technologies.Database]\nType = 3\n", "technologies.Database.Type needs a table"),
        ("[technologies.Database.Type]\nFoo = { alsso = [] }\n", "technologies.Database.Type.Foo.alsso is not known"),
        ('[technologies.Database.Type]\nFoo = { also = "x" }\n', "technologies.Database.Type.Foo.also needs a list"),
        ('[questions.x]\ntype = "list"\n', "questions.x.type is none of"),
        ('[questions.x]\nsets = "Database"\n', "questions.x.sets needs the form"),
        ('[areas.A.topics.B]\nwords.de = ["x"]\n', "areas.A.topics.B.words.de is none of"),
        ('[areas.A.topics.B]\nasks = ["nothing"]\n', "areas.A.topics.B.asks names the question nothing"),
        ('[questions.x]\noptions = ["a"]\n', "questions.x.text is missing"),
        (
            '# ours\n[questions.caching]\nsets = "Nope.Field"\n',
            "line 3: questions.caching.sets names the field Nope.Field",
        ),
        ("[questions.caching]\n\noptions = []\n", "line 3: questions.caching.options is empty"),
        ('[questions.caching]\noptions = ["A", "a"]\n', "line 2: questions.caching.options has an option twice"),
        ('[questions.caching]\noptions = ["Other (specify)"]\n', "must not hold Other (specify)"),
        ('[questions.x]\ntext = { en = "?" }\n', "line 1: questions.x.options is missing"),
        (
            '[questions.caching]\nby = { pyton = ["A"] }\n',
            "names the ecosystem pyton, which is not there; did you mean python?",
        ),
        ('[questions.caching]\nhaving = { Djanggo = ["A"] }\n', "did you mean Django?"),
        ('[questions.caching]\ntake = [{ has = "Redis", option = "Nope" }]\n', "names the option Nope"),
        ('[questions.caching]\nonly = { Redis = ["Djanggo"] }\n', "did you mean Django?"),
        ('[questions.caching]\nonly = { Nope = ["Django"] }\n', "names the option Nope"),
        ('[questions.caching.tells]\nRedis = { de = "x" }\n', "line 2: questions.caching.tells.Redis.de is none of"),
        (
            "[technologies.Messaging]\nHermes = { alsoo = [] }\n",
            "line 2: technologies.Messaging.Hermes.alsoo is no technology",
        ),
        ("[technologies.Database.Type]\nFoo = { alsoo = [] }\n", "Foo.alsoo is not known; did you mean also?"),
        ('[technologies.Database.Type]\nFoo = { ecosystems = ["ruby on"] }\n', "names the ecosystem ruby on"),
        ('[areas.A.topics.B]\nsettled = ["A.C"]\n', "names the field A.C"),
        ("a = " + "[" * 50_000, "no valid TOML"),
        ("[area]\n", "area is not known"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    with pytest.raises(Invalid) as refusal:
        read(own(tmp_path, text))
    assert place in refusal.value.message
    assert "deedlog help clarify" in refusal.value.hint


@pytest.mark.proves("clarify:reasons:by-option")
def test_options_of_a_project_s_own_get_no_reason_of_ours(tmp_path: Path) -> None:
    lexicon = read(own(tmp_path, '[questions.caching]\noptions = ["Coherence", "Redis"]\n'))
    question = judge("Add caching", Facts(ecosystems=["java"]), lexicon).questions[0]
    assert (question.options, question.recommended, question.why) == (["Coherence", "Redis", OTHER], "Coherence", "")
    assert list(question.tells) == ["Redis"]


def test_what_ours_names_is_there() -> None:
    ours = loaded()
    refuse_loose_ends(ours, ours)


def test_a_file_that_is_no_text_or_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "clarify.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(Invalid):
        read(str(tmp_path))
    (tmp_path / "clarify.toml").write_bytes(b"#" * 2_000_000)
    with pytest.raises(Invalid):
        read(str(tmp_path))


def test_a_change_of_the_file_is_seen_at_once(tmp_path: Path) -> None:
    state = own(tmp_path, "[technologies.Database.Type]\nAcmeDB = {}\n")
    assert any(one.name == "AcmeDB" for one in read(state).technologies)
    own(tmp_path, "[technologies.Database.Type]\nOtherDB = {}\n")
    assert not any(one.name == "AcmeDB" for one in read(state).technologies)


def test_the_lexicon_is_broad() -> None:
    lexicon = read()
    assert len(lexicon.technologies) > 350
    ecosystems = {name for one in lexicon.technologies for name in one.ecosystems}
    assert ecosystems >= {
        "javascript",
        "python",
        "ruby",
        "php",
        "go",
        "rust",
        "java",
        "dotnet",
        "dart",
        "elixir",
        "cpp",
    }
    for topic in lexicon.topics:
        assert set(topic.words) == {"en", "fr", "ja"}, topic.key
        assert set(topic.asks) <= set(lexicon.questions), topic.key
