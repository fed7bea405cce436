"""Which efforts of reasoning templates tell apart: families written as theirs are, in a few words."""

from typing import Any

import pytest

from app.core.messages import Message, Role
from app.core.reasoning import Effort, Efforts, at_once, nearest
from app.core.resources import GUIDE
from app.engine.template.chat_template import CHATML, ChatTemplate
from tests.engine.conftest import OpenTiny
from tests.engine.template.test_chat_template import SOURCES

TURN = "{{ messages[0]['content'] }}"
OFF, ON, LOW, MEDIUM, HIGH = Effort

SWITCH = TURN + "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}"
OTHER_SWITCH = TURN + "{% if thinking %}<think>{% else %}</think>{% endif %}"
PRINTED = (
    "{% if not reasoning_effort %}{% set reasoning_effort = 'medium' %}{% endif %}Reasoning: {{ reasoning_effort }}"
    + TURN
)
STRICT = (
    "{% set effort = reasoning_effort or 'none' %}"
    "{% if effort not in ['none', 'high'] %}{{ raise_exception('no such effort') }}{% endif %}[{{ effort }}]" + TURN
)
LENIENT = (
    "{% if reasoning_effort == 'low' %}short{% elif reasoning_effort == 'high' %}long{% else %}as usual{% endif %}"
    + TURN
)
BOTH = SWITCH + "{% if enable_thinking is not defined or enable_thinking %}{{ reasoning_effort or 'high' }}{% endif %}"
ALWAYS = TURN + "<think>"


@pytest.mark.parametrize(
    ("source", "efforts"),
    [
        (CHATML, ()),
        (ALWAYS, ()),
        (SWITCH, (OFF, ON)),
        (SOURCES["thinking"], (OFF, ON)),
        (OTHER_SWITCH, (OFF, ON)),
        (PRINTED, (LOW, MEDIUM, HIGH)),
        (STRICT, (OFF, HIGH)),
        (LENIENT, (LOW, MEDIUM, HIGH)),
        (BOTH, (OFF, LOW, MEDIUM, HIGH)),
    ],
)
def test_what_a_template_tells_apart_is_offered(source: str, efforts: tuple[Effort, ...]) -> None:
    assert tuple(ChatTemplate(source).efforts) == efforts


def test_each_effort_gives_a_prompt_of_its_own() -> None:
    for source in (SWITCH, OTHER_SWITCH, PRINTED, STRICT, LENIENT, BOTH):
        template = ChatTemplate(source)
        question = [Message.of(Role.USER, "hi")]
        prompts = {str(template.render(question, **dict[str, Any](told))) for told in template.efforts.values()}
        assert len(prompts) == len(template.efforts)


def test_an_effort_of_another_model_is_the_nearest_of_this_one() -> None:
    switch: Efforts = {OFF: {}, ON: {}}
    levels: Efforts = {LOW: {}, MEDIUM: {}, HIGH: {}}
    assert [nearest(switch, each) for each in (None, OFF, ON, LOW, HIGH)] == [None, OFF, ON, ON, ON]
    assert [nearest(levels, each) for each in (OFF, ON, LOW)] == [None, MEDIUM, LOW]
    assert nearest({}, HIGH) is None


def test_what_nobody_waits_for_is_asked_without_reasoning() -> None:
    assert dict(at_once(ChatTemplate(OTHER_SWITCH).efforts)) == {"thinking": False}
    assert dict(at_once(ChatTemplate(STRICT).efforts)) == {"reasoning_effort": "none"}
    assert dict(at_once({})) == {"enable_thinking": False}


def test_a_loaded_model_tells_them(open_tiny: OpenTiny) -> None:
    assert tuple(open_tiny(str(GUIDE)).info.efforts) == (OFF, ON)
    assert not open_tiny("llama").info.efforts
