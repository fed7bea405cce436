"""`'%s' % value` and `'{}'.format(value)` for marked text.

Python's own formatting says what the text is. It is then put together again from pieces of known origin;
where the two differ, the whole result is untrusted.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2.sandbox import SandboxedEnvironment, SandboxedFormatter

from app.engine.marked_text import UNTRUSTED, MarkedText, concat, marked, plain
from app.engine.template_limits import LARGEST, TemplateLimitError, check_printable, text_of

_CONVERSION = re.compile(r"%(?:\(([^()]*)\))?[#0\- +]*(\*|\d*)(?:\.(\*|\d*))?[hlL]?(.)", re.DOTALL)
_NUMBER = re.compile(r"\d+")


def percent(form: MarkedText, values: Any) -> MarkedText:
    """`form % values` with the origins of both. Raises what `%` raises, and TemplateLimitError for huge widths."""
    found = list(_CONVERSION.finditer(form))
    for conversion in found:
        _check_width(*conversion.group(2, 3))
    check_printable(values)
    text = plain(form) % values
    queue = list(values) if isinstance(values, tuple) else [values]
    pieces: list[str] = []
    end = 0
    for conversion in found:
        pieces += (form[end : conversion.start()], _converted(form, conversion, values, queue))
        end = conversion.end()
    return _checked(text, [*pieces, form[end:]])


def _converted(form: MarkedText, conversion: re.Match[str], values: Any, queue: list[Any]) -> str:
    key, kind = conversion.group(1, 4)
    if kind == "%":
        return form[conversion.end() - 1]
    if key is not None:
        value = values[key]
    else:
        value = queue.pop(0)
    simple = conversion.group() == ("%s" if key is None else f"%({key})s")
    if simple:
        return text_of(value)
    return plain(conversion.group()) % ({key: value} if key is not None else (value,))


def brace(
    environment: SandboxedEnvironment, form: MarkedText, values: Sequence[Any], named: Mapping[str, Any]
) -> MarkedText:
    """`form.format(*values, **named)` with the origins of both, within the sandbox."""
    formatter = _Formatter(environment)
    text = formatter.vformat(plain(form), values, named)
    origins = {origin for _, _, origin in form.runs()}
    origin = origins.pop() if len(origins) == 1 else UNTRUSTED
    pieces: list[str] = []
    count = 0
    for literal, field, spec, conversion in formatter.parse(plain(form)):
        pieces.append(MarkedText(literal, origin))
        if field is None:
            continue
        found = formatter.get_field(field or str(count), values, named)[0]
        count += not field
        value = formatter.convert_field(found, conversion)
        inner = formatter.vformat(spec or "", values, named)
        pieces.append(formatter.format_field(value, inner) if inner else text_of(value))
    return _checked(text, pieces)


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


def _checked(text: str, pieces: list[str]) -> MarkedText:
    joined = concat(marked(piece) for piece in pieces)
    return joined if joined == text else MarkedText(text)
