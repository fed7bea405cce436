"""Counts that Hearth's own engine always tells, and servers may not."""

from typing import TypeVar

Count = TypeVar("Count", int, float)


def counted(count: Count | None) -> Count:
    assert count is not None
    return count
