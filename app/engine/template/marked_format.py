"""`'%s' % value` and `'{}'.format(value)` for marked text.

Python's own formatting says what the text is. It is then put together again from pieces of known origin;
where the two differ, the whole result is untrusted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jinja2.sandbox import SandboxedEnvironment, SandboxedFormatter

from app.engine.template.limits import LARGEST, TemplateLimitError, check_printable, text_of
from app.engine.template.marked_text import UNTRUSTED, MarkedText, concat, plain

_CONVERSION = re.compile(r"%(?:\(([^()]*)\))?[#0\- +]*(\*|\d*)(?:\.(\*|\d*))?[hlL]?(.)", re.DOTALL)
_NUMBER = re.compile(r"\d+")


def percent(form: MarkedText, values: Any) -> MarkedText:
    """`form % values` with the origins of both. Raises what `%` raises, and TemplateLimitError for huge widths."""
    found = list(_CONVERSION.finditer(form))
    for conversion in found:
        _check_width(*conversion.group(2, 3))
    check_printable(values)
    return _checked(plain(form) % values, _percent_pieces(form, found, values))


def _percent_pieces(form: MarkedText, found: list[re.Match[str]], values: Any) -> Iterator[str]:
    queue = list(values) if isinstance(values, tuple) else [values]
    end = 0
    for conversion in found:
        yield form[end : conversion.start()]
        end = conversion.end()
        key, kind = conversion.group(1, 4)
        if kind == "%":
            yield form[end - 1]
        elif key is not None:
            yield _converted(conversion.group(), f"%({key})s", values[key], {key: values[key]})
        else:
            value = queue.pop(0)
            yield _converted(conversion.group(), "%s", value, (value,))
    yield form[end:]


def _converted(conversion: str, simple: str, value: Any, values: Any) -> str:
    return text_of(value) if conversion == simple else plain(conversion) % values


def brace(
    environment: SandboxedEnvironment, form: MarkedText, values: Sequence[Any], named: Mapping[str, Any]
) -> MarkedText:
    """`form.format(*values, **named)` with the origins of both, within the sandbox."""
    formatter = _Formatter(environment)
    return _checked(formatter.vformat(plain(form), values, named), _brace_pieces(formatter, form, values, named))


def _brace_pieces(
    formatter: "_Formatter", form: MarkedText, values: Sequence[Any], named: Mapping[str, Any]
) -> Iterator[str]:
    origins = {origin for _, _, origin in form.runs()}
    origin = origins.pop() if len(origins) == 1 else UNTRUSTED
    count = 0
    for literal, field, spec, conversion in formatter.parse(plain(form)):
        yield MarkedText(literal, origin)
        if field is None:
            continue
        found = formatter.get_field(field or str(count), values, named)[0]
        count += not field
        value = formatter.convert_field(found, conversion)
        yield formatter.format_field(value, spec) if spec else text_of(value)


class _Formatter(SandboxedFormatter):
    def convert_field(self, value: Any, conversion: Any) -> Any:
        check_printable(value)
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> Any:
        _check_width(*_NUMBER.findall(format_spec))
        return super().format_field(value, format_spec)


def _check_width(*numbers: str | None) -> None:
    for number in numbers:
        if number == "*" or (number and int(number) > LARGEST):
            raise TemplateLimitError(f"a width of {number}")


def _checked(text: str, pieces: Iterator[str]) -> MarkedText:
    try:
        joined = concat(pieces)
    except (LookupError, TypeError, ValueError):  # a form that Python reads and this module does not
        return MarkedText(text)
    return joined if joined == text else MarkedText(text)
