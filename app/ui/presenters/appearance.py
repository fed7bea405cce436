"""Theme, motion and the size of text: from the settings to what is drawn, and from the keys to the settings."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.core.settings import Interface, Settings
from app.ui.commands.actions import Actions
from app.ui.presenters.window_state import WindowState
from app.ui.theme.appearance import Appearance
from app.ui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from app.services.runtime.settings_service import SettingsService

_USUAL, _STEP, _SMALLEST, _LARGEST = 100, 10, 80, 200
"""Percent of the usual size of text."""


class AppearancePresenter(QObject):
    """`window` owns it."""

    def __init__(
        self,
        appearance: Appearance,
        settings: "SettingsService",
        state: WindowState,
        transcript: Transcript,
        actions: Actions,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._appearance = appearance
        self._settings = settings
        self._state = state
        self._transcript = transcript
        self._actions = actions
        actions.larger_text.triggered.connect(lambda: self._set_text_size(self._text_size + _STEP))
        actions.smaller_text.triggered.connect(lambda: self._set_text_size(self._text_size - _STEP))
        actions.usual_text.triggered.connect(lambda: self._set_text_size(_USUAL))
        for theme, action in actions.themes.items():
            action.triggered.connect(lambda _=False, chosen=theme: settings.update(Interface, theme=chosen))

    def show_settings(self, settings: Settings) -> None:
        shown = settings.interface
        self._appearance.choose(shown.theme)
        self._state.keep_theme(shown.theme)
        self._appearance.set_motion(shown.motion)
        if shown.text_size != self._appearance.text_size:
            self._appearance.set_text_size(shown.text_size)
            self._transcript.renew()
        self._actions.show_theme(shown.theme)

    @property
    def _text_size(self) -> int:
        return self._settings.settings.interface.text_size

    def _set_text_size(self, size: int) -> None:
        self._settings.update(Interface, text_size=max(_SMALLEST, min(_LARGEST, size)))
