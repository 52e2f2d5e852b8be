"""What the processes we start find in their environment."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# a server that runs in a git hook knows a repository that is none of the worker's
REPOSITORY = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INDEX_VERSION",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CEILING_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_EXEC_PATH",
)
# a client refuses to run, or talks to the editor, where it believes to be inside another run of itself
NESTED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID")
NEEDED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ", "TMPDIR")
OWN = "DEEDLOG_"
SOCKETS = ("SOCKET", "SOCKET_PROOF")
# what looks like a secret; a client gets those that begin like its own, and anybody those that the user names
SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIALS")
AGENTS = ("SSH_AUTH_SOCK", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS")  # they sign, or start programs
MANY = ("ANTHROPIC_", "OPENAI_", "OPENROUTER_", "GEMINI_", "GOOGLE_", "AWS_", "AZURE_", "MISTRAL_", "GROQ_", "XAI_")
CLIENTS = {
    "claude-code": ("ANTHROPIC_", "CLAUDE_"),
    "codex": ("OPENAI_", "CODEX_", "AZURE_OPENAI_"),
    "gemini-cli": ("GEMINI_", "GOOGLE_"),
    "opencode": ("OPENCODE_", "DEEPSEEK_", *MANY),
    "aider": ("AIDER_", "DEEPSEEK_", *MANY),
}
CLOUDS = {"CLAUDE_CODE_USE_BEDROCK": "AWS_", "CLAUDE_CODE_USE_VERTEX": "GOOGLE_"}
# of our settings, those that are about one call or one server
NOT_PASSED = (
    "ACTOR",
    "ENABLE",
    "DISABLE",
    "PLUGINS",
    "HOST",
    "PORT",
    "TOKEN",
    "WORKER",
    "TASK_ID",
    "SESSION_ID",
    *SOCKETS,
)


# of git's settings: nobody is there to unlock a key, and to pack a repository is not a worker's business
CONFIGURED = {"commit.gpgSign": "false", "tag.gpgSign": "false", "gc.auto": "0", "maintenance.auto": "false"}


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in REPOSITORY + NESTED}


def for_supervisor(environment: Mapping[str, str], store: str) -> dict[str, str]:
    """What finds the same store with the same settings."""
    dropped = {OWN + name for name in NOT_PASSED}
    return {name: v for name, v in _clean(environment).items() if name not in dropped} | {f"{OWN}STORE": store}


def for_worker(
    environment: Mapping[str, str], passed: Sequence[str] | None = None, *, client: str = "", named: Sequence[str] = ()
) -> dict[str, str]:
    """Nothing of ours, and no secrets but those of its client and those that the user `named`.

    Where it is said what else is `passed`, only that and what every program needs.
    """
    wanted = {*named, *(passed or ())}
    found = {name: value for name, value in _clean(environment).items() if not name.startswith(OWN)}
    if passed is not None:
        kept = {*NEEDED, *wanted}
        found = {name: value for name, value in found.items() if name in kept or name.startswith("LC_")}
    begins = _begins(client, environment)
    found = {k: v for k, v in found.items() if k in wanted or not is_secret(k) or k.startswith(begins)}
    return found | {"GIT_TERMINAL_PROMPT": "0"} | _configured(found.get("GIT_CONFIG_COUNT", ""))


def is_secret(name: str) -> bool:
    return name.upper().endswith(SECRET) or name in AGENTS


def _begins(client: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    clouds = [begin for name, begin in CLOUDS.items() if client == "claude-code" and environment.get(name)]
    return (*CLIENTS.get(client, ()), *clouds)


def given(path: str) -> dict[str, str]:
    """The variables that were given for one worker."""
    try:
        with open(path, encoding="utf-8") as file:
            import json  # hardly any worker has some

            found: dict[str, str] = json.load(file)
            return found
    except OSError:
        return {}


def _configured(before: str) -> dict[str, str]:
    """Settings for git, after those that are in the environment already."""
    first = int(before) if before.isascii() and before.isdigit() else 0
    found = {"GIT_CONFIG_COUNT": str(first + len(CONFIGURED))}
    for number, (name, value) in enumerate(CONFIGURED.items(), first):
        found |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return found
