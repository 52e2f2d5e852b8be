from __future__ import annotations

from tests.ops.gate.mounts import mounts  # noqa: F401
from tests.ops.gate.persons import guarded  # noqa: F401
from tests.ops.gate.reach import reach  # noqa: F401  # a fixture of every test here
