"""What people want of a message in the conversation."""

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget


@dataclass(frozen=True, slots=True)
class Reword:
    """Another version with this text."""

    message_id: int
    text: str


@dataclass(frozen=True, slots=True)
class Walk:
    """The version that is `step` places further."""

    message_id: int
    step: int


@dataclass(frozen=True, slots=True)
class AnswerAgain:
    message_id: int


@dataclass(frozen=True, slots=True)
class AnswerWith:
    """Answer again with another model, which has to be chosen."""

    message_id: int
    anchor: QWidget
    """Where the choice opens."""


@dataclass(frozen=True, slots=True)
class AnswerLast:
    """Answer the question at the end, which has no answer."""


@dataclass(frozen=True, slots=True)
class GoOn:
    """Let the last answer go on from its end."""


@dataclass(frozen=True, slots=True)
class Branch:
    message_id: int


@dataclass(frozen=True, slots=True)
class Delete:
    message_id: int


MessageWish = Reword | Walk | AnswerAgain | AnswerWith | AnswerLast | GoOn | Branch | Delete
