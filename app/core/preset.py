"""What a conversation can be given under one name: a system prompt, values for the sampling, and whether to think.

A preset's file is JSON: `format` "hearth-preset", `version` 1, `name`, `system_prompt`, `sampling` (by the names of
`Sampling`'s fields, only what the preset sets) and `thinking`.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.reasoning import Effort
from app.core.sampling import Sampling
from app.core.setting import plain, valid

FORMAT, VERSION = "hearth-preset", 1
ENDING = ".hearth-preset.json"
LARGEST_FILE = 4 << 20
"""Bytes."""


class Thinking(StrEnum):
    AUTO = "auto"
    """As the model's template has it."""
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Preset:
    name: str
    system_prompt: str = ""
    """Stands in the place of the general one; empty leaves that in force."""
    sampling: Mapping[str, object] = field(default_factory=dict)
    """What it sets of `Sampling`, by name; checked."""
    thinking: Thinking = Thinking.AUTO

    @property
    def effort(self) -> Effort | None:
        return None if self.thinking is Thinking.AUTO else Effort(self.thinking.value)

    @property
    def template_args(self) -> dict[str, object]:
        """Variables for the model's chat template, by the name that most of them know."""
        return {} if self.thinking is Thinking.AUTO else {"enable_thinking": self.thinking is Thinking.ON}


def to_json(preset: Preset) -> dict[str, object]:
    return {
        "name": preset.name,
        "system_prompt": preset.system_prompt,
        "sampling": {name: plain(value) for name, value in preset.sampling.items()},
        "thinking": preset.thinking.value,
    }


def from_json(value: Mapping[str, object]) -> Preset:
    """What is wrong, or not known to this version, is left out."""
    name, prompt, thinking = value.get("name"), value.get("system_prompt"), value.get("thinking")
    return Preset(
        plain_name(name) if isinstance(name, str) else "",
        prompt if isinstance(prompt, str) else "",
        valid(Sampling, value.get("sampling")),
        Thinking(thinking) if isinstance(thinking, str) and thinking in set(Thinking) else Thinking.AUTO,
    )


def plain_name(name: str) -> str:
    """One line."""
    return " ".join(name.replace("\0", "").split())


def unused_name(name: str, taken: Collection[str]) -> str:
    """`name`, or the first of it with a number that is none of `taken`, which are case-folded."""
    found, number = name, 1
    while found.casefold() in taken:
        number += 1
        found = f"{name} {number}"
    return found


def dump_file(preset: Preset) -> bytes:
    told = {"format": FORMAT, "version": VERSION, **to_json(preset)}
    return json.dumps(told, indent=2).encode() + b"\n"


def load_file(data: bytes) -> Preset:
    """Raises ValueError for what is no preset."""
    try:
        told = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise ValueError("no preset")
    return from_json(told)
