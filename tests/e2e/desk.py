"""Where a coding agent works in a test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.e2e.conftest import BIN


class Desk:
    """A repository and a home folder of its own, prepared by `deedlog init`."""

    def __init__(self, repo: Path, home: Path, agents: Path) -> None:
        home.mkdir()
        self.repo, self.home, self.bin = repo, home, agents / "node_modules/.bin"
        kept = {name: value for name, value in os.environ.items() if name in {"LANG", "TERM", "TMPDIR"}}
        self.environment = kept | {
            "HOME": str(home),
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def run(self, *command: str, **environment: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.repo,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def init(self, client: str) -> None:
        self.run(sys.executable, "-m", "deedlog", "init", "--client", client, "--yes")

    def trust_for_gemini(self) -> None:
        """Gemini CLI reads the settings of a folder only when its user has said that it may."""
        trusted = self.home / ".gemini/trustedFolders.json"
        trusted.parent.mkdir(exist_ok=True)
        trusted.write_text(f'{{"{self.repo}": "TRUST_FOLDER"}}')
