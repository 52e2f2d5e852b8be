import pytest

from deedlog.core.value import Entity, Value


class Point(Value):
    x: int
    y: int = 0


class Thing(Entity):
    kind = "thing"
    name: str


def test_a_value_is_frozen_and_compared_by_its_fields() -> None:
    point = Point(x=1)
    assert point == Point(x=1, y=0)
    assert point != Point(x=2)
    assert hash(point) == hash(Point(x=1))
    assert repr(point) == "Point(x=1, y=0)"
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 2  # type: ignore[misc]
    assert point.replace(y=5) == Point(x=1, y=5)


def test_a_missing_or_unknown_field_is_named() -> None:
    with pytest.raises(TypeError, match="needs 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="has no 'z'"):
        Point(x=1, z=2)  # type: ignore[call-arg]


def test_an_entity_comes_back_from_its_body_and_ignores_what_a_newer_release_added() -> None:
    thing = Thing(id="t-1", version=3, name="n")
    assert thing.body() == {"name": "n"}
    assert Thing.load("t-1", 3, {"name": "n", "later": 1}) == thing
    assert thing.uri == "thing://t-1"
