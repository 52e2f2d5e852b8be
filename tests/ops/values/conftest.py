from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.testing import Clock, app_in, caller

Call = Callable[..., Any]
PRIVACY = {"id": "privacy", "label": "Privacy", "weight": 2, "tolerance": 0.2}


@pytest.fixture
def app(tmp_path: Path, clock: Clock) -> App:
    return app_in(str(tmp_path / "store"), clock=clock, enable=["value-guard", "values-explain"])


@pytest.fixture
def call(app: App) -> Call:
    return lambda name, /, **arguments: app.call(name, arguments, caller())
