"""Names people choose and files are called by: nothing in them can lead anywhere."""

from __future__ import annotations

import re

from deedlog.core.errors import Invalid
from deedlog.core.naming import plain

LONGEST = 64
SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)
OTHER = re.compile("[^a-z0-9_]+")


def is_slug(text: str) -> bool:
    return SLUG.fullmatch(text) is not None


def checked(text: str, what: str) -> str:
    """`text`, refused where it is no slug; `what` is the field it was given in."""
    if is_slug(text):
        return text
    likely = OTHER.sub("-", plain(text[:LONGEST])).strip("-_")
    hint = f"; perhaps {likely!r}" if is_slug(likely) else ""
    raise Invalid(
        f"{what}: {text[:80]!r} is no name we can use",
        hint=f"lower-case letters, digits, - and _, at most {LONGEST}, a letter or digit first{hint}",
        data={"field": what},
    )
