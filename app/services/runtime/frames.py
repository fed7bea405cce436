"""What an error holds of the thread where it was raised."""

import traceback
from typing import TypeVar

Error = TypeVar("Error", bound=BaseException)


def without_locals(error: Error) -> Error:
    """The error, whose traceback still tells where it was raised and holds nothing else: to be called in that thread.

    The frames of a traceback hold all that was at work. Whoever hears of an error in another thread would be the last
    to let go of it: a document of Qt's with a timer, or a model's memory for as long as the error is shown.
    """
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        each = left.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            traceback.clear_frames(each.__traceback__)
            left += (each.__cause__, each.__context__)
    return error
