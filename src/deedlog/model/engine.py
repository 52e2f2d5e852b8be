"""The language model that is configured."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.ports import Model


def configured(settings: Mapping[str, Any]) -> Model:
    raise NotImplementedError
