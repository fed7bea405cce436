"""Qt's own messages, sent to the log instead of a console that a double-clicked program does not have."""

import logging

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

_log = logging.getLogger("qt")

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def install() -> None:
    qInstallMessageHandler(_take)


def _take(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    _log.log(_LEVELS.get(kind, logging.WARNING), "%s", message)
