"""The running half of the template engine: a sandbox in which texts keep their origins and work is metered."""

from collections.abc import Callable, Iterable
from functools import partial, wraps
from operator import mod
from typing import Any

from jinja2 import nodes
from jinja2.ext import Extension, LoopControlExtension
from jinja2.parser import Parser
from jinja2.runtime import Context

from app.engine.template import marked_text
from app.engine.template.codegen import MarkingEnvironment
from app.engine.template.filters import chat_filters
from app.engine.template.limits import Limits, Meter, add, multiply, power, text_of
from app.engine.template.marked_format import brace, percent
from app.engine.template.marked_text import MarkedText, marked

_TEXT_METHODS = frozenset(name for name in dir(str) if not name.startswith("_")) - {
    "encode",
    "expandtabs",
    "maketrans",
    "translate",
}
"""The others make bytes, or more text than can be foretold; no template uses them."""


class TemplateSandbox(MarkingEnvironment):
    """Jinja as Hugging Face sets it up for chat templates. One template and one thread at a time."""

    intercepted_binops = frozenset(("+", "*", "%", "**"))

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[LoopControlExtension, _Generation])
        self.binop_table |= {"+": add, "*": multiply, "%": _modulo, "**": power}
        self.filters = {name: self._metered(made) for name, made in chat_filters().items()}
        del self.globals["lipsum"]
        self._meter = Meter(Limits())

    def start(self, limits: Limits) -> None:
        """Begin a rendering that may use this much."""
        self._meter = Meter(limits)

    # What the generated code calls

    def tick(self) -> None:
        self._meter.tick()

    @staticmethod
    def text(value: object) -> str:
        return text_of(value)

    def concat(self, parts: Iterable[str]) -> MarkedText:
        whole = marked_text.concat(parts)
        self._meter.charge(whole)
        return whole

    def sliced(self, value: Any, start: Any, stop: Any, step: Any) -> Any:
        return self._meter.charge(value[slice(start, stop, step)])

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        return self._meter.charge(self.binop_table[operator](left, right))

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        self._meter.tick()
        return self._meter.charge(super().call(context, obj, *args, **kwargs))

    def getattr(self, obj: Any, attribute: str) -> Any:
        if not isinstance(obj, str):
            return super().getattr(obj, attribute)
        if attribute in _TEXT_METHODS:
            return self._method(marked(obj), attribute)
        if hasattr(str, attribute):
            return self.unsafe_undefined(obj, attribute)
        return self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, str) and isinstance(argument, str):
            return self.getattr(obj, argument)
        return super().getitem(obj, argument)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        # Numbers can be made into bytes of any length.
        return not isinstance(obj, (int, float, bytes)) and super().is_safe_attribute(obj, attr, value)

    def _method(self, text: MarkedText, name: str) -> Any:
        if name == "format":
            return lambda *args, **kwargs: brace(self, text, args, kwargs)
        if name == "format_map":
            return partial(brace, self, text, ())
        return getattr(text, name)

    def _metered(self, made: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(made)
        def metered(*args: Any, **kwargs: Any) -> Any:
            self._meter.tick()
            return self._meter.charge(made(*args, **kwargs))

        return metered


class _Generation(Extension):
    """`{% generation %}`: marks answers for training. Here it only has a scope of its own, as it has there."""

    tags = {"generation"}  # noqa: RUF012  # as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


def _modulo(left: Any, right: Any) -> Any:
    return percent(marked(left), right) if isinstance(left, str) else mod(left, right)
