"""Texts with places for variables: `Review {{file}}`. What is filled in stays text, whatever it contains."""

from __future__ import annotations

import json
import re

from deedlog.core.errors import Invalid
from deedlog.core.words import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PLACE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}")


def filled(template: str, variables: Mapping[str, Any], field: str = "prompt_template") -> str:
    """The text with every `{{name}}` replaced; one that is not among the variables is refused by its name."""

    def value(place: re.Match[str]) -> str:
        return written(named(variables, place[1], field))

    return PLACE.sub(value, template)


def named(variables: Mapping[str, Any], name: str, field: str) -> Any:
    """The variable of that name, or a refusal that names it."""
    if name not in variables:
        known = f"known: {', '.join(sorted(variables))}" if variables else "no variables were given"
        raise Invalid(
            f"{field}: there is no variable {name!r}",
            hint=did_you_mean(name, variables, known),
            data={"field": field, "variable": name},
        )
    return variables[name]


def written(value: Any) -> str:
    """A value as it stands in a text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
