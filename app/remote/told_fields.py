"""Fields of what strangers answer: what is not of the expected kind counts as not told."""

from collections.abc import Iterator, Mapping

MOST = 1 << 53
"""What JSON's numbers hold exactly."""


def at(said: object, *path: str) -> object:
    """What stands there; None where nothing does."""
    for name in path:
        said = said.get(name) if isinstance(said, Mapping) else None
    return said


def text(said: object, *path: str) -> str:
    found = at(said, *path)
    return found if isinstance(found, str) else ""


def count(said: object, *path: str) -> int | None:
    """A whole number that is not negative."""
    found = at(said, *path)
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < MOST else None


def milliseconds(said: object, *path: str) -> float | None:
    found = at(said, *path)
    return (
        float(found) if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < MOST else None
    )


def flag(said: object, *path: str) -> bool | None:
    found = at(said, *path)
    return found if isinstance(found, bool) else None


def objects(said: object, *path: str) -> Iterator[Mapping[str, object]]:
    found = at(said, *path)
    if isinstance(found, list):
        yield from (each for each in found if isinstance(each, Mapping))


def words(said: object, *path: str) -> frozenset[str]:
    """The texts of a list."""
    found = at(said, *path)
    return frozenset(each for each in found if isinstance(each, str)) if isinstance(found, list) else frozenset()
