"""What clients and the tools they start keep outside the work tree."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# in the home folder, all else of which is read-only: sessions of clients, caches of tools. Not `.claude.json`:
# it names programs, and its client does without writing it
OPEN = (
    ".aider",
    ".bun/install/cache",
    ".cache",
    ".cargo/.global-cache",
    ".cargo/.package-cache",
    ".cargo/git",
    ".cargo/registry",
    ".claude",
    ".codex",
    ".config/claude",
    ".config/codex",
    ".config/gemini",
    ".config/opencode",
    ".gemini",
    ".gradle",
    ".ivy2",
    ".local/share/opencode",
    ".local/share/pnpm/store",
    ".local/state",
    ".m2/repository",
    ".npm",
    ".nuget/packages",
    ".opencode",
    ".pnpm-store",
    ".yarn/berry",
    "Library",
    "go/pkg",
)
# in those: what a client or another program would run, or believe, outside of the sandbox
SHUT = (
    *(f".claude/{name}" for name in ("settings.json", "settings.local.json", "CLAUDE.md", "local")),
    *(f".claude/{name}" for name in ("agents", "commands", "hooks", "output-styles", "plugins", "rules", "skills")),
    *(f".codex/{name}" for name in ("config.toml", "hooks.json", "AGENTS.md", "AGENTS.override.md")),
    *(f".codex/{name}" for name in ("bin", "prompts", "rules", "skills")),
    *(f".gemini/{name}" for name in ("settings.json", "GEMINI.md", ".env", "trustedFolders.json")),
    *(f".gemini/{name}" for name in ("agents", "commands", "extensions", "hooks", "policies", "skills")),
    *(f".config/opencode/{name}" for name in ("config.json", "opencode.json", "opencode.jsonc", "AGENTS.md")),
    *(f".config/opencode/{name}" for name in ("agent", "agents", "command", "commands", "plugin", "plugins", "skills")),
    *(f".gradle/{name}" for name in ("gradle.properties", "init.gradle", "init.gradle.kts", "init.d")),
    ".opencode/bin",
    "Library/LaunchAgents",
)


def home(environment: Mapping[str, str]) -> str:
    folder = environment.get("HOME", "")
    return os.path.realpath(folder) if os.path.isabs(folder) and os.path.isdir(folder) and folder != os.sep else ""


def opened(folder: str) -> list[str]:
    """What is there of it; a link stands for what it leads to."""
    found = [os.path.realpath(path) for name in OPEN if os.path.exists(path := os.path.join(folder, name))]
    return [path for path in found if not is_in(folder, path)] if folder else []


def shut(folder: str, *, absent: bool = False) -> list[str]:
    """What is there of it; also what is not, for systems that can keep somebody from making it."""
    if not folder:
        return []
    paths = [os.path.join(folder, name) for name in SHUT]
    found = [os.path.realpath(path) for path in paths if absent or os.path.exists(path)]
    return [path for path in found if not is_in(folder, path)]


def temporary(environment: Mapping[str, str]) -> list[str]:
    names = [environment.get("TMPDIR", ""), "/tmp", "/var/tmp"]  # noqa: S108  # where others write, too
    return list(dict.fromkeys(os.path.realpath(name) for name in names if name and os.path.isdir(name)))


def is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
