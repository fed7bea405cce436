import pytest

from app.core.messages import Message, Role
from app.engine.template.chat_template import ChatTemplate
from app.engine.template.marked_text import MESSAGE, TRUSTED, UNTRUSTED

T, M, U = TRUSTED, MESSAGE, UNTRUSTED


def pieces(expression: str, content: str = " yes no ") -> list[tuple[str, int]]:
    template = ChatTemplate("{{ " + expression + " }}", bos_token="<s>")
    text = template.render([Message.of(Role.USER, content)], c=content)
    return [(text[start:stop], origin) for start, stop, origin in text.runs()]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("messages[0].content", [(" yes no ", M)]),
        ("messages[0].content|trim", [("yes no", M)]),
        ("messages[0].content|upper", [(" YES NO ", M)]),
        ("messages[0].content|title", [(" Yes No ", M)]),
        ("messages[0].content|capitalize", [(" yes no ", M)]),
        ("messages[0].content|string|safe", [(" yes no ", M)]),
        ("messages[0].content|replace('yes', '<|y|>')", [(" ", M), ("<|y|>", T), (" no ", M)]),
        ("'<|x|>'|replace('x', messages[0].content|trim)", [("<|", T), ("yes no", M), ("|>", T)]),
        ("messages[0].content.split()|join('|')", [("yes", M), ("|", T), ("no", M)]),
        ("['<|a|>', '<|b|>']|join", [("<|a|><|b|>", T)]),
        ("messages|join('|', attribute='content')", [(" yes no ", M)]),
        ("messages|map(attribute='content')|map('trim')|first", [("yes no", M)]),
        ("messages[0].content.strip()|first ~ messages[0].content.strip()|last", [("yo", M)]),
        ("messages[0].content|trim|list|join", [("yes no", M)]),
        ("messages[0].content|trim|reverse", [("on sey", M)]),
        ("(messages[0].content|trim ~ '\n<|x|>')|indent(1)", [("yes no", M), ("\n <|x|>", T)]),
        ("('<|x|>\n' ~ messages[0].content)|indent('> ', first=true)", [("> <|x|>\n> ", T), (" yes no ", M)]),
        ("nothing|default('<|x|>')", [("<|x|>", T)]),
        ("messages[0].role ~ bos_token", [("user<s>", T)]),
        ("'<|%s|>'|format(messages[0].role)", [("<|user|>", T)]),
        ("messages[0].content|tojson", [('" yes no "', U)]),
        ("['<|x|>']|tojson", [('["<|x|>"]', U)]),
        ("'<|x|>'|e", [("&lt;|x|&gt;", U)]),
        ("c|trim ~ c.strip() ~ c|upper", [("yes noyes no YES NO ", U)]),
        ("c.replace('yes', '<|y|>')", [(" ", U), ("<|y|>", T), (" no ", U)]),
        ("c.strip().join(['<', '>'])", [("<", T), ("yes no", U), (">", T)]),
        ("'%s' % c", [(" yes no ", U)]),
    ],
)
def test_filters_keep_origins(expression: str, expected: list[tuple[str, int]]) -> None:
    assert pieces(expression) == expected


def test_another_length_costs_the_origin() -> None:
    assert pieces("messages[0].content|upper", "Maß") == [("MASS", U)]
    assert pieces("messages[0].content|title", "ß") == [("SS", U)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("{'b': 1, 'a': ['é', none, true]}|tojson", '{"b": 1, "a": ["é", null, true]}'),
        ("'<\\'&>'|tojson", '"<\'&>"'),
        ("{'b': 1, 'a': 2}|tojson(sort_keys=true, separators=[',', ':'])", '{"a":2,"b":1}'),
        ("['é']|tojson(ensure_ascii=true)", '["\\u00e9"]'),
        ("[1]|tojson(indent=2)", "[\n  1\n]"),
        ("[[1], [2]]|sum(start=[])", "[1, 2]"),
        ("messages|sum(attribute='n', start=1)", "4"),
        ("[1, 2, 3]|batch(2, 0)|list", "[[1, 2], [3, 0]]"),
        ("[1, 2, 3]|slice(2)|list", "[[1, 2], [3]]"),
        ("'%d%%'|format(5)", "5%"),
        ("'a <b>'|safe + '<c>'", "a <b><c>"),
    ],
)
def test_filters_make_what_jinja_or_hugging_face_make(expression: str, expected: str) -> None:
    template = ChatTemplate("{% set messages = [{'n': 1}, {'n': 2}] %}{{ " + expression + " }}")
    assert template.render([]) == expected
