"""What people are told while they chat, whoever of the services has it to say."""

from PySide6.QtCore import QObject, Signal


class ChatNotices(QObject):
    """GUI thread. Whoever has something to say emits it here; the window shows it."""

    failed = Signal(object)
    """UserError"""
    load_failed = Signal(object)
    """UserError: why a model is not there; of no interest once another one was loaded"""
    answer_failed = Signal(object)
    """UserError: why the answer on screen broke off, of which that answer tells all"""
    noticed = Signal(object)
    """A sentence."""
