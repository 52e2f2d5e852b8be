"""A person's approval, for tests that are about something else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from deedlog import bootstrap
from deedlog.settings import load


def approve(folder: Path, environment: Mapping[str, str]) -> None:
    """Approve everything that the repository brings now."""
    found = load(str(folder), environment)
    bootstrap.open_trust(found).approve(found.waiting)
