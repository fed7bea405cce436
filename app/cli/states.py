"""`hearth ask --state` and `--save-state`: a conversation that goes on from a file, and into one."""

from collections.abc import Sequence
from pathlib import Path

from app.cli import terminal
from app.core.events import Finished
from app.core.messages import Message, Role, TextPart
from app.engine.memory.state_files import StateError, read_notes
from app.engine.reply.session import Session

# What is only needed for a state is imported then: `ask` starts sooner.


def messages_in(path: Path | None) -> tuple[Message, ...]:
    """What was said in a state's conversation. Raises UserError for what is no state."""
    if path is None:
        return ()
    from app.storage.exchange.state_notes import messages_with, record_from

    found = record_from(read_notes(path).more)
    return messages_with(*found) if found is not None else ()


def restore(session: Session, path: Path | None) -> None:
    """Let the context hold it; where that can't be, it is said, and the conversation is read anew."""
    if path is None:
        return
    try:
        session.restore_state(path)
    except StateError as error:
        terminal.warn(error.sentence)


def save(session: Session, path: Path | None, messages: Sequence[Message], finished: Finished) -> None:
    """What the context holds now, after the answer to `messages`. Raises UserError."""
    if path is None:
        return
    from app.storage.exchange.state_notes import notes_of, record_of

    answer = Message(Role.ASSISTANT, (TextPart(finished.text),), finished.generation, finished.reasoning)
    said = (*messages, answer)
    files = {each.content_hash: each.data for message in said for each in message.media if each.data}
    session.save_state(path, notes_of(record_of(said), files.get))
