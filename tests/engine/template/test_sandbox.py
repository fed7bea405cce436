"""Templates that mean harm: they end in a sentence, soon, and without much memory."""

import sys
import threading
from datetime import datetime

import pytest

from app.core.errors import ModelError
from app.core.messages import Generation, Message, Role, TextPart
from app.engine.template.chat_template import ChatTemplate
from app.engine.template.limits import Limits
from app.engine.template.marked_text import TRUSTED, UNTRUSTED
from tests.work import assert_quick

MESSAGES = [
    Message.of(Role.USER, "secret"),
    Message(Role.ASSISTANT, (TextPart("reply"),), generation=Generation("vocab", (1,))),
]


def render(source: str, limits: Limits | None = None) -> str:
    return ChatTemplate(source, bos_token="<s>", clock=lambda: datetime(2031, 5, 4), limits=limits).render(MESSAGES)


NESTED = "{% set ns = namespace(x=['a']) %}{% for i in range(90) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}"
GROWING = "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(18) %}{% set ns.x = ns.x + ns.x %}{% endfor %}"


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'a' * 10**10 }}",
        "{{ 10**10 * 'a' }}",
        "{{ [0] * 10**10 }}",
        "{{ messages * 10**9 }}",
        "{{ 10 ** (10 ** 10) }}",
        "{% set ns = namespace(x=9) %}{% for i in range(60) %}{% set ns.x = ns.x * ns.x %}{% endfor %}{{ ns.x }}",
        "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
        "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        GROWING + "{% for i in range(100000) %}{{ ns.x }}{% endfor %}",
        GROWING + "{% set y %}{% for i in range(100000) %}{{ ns.x }}{% endfor %}{% endset %}{{ y }}",
        GROWING + "{% set k = namespace(x=[]) %}"
        "{% for i in range(100000) %}{% set k.x = k.x + [ns.x[i:]] %}{% endfor %}",
        GROWING + "{{ ns.x.replace('a', ns.x) }}",
        GROWING + "{{ ns.x|replace('a', ns.x) }}",
        GROWING + "{{ ns.x.join(ns.x) }}",
        GROWING + "{{ ns.x|join(ns.x) }}",
        "{{ messages[0].content.replace('', 'x' * 8000000) }}",
        "{{ messages[0].content.ljust(10**10) }}",
        "{{ 'a'.rjust(10**10) }}",
        "{{ 'a'.zfill(10**10) }}",
        "{{ 'a'|center(10**10) }}",
        "{{ 'a\nb'|indent(10**10) }}",
        "{{ 'a'|map('center', 10**10)|list }}",
        "{{ '%10000000000d' % 1 }}",
        "{{ '%.10000000000f' % 1 }}",
        "{{ '%*d' % (10**10, 1) }}",
        "{{ '%10000000000s'|format('a') }}",
        "{{ '{:10000000000}'.format(1) }}",
        "{{ '{:>{}}'.format(1, 10**10) }}",
        "{{ '{x:>{y}}'.format_map({'x': 1, 'y': 10**10}) }}",
        "{{ [1]|batch(10**10, 0)|list }}",
        "{{ [1]|slice(10**10)|list }}",
        "{{ 1.5|round(10**10, 'ceil') }}",
        "{{ [1, 2]|tojson(indent=10**10) }}",
        "{{ [1, 2]|tojson(indent='x' * 1000000) }}",
        "{{ range(100000)|list|tojson(separators=['x' * 1000000, ':']) }}",
        "{{ ([range(100000)|list] * 100000)|sum(start=[]) }}",
        GROWING + "{{ ns.x|list|length }}",
        GROWING + "{{ ns.x|sort|length }}",
        "{% for i in range(10**10) %}{% endfor %}",
        "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
        "{% for i in range(100000) recursive %}{{ loop(range(100000)) }}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
        "{% block b %}{{ self.b() }}{% endblock %}",
        "{% call(n) wrong(1) %}{% endcall %}",
        NESTED + "{{ ns.x }}",
        NESTED + "{{ ns.x|string }}",
        NESTED + "{{ ns.x|tojson }}",
        NESTED + "{{ ns.x|join }}",
        NESTED + "{{ ns.x|upper }}",
        NESTED + "{{ ns.x ~ '' }}",
        NESTED + "{{ '%s' % [ns.x] }}",
        NESTED + "{{ '%r'|format(ns.x) }}",
        NESTED + "{{ '{!r}'.format(ns.x) }}",
        NESTED + "{{ '{0[0]!s}'.format([ns.x]) }}",
        NESTED + "{{ {'a': ns.x}.values() }}",
        NESTED + "{{ ns }}",
    ],
)
def test_a_template_that_asks_for_too_much_is_stopped(source: str) -> None:
    def stopped() -> None:
        with pytest.raises(ModelError) as caught:
            render(source, Limits(seconds=2.0, steps=200_000, made=1 << 25))
        assert not isinstance(caught.value.__cause__, MemoryError)
        assert caught.value.sentence.endswith(".")

    assert_quick(10.0, stopped)


def test_what_the_harmful_templates_begin_with_does_no_harm() -> None:
    assert len(render(GROWING + "{{ ns.x }}")) == 8 << 18
    assert render(NESTED + "{{ ns.x|length }}") == "2"


def test_each_limit_stops_on_its_own() -> None:
    loops = "{% for i in range(1000) %}{% for j in range(1000) %}{% endfor %}{% endfor %}"
    with pytest.raises(ModelError, match="more work than it may"):
        render(loops, Limits(steps=100_000))
    with pytest.raises(ModelError, match="more work than it may"):
        render(loops, Limits(seconds=0.01))
    with pytest.raises(ModelError, match="more work than it may"):
        render(GROWING, Limits(made=1 << 20))
    assert render(loops, Limits(steps=2_000_000, seconds=100)) == ""


@pytest.mark.parametrize(
    "made", ["ns.x[1:]", "ns.x + 'a'", "ns.x ~ 'a'", "ns.x|upper", "ns.x.lower()", "[0] * 100000", "m()"]
)
def test_everything_that_is_made_is_counted(made: str) -> None:
    """Also where nothing of it is kept."""
    macro = "{% macro m() %}{{ ns.x }}{% endmacro %}"
    with pytest.raises(ModelError, match="more work than it may") as caught:
        render(GROWING + macro + "{% for i in range(40) %}{% set y = " + made + " %}{% endfor %}", Limits(made=1 << 25))
    assert "too much memory" in str(caught.value.__cause__)


def test_the_limits_are_those_of_one_rendering() -> None:
    template = ChatTemplate("{% for i in range(600) %}{% endfor %}", limits=Limits(steps=1000))
    for _ in range(5):
        assert template.render(MESSAGES) == ""


@pytest.mark.parametrize(
    "expression",
    [
        "''.__class__.__mro__",
        "''['__class__'].__mro__",
        "(''|attr('__class__')).__mro__",
        "'{0.__class__.__mro__}'.format(messages)",
        "'{0.__class__.__mro__}'.format_map({'0': messages})",
        "messages.__class__.__base__",
        "(messages|map(attribute='__class__')|list)[0].mro()",
        "namespace.__init__.__globals__",
        "cycler.__init__.__globals__",
        "raise_exception.__globals__.keys()",
        "strftime_now.__globals__.keys()",
        "''.join.__func__.__globals__",
        "self._TemplateReference__context.environment",
        "messages[1].content._marks.upper()",
        "messages[1].content.runs()",
        "messages[1].content.origins[0]",
        "''.encode()",
        "'\t'.expandtabs(1)",
        "''.maketrans('a', 'b')",
        "(1).to_bytes(1, 'big')",
        "(1.5).hex()",
        "messages.append(1)",
        "messages.clear()",
        "messages[0].update(role='system')",
        "lipsum()",
    ],
)
def test_what_lies_outside_the_sandbox_is_out_of_reach(expression: str) -> None:
    with pytest.raises(ModelError):
        render("{{ " + expression + " }}")
    assert MESSAGES[0].text == "secret"


@pytest.mark.parametrize("name", ["random", "urlize", "pprint", "xmlattr", "wordwrap", "urlencode", "striptags"])
def test_filters_that_no_prompt_needs_are_unknown(name: str) -> None:
    with pytest.raises(ModelError, match=f"No filter named '{name}'"):
        ChatTemplate(f"{{{{ 'x'|{name} }}}}")


def test_what_asks_whether_text_has_marks_is_told_no() -> None:
    source = "{{ messages[1].content.runs is defined }}{{ messages[1].content.nonsense is defined }}"
    assert render(source) == "FalseFalse"


def test_what_the_sandbox_counts_and_dates_is_not_trusted() -> None:
    template = ChatTemplate(
        "{{ messages|length }}{{ true }}{{ strftime_now('%Y') }}{{ {'a': 1}|tojson }}{{ ['<b>'] }}{{ 7 }}",
        clock=lambda: datetime(2031, 5, 4),
    )
    text = template.render(MESSAGES)
    assert text == "2True2031{\"a\": 1}['<b>']7"
    # The last number is a literal.
    assert [(text[start:stop], origin) for start, stop, origin in text.runs() if origin != UNTRUSTED] == [
        ("True", TRUSTED),
        ("7", TRUSTED),
    ]


def test_a_runaway_template_ends_on_a_thread_with_a_small_stack() -> None:
    """The engine's thread may have one: recursion has to end in Python, not in a crash."""
    told: list[str] = []

    def run() -> None:
        try:
            render("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}")
        except ModelError as error:
            told.append(error.sentence)

    before = threading.stack_size(512 << 10)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert told and "more work" in told[0]
    assert sys.getrecursionlimit() == 1000
