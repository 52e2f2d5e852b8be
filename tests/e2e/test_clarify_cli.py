"""The golden path: a request becomes clear at a terminal, in a pipe, or partly over MCP, and its files are written."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deedlog import bootstrap
from deedlog.testing import SECOND, Clock, app_in, caller
from tests.e2e.processes import StdioServer
from tests.e2e.terminal import END, INTERRUPT, Terminal
from tests.faces.cli.running import COMMAND, Cli

Json = dict[str, Any]
REQUEST = "Add authentication"
OTHER = "Other (specify)"
PROMPT = "docs/AGENT_PROMPT.md"


@pytest.fixture
def shop(repo: Path, tmp_path: Path) -> Cli:
    """A repository with a web framework and no decision yet."""
    (repo / "package.json").write_text('{"dependencies": {"next": "15.0.0"}}\n')
    (repo / "src").mkdir()
    (repo / "src" / "page.tsx").write_text("export default () => null;\n")
    return Cli(repo, tmp_path / "home")


def terminal(cli: Cli, *words: str, columns: int = 100) -> Terminal:
    return Terminal([*COMMAND, *words], cli.folder, cli.environment, columns)


def mcp(cli: Cli) -> StdioServer:
    return StdioServer([sys.executable, "-m", "deedlog", "mcp", "serve"], cli.folder, cli.environment)


def by_mcp(server: StdioServer, **arguments: Any) -> Json:
    result: Json = server.call("require_clarification", arguments)
    return json.loads(result["content"][0]["text"])  # type: ignore[no-any-return]


def as_json(cli: Cli, *words: str) -> Json:
    done = cli.run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def questions(cli: Cli, request: str = REQUEST) -> list[Json]:
    """What would be asked; nothing is recorded by asking so."""
    found: list[Json] = as_json(cli, "clarify", request, "--dry-run")["questions"]
    assert found
    return found


def refusal(cli: Cli, *words: str, code: int) -> Json:
    done = cli.run(*words, "--json")
    assert done.returncode == code, (done.stdout, done.stderr)
    found: Json = json.loads(done.stderr.splitlines()[-1])["error"]
    assert found["hint"]
    return found


def records(cli: Cli) -> dict[str, str]:
    docs = cli.folder / "docs"
    files = sorted(path for path in docs.rglob("*") if path.is_file()) if docs.exists() else []
    return {str(path.relative_to(cli.folder)): path.read_text() for path in files}


def adrs(cli: Cli) -> list[str]:
    return [text for path, text in records(cli).items() if path.startswith("docs/adr/")]


WRITE = "Write this? [Y/n/b] "


def agree(user: Terminal, prompt: str = WRITE) -> str:
    """Say yes to what will be written; returns what was shown before."""
    return user.answer("", prompt)


def plain(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", shown)


@pytest.mark.proves("clarify:cli:golden-path", "clarify:prompt:cli-only")
def test_a_conversation_at_a_terminal_ends_with_the_files(shop: Cli) -> None:
    asked = questions(shop)
    with terminal(shop, "clarify", REQUEST) as user:
        for place, question in enumerate(asked):
            shown = plain(user.answer(""))
            assert question["question"] in " ".join(shown.split())
            if question.get("recommended"):
                assert f"{question['recommended']} (recommended" in " ".join(shown.split())
            assert place or "Enter takes what is recommended" in shown
        decided = plain(agree(user))
        assert all(question["recommended"] in decided for question in asked if question.get("recommended"))
        assert records(shop) == {}
        assert user.ended() == 0, user.shown
    found = records(shop)
    assert {PROMPT, "docs/CURRENT_TASK.md", "docs/ARCHITECTURE_STATE.md"} < set(found)
    (adr,) = adrs(shop)
    for question in asked:
        if question.get("recommended"):
            assert question["recommended"] in adr
    for path in found:
        assert path in plain(user.shown)
    assert "docs/CURRENT_TASK.md" in found[PROMPT]
    assert as_json(shop, "clarify", "status")["clarifications"] == []


@pytest.mark.proves("clarify:cli:keys")
def test_one_can_go_back_ask_why_choose_by_number_and_give_an_own_answer(shop: Cli) -> None:
    first, second, *rest = questions(shop)
    with terminal(shop, "clarify", REQUEST) as user:
        user.answer("99")
        user.until("type a number from 1 to")
        user.answer("?")
        user.until("recorded as an assumption")
        user.answer("b")
        user.until("this is the first question")
        user.answer(first["options"][1].upper())
        user.answer("back")
        user.answer("1")
        user.answer(str(second["options"].index(OTHER) + 1))
        user.until(f"{OTHER}: ")
        user.type("our own, on top of oslo\n")
        for _ in rest:
            user.answer("s")
        agree(user)
        assert user.ended() == 0, user.shown
    (adr,) = adrs(shop)
    assert first["options"][0] in adr
    assert "our own, on top of oslo" in adr


@pytest.mark.proves("clarify:cli:keys")
def test_a_refused_answer_is_asked_for_again_and_the_others_stay(shop: Cli) -> None:
    first, _, *rest = questions(shop)
    with terminal(shop, "clarify", REQUEST) as user:
        user.answer(first["options"][0])
        user.answer("tbd")
        user.until("say skip to go on with what is recommended")
        user.answer("our gateway")
        user.answer("", "Take “our gateway” as your own value? [Y/n] ")
        for _ in rest:
            user.answer("s")
        agree(user)
        assert user.ended() == 0, user.shown
    (adr,) = adrs(shop)
    assert first["options"][0] in adr
    assert "our gateway" in adr


@pytest.mark.proves("clarify:cli:interrupted")
@pytest.mark.parametrize("key", [INTERRUPT, END])
def test_whoever_leaves_finds_the_session_again(shop: Cli, key: str) -> None:
    first, *rest = questions(shop)
    with terminal(shop, "clarify", REQUEST) as user:
        user.answer("1")
        user.until("\n> ")
        user.type(key)
        assert user.ended() == 130, user.shown
    assert "go on with: deedlog clarify resume" in " ".join(plain(user.shown).split())
    assert "Traceback" not in user.shown
    assert records(shop) == {}
    (session,) = as_json(shop, "clarify", "status")["clarifications"]
    assert session["answers"] == {first["id"]: first["options"][0]}
    assert session["expires_at"]
    status = shop.run("clarify", "status").stdout
    assert session["session_id"] in status
    assert all(question["id"] in status for question in [first, *rest])
    with terminal(shop, "clarify", "resume") as user:
        for _ in rest:
            user.answer("")
        agree(user)
        assert user.ended() == 0, user.shown
    (adr,) = adrs(shop)
    assert first["options"][0] in adr


@pytest.mark.proves("clarify:cli:interrupted")
def test_the_same_request_again_goes_on_where_it_was_left(shop: Cli) -> None:
    first, *rest = questions(shop)
    begun = as_json(shop, "clarify", REQUEST)
    again = as_json(shop, "clarify", f" {REQUEST} ", "--answer", f"{first['id']}={first['options'][0]}")
    assert again["session_id"] == begun["session_id"]
    assert [question["id"] for question in again["questions"]] == [question["id"] for question in rest]
    other = as_json(shop, "clarify", REQUEST, "--context", "for the shop")
    assert other["session_id"] != begun["session_id"]


@pytest.mark.proves("clarify:cli:non-interactive")
def test_without_a_terminal_the_questions_come_with_the_command_that_answers(shop: Cli) -> None:
    asked = questions(shop)
    done = shop.run("clarify", REQUEST, "--non-interactive")
    assert (done.returncode, done.stderr) == (0, "")
    for question in asked:
        assert f"{question['id']}: {question['question']}" in " ".join(done.stdout.split())
    command = shlex.split(done.stdout.splitlines()[-1])
    assert command[:3] == ["deedlog", "clarify", "answer"]
    answered = shop.run(*command[1:])
    assert answered.returncode == 0, answered.stderr
    for path in records(shop):
        assert path in answered.stdout


@pytest.mark.proves("clarify:cli:json")
def test_json_is_the_operation_s_answer(shop: Cli) -> None:
    first, *rest = questions(shop)
    begun = as_json(shop, "clarify", REQUEST)
    assert (begun["status"], len(begun["questions"])) == ("needs_clarification", 1 + len(rest))
    answers = [f"{first['id']}={first['options'][0]}", *(f"{question['id']}=skip" for question in rest)]
    done = shop.run("clarify", "answer", *answers, "--json")
    assert done.stderr == ""
    ended = json.loads(done.stdout)
    assert ended["status"] == "completed"
    assert [artifact["type"] for artifact in ended["artifacts_created"]] == ["adr", "task", "projection"]
    assert ended["agent_prompt"] == PROMPT
    assert all((shop.folder / artifact["path"]).exists() for artifact in ended["artifacts_created"])


@pytest.mark.proves("clarify:cli:json")
@pytest.mark.parametrize("form", ["json", "lines", "stdin"])
def test_answers_come_from_a_file(shop: Cli, form: str) -> None:
    answers = {question["id"]: question.get("recommended") or "skip" for question in questions(shop)}
    text = json.dumps(answers) if form == "json" else "\n".join(f"{name}={value}" for name, value in answers.items())
    (shop.folder / "answers").write_text(text)
    name = "-" if form == "stdin" else "answers"
    done = shop.run("clarify", REQUEST, "--answers-file", name, "--json", stdin=text)
    assert json.loads(done.stdout)["status"] == "completed", done.stderr


@pytest.mark.proves("clarify:cli:dry-run")
def test_a_dry_run_shows_the_files_and_leaves_no_trace(shop: Cli) -> None:
    asked = questions(shop)
    answers = [word for question in asked for word in ("--answer", f"{question['id']}={question['options'][0]}")]
    done = shop.run("clarify", REQUEST, *answers, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "+++ b/docs/CURRENT_TASK.md" in done.stdout
    assert "--- /dev/null" in done.stdout
    assert "nothing was written or recorded" in done.stderr
    assert asked[0]["options"][0] in done.stdout
    with terminal(shop, "clarify", REQUEST, "--dry-run") as user:
        for _ in asked:
            user.answer("")
        assert user.ended() == 0, user.shown
    assert "\x1b[32m+" in user.shown
    assert records(shop) == {}
    assert as_json(shop, "events")["events"] == []


@pytest.mark.proves("clarify:cli:dry-run")
def test_a_dry_run_over_existing_records_shows_what_would_change(shop: Cli) -> None:
    as_json(shop, "clarify", "Fix typo in login button")
    before = records(shop)
    done = shop.run("clarify", "Fix typo in logout button", "--dry-run")
    assert "--- a/docs/CURRENT_TASK.md" in done.stdout
    assert "+++ b/docs/archive/task/" in done.stdout
    assert "-# Fix typo in login button" in done.stdout
    assert records(shop) == before


@pytest.mark.proves("clarify:cli:explain")
def test_explain_underlines_the_words_that_counted_and_records_nothing(shop: Cli) -> None:
    request = "Move from PostgreSQL to MySQL"
    told = as_json(shop, "clarify", request, "--explain")
    assert told["why"]
    done = shop.run("clarify", request, "--explain")
    lines = done.stdout.splitlines()
    assert lines[0] == request
    assert set(lines[1]) == {" ", "^"}
    for reason in told["why"]:
        assert reason["rule"] in done.stdout
    assert "MySQL" in done.stdout
    assert records(shop) == {}
    assert as_json(shop, "clarify", "status")["clarifications"] == []
    _, shown = shop.on_terminal("clarify", request, "--explain")
    assert "\x1b[4m" in shown


@pytest.mark.proves("clarify:cli:adr-options")
def test_an_adr_can_be_forced_and_waived(shop: Cli) -> None:
    as_json(shop, "clarify", "Fix typo in login button", "--force-adr")
    assert len(adrs(shop)) == 1
    done = as_json(shop, "clarify", "Move from PostgreSQL to MySQL", "--no-adr")
    if done["status"] != "completed":
        answers = [f"{question['id']}=skip" for question in done["questions"]]
        done = as_json(shop, "clarify", "answer", *answers)
    assert len(adrs(shop)) == 1
    assert "waived" in records(shop)["docs/CURRENT_TASK.md"]
    assert refusal(shop, "clarify", "x", "--force-adr", "--no-adr", code=2)["kind"] == "invalid"


@pytest.mark.proves("clarify:cli:golden-path")
def test_a_proposal_fills_the_second_part_of_the_adr(shop: Cli) -> None:
    proposal = {"alternatives": ["Sessions in cookies: too many servers"], "consequences": ["Tokens expire"]}
    (shop.folder / "proposal.json").write_text(json.dumps(proposal))
    words = ["clarify", REQUEST, "--proposal", "proposal.json"]
    given = [f"{question['id']}={question.get('recommended') or 'skip'}" for question in questions(shop)]
    answers = [word for one in given for word in ("--answer", one)]
    assert as_json(shop, *words, *answers)["status"] == "completed"
    (adr,) = adrs(shop)
    assert "Sessions in cookies: too many servers" in adr
    assert "Tokens expire" in adr


@pytest.mark.proves("clarify:cli:golden-path", "clarify:session:shared")
def test_a_session_begun_over_mcp_goes_on_at_the_terminal(shop: Cli) -> None:
    with mcp(shop) as server:
        begun = by_mcp(server, user_intention=REQUEST)
        first = begun["questions"][0]
        by_mcp(
            server,
            user_intention=REQUEST,
            session_id=begun["session_id"],
            answers={first["id"]: first["options"][0]},
        )
        with terminal(shop, "clarify", "resume") as user:
            for _ in begun["questions"][1:]:
                user.answer("")
            agree(user)
            assert user.ended() == 0, user.shown
        (adr,) = adrs(shop)
        assert first["options"][0] in adr
        again = server.call("require_clarification", {"user_intention": REQUEST, "session_id": begun["session_id"]})
        assert "SESSION_NOT_FOUND" in again["content"][0]["text"]


@pytest.mark.proves("clarify:session:shared", "clarify:prompt:cli-only")
def test_a_session_begun_at_the_command_line_ends_over_mcp_without_a_prompt(shop: Cli) -> None:
    begun = as_json(shop, "clarify", REQUEST)
    answers = {question["id"]: question.get("recommended") or "skip" for question in begun["questions"]}
    with mcp(shop) as server:
        ended = by_mcp(server, user_intention=REQUEST, session_id=begun["session_id"], answers=answers)
        assert ended["status"] == "completed"
        names = {tool["name"] for tool in server.request("tools/list")["tools"]}
        assert not names & {"clarification_prompt", "clarification_preview"}
        reply = server.reply("tools/call", {"name": "clarification_prompt", "arguments": {}})
        assert "deedlog clarification prompt" in reply["error"]["data"]["hint"]
    assert "docs/CURRENT_TASK.md" in records(shop)
    assert PROMPT not in records(shop)
    assert as_json(shop, "clarify", "status")["clarifications"] == []


@pytest.mark.proves("clarify:prompt:cli-only")
def test_a_prompt_written_by_hand_is_left_alone(shop: Cli) -> None:
    (shop.folder / "docs").mkdir()
    (shop.folder / PROMPT).write_text("mine\n")
    done = shop.run("clarify", "Fix typo in login button")
    assert done.returncode == 0, done.stderr
    assert "docs/CURRENT_TASK.md" in done.stdout
    assert "AGENT_PROMPT.md is not written" in done.stderr
    assert records(shop)[PROMPT] == "mine\n"


@pytest.mark.proves("clarify:cli:refusals")
def test_refusals_keep_the_session_and_name_their_code(shop: Cli) -> None:
    assert refusal(shop, "clarify", "answer", "a=b", code=5)["data"]["code"] == "NO_ACTIVE_SESSION"
    assert refusal(shop, "clarify", "resume", code=5)["data"]["code"] == "NO_PREVIOUS_SESSION"
    assert refusal(shop, "clarify", "reset", code=5)["data"]["code"] == "NO_ACTIVE_SESSION"
    begun = as_json(shop, "clarify", REQUEST)
    wrong = refusal(shop, "clarify", "answer", "auth_stratgy=OAuth", code=2)
    assert wrong["data"]["code"] == "INVALID_ANSWER"
    assert refusal(shop, "clarify", "answer", code=2)["kind"] == "invalid"
    assert refusal(shop, "clarify", "answer", "OAuth", code=2)["kind"] == "invalid"
    missing = refusal(shop, "clarify", "answer", "a=b", "--session", "sess-nothing", code=5)
    assert missing["data"]["code"] == "SESSION_NOT_FOUND"
    as_json(shop, "clarify", "Add a database")
    several = refusal(shop, "clarify", "answer", "a=b", code=6)
    assert begun["session_id"] in several["data"]["sessions"]
    assert shop.run("clarify", " ").returncode == 2
    assert refusal(shop, "clarify", "x", "--repo-path", "missing", code=3)["kind"] == "not_found"
    assert records(shop) == {}


@pytest.mark.proves("clarify:cli:reset")
def test_a_reset_drops_one_or_all(shop: Cli) -> None:
    first = as_json(shop, "clarify", REQUEST)["session_id"]
    second = as_json(shop, "clarify", "Add a database")["session_id"]
    assert as_json(shop, "clarify", "reset", "--session", first)["session_ids"] == [first]
    assert [row["session_id"] for row in as_json(shop, "clarify", "status")["clarifications"]] == [second]
    third = as_json(shop, "clarify", REQUEST)["session_id"]
    assert sorted(as_json(shop, "clarify", "reset", "--all")["session_ids"]) == sorted([second, third])
    assert as_json(shop, "clarify", "status")["clarifications"] == []
    assert "no clarification is open here" in shop.run("clarify", "status").stderr


@pytest.mark.proves("clarify:cli:expired")
def test_the_last_expired_one_begins_again_with_its_request(shop: Cli) -> None:
    begun = _begun(shop, minutes_ago=31)
    assert as_json(shop, "clarify", "status")["clarifications"] == []
    expired = refusal(shop, "clarify", "answer", "a=b", "--session", begun["session_id"], code=6)
    assert expired["data"]["code"] == "SESSION_EXPIRED"
    assert "deedlog clarify resume --session" in expired["hint"]
    again = shop.run("clarify", "resume", "--json")
    assert f"begun again, as it expired: {REQUEST}" in again.stderr
    new = json.loads(again.stdout)
    assert new["session_id"] != begun["session_id"]
    assert new["questions"] == begun["questions"]
    (session,) = as_json(shop, "clarify", "status")["clarifications"]
    assert session["optional_context"] == "for the shop"
    as_json(shop, "clarify", "answer", *(f"{question['id']}=skip" for question in new["questions"]))
    assert refusal(shop, "clarify", "resume", code=5)["data"]["code"] == "NO_PREVIOUS_SESSION"


@pytest.mark.proves("clarify:cli:expired")
def test_what_was_completed_since_is_not_begun_again(shop: Cli) -> None:
    _begun(shop, minutes_ago=31)
    as_json(shop, "clarify", "Fix typo in login button")
    assert refusal(shop, "clarify", "resume", code=5)["data"]["code"] == "NO_PREVIOUS_SESSION"


@pytest.mark.proves("clarify:cli:expired")
def test_answers_of_an_expired_session_are_not_asked_for_again(shop: Cli) -> None:
    first = questions(shop)[0]
    begun = _begun(shop, minutes_ago=31, answers={first["id"]: first["options"][0]})
    again = as_json(shop, "clarify", "resume")
    assert [question["id"] for question in again["questions"]] == [question["id"] for question in begun["questions"]]
    assert first["id"] not in [question["id"] for question in again["questions"]]


def _begun(cli: Cli, *, minutes_ago: int, answers: Json | None = None) -> Json:
    """A session that somebody began, and nobody used since."""
    clock = Clock(bootstrap.now() - minutes_ago * 60 * SECOND)
    app = app_in(str(cli.folder / ".git" / "deedlog"), tree=str(cli.folder), clock=clock)
    asked = {"user_intention": REQUEST, "optional_context": "for the shop", "answers": answers}
    begun: Json = app.call("require_clarification", asked, caller())
    app.close()
    return begun


@pytest.mark.proves("clarify:cli:golden-path")
def test_a_request_that_reads_like_a_command_goes_after_two_dashes(shop: Cli) -> None:
    done = shop.run("clarify", "--json", "--", "status")
    assert json.loads(done.stdout)["session_id"], done.stderr


def test_another_repository_is_named_by_its_path(shop: Cli, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    (other / "lib").mkdir()
    as_json(shop, "clarify", "Fix typo in login button", "--repo-path", str(other / "lib"))
    assert (other / "docs/CURRENT_TASK.md").exists()
    assert (other / PROMPT).exists()
    assert records(shop) == {}


@pytest.mark.parametrize("columns", [40, 60, 200])
def test_a_narrow_terminal_shows_everything_within_its_width(shop: Cli, columns: int) -> None:
    asked = questions(shop)
    with terminal(shop, "clarify", REQUEST, columns=columns) as user:
        for _ in asked:
            user.answer("")
        agree(user)
        user.ended()
    assert all(len(line) <= columns for line in plain(user.shown).splitlines() if "docs/" not in line)


OWN_QUESTIONS = r"""
[areas.Greenhouse]
fields = ["Sensors", "Limits"]
[areas.Greenhouse.topics.Sensors]
words.en = ["greenhouse control"]
asks = ["sensors", "limits"]
[questions.sensors]
type = "multi"
sets = "Greenhouse.Sensors"
text = { en = "Which \u001B[2Jsensors?" }
options = ["Heat", "Light", "Water"]
[questions.limits]
type = "text"
sets = "Greenhouse.Limits"
text = { en = "Which limits?" }
optional = true
"""


@pytest.mark.proves("clarify:cli:keys")
def test_questions_of_the_project_itself_are_asked_in_their_own_ways(shop: Cli) -> None:
    (shop.folder / ".deedlog").mkdir()
    (shop.folder / ".deedlog" / "clarify.toml").write_text(OWN_QUESTIONS)
    request = "Add greenhouse control"
    assert [question["type"] for question in questions(shop, request)] == ["multi_choice", "free_text"]
    with terminal(shop, "clarify", request) as user:
        shown = user.answer("9, 1")
        assert "with commas between them" in shown
        assert "\x1b[2J" not in shown
        user.until("type a number from 1 to 4")
        user.answer("light, 1, 4")
        user.until(f"{OTHER}: ")
        user.type("\n")
        user.until(f"{OTHER}: ")
        user.type("Wind\n")
        user.answer("below 30 °C, above 5 °C")
        agree(user)
        assert user.ended() == 0, user.shown
    (adr,) = adrs(shop)
    for value in ("Light", "Heat", "Wind", "below 30 °C, above 5 °C"):
        assert value in adr


def test_what_is_no_text_is_typed_again(shop: Cli) -> None:
    asked = questions(shop)
    with terminal(shop, "clarify", REQUEST) as user:
        user.until("\n> ")
        user.type_bytes(b"caf\xe9\n")
        user.until("that was no UTF-8 text")
        for _ in asked:
            user.answer("")
        agree(user)
        assert user.ended() == 0, user.shown


@pytest.mark.proves("clarify:cli:completion")
def test_shells_complete_sessions_questions_and_options(shop: Cli) -> None:
    begun = as_json(shop, "clarify", REQUEST)
    first = begun["questions"][0]
    offered = shop.run("__complete", "--", "clarify", "answer", "").stdout.splitlines()
    assert f"{first['id']}={first['options'][0]}" in offered
    sessions = shop.run("__complete", "--", "clarify", "resume", "--session", "").stdout.split()
    assert sessions == [begun["session_id"]]
    assert "--dry-run" in shop.run("__complete", "--", "clarify", "--").stdout
    assert {"answer", "resume"} <= set(shop.run("__complete", "--", "clarify", "").stdout.split())
    assert shop.run("clarification", "list", "--quiet").stdout.split() == [begun["session_id"]]


def test_every_command_explains_itself_with_examples(shop: Cli) -> None:
    for words in (["clarify"], *(["clarify", verb] for verb in ("answer", "status", "resume", "reset"))):
        shown = shop.run(*words, "--help").stdout
        assert "Examples:" in shown
        assert f"deedlog {' '.join(words)}" in shown


def test_each_work_tree_has_its_own_sessions_and_records(shop: Cli, tmp_path: Path) -> None:
    begun = as_json(shop, "clarify", REQUEST)
    tree = tmp_path / "tree"
    subprocess.run(["git", "-C", str(shop.folder), "worktree", "add", "--quiet", str(tree)], check=True)
    beside = Cli(tree, tmp_path / "home")
    assert as_json(beside, "clarify", "status")["clarifications"] == []
    as_json(beside, "clarify", "Fix typo in login button")
    assert "docs/CURRENT_TASK.md" in records(beside)
    assert records(shop) == {}
    assert [row["session_id"] for row in as_json(shop, "clarify", "status")["clarifications"]] == [begun["session_id"]]


@pytest.mark.parametrize(
    ("request_", "prompt"),
    [
        ("Ajouter une base de données", "Écrire cela ? [O/n/b] "),
        ("認証を追加する", "この内容で書き込みますか? [Y/n/b] "),
    ],
)
def test_french_and_japanese_requests_are_asked_about(shop: Cli, request_: str, prompt: str) -> None:
    asked = questions(shop, request_)
    with terminal(shop, "clarify", request_) as user:
        for _ in asked:
            user.answer("")
        agree(user, prompt)
        assert user.ended() == 0, user.shown
    assert len(adrs(shop)) == 1
