"""The settings in force, kept in step with their file."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.core.setting import check
from app.core.settings import SECTIONS, Settings
from app.storage.settings_file import load_settings, save_settings

_log = logging.getLogger(__name__)


class SettingsService(QObject):
    """GUI thread. A change is in force at once and written at once; a file that can't be written costs no more."""

    changed = Signal(object)
    """Settings"""
    failed = Signal(object)
    """UserError: the change holds, but only until the program ends."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        loaded = load_settings(path)
        self._settings = loaded.settings
        self.notes = loaded.notes
        """Sentences about what was wrong with the file at the start."""

    @property
    def settings(self) -> Settings:
        return self._settings

    def override(self, *sections: object) -> None:
        """Put whole sections in force for this run, as a command line does; nothing is written."""
        named: dict[str, Any] = {SECTIONS[type(each)]: each for each in sections}
        self._settings = replace(self._settings, **named)
        self.changed.emit(self._settings)

    def update(self, section: type, **values: Any) -> None:
        """Change settings of one section, by its type. Raises ValueError with a sentence for a value out of bounds."""
        name = SECTIONS[section]
        checked = {each: check(section, each, value) for each, value in values.items()}
        self._settings = replace(self._settings, **{name: replace(getattr(self._settings, name), **checked)})
        self.changed.emit(self._settings)
        try:
            save_settings(self._path, self._settings)
        except UserError as error:
            _log.warning("%s", error.sentence)
            self.failed.emit(error)
