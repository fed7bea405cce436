"""The clock and the calculator."""

from datetime import UTC, datetime

import pytest

from app.core.errors import UserError
from app.tools.built_in import TOOLS, calculated, run
from app.tools.schema import completed


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", "14"),
        ("-(7 // 2) % 5", "2"),
        ("2 ** 100", str(2**100)),
        ("2 ** -2", "0.25"),
        ("sqrt(2) * sqrt(2) - hypot(3, 4)", str(2**0.5 * 2**0.5 - 5.0)),
        ("round(pi * e, 3)", "8.54"),
        ("max(1, 2.5, min(7, 8))", "7"),
    ],
)
def test_arithmetic(expression: str, value: str) -> None:
    assert calculated(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "1 / 0",
        "9 ** 9 ** 9",
        "__import__('os')",
        "(1).bit_length()",
        "'a' * 9",
        "True",
        "[1 for x in (1,)]",
        "sqrt(-1)",
        "(-1) ** 0.5",
        "1 +",
        "",
        "(" * 300,
        "1" * 501,
        "abs(x=1)",
    ],
)
def test_all_else_is_refused_in_a_sentence(expression: str) -> None:
    with pytest.raises(UserError):
        calculated(expression)


def test_the_time_comes_with_its_zone() -> None:
    told = run("current_time", {}, lambda: datetime(2026, 11, 24, 17, 5, tzinfo=UTC))
    assert "2026-11-2" in told and "UTC" in told


def test_they_are_declared_so_that_templates_can_print_them() -> None:
    for tool in TOOLS:
        assert tool.is_built_in and all(each["description"] for each in completed(tool.schema)["properties"].values())
    with pytest.raises(UserError):
        run("rm", {})
