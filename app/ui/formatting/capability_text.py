"""What a loaded model can do, in words."""

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication

from app.core.capabilities import Capabilities, MemoryKind


def _tr(text: str) -> str:
    return QCoreApplication.translate("capabilities", text)


def abilities(can: Capabilities) -> Iterator[str]:
    if can.sees:
        yield _tr("see pictures")
    if can.hears:
        yield _tr("hear")
    if can.tools:
        yield _tr("call tools")
    if can.reasons:
        yield _tr("reason first")
    if can.own_head:
        yield _tr("guess further words itself (MTP)")
    if can.embeddings:
        yield _tr("make vectors of texts")


def memory_text(kind: MemoryKind) -> str:
    match kind:
        case MemoryKind.ATTENTION:
            return _tr("Of every word: it can go back to any place")
        case MemoryKind.SLIDING_WINDOW:
            return _tr("Of the last words in some layers (sliding window): it goes back to checkpoints")
        case MemoryKind.RECURRENT:
            return _tr("A state that each word changes (recurrent): it goes back to checkpoints")
        case MemoryKind.HYBRID:
            return _tr("Of every word in some layers, a state in others (hybrid): it goes back to checkpoints")
