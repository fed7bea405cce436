"""Schemas that no grammar can be made of."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.core.errors import UserError


def unusable(what: str) -> UserError:
    return UserError("A schema asks for {what}, which can't be enforced here. Take it out of the schema.", what=what)


@contextmanager
def reported() -> Iterator[None]:
    """What goes wrong inside with a schema that is none becomes a UserError."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, KeyError, ArithmeticError, RecursionError) as error:
        raise UserError("A schema is no JSON schema, or one that is too involved. Write it more simply.") from error
