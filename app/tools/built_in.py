"""Tools that need no server, and do nothing but look: the time, and arithmetic."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from app.core.errors import UserError
from app.tools.tool import Hints, Tool, to_model

_LONGEST = 500
_LARGEST_POWER = 4096
"""Bits that a power may have: whole numbers grow without end."""
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "asin")},
    **{name: getattr(math, name) for name in ("acos", "atan", "floor", "ceil", "degrees", "radians", "hypot", "gcd")},
    **{each.__name__: each for each in (abs, round, min, max)},
}
_NAMES = {"pi": math.pi, "e": math.e}


def _tool(name: str, description: str, **properties: object) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Tool("", "", name, "", description, schema, Hints(read_only=True, open_world=False))


TOOLS: tuple[Tool, ...] = (
    _tool("current_time", to_model("The date and time now, with the time zone of the user's computer.")),
    _tool(
        "calculate",
        "Computes an arithmetic expression. Operators: + - * / // % **. Functions: " + ", ".join(_FUNCTIONS),
        expression={"type": "string", "description": 'Such as "(3 + 4) * sqrt(2)"'},
    ),
)


def run(name: str, arguments: Mapping[str, Any], now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> str:
    """What a built-in tool gives. Raises UserError, whose sentence is for the model."""
    if name == "current_time":
        return now().astimezone().strftime("%A, %Y-%m-%d %H:%M:%S %Z (UTC%z)")
    if name == "calculate":
        return calculated(str(arguments.get("expression", "")))
    raise UserError("There is no tool {name}.", name=name)


def calculated(expression: str) -> str:
    """The value of an arithmetic expression. Raises UserError."""
    if len(expression) > _LONGEST:
        raise UserError("The expression is too long.")
    try:
        value = _value(ast.parse(expression.strip(), mode="eval").body)
        return str(value)
    except (ArithmeticError, ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
        raise UserError("That can't be computed: {reason}.", reason=str(error) or type(error).__name__) from error


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(ast.USub(), operand):
            return -_value(operand)
        case ast.UnaryOp(ast.UAdd(), operand):
            return +_value(operand)
        case ast.BinOp(left, ast.Pow(), right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left, sign, right) if type(sign) in _BINARY:
            return _BINARY[type(sign)](_value(left), _value(right))
        case ast.Name(name) if name in _NAMES:
            return _NAMES[name]
        case ast.Call(ast.Name(name), arguments, []) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*map(_value, arguments))
        case _:
            raise ValueError("only numbers, operators and the named functions are allowed")


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > _LARGEST_POWER:
        raise ValueError("the power is too large")
    found = base**exponent
    if isinstance(found, complex):
        raise ValueError("the result is no real number")
    return found
