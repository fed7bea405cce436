"""Presets, from the button at the composer to the conversation."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.ui.commands.actions import Actions
from app.ui.presets.button import PresetButton
from app.ui.presets.popover import PresetPopover
from app.ui.theme.appearance import Appearance

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.runtime.settings_service import SettingsService
    from app.ui.presets.dialog import PresetDialog


class PresetsPresenter(QObject):
    """`window` owns it; `button` is to be put where people see it."""

    def __init__(
        self,
        appearance: Appearance,
        controller: "ChatController",
        settings: "SettingsService",
        actions: Actions,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._appearance = appearance
        self._options = controller.options
        self._active = controller.active
        self._settings = settings
        self._window = window
        self.button = PresetButton(appearance, window)
        self.popover = PresetPopover(appearance, window)
        # The key that opens it closes it too.
        self.popover.addAction(actions.presets)
        self.button.clicked.connect(self.toggle)
        self.popover.chosen.connect(self._choose)
        self.popover.edit_clicked.connect(self.edit)
        actions.presets.triggered.connect(self.toggle)
        actions.edit_presets.triggered.connect(self.edit)
        controller.options.presets.changed.connect(self.refresh)
        controller.options.changed.connect(self.refresh)
        controller.active.opened.connect(self.refresh)
        controller.active.listed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Say which preset the conversation on screen uses."""
        preset = self._options.preset(self._active.conversation_id)
        self.button.show_name(preset.name if preset is not None else "")

    @property
    def _preset_id(self) -> str:
        return self._options.preset_id(self._active.conversation_id)

    @Slot(str)
    def _choose(self, preset_id: str) -> None:
        self._options.set_preset(self._active.conversation_id, preset_id)

    def toggle(self) -> None:
        if self.popover.isVisible():
            self.popover.close()
        else:
            self.popover.open_above(self.button, self._options.presets.all(), self._preset_id)

    def edit(self) -> "PresetDialog":
        # Imported here: the window's start need not wait for it.
        from app.ui.presets.dialog import PresetDialog

        base = self._settings.settings.sampling
        dialog = PresetDialog(self._appearance, self._options.presets, base, self._preset_id, self._window)
        dialog.open()
        return dialog
