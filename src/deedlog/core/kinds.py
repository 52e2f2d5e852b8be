"""Every kind of stored thing, by its name in events and URIs."""

from __future__ import annotations

from deedlog.core.value import Entity
from deedlog.core.workflow import Workflow

KINDS: dict[str, type[Entity]] = {entity.kind: entity for entity in (Workflow,)}
