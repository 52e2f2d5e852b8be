from __future__ import annotations

from collections.abc import Callable

import pytest

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.testing import caller


@pytest.fixture
def refused(app: App) -> Callable[..., DeedlogError]:
    """The refusal of a call."""

    def call(name: str, /, **arguments: object) -> DeedlogError:
        with pytest.raises(DeedlogError) as refusal:
            app.call(name, arguments, caller())
        return refusal.value

    return call
