"""The filters that chat templates may use: Jinja's, made to keep origins and to stay within bounds."""

import json
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from jinja2.filters import FILTERS, make_attrgetter
from jinja2.runtime import Undefined
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import pass_environment
from markupsafe import escape

from app.engine.template.limits import LARGEST, TemplateLimitError, add, check_printable, text_of
from app.engine.template.marked_format import percent
from app.engine.template.marked_text import TRUSTED, MarkedText, WrittenObject, marked, plain, respelled

Filter = Callable[..., Any]

# fmt: off
_ON_VALUES = (
    "abs", "attr", "count", "d", "default", "dictsort", "filesizeformat", "first", "float", "int", "items", "last",
    "length", "reverse",
)
"""Filters of Jinja's that hand on what they are given, or make numbers."""
_ON_EACH = (
    "groupby", "list", "map", "max", "min", "reject", "rejectattr", "select", "selectattr", "sort", "unique",
)
# fmt: on
"""Those that go through the items one by one, which for a text are its characters."""
_WITH_SIZES = ("batch", "round", "slice")
"""Those that make as much as a number tells them to."""
_ON_TEXT = ("capitalize", "center", "lower", "trim", "truncate", "upper", "wordcount")
"""Those that turn anything into text, and then use the text's own methods."""


def chat_filters() -> dict[str, Filter]:
    """Every filter by its name. Random and HTML-making ones are left out: no prompt needs them."""
    return {
        **{name: FILTERS[name] for name in _ON_VALUES},
        **{name: _on_each(FILTERS[name]) for name in _ON_EACH},
        **{name: _on_each(_bounded(FILTERS[name])) for name in _WITH_SIZES},
        **{name: _bounded(_on_text(FILTERS[name])) for name in _ON_TEXT},
        "e": _escape,
        "escape": _escape,
        "forceescape": _escape,
        "format": _format,
        "indent": _bounded(_indent),
        "join": _on_each(_join),
        "replace": _replace,
        "safe": text_of,  # no HTML here: Jinja's would escape whatever is joined to it
        "string": text_of,
        "sum": _on_each(_sum),
        "title": _title,
        "tojson": _tojson,
    }


def _bounded(made: Filter) -> Filter:
    @wraps(made)
    def bounded(*args: Any, **kwargs: Any) -> Any:
        for value in (*args[1:], *kwargs.values()):
            if isinstance(value, int) and abs(value) > LARGEST:
                raise TemplateLimitError(f"a size of {value}")
        return made(*args, **kwargs)

    return bounded


def _on_each(made: Filter) -> Filter:
    @wraps(made)
    def on_each(*args: Any, **kwargs: Any) -> Any:
        for value in args[:2]:  # what Jinja passes itself comes first
            if isinstance(value, str) and len(value) > LARGEST:
                raise TemplateLimitError(f"the {len(value)} characters of a text one by one")
        return made(*args, **kwargs)

    return on_each


def _on_text(made: Filter) -> Filter:
    # The text is the last positional argument that Jinja passes itself: the environment may come first.
    if getattr(made, "jinja_pass_arg", None) is not None:

        @wraps(made)
        def with_environment(environment: SandboxedEnvironment, value: Any, *args: Any, **kwargs: Any) -> Any:
            return made(environment, marked(text_of(value)), *args, **kwargs)

        return with_environment

    @wraps(made)
    def on_text(value: Any, *args: Any, **kwargs: Any) -> Any:
        return made(marked(text_of(value)), *args, **kwargs)

    return on_text


def _escape(value: object) -> str:
    # A plain text and no Markup: that would escape what is joined to it, and loses origins.
    return plain(escape(plain(text_of(value))))


def _format(value: object, *args: Any, **kwargs: Any) -> MarkedText:
    if args and kwargs:
        raise TypeError("format takes values or names, not both")
    return percent(marked(text_of(value)), kwargs or args)


def _indent(value: str, width: int | str = 4, first: bool = False, blank: bool = False) -> MarkedText:
    margin = marked(width) if isinstance(width, str) else MarkedText(" ", TRUSTED) * width
    newline = MarkedText("\n", TRUSTED)
    # With a newline more, the last line ends like all others, and a final newline is kept.
    head, *rest = (marked(value) + newline).splitlines()
    lines = [head, *(margin + line if line or blank else line for line in rest)]
    whole = newline.join(lines)
    return margin + whole if first else whole


@pass_environment
def _join(environment: SandboxedEnvironment, value: Any, d: Any = "", attribute: Any = None) -> MarkedText:
    if attribute is not None:
        value = map(make_attrgetter(environment, attribute), value)
    return marked(text_of(d)).join(map(text_of, value))


def _replace(value: object, old: object, new: object, count: int | None = None) -> MarkedText:
    return marked(text_of(value)).replace(text_of(old), text_of(new), -1 if count is None else count)


@pass_environment
def _sum(environment: SandboxedEnvironment, iterable: Iterable[Any], attribute: Any = None, start: Any = 0) -> Any:
    if attribute is not None:
        iterable = map(make_attrgetter(environment, attribute), iterable)
    total = start
    for item in iterable:
        total = add(total, item)
    return total


def _title(value: object) -> MarkedText:
    text = text_of(value)
    return respelled(text, FILTERS["title"](plain(text)))


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    # As in Hugging Face's templates, and unlike Jinja's own: nothing is escaped for HTML.
    if isinstance(value, Undefined):
        raise TypeError("an undefined value cannot be JSON")
    if isinstance(value, WrittenObject) and (ensure_ascii, indent, separators, sort_keys) == (False, None, None, False):
        return value.text
    check_printable(value)
    if isinstance(indent, int) and indent > 100:
        raise TemplateLimitError(f"an indent of {indent}")
    if any(len(each) > 100 for each in (*(separators or ()), indent) if isinstance(each, str)):
        raise TemplateLimitError("a separator of over 100 characters")
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
