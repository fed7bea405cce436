"""What people want of a message in the conversation."""

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from app.tools.forms import FormAnswer
from app.ui.tools.approval_bar import CallAnswer


@dataclass(frozen=True, slots=True)
class EditMessage:
    """Another version with this text."""

    message_id: int
    text: str


@dataclass(frozen=True, slots=True)
class SwitchVersion:
    """The version that is `step` places further."""

    message_id: int
    step: int


@dataclass(frozen=True, slots=True)
class Regenerate:
    message_id: int


@dataclass(frozen=True, slots=True)
class RegenerateWith:
    """Answer again with another model, which has to be chosen."""

    message_id: int
    anchor: QWidget
    """Where the choice opens."""


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """Answer the question at the end, which has no answer."""


@dataclass(frozen=True, slots=True)
class ContinueAnswer:
    """Let the last answer go on from its end."""


@dataclass(frozen=True, slots=True)
class AnswerSideBySide:
    """Write two answers at once where this one stands."""

    message_id: int


@dataclass(frozen=True, slots=True)
class ShowServer:
    """Show the server that could not answer."""

    server_id: str


@dataclass(frozen=True, slots=True)
class TellLikelihood:
    """Tell how surprising an answer was to the model."""

    message_id: int


@dataclass(frozen=True, slots=True)
class Branch:
    message_id: int


@dataclass(frozen=True, slots=True)
class Delete:
    message_id: int


@dataclass(frozen=True, slots=True)
class DecideCall:
    """Let a call run, or not."""

    message_id: int
    """Of the answer that calls."""
    call_id: str
    answer: CallAnswer


@dataclass(frozen=True, slots=True)
class FillForm:
    """Say to the server of a call what it asked."""

    message_id: int
    call_id: str
    answer: FormAnswer


@dataclass(frozen=True, slots=True)
class AskAgain:
    """See to the calls of an answer that nobody decided."""

    message_id: int


@dataclass(frozen=True, slots=True)
class UndoCall:
    """Put back the file that a call has written."""

    message_id: int
    """Of the call's result."""


MessageAction = (
    EditMessage
    | SwitchVersion
    | Regenerate
    | RegenerateWith
    | AnswerSideBySide
    | AnswerQuestion
    | ContinueAnswer
    | ShowServer
    | TellLikelihood
    | Branch
    | Delete
    | DecideCall
    | FillForm
    | AskAgain
    | UndoCall
)
