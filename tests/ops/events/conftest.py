from __future__ import annotations

from tests.ops.resources.conftest import database, shelf  # noqa: F401  # fixtures
