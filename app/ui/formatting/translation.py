"""The interface in the system's language, where `resources/translations` has it."""

import logging
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QGuiApplication

from app.core.resources import RESOURCES

TRANSLATIONS = RESOURCES / "translations"
_log = logging.getLogger(__name__)


def install_translations(
    application: QGuiApplication, locale: QLocale | None = None, folder: Path = TRANSLATIONS
) -> tuple[QTranslator, ...]:
    """Load `hearth_<language>.qm` and Qt's own texts for `locale`, the system's by default.

    Call before the first widget is made. English is what the sources say; its file holds the plurals. Where the
    language is not there, the window is in English, and runs from left to right as English does.
    """
    wanted = locale or QLocale.system()
    ours = _load(wanted, "hearth", folder)
    if ours is None:
        wanted = QLocale(QLocale.Language.English)
        ours = _load(wanted, "hearth", folder)
    qts = _load(wanted, "qtbase", Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)))
    # The one that is installed last is asked first.
    installed = tuple(each for each in (qts, ours) if each is not None)
    for each in installed:
        QCoreApplication.installTranslator(each)
    application.setLayoutDirection(wanted.textDirection())
    return installed


def _load(locale: QLocale, name: str, folder: Path) -> QTranslator | None:
    translator = QTranslator(QCoreApplication.instance())
    if translator.load(locale, name, "_", str(folder)):
        _log.info("The interface uses %s", Path(translator.filePath()).name)
        return translator
    translator.deleteLater()
    return None
