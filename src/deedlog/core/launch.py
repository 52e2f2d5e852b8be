"""How a worker is started: the argument list of each client, the same as one line of shell, and the prompt.

The prompt is a file in the work tree. It goes to the client by standard input or by its name; it stands in an
argument only where an agent's own command says `{prompt}`, and then its text is put in when the command runs.
"""

from __future__ import annotations

import re

from deedlog.core.errors import Invalid
from deedlog.core.speech import CLAUDE, LINES
from deedlog.core.value import Value
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deedlog.core.agent import Agent
    from deedlog.core.task import Task

PROMPT_FILE = ".deedlog/prompt.md"
PROMPT = "{prompt}"
WORDS = ("prompt", "prompt_file", "model", "worktree", "task_id", "session_id", "branch")
WORD = re.compile(r"\{([A-Za-z_]+)\}")
PLAIN = re.compile(r"[\w@%+:,./-]+", re.ASCII)
KEYWORDS = ("case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until", "while")
TITLE_LENGTH = 500


class Client(Value):
    """What one client is told. `told` is the option that takes the prompt's file; without it, it reads its input.

    `auto` approves what it would ask for; `boxed` is used instead where we keep it in its scope, because a
    sandbox of its own does not start inside of ours. `reporting` lets it print what it uses as JSON.
    With `talking` it goes on reading what is said to it; a client that has no such thing reads its input once.
    `context_file` it reads by itself; only one that no project commits, or what a worker writes into it would be lost.
    """

    start: list[str]
    model: str = "--model"
    auto: list[str]
    boxed: list[str] = []  # noqa: RUF012  # values are never changed in place
    reporting: list[str] = []  # noqa: RUF012
    talking: list[str] = []  # noqa: RUF012
    told: str = ""
    context_file: str = ""
    knows_claude: bool = False  # whether the short names of Claude's models mean something to it


CLAUDE_MODELS = ("opus", "sonnet", "haiku")
CLIENTS = {
    "claude-code": Client(
        start=["claude", "--print"],
        auto=["--dangerously-skip-permissions"],
        reporting=["--output-format", "stream-json", "--verbose"],
        talking=["--input-format", "stream-json"],
        context_file="CLAUDE.local.md",
        knows_claude=True,
    ),
    "codex": Client(
        start=["codex", "exec"],
        auto=["--sandbox", "workspace-write"],
        boxed=["--dangerously-bypass-approvals-and-sandbox"],
        reporting=["--json"],
    ),
    "gemini-cli": Client(
        start=["gemini"],
        auto=["--yolo", "--skip-trust"],
        reporting=["--output-format", "stream-json"],
    ),
    "opencode": Client(
        start=["opencode", "run"],
        auto=["--dangerously-skip-permissions"],
        reporting=["--format", "json"],
    ),
    "aider": Client(start=["aider"], auto=["--yes-always"], told="--message-file", knows_claude=True),
}


class Launch(Value):
    """`stdin` is the path in the work tree whose content goes to standard input; empty for none.

    `speech` is how something more can be said to it there, see `core/speech.py`; empty where nothing can.
    """

    argv: list[str]
    stdin: str = ""
    context_file: str = ""
    prompt_file: str = PROMPT_FILE
    speech: str = ""


def launch(
    client: str,
    *,
    model: str = "",
    command: Sequence[str] = (),
    auto: bool = False,
    prompt_file: str = PROMPT_FILE,
    supervised: bool = False,
    sandboxed: bool = False,
    talking: bool = False,
    words: Mapping[str, str] | None = None,
) -> Launch:
    """How to run a client, or the `command` of an agent; `words` are what `{worktree}` and so on stand for.

    `supervised` is one whose output we read, `sandboxed` one that we keep in its scope, `talking` one to whom more
    can be said while it runs.
    """
    if command:
        made = _from_template(command, {**(words or {}), "model": model, "prompt_file": prompt_file}, prompt_file)
        return made.replace(speech=LINES) if talking else made
    known = CLIENTS[client]
    argv = [*known.start]
    if model and (known.knows_claude or model not in CLAUDE_MODELS):
        argv += [known.model, model]
    if auto:
        argv += known.boxed if sandboxed and known.boxed else known.auto
    if talking and not known.talking:
        raise Invalid(
            f"interactive: {client} reads its input only once",
            hint=f"interactive are {', '.join(n for n, c in CLIENTS.items() if c.talking)} and agents with a command",
            data={"field": "interactive"},
        )
    if supervised:
        argv += known.reporting
    if talking:
        argv += known.talking
    if known.told:
        argv += [known.told, prompt_file]
    return Launch(
        argv=argv,
        stdin="" if known.told else prompt_file,
        context_file=known.context_file,
        prompt_file=prompt_file,
        speech=CLAUDE if talking else "",
    )


def check_command(command: Sequence[str]) -> None:
    """Refuse the command of an agent that could never run."""
    if command and not command[0]:
        raise Invalid("command: its first word, the program, is empty", data={"field": "command"})
    for word in command:
        if "\0" in word:
            raise Invalid("command: no argument can hold a NUL character", data={"field": "command"})
        for name in WORD.findall(word):
            if name not in WORDS:
                raise Invalid(
                    f"command: {{{name}}} stands for nothing",
                    hint=f"what can stand there: {', '.join(f'{{{known}}}' for known in WORDS)}",
                    data={"field": "command"},
                )


def _from_template(command: Sequence[str], words: Mapping[str, str], prompt_file: str) -> Launch:
    check_command(command)

    def replaced(found: re.Match[str]) -> str:
        value = found[0] if found[1] == "prompt" else words.get(found[1], "")
        if found[1] != "prompt" and (PROMPT in value or "\0" in value):
            raise Invalid(f"command: {found[0]} is {value!r}, which no command can be told")
        return value

    told = any(name in ("prompt", "prompt_file") for word in command for name in WORD.findall(word))
    argv = [WORD.sub(replaced, word) for word in command]
    return Launch(argv=argv, stdin="" if told else prompt_file, prompt_file=prompt_file)


def with_prompt(argv: Sequence[str], text: str) -> list[str]:
    """The arguments a program is really given: the prompt's text where `{prompt}` stands."""
    return [word.replace(PROMPT, text) for word in argv]


def shell(folder: str, started: Launch) -> str:
    """The same for a POSIX shell, whatever the folder is called. No text of the task is in it."""
    place = folder if folder.startswith("/") else f"./{folder}"
    words = [_quoted_with_prompt(word, started.prompt_file) for word in started.argv]
    if started.argv[0] in KEYWORDS:
        words[0] = f"'{words[0]}'"
    line = f"cd {quoted(place)} && {' '.join(words)}"
    return f"{line} < {quoted(started.stdin)}" if started.stdin else line


def quoted(word: str) -> str:
    """One word of a shell command that stands for exactly this text."""
    if PLAIN.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _quoted_with_prompt(word: str, prompt_file: str) -> str:
    if PROMPT not in word:
        return quoted(word)
    text = f'"$(cat {quoted(prompt_file)})"'
    return text.join(quoted(part) if part else "" for part in word.split(PROMPT))


def prompt(
    task: Task,
    agent: Agent,
    *,
    scope: Mapping[str, Sequence[str]],
    memory: str = "",
    branch: str = "",
    feedback: str = "",
    reports: bool = False,
) -> str:
    """What a worker is told: who it is, its task, what people said of it, its limits, what the project has decided.

    One that `reports` reaches its supervisor through a socket.
    """
    parts = [
        f"# Worker: {agent.name}",
        f"# Task #{task.number}: {one_line(task.name, TITLE_LENGTH)}",
        f"Type: {task.type} | Priority: {task.priority}",
        _section("Description", task.goal),
        _section("Feedback", feedback),
        _section("Agent Instructions", agent.prompt_content),
        _section("Scope", "\n".join(_scope_lines(scope))),
        memory.strip(),
        _section("Instructions", "\n".join([*_instructions(branch), *(reporting(task) if reports else [])])),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _section(title: str, text: str) -> str:
    return f"## {title}\n{text.strip()}" if text.strip() else ""


def _scope_lines(scope: Mapping[str, Sequence[str]]) -> list[str]:
    lines = []
    if reading := scope.get("read"):
        lines.append(f"- Read: {', '.join(reading)}")
    lines.append(f"- Write: {', '.join(scope.get('write') or ()) or 'nothing; change no files'}")
    if excluded := scope.get("exclude"):
        lines.append(f"- Excluded (not in this work tree; do not make them): {', '.join(excluded)}")
    return lines


def _instructions(branch: str) -> list[str]:
    where = f" `{branch}`" if branch else ""
    return [
        f"- You work in a work tree of your own, on the branch{where}. Stay in it, and do not switch branches.",
        "- Change only what the scope lets you write; everything else you change is reported.",
        "- Commit what you want to keep. Do not merge or push.",
        "- End with a short summary of what you did and what is left.",
    ]


def reporting(task: Task) -> list[str]:
    """What a worker can report, and how."""
    ask, get = f"`deedlog question ask {task.ref} 'Which one?'`", "`deedlog question get <id> --wait-seconds 600`"
    return [
        f"- People watch your work. Report how far you are: `deedlog milestone log {task.ref} 'Running tests'`.",
        "- Record what matters later with `deedlog decision log` and `deedlog issue log`.",
        f"- Ask a person only what you cannot decide yourself: {ask}, then {get}. Go on with the rest meanwhile.",
        "- The MCP tools of Deedlog do the same: log_milestone, log_decision, log_issue, question_ask, question_get.",
        "- Do not complete the task in Deedlog: commit your work and exit. Deedlog judges it then.",
    ]
