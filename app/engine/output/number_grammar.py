"""Numbers of a JSON schema as expressions."""

import json
import math
from collections.abc import Mapping
from typing import Any

from app.core.errors import UserError
from app.engine.output.gbnf import choice, integers, literal
from app.engine.output.schema_errors import unusable

_ANY = r'("-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,16})? ([eE] [-+]? [1-9] [0-9]?)?)'
_FRACTION = r'("." [0-9]{0,15} [1-9])'
"""Never zero: what has it lies between two integers."""
Schema = Mapping[str, Any]


def integer(schema: Schema) -> str:
    return integers(*_integer_bounds(schema))


def number(schema: Schema) -> str:
    """Within bounds: the integers there, all decimals that lie between two of them, and a lower bound itself where
    there are none."""
    _refuse_multiples(schema)
    low, high = _bounds(schema)
    if low is None and high is None:
        return _ANY
    ways = []
    try:
        ways.append(integer(schema))
    except UserError:
        if low is not None and low == schema.get("minimum"):
            ways.append(literal(json.dumps(low)))
    least = None if low is None else math.ceil(low)
    most = None if high is None else math.floor(high) - 1
    if most is None or most >= max(0, least or 0):
        ways.append(f"{integers(max(0, least or 0), most)} {_FRACTION}")
    # -n.f lies between -n - 1 and -n.
    smallest, largest = (0 if most is None else max(0, -most - 1)), (None if least is None else -least - 1)
    if largest is None or smallest <= largest:
        ways.append(f'"-" {integers(smallest, largest)} {_FRACTION}')
    if not ways:
        raise unusable("a range with no number in it")
    return choice(ways)


def _bounds(schema: Schema) -> tuple[float | None, float | None]:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if isinstance(above, bool) or isinstance(below, bool):
        raise unusable('"exclusiveMinimum" as a word')
    lows = [each for each in (low, above) if each is not None]
    highs = [each for each in (high, below) if each is not None]
    return max(lows, default=None), min(highs, default=None)


def _integer_bounds(schema: Schema) -> tuple[int | None, int | None]:
    _refuse_multiples(schema)
    low, high = _bounds(schema)
    least = None if low is None else math.ceil(low)
    most = None if high is None else math.floor(high)
    if least is not None and least == schema.get("exclusiveMinimum"):
        least += 1
    if most is not None and most == schema.get("exclusiveMaximum"):
        most -= 1
    if least is not None and most is not None and least > most:
        raise unusable("a range with no integer in it")
    return least, most


def _refuse_multiples(schema: Schema) -> None:
    if schema.get("multipleOf", 1) != 1:
        raise unusable('"multipleOf"')
