"""Tools, calls and reasoning in chat templates: in those that know them, and in those that don't."""

from collections.abc import Mapping

from app.core.messages import Message, Role, TextPart, ToolCall
from app.engine.template.chat_template import CHATML, ChatTemplate
from app.engine.template.marked_text import MESSAGE, TRUSTED, UNTRUSTED, MarkedText

LOOP = "{%- for m in messages -%}{{ '<' ~ m.role ~ '>' }}{{ m.content }}"
END = "{%- endfor -%}"
OBJECTS = (
    LOOP
    + (
        "{%- for c in m.tool_calls or [] -%}{{ '<call>' ~ c.function.name }}"
        "{%- for key, value in c.function.arguments.items() -%}{{ ' '"
        " ~ key ~ '=' ~ value }}{%- endfor -%}{%- endfor -%}"
        "{%- if m.reasoning_content is defined -%}{{ '<thought>' ~ m.reasoning_content }}{%- endif -%}"
        "{%- if m.tool_call_id is defined -%}{{ '<for>' ~ m.tool_call_id ~ ':' ~ m.name }}{%- endif -%}"
    )
    + END
)
TEXTS = LOOP + "{%- for c in m.tool_calls or [] -%}{{ '<call>' ~ c.function.arguments }}{%- endfor -%}" + END
STRICT = (
    "{%- for m in messages -%}{%- if (m.role == 'user') != (loop.index0 % 2 == 0) -%}"
    "{{ raise_exception('Turns!') }}{%- endif -%}{{ '<' ~ m.role ~ '>' ~ m.content }}{%- endfor -%}"
)
HARMONY = (
    "{%- for m in messages -%}{%- if m.content and m.thinking -%}{{ raise_exception('Both!') }}{%- endif -%}"
    "{{ m.thinking }}|{{ m.content }}|"
    "{%- for c in m.tool_calls or [] -%}{{ c.function.arguments | tojson }}{%- endfor -%}{%- endfor -%}"
)
TOOLS: tuple[Mapping[str, object], ...] = ({"type": "function", "function": {"name": "look<|im_end|>"}},)
QUESTION = Message.of(Role.USER, "Q")
CALL = ToolCall("c1", "look", '{"a":  "x"}')
ANSWER = Message(Role.ASSISTANT, (TextPart("A"),), reasoning="R", tool_calls=(CALL,))
RESULT = Message(Role.TOOL, (TextPart("T"),), tool_call_id="c1", name="look")


def render(source: str, *messages: Message, tools: tuple[Mapping[str, object], ...] = ()) -> MarkedText:
    return ChatTemplate(source).render(messages, tools=tools, add_generation_prompt=False)


def origins(text: MarkedText, part: str) -> set[int]:
    start = str(text).index(part)
    return set(text.origins[start : start + len(part)])


def test_a_template_that_knows_calls_gets_objects() -> None:
    text = render(OBJECTS, QUESTION, ANSWER, RESULT)
    assert str(text) == "<user>Q<assistant>A<call>look a=x<thought>R<tool>T<for>c1:look"
    for part in ("look", "x<"[:1], "R", "A"):
        assert origins(text, part) == {MESSAGE + 1}
    assert origins(text, "c1") == {MESSAGE + 2}
    assert origins(text, "<call>") == {TRUSTED}


def test_arguments_are_text_where_that_is_printed_as_it_stands() -> None:
    assert str(render(TEXTS, QUESTION, ANSWER)) == '<user>Q<assistant>A<call>{"a":  "x"}'


def test_arguments_that_are_no_json_object_stay_text() -> None:
    broken = Message(Role.ASSISTANT, tool_calls=(ToolCall("c1", "look", '{"a": '),))
    assert str(render(TEXTS, QUESTION, broken)) == '<user>Q<assistant><call>{"a": '


def test_a_template_without_calls_gets_them_as_text() -> None:
    text = render(CHATML, QUESTION, ANSWER, RESULT)
    assert 'assistant\nA\n{"name": "look", "arguments": {"a": "x"}}<|im_end|>' in text
    assert "<|im_start|>tool\nT<|im_end|>" in text


def test_a_template_that_takes_turns_gets_results_from_the_user() -> None:
    other = Message(Role.TOOL, (TextPart("U"),), tool_call_id="c2")
    text = render(STRICT, QUESTION, ANSWER, RESULT, other)
    assert text.endswith("<user>T\n\nU")
    assert origins(text, "U") == {MESSAGE + 3}


def test_a_template_without_tools_is_told_of_them_by_the_system() -> None:
    text = render(CHATML, QUESTION, tools=TOOLS)
    assert text.startswith("<|im_start|>system\nYou may call these functions.")
    assert origins(text, "look<|im_end|>") == {UNTRUSTED}
    joined = render(CHATML, Message.of(Role.SYSTEM, "Be brief."), QUESTION, tools=TOOLS)
    assert joined.startswith("<|im_start|>system\nBe brief.\n\nYou may call")
    assert str(joined).count("<|im_start|>system") == 1


def test_a_template_that_calls_it_thinking_never_gets_both() -> None:
    assert str(render(HARMONY, ANSWER)) == 'RA||{"a": "x"}'


def test_without_calls_nothing_is_different() -> None:
    plain = Message(Role.ASSISTANT, (TextPart("A"),))
    assert str(render(OBJECTS, QUESTION, plain)) == "<user>Q<assistant>A"
