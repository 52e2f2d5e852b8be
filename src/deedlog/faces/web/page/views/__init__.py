"""The views, one file each: its address and what it shows there."""

from importlib import import_module
from pkgutil import iter_modules

VIEWS = tuple(import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
