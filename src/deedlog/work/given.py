"""Limits that a caller gives for one session: checked here, so that every tool need not describe them in full."""

from __future__ import annotations

from deedlog.core.errors import Invalid
from deedlog.work.budget import COST, MINUTES, TOKENS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LISTS = ("read", "write", "exclude")
LIMITS = (TOKENS, COST, MINUTES)


def scope_of(given: dict[str, Any] | None) -> dict[str, list[str]]:
    """The lists of globs, or the refusal that says what is wrong."""
    for name, globs in (given or {}).items():
        _known("scope", name, LISTS)
        if not isinstance(globs, list) or not all(isinstance(glob, str) for glob in globs):
            raise Invalid(f"scope.{name}: must be a list of globs", data={"field": f"scope.{name}"})
    return dict(given or {})


def budget_of(given: dict[str, Any] | None) -> dict[str, float]:
    for name, most in (given or {}).items():
        _known("budget", name, LIMITS)
        if isinstance(most, bool) or not isinstance(most, int | float) or most <= 0:
            raise Invalid(f"budget.{name}: must be a number above 0", data={"field": f"budget.{name}"})
    return dict(given or {})


def _known(field: str, name: str, names: tuple[str, ...]) -> None:
    if name not in names:
        known = f"known: {', '.join(names)}"
        raise Invalid(f"{field}.{name[:80]}: is not known", hint=known, data={"field": f"{field}.{name[:80]}"})
