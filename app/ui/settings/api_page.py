"""The settings page of the local API: where it is reached, and a key that nobody guesses."""

import secrets
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.services.local_api.switch import ApiOff, ApiOn, ApiState
from app.ui.formatting.sentences import translated
from app.ui.settings.pages import SectionPage
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button
from app.ui.widgets.layouts import FILL, hbox
from app.ui.widgets.plain_text import plain_label

if TYPE_CHECKING:
    from app.services.local_api.paired_sharing import PairedSharing
    from app.services.runtime.settings_service import SettingsService

_KEY_BYTES = 24


class ApiPage(SectionPage):
    """One section, with what came of it."""

    def __init__(
        self, appearance: Appearance, section: type, settings: "SettingsService", title: str, parent: QWidget
    ) -> None:
        super().__init__(appearance, section, settings, title, parent)
        self._address = ""
        self.told = plain_label("", self, wraps=True)
        self.copy_button = push_button(self.tr("Copy the address"), self, self._copy)
        self.key_button = push_button(self.tr("Make a key"), self, self._make_key)
        row = hbox(self.key_button, self.copy_button, FILL, gap=8)
        self.column.insertWidget(self.column.count() - 1, self.told)
        self.column.insertLayout(self.column.count() - 1, row)
        self.paired: QWidget | None = None
        self.show_state(ApiOff())

    def show_sharing(self, sharing: "PairedSharing") -> None:
        """Whom else the model is shared with."""
        # Imported here: the window's start need not wait for it.
        from app.ui.settings.paired_panel import PairedPanel

        self.paired = paired = PairedPanel(sharing, self)
        # The code would stand below what is seen.
        paired.code_shown.connect(lambda: self.field_wanted.emit(paired.pair_button))
        self.column.insertWidget(self.column.count() - 1, self.paired)

    def show_state(self, state: ApiState) -> None:
        match state:
            case ApiOn(url):
                self._address = url
                self.told.setText(self.tr("Programs find the model at {address}").format(address=url))
            case ApiOff(problem):
                self._address = ""
                self.told.setText(translated(problem) or self.tr("Off: no program on this computer can use the model."))
        self.copy_button.setEnabled(bool(self._address))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._address)

    def _make_key(self) -> None:
        self.form.fields["api_key"].show_value(secrets.token_urlsafe(_KEY_BYTES))
        self.form.changed.emit()
