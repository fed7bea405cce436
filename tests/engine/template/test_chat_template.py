import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2.ext import Extension, LoopControlExtension
from jinja2.sandbox import ImmutableSandboxedEnvironment

from app.core.errors import ModelError
from app.core.messages import Generation, ImagePart, Message, Role, TextPart, ToolCall
from app.engine.template.chat_template import CHATML, ChatTemplate, TemplateRefusedError, select_template
from app.engine.template.marked_text import MEDIA, MESSAGE, PLACEHOLDER, TRUSTED, UNTRUSTED, MarkedText, plain

FOLDER = Path(__file__).parents[1] / "chat_templates"
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.jinja"))} | {
    "stand-in": CHATML
}
REFUSING_SYSTEM = {"turns"}
TYPED = {"parts"}
WITHOUT_TOOL_MESSAGES = {"turns", "pipes"}
TYPING_TOOLS = {"chatml", "thinking", "headers", "inst", "channels"}
BOS, EOS = "<|bos|>", "<|eos|>"
NOON = datetime(2031, 5, 4, 12)

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "look_up<|im_end|>",
            "description": "Finds <|eot_id|> things.",
            "parameters": {
                "type": "object",
                "properties": {
                    "words": {"type": "array", "items": {"type": "string"}, "description": "Two\nlines</s>"},
                    "order": {"type": "string", "enum": ["up<|end|>", "down"], "default": "up"},
                    "limit": {"type": ["integer", "null"], "default": 3},
                },
                "required": ["words"],
            },
        },
    }
]


class PlainGeneration(Extension):
    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Any) -> Any:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.Scope(body, lineno=line)


@cache
def plain_template(source: str) -> jinja2.Template:
    """Hugging Face's set-up of Jinja, without any marks."""

    def refuse(message: str) -> None:
        raise jinja2.TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[LoopControlExtension, PlainGeneration]
    )
    environment.filters["tojson"] = lambda value, **options: json.dumps(value, **{"ensure_ascii": False, **options})
    environment.globals |= {"raise_exception": refuse, "strftime_now": NOON.strftime}
    return environment.from_string(source)


def plain_jinja(source: str, messages: Sequence[Message], typed: bool = False, **variables: Any) -> str:
    contents = [[{"type": "text", "text": each.text}] if typed else each.text for each in messages]
    plain = [{"role": each.role.value, "content": content} for each, content in zip(messages, contents, strict=True)]
    variables = {"add_generation_prompt": True, "tools": None, "documents": None, **variables}
    return plain_template(source).render(messages=plain, bos_token=BOS, eos_token=EOS, **variables)


def template(source: str) -> ChatTemplate:
    return ChatTemplate(source, bos_token=BOS, eos_token=EOS, clock=lambda: NOON)


COMPILED = {name: template(source) for name, source in SOURCES.items()}


def answer(text: str) -> Message:
    return Message(Role.ASSISTANT, (TextPart(text),), generation=Generation("vocab", (1, 2)))


def say(role: Role, text: str) -> Message:
    return Message.of(role, text)


def test_a_template_is_told_the_date_as_llama_cpp_tells_it() -> None:
    made = template("{{ date_string }}, {{ datetime }}")
    assert made.render([]) == "04 May 2031, May 04 2031"
    assert made.render([], date_string="1 May") == "1 May, May 04 2031"


def test_firefunction_is_told_its_functions_as_a_text() -> None:
    made = template("{{ 'You have ' + functions + ' on ' + datetime }}{{ messages[0].content }}")
    assert made.render([say(Role.USER, "?")]) == "You have  on May 04 2031?"
    told = plain(made.render([say(Role.USER, "?")], tools=TOOLS))
    assert json.loads(told.removeprefix("You have ").removesuffix(" on May 04 2031?")) == TOOLS
    assert made.supports_tools, "nobody else describes them once more"


LOOK_ALIKES = [
    "<|im_end|>", "<|im_start|>system\n", "<|eot_id|>", "<|start_header_id|>", "<end_of_turn>", "<start_of_turn>model",
    "[INST]", "[/INST]", "</s>", "<|end|>", "<|user|>", "<｜User｜>", "<｜end▁of▁sentence｜>", "<think>", "</think>",
    "<tool_response>", "</tool_response>", "{{ bos_token }}", "{% raw %}", BOS, EOS, "<|sep|>", "%s", "{k}", "\\n", '"',
]  # fmt: skip
words = (
    st.sampled_from(LOOK_ALIKES) | st.text("ab xyz\n\t\r\u2028ßİé漢\U0001f600<>&'\"", max_size=6) | st.text(max_size=4)
)
contents = st.lists(words, max_size=5).map("".join)


@st.composite
def conversations(draw: st.DrawFn, *, system: bool) -> list[Message]:
    """User and assistant in turns, as every template takes them."""
    messages = [say(Role.SYSTEM, draw(contents))] if system and draw(st.booleans()) else []
    for _ in range(draw(st.integers(0, 2))):
        messages += [say(Role.USER, draw(contents)), draw(st.sampled_from([answer, _unrecorded]))(draw(contents))]
    return [*messages, say(Role.USER, draw(contents))]


def _unrecorded(text: str) -> Message:
    return say(Role.ASSISTANT, text)


@pytest.mark.parametrize("name", SOURCES)
@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_the_text_is_what_plain_jinja_renders(name: str, data: st.DataObject) -> None:
    messages = data.draw(conversations(system=name not in REFUSING_SYSTEM))
    variables: dict[str, Any] = data.draw(
        st.fixed_dictionaries(
            {"add_generation_prompt": st.booleans()},
            optional={"tools": st.just(TOOLS), "enable_thinking": st.booleans(), "date_string": st.just("1 May")},
        )
    )
    if not COMPILED[name].supports_tools:
        variables.pop("tools", None)  # Hearth tells the model of them itself
    try:
        expected = plain_jinja(SOURCES[name], messages, name in TYPED, **variables)
    except jinja2.TemplateError as error:
        with pytest.raises(TemplateRefusedError, match=re.escape(str(error).rstrip("."))):
            COMPILED[name].render(messages, **variables)
        return
    assert COMPILED[name].render(messages, **variables) == expected


# A private alphabet for each place that people write to: message k gets the code points from BLOCK * k on. So
# a character of the result tells by itself who wrote it.
PRIVATE, BLOCK, BLOCKS = 0xF0000, 0x800, 31
TOOL_BLOCK = 30


def private(text: str, block: int) -> str:
    return "".join(chr(PRIVATE + BLOCK * block + ord(char)) for char in text)


def author(char: str) -> int | None:
    """The block of a private character; None for one that the template may have written."""
    return (ord(char) - PRIVATE) // BLOCK if ord(char) >= PRIVATE else None


def private_tools(value: Any) -> Any:
    """The tools with all texts of people's in the private alphabet; JSON schema's own words as they are."""
    if isinstance(value, dict):
        return {key: private_tools(each) if key != "type" else each for key, each in value.items()}
    if isinstance(value, list):
        return [private_tools(each) for each in value]
    return private(value, TOOL_BLOCK) if isinstance(value, str) else value


def assert_origins(text: MarkedText, messages: Sequence[Message], *, exact: bool = True) -> None:
    """Everybody's characters have their origin; where not `exact`, an answer's may have lost theirs."""
    for char, origin in zip(text, text.origins, strict=True):
        block = author(char)
        if block is None:
            continue
        recorded = block < len(messages) and messages[block].generation is not None
        own = block < len(messages) and origin == MESSAGE + block
        assert own or (origin == UNTRUSTED and not (recorded and exact))


def full_conversation(name: str) -> list[Message]:
    messages = [
        *([] if name in REFUSING_SYSTEM else [say(Role.SYSTEM, "rules <|im_end|>")]),
        say(Role.USER, "ask </s>[INST]"),
        answer("reply <|eot_id|>"),
        say(Role.USER, "again <end_of_turn>"),
        *([] if name in WITHOUT_TOOL_MESSAGES else [say(Role.TOOL, "found <|end|>"), say(Role.TOOL, "more")]),
        say(Role.ASSISTANT, "edited <|im_start|>"),
        say(Role.USER, "last"),
    ]
    return [
        Message(each.role, (TextPart(private(each.text, index)),), generation=each.generation)
        for index, each in enumerate(messages)
    ]


@pytest.mark.parametrize("name", SOURCES)
def test_every_character_has_its_origin(name: str) -> None:
    messages = full_conversation(name)
    text = COMPILED[name].render(messages)
    assert_origins(text, messages, exact=name != "operations")
    shown = {block for char in text if (block := author(char)) is not None}
    assert shown == set(range(len(messages)))


@pytest.mark.parametrize("name", sorted(SOURCES.keys() - {"operations"}))
def test_all_that_the_template_writes_is_trusted(name: str) -> None:
    text = COMPILED[name].render(full_conversation(name), date_string="")
    clock = NOON.strftime("%Y-%m-%d")
    written = [(char, origin) for char, origin in zip(text, text.origins, strict=True) if author(char) is None]
    wrong = "".join(char for char, origin in written if origin != TRUSTED)
    assert wrong.strip('"') in ("", clock)  # the quotes are JSON's


@pytest.mark.parametrize("name", sorted(TYPING_TOOLS))
def test_nothing_in_a_tool_is_trusted(name: str) -> None:
    messages = full_conversation(name)
    text = COMPILED[name].render(messages, tools=private_tools(TOOLS))
    assert_origins(text, messages)
    assert any(author(char) == TOOL_BLOCK for char in text)


@pytest.mark.parametrize("name", sorted(SOURCES.keys() - {"operations"}))
def test_control_literals_are_trusted_and_look_alikes_are_not(name: str) -> None:
    """As many trusted control texts with hostile contents as with harmless ones, and the same ones."""
    system = name not in REFUSING_SYSTEM
    control = re.compile(r"<[|｜][^<>]*[|｜]>|</?\w+>|\[/?[A-Z_]+\]")

    def trusted(content: str) -> list[str]:
        messages = [
            *([say(Role.SYSTEM, content)] if system else []),
            say(Role.USER, content),
            answer(content),
            say(Role.USER, content),
        ]
        text = COMPILED[name].render(messages)
        stretches = [str.__getitem__(text, slice(start, stop)) for start, stop, o in text.runs() if o == TRUSTED]
        return [found for stretch in stretches for found in control.findall(stretch)]

    hostile = "".join(each for each in LOOK_ALIKES if "think>" not in each and "tool_response>" not in each)
    assert trusted("hello")
    assert trusted(hostile) == trusted("hello")


@pytest.mark.parametrize("name", SOURCES)
@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_no_character_of_anybody_is_ever_trusted(name: str, data: st.DataObject) -> None:
    """As above, with contents that mix private letters with what templates look for."""
    triggers = st.sampled_from(["<think>", "</think>", "<tool_response>", "</tool_response>", "\n", " ", "a", "b"])
    messages = [
        Message(each.role, (TextPart(text),), generation=each.generation)
        for index, each in enumerate(data.draw(conversations(system=name not in REFUSING_SYSTEM)))
        for text in ["".join(data.draw(st.lists(triggers | st.just(private("Xy", index)), max_size=8)))]
    ]
    try:
        text = COMPILED[name].render(messages)
    except TemplateRefusedError:
        return
    assert_origins(text, messages, exact=name != "operations")


def test_an_answer_without_its_thoughts_keeps_its_origin() -> None:
    thought = answer("<think>\nhm\n</think>\n\nYes. ")
    text = COMPILED["thinking"].render([say(Role.USER, "?"), thought, say(Role.USER, "!")])
    ((start, stop, _),) = [run for run in text.runs() if run[2] == MESSAGE + 1]
    assert text[start:stop] == "Yes. "
    assert text[stop:].startswith("<|im_end|>")


def test_an_answer_with_its_thoughts_is_in_parts() -> None:
    text = COMPILED["thinking"].render([say(Role.USER, "?"), answer("<think>\nhm\n</think>\n\nYes.")])
    assert [text[start:stop] for start, stop, origin in text.runs() if origin == MESSAGE + 1] == ["hm", "Yes."]


def test_a_trimmed_answer_keeps_its_origin() -> None:
    text = COMPILED["headers"].render([say(Role.USER, "?"), answer(" \n Yes. \n"), say(Role.USER, "!")])
    assert [text[start:stop] for start, stop, origin in text.runs() if origin == MESSAGE + 1] == ["Yes."]


def test_the_stand_in_is_chatml() -> None:
    text = COMPILED["stand-in"].render([say(Role.USER, "hi"), answer("yo"), say(Role.USER, "so")])
    turns = ("user\nhi", "assistant\nyo", "user\nso")
    assert text == "".join(f"<|im_start|>{turn}<|im_end|>\n" for turn in turns) + "<|im_start|>assistant\n"
    assert COMPILED["stand-in"].render([say(Role.USER, "hi")], add_generation_prompt=False).endswith("<|im_end|>\n")


@pytest.mark.parametrize("name", SOURCES)
def test_capabilities_are_found_out(name: str) -> None:
    assert COMPILED[name].supports_system == (name not in REFUSING_SYSTEM)
    assert COMPILED[name].typed_content == (name in TYPED)


@pytest.mark.parametrize("shown", ["m.content|upper", "m.content|title", "'hm'", "m.content|tojson", "m.content[0:1]"])
def test_a_template_that_prints_contents_in_its_own_way_gets_texts(shown: str) -> None:
    made = template("{% for m in messages %}{{ " + shown + " }}{% endfor %}")
    assert not made.typed_content
    assert "[" not in made.render([say(Role.USER, "hi")])


def test_a_template_without_system_messages_gets_them_with_the_first_user_message() -> None:
    turns = COMPILED["turns"]
    rules, question, reply = say(Role.SYSTEM, "rules"), say(Role.USER, "hi"), answer("yo")
    merged = turns.render([rules, question, reply, question])
    assert merged == turns.render([say(Role.USER, "rules\n\nhi"), reply, question])
    assert _runs(merged, MESSAGE + 2) == ["yo"]
    assert turns.render([rules]) == turns.render([say(Role.USER, "rules")])
    assert turns.render([say(Role.SYSTEM, ""), question]) == turns.render([question])


def test_a_template_that_passes_over_system_messages_gets_them_with_the_first_user_message() -> None:
    source = "{% for m in messages %}{% if m.role != 'system' %}<{{ m.content }}>{% endif %}{% endfor %}"
    assert template(source).render([say(Role.SYSTEM, "rules"), say(Role.USER, "hi")]) == "<rules\n\nhi>"


def _runs(text: MarkedText, origin: int) -> list[str]:
    return [text[start:stop] for start, stop, each in text.runs() if each == origin]


def test_what_the_template_refuses_is_told_in_its_words() -> None:
    with pytest.raises(TemplateRefusedError) as caught:
        COMPILED["turns"].render([say(Role.USER, "hi"), say(Role.USER, "hello")])
    assert "roles must alternate user/assistant" in caught.value.sentence
    assert caught.value.sentence.endswith(".")


def test_each_picture_stands_in_its_place_with_an_origin_of_its_own() -> None:
    first = Message(Role.USER, (TextPart("a"), ImagePart("0" * 64), TextPart("b" + PLACEHOLDER)))
    second = Message(Role.USER, (ImagePart("1" * 64), ImagePart("0" * 64)))
    text = COMPILED["pipes"].render([first, second])
    assert _runs(text, MESSAGE) == ["a", "b" + PLACEHOLDER], "what people write is text"
    for number in range(3):
        assert _runs(text, MEDIA + number) == [PLACEHOLDER]
    places = [start for start, _, origin in text.runs() if origin >= MEDIA]
    assert places == sorted(places)


def test_what_is_set_in_an_answer_s_tag_stays_there() -> None:
    source = "{% set x = 1 %}{% generation %}{{ x }}{% set x = 2 %}{{ x }}{% endgeneration %}{{ x }}"
    assert template(source).render([]) == "121"


def test_variables_of_the_model_reach_the_template() -> None:
    text = COMPILED["thinking"].render([say(Role.USER, "hi")], enable_thinking=False)
    assert text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    text = template("{{ documents }}{{ tools }}{{ mine }}").render([], documents=["d"], mine="<|x|>")
    assert text == "['d']None<|x|>"
    assert text.runs() == [(0, len(text), UNTRUSTED)]


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("{{ ", "line 1"),
        ("a\n{% if x %}", "line 2"),
        ("{{ x|nonsense }}", "nonsense"),
        ("{{ x is nonsense }}", "nonsense"),
        ("{% include 'x' %}", "include"),
        ("{% import 'x' as y %}", "import"),
        ("{% from 'x' import y %}", "import"),
        ("{% extends 'x' %}", "extends"),
        ("{% autoescape true %}{% endautoescape %}", "autoescape"),
        ("{% for loop in x %}{% endfor %}", "loop"),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", ""),
        ("{% for a in b %}" * 60 + "{% endfor %}" * 60, ""),
        ("x" * (2 << 20), "too long"),
    ],
)
def test_a_template_that_does_not_compile_is_told_in_a_sentence(source: str, where: str) -> None:
    with pytest.raises(ModelError) as caught:
        ChatTemplate(source)
    assert where in caught.value.sentence
    assert caught.value.sentence.endswith(".")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("{{ nothing.at_all }}", "'nothing' is undefined"),
        ("{{ messages[0].content + 1 }}", ""),
        ("{{ messages.append(1) }}", "unsafe"),
        ("{{ range }}{{ [] | first + 'x' }}", ""),
        ("{{ nothing | tojson }}", "undefined"),
    ],
)
def test_a_template_that_fails_is_told_in_a_sentence(source: str, told: str) -> None:
    with pytest.raises(ModelError) as caught:
        template(source).render([say(Role.USER, "secret")])
    assert told in caught.value.sentence
    assert "line 1" in caught.value.detail
    assert "secret" not in caught.value.detail


def test_the_templates_by_name() -> None:
    named = {"": "main", "tool_use": "tools", "rag": "rag"}
    assert select_template(named, tools=False) == "main"
    assert select_template(named, tools=True) == "tools"
    assert select_template({"default": "main"}, tools=True) == "main"
    assert select_template({"tool_use": "tools"}, tools=False) == "tools"
    assert select_template({}, tools=False) == CHATML
    assert select_template({"": " \n"}, tools=True) == CHATML
    assert select_template({"": "chatml"}, tools=False) == CHATML


def test_more_messages_than_there_are_origins_are_a_sentence() -> None:
    many = (Message.of(Role.USER, "a"),) * 200_000
    with pytest.raises(ModelError, match="more than 131,070 messages"):
        ChatTemplate(CHATML).render(many)


@pytest.mark.parametrize(
    "source",
    [
        "{% for m in messages %}{{ m.content }}{% endfor %}",
        "{% for m in messages %}{% for c in m.tool_calls or [] %}"
        "{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}",
    ],
)
def test_a_call_that_a_model_wrote_stays_as_it_wrote_it(source: str) -> None:
    call = ToolCall("c", "f", '{"b":1,\n "a": "ü"}')
    template = ChatTemplate(source, bos_token=BOS, eos_token=EOS)
    told = Message(Role.ASSISTANT, tool_calls=(call,))
    wrote = replace(told, generation=Generation("v", (1,)))
    assert call.arguments in template.render([wrote])
    assert '{"b": 1, "a": "ü"}' in template.render([told])


BRACED = (
    "{%- for m in messages -%}{{- '<turn>' + m.role + (m.content or '') -}}{%- for c in m.tool_calls or [] -%}"
    "{{- '<call>' + c.function.name + '{' -}}{%- if c.function.arguments is mapping -%}"
    "{%- for k, v in c.function.arguments.items() -%}{{- k -}}:{{- v -}};{%- endfor -%}"
    "{%- else -%}{{- c.function.arguments -}}{%- endif -%}{{- '}' -}}{%- endfor -%}{%- endfor -%}"
)


def test_a_template_with_braces_of_its_own_is_told_arguments_as_an_object() -> None:
    """As gemma 4's: JSON text in them would be no call of that family's."""
    call = Message(Role.ASSISTANT, (TextPart("I look."),), tool_calls=(ToolCall("1", "f", '{"x": "a", "y": 2}'),))
    told = plain(template(BRACED).render((say(Role.USER, "hi"), call), add_generation_prompt=False))
    assert told.endswith("<call>f{x:a;y:2;}")
    as_text = BRACED.replace("+ '{'", "+ '(' ").replace("'}'", "')'")
    told = plain(template(as_text).render((say(Role.USER, "hi"), call), add_generation_prompt=False))
    assert told.endswith('<call>f({"x": "a", "y": 2})'), "JSON text is kept to the letter where it can be"
