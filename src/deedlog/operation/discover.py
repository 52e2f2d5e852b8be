"""Find marked functions in modules: how the catalog is generated, and how plug-ins add operations."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType

from deedlog.operation.define import Operation
from deedlog.operation.schema import describe


def operations_in(module: ModuleType) -> list[Operation]:
    """The operations a module defines itself, in the order of their names."""
    marked = [
        value
        for value in vars(module).values()
        if getattr(value, "__module__", None) == module.__name__ and hasattr(value, "__operation__")
    ]
    return sorted((describe(function) for function in marked), key=lambda op: op.name)


def operations_under(package: ModuleType) -> list[Operation]:
    """The operations of every module below a package: everyday ones first, then folder by folder."""
    found = pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    every = [op for info in found if not info.ispkg for op in operations_in(import_module(info.name))]
    return sorted(every, key=lambda op: (not op.everyday, op.everyday))
