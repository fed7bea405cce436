"""What an answer's quiet line says."""

from PySide6.QtCore import QCoreApplication

from app.core.events import QueuedFor
from app.core.sentence import from_json
from app.services.engine.states import Activity, Calling, Encoding, Idle, Prefilling, Stopping, Waiting
from app.storage.conversations import MessageState, StoredMessage
from app.ui.formatting.numbers import looking_at
from app.ui.formatting.sentences import translated


def doing(activity: Activity) -> str:
    """What is being done while nothing is written yet."""
    match activity:
        case Waiting(QueuedFor.TURN):
            return _tr("Waits until another answer has ended…")
        case Waiting(QueuedFor.ROOM):
            return _tr("Waits until another answer leaves room in the context…")
        case Waiting(why=why) if why:
            return _tr("{why} It is asked again.").format(why=translated(why))
        case Waiting():
            return _tr("Waiting for the model…")
        case Prefilling():
            return _tr("Reading…")
        case Encoding(looking):
            return looking_at(looking)
        case Stopping():
            return _tr("Stopping…")
        case Idle() | Calling():
            return ""
        case _:
            return _tr("Thinking…")


def outcome(stored: StoredMessage) -> str:
    """How an answer ended; empty where it is whole, or is being written."""
    figures = stored.figures or {}
    reason = figures.get("reason")
    match stored.state:
        case MessageState.INTERRUPTED:
            return _tr("Hearth was closed while this was being written; the rest is missing.")
        case MessageState.CANCELLED:
            return _tr("Stopped.")
        case MessageState.FAILED:
            why = from_json(figures.get("told")) or str(figures.get("error") or "")
            return translated(why) or _tr("Something went wrong here, and the answer ends early.")
    if reason == "length":
        return _tr("The limit on the answer's length was reached.")
    if reason == "repetition":
        return _tr("The answer only repeated itself, so it was stopped.")
    if reason == "context_full":
        return _tr("The context is full: the answer ends here.")
    return ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("AnswerStatus", text)
