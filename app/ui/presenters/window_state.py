"""What the window remembers of itself: where it stood, and whether the sidebar was open."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

_PANEL = 460
"""Pixels"""


class WindowState:
    """An ini file in `folder`. A file that cannot be read or written only costs the memory."""

    def __init__(self, folder: Path) -> None:
        self._file = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)

    @property
    def geometry(self) -> QByteArray:
        value = self._file.value("geometry")
        return value if isinstance(value, QByteArray) else QByteArray()

    @property
    def sidebar_shown(self) -> bool:
        # An ini file keeps every value as text.
        return str(self._file.value("sidebar", "true")).lower() != "false"

    @property
    def panel_width(self) -> int:
        """Pixels of the page beside the chat."""
        told = str(self._file.value("panel", ""))
        return int(told) if told.isdecimal() and len(told) < 6 else _PANEL

    def keep_panel_width(self, width: int) -> None:
        self._file.setValue("panel", width)

    @property
    def theme(self) -> str:
        """What was chosen last, for the first paint: the settings are read after it. Empty for nothing."""
        return str(self._file.value("theme", ""))

    def keep_theme(self, theme: str) -> None:
        if theme != self.theme:
            self._file.setValue("theme", theme)

    @property
    def commands(self) -> tuple[str, ...]:
        """What was chosen in the command palette, newest first."""
        return tuple(each for each in str(self._file.value("commands", "")).split("\n") if each)

    def keep_commands(self, keys: tuple[str, ...]) -> None:
        self._file.setValue("commands", "\n".join(keys))

    @property
    def model_folder(self) -> str:
        """Where a model file was last looked for; empty for nowhere."""
        return str(self._file.value("model_folder", ""))

    def keep(self, geometry: QByteArray, *, sidebar_shown: bool) -> None:
        self._file.setValue("geometry", geometry)
        self._file.setValue("sidebar", sidebar_shown)
        self._file.sync()

    def keep_model_folder(self, folder: Path) -> None:
        self._file.setValue("model_folder", str(folder))
