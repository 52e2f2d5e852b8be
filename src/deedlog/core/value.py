"""Frozen records. Written by hand because importing `dataclasses` costs more than starting Python."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_kwargs):  # noqa: ANN003, ANN201
        return lambda cls: cls


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Value:
    """A record: its annotated names are its fields, given by keyword and never changed."""

    _names: ClassVar[tuple[str, ...]] = ()
    _known: ClassVar[frozenset[str]] = frozenset()  # the same; lists of things ask it for every field of each

    def __init_subclass__(cls) -> None:
        own = cls.__dict__.get("__annotations__", {})
        cls._names = (*cls._names, *(n for n, hint in own.items() if not str(hint).startswith("ClassVar")))
        cls._known = frozenset(cls._names)

    def __init__(self, **given: Any) -> None:
        cls = type(self)
        for name in cls._names:
            if name in given:
                self.__dict__[name] = given.pop(name)
            elif hasattr(cls, name):
                self.__dict__[name] = getattr(cls, name)
            else:
                raise TypeError(f"{cls.__name__} needs {name!r}")
        if given:
            raise TypeError(f"{cls.__name__} has no {', '.join(map(repr, given))}")

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: use replace({name}=…)")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *map(repr, self.__dict__.values())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """The fields that need not be given, with what they are then."""
        return {name: getattr(cls, name) for name in cls._names if hasattr(cls, name)}

    def replace(self, **changes: Any) -> Self:
        return type(self)(**{**self.__dict__, **changes})

    def fields(self) -> dict[str, Any]:
        return dict(self.__dict__)


class Entity(Value):
    """A stored thing. `version` counts its changes; 0 means not stored yet.

    `found_by` names the fields a search for such things may name. `sorted_by` is one of them, a
    number: with the id it sorts them from oldest to newest. A `numbered` thing also has a field
    `number`, one of `found_by`, by which people call it: `task-5`. `seen_with` is the operation
    that shows which there are, where that is not `<kind>_list`. `begins` is the word for its appearing, and
    `told_of` the kind of thing whose name comes first when something of it is told.
    """

    kind: ClassVar[str]
    found_by: ClassVar[tuple[str, ...]]
    sorted_by: ClassVar[str] = "created_at"
    numbered: ClassVar[bool] = False
    seen_with: ClassVar[str] = ""
    begins: ClassVar[str] = ""
    told_of: ClassVar[str] = ""

    id: str
    version: int = 0

    @property
    def uri(self) -> str:
        return f"{self.kind}://{self.id}"

    def blobs(self) -> list[str]:
        """The digests of what the store keeps for it beside the log."""
        return []

    def subjects(self) -> list[str]:
        """The URIs a change of this thing is about: itself first, then what contains it."""
        return [self.uri]

    def reshapes(self, changed: set[str]) -> list[str]:  # noqa: ARG002  # most are part of no graph
        """The URIs of the graphs that are others now, where these fields of it changed."""
        return []

    def taken_back(self, current: Self | None) -> Self:  # noqa: ARG002  # most things can be as they were
        """What an undo makes of the `current` one, if this is how it was before."""
        return self

    def search_text(self) -> tuple[str, str]:
        """Its title and its text for the search, or two empty strings to stay out of it."""
        return "", ""

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:  # noqa: ARG003  # most have a name
        """What a person calls it; `fields` are its own, perhaps not all of them."""
        return cls.kind

    @classmethod
    def beginning(cls, fields: dict[str, Any]) -> str:  # noqa: ARG003  # most begin in one way
        """The word for its appearing with these fields."""
        return cls.begins

    @classmethod
    def news(cls, fields: dict[str, Any], changed: list[str]) -> str:
        """What a person is told when it changed."""
        if "status" in changed:
            return f"{cls.headline(fields)} {str(fields['status']).replace('_', ' ')}"
        return f"{cls.headline(fields)} " + (f"changed: {', '.join(changed)}" if changed else "as before")

    def body(self) -> dict[str, Any]:
        """Its fields as JSON-ready data, without id and version."""
        fields = self.fields()
        del fields["id"], fields["version"]
        return fields

    @classmethod
    def load(cls, entity_id: str, version: int, body: dict[str, Any]) -> Self:
        """Build it from stored data; fields a newer release added to the body are ignored."""
        known = {name: value for name, value in body.items() if name in cls._known}
        return cls(id=entity_id, version=version, **known)


def uris(**ids: str) -> list[str]:
    """The URIs of what a thing belongs to, where it does: `uris(task=…, workflow=…)`."""
    return [f"{kind}://{entity_id}" for kind, entity_id in ids.items() if entity_id]
