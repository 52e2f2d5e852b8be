"""Nothing becomes a decision by mistake: what is typed is checked at once, and what will be written is shown first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal
from tests.e2e.test_clarify_cli import REQUEST, adrs, agree, as_json, plain, questions, records, refusal, shop, terminal
from tests.faces.cli.running import Cli

__all__ = ["shop"]
CLEAR = "Use PostgreSQL as our database"
AT_ONCE = "Write this? [Y/n] "


def answer_all(user: Terminal, count: int) -> None:
    for _ in range(count):
        user.answer("")


@pytest.mark.proves("clarify:cli:confirmed")
def test_other_asks_for_its_text_at_once_and_again_where_it_says_nothing(shop: Cli) -> None:
    asked = questions(shop)
    with terminal(shop, "clarify", REQUEST) as user:
        user.answer("other")
        for nothing in ("6", "n/a", "x"):
            user.until("Other (specify): ")
            user.type(f"{nothing}\n")
            user.until("names nothing else")
        user.until("Other (specify): ")
        user.type("Kerberos\n")
        answer_all(user, len(asked) - 1)
        agree(user)
        assert user.ended() == 0, user.shown
    (adr,) = adrs(shop)
    assert "Kerberos" in adr


@pytest.mark.proves("clarify:cli:confirmed")
def test_a_value_that_is_no_option_is_confirmed_before_the_next_question(shop: Cli) -> None:
    asked = questions(shop)
    with terminal(shop, "clarify", REQUEST) as user:
        user.answer("Kerberos")
        user.answer("n", "Take “Kerberos” as your own value? [Y/n] ")
        user.answer("not OAuth")
        user.until("says what it should not be")
        user.answer("you decide")
        user.until("OAuth is recorded as an assumption")
        answer_all(user, len(asked) - 1)
        agree(user)
        assert user.ended() == 0, user.shown
    assert all("Kerberos" not in text for text in records(shop).values())


@pytest.mark.proves("clarify:cli:confirmed")
def test_what_will_be_written_can_be_declined_and_gone_back_from(shop: Cli) -> None:
    asked = questions(shop)
    with terminal(shop, "clarify", REQUEST) as user:
        answer_all(user, len(asked))
        user.answer("b", "Write this? [Y/n/b] ")
        user.answer("2")
        shown = plain(user.answer("n", "Write this? [Y/n/b] "))
        assert f"{asked[-1]['options'][1]} " in shown
        assert user.ended() == 130, user.shown
    assert "Nothing is written yet" in plain(user.shown)
    assert records(shop) == {}
    (session,) = as_json(shop, "clarify", "status")["clarifications"]
    assert list(session["answers"]) == [question["id"] for question in asked[:-1]]


@pytest.mark.proves("clarify:cli:confirmed")
def test_a_request_that_is_clear_at_once_is_confirmed_too(shop: Cli) -> None:
    with terminal(shop, "clarify", CLEAR) as user:
        assert "Database.Type: PostgreSQL" in plain(user.answer("n", AT_ONCE))
        assert user.ended() == 130, user.shown
    assert records(shop) == {}
    assert as_json(shop, "events")["events"] == []
    with terminal(shop, "clarify", CLEAR) as user:
        user.answer("maybe", AT_ONCE)
        user.until("answer y or n")
        user.answer("y", AT_ONCE)
        assert user.ended() == 0, user.shown
    assert len(adrs(shop)) == 1


@pytest.mark.proves("clarify:cli:confirmed")
def test_yes_and_tasks_without_an_adr_are_not_asked_about(shop: Cli) -> None:
    for words in ([CLEAR, "--yes"], ["Fix typo in login button"]):
        with terminal(shop, "clarify", *words) as user:
            assert user.ended() == 0, user.shown
    assert len(adrs(shop)) == 1


@pytest.mark.proves("clarify:cli:why")
def test_why_tells_the_words_that_made_it_ask_and_what_options_mean(shop: Cli) -> None:
    first = questions(shop)[0]
    with terminal(shop, "clarify", REQUEST) as user:
        user.answer("?")
        shown = " ".join(plain(user.until("does not ask it again.")).split())
    assert "Asked because: " in shown
    assert "authentication”" in shown
    assert all(f"{option}: {text}" in shown for option, text in first["tells"].items())


@pytest.mark.proves("clarify:cli:confirmed")
def test_a_vague_request_is_not_written_without_saying_what_should_change(shop: Cli) -> None:
    with terminal(shop, "clarify", "make it better") as user:
        user.answer("s")
        user.until("say what should change")
        user.answer("The first page loads in one second")
        user.answer("")
        assert user.ended() == 0, user.shown
    assert "left open assumed" not in plain(user.shown)
    assert ".:" not in plain(user.shown)


@pytest.mark.proves("clarify:cli:refusals")
def test_a_resume_asks_which_of_several(shop: Cli) -> None:
    first = as_json(shop, "clarify", REQUEST)["session_id"]
    as_json(shop, "clarify", "Add a database")
    several = refusal(shop, "clarify", "resume", code=6)
    assert first in several["data"]["sessions"]
    assert as_json(shop, "clarify", "resume", "--session", first)["session_id"] == first


def test_hints_are_in_the_words_of_the_command_line(shop: Cli) -> None:
    told = shop.run("clarify", "answer", "a=b", "--session", "sess-nothing").stderr
    assert "deedlog clarify" in told
    assert "session_id" not in told
    assert "repo_path" not in told


@pytest.mark.proves("clarify:cli:refusals")
def test_a_repository_that_is_not_there_has_the_document_s_code(shop: Cli, tmp_path: Path) -> None:
    nowhere = Cli(tmp_path, tmp_path / "home")
    for cli, words in ((shop, ["--repo-path", "/nope"]), (nowhere, [])):
        assert refusal(cli, "clarify", REQUEST, *words, code=3)["data"]["code"] == "REPO_NOT_FOUND"


def test_the_documented_example_can_be_run_twice(shop: Cli) -> None:
    words = ["clarify", REQUEST, "--answer", "auth_strategy=OAuth", "--answer", "auth_library=skip"]
    assert [as_json(shop, *words)["status"] for _ in range(2)] == ["completed", "completed"]
