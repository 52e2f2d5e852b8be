"""What clients and the tools they start keep outside the work tree."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# in the home folder: settings and sessions of clients, caches of tools
OPEN = (
    ".aider",
    ".bun",
    ".cache",
    ".cargo",
    ".claude",
    ".claude.json",
    ".codex",
    ".config",
    ".deno",
    ".gemini",
    ".gradle",
    ".ivy2",
    ".local",
    ".m2",
    ".npm",
    ".nuget",
    ".nvm",
    ".opencode",
    ".pnpm-store",
    ".pyenv",
    ".rustup",
    ".yarn",
    "Library",
    "go",
)
# in those: what would run, or be believed, outside of the sandbox
SHUT = (".config/git", ".config/deedlog", ".config/systemd", ".config/autostart", "Library/LaunchAgents")


def home(environment: Mapping[str, str]) -> str:
    folder = environment.get("HOME", "")
    return os.path.realpath(folder) if os.path.isabs(folder) and os.path.isdir(folder) and folder != os.sep else ""


def opened(folder: str) -> list[str]:
    return [path for name in OPEN if os.path.exists(path := os.path.join(folder, name))] if folder else []


def shut(folder: str) -> list[str]:
    return [path for name in SHUT if os.path.exists(path := os.path.join(folder, name))] if folder else []


def temporary(environment: Mapping[str, str]) -> list[str]:
    names = [environment.get("TMPDIR", ""), "/tmp", "/var/tmp"]  # noqa: S108  # where others write, too
    return list(dict.fromkeys(os.path.realpath(name) for name in names if name and os.path.isdir(name)))
