"""Turns the chosen theme into a palette, one style sheet and tinted icons."""

from dataclasses import asdict
from functools import lru_cache
from string import Template

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QApplication

from app.core.resources import RESOURCES
from app.core.settings import Motion, Theme
from app.ui.theme.fonts import application_font, load_fonts, scaled_css, set_text_size
from app.ui.theme.icons import tinted
from app.ui.theme.palette import DARK, LIGHT, Palette


class Appearance(QObject):
    """How the whole application looks now. The only place that sets styles; widgets listen to `changed`."""

    changed = Signal()

    def __init__(self, application: QApplication, theme: Theme = Theme.SYSTEM) -> None:
        super().__init__()
        self._application = application
        self._theme = theme
        self.reduced_motion = False
        self._text_size = 100
        self._flash_time = application.cursorFlashTime()
        set_text_size(self._text_size)
        self._tokens = tokens_for(theme, application.styleHints().colorScheme())
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self.refresh)
        self._apply()

    @property
    def tokens(self) -> Palette:
        return self._tokens

    @property
    def theme(self) -> Theme:
        return self._theme

    def choose(self, theme: Theme) -> None:
        self._theme = theme
        self.refresh()

    @property
    def text_size(self) -> int:
        """In percent of the usual one."""
        return self._text_size

    def set_text_size(self, percent: int) -> None:
        if percent != self._text_size:
            self._text_size = percent
            set_text_size(percent)
            self._apply()
            self.changed.emit()

    def set_motion(self, motion: Motion) -> None:
        """Reduced: nothing moves or blinks by itself, neither the cursor nor a progress bar without an end."""
        was, self.reduced_motion = self.reduced_motion, motion is Motion.REDUCED
        self._application.setCursorFlashTime(0 if self.reduced_motion else self._flash_time)
        for effect in (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip):
            self._application.setEffectEnabled(effect, not self.reduced_motion)
        # Told with every setting, this would have all that is on screen laid out anew.
        if self.reduced_motion != was:
            self.changed.emit()

    def icon(self, name: str, role: str = "text") -> QIcon:
        """An icon in the colour that `role` names, such as "muted"."""
        colour: str = getattr(self._tokens, role)
        return tinted(name, colour, self._tokens.disabled)

    def refresh(self) -> None:
        tokens = tokens_for(self._theme, self._application.styleHints().colorScheme())
        if tokens is self._tokens:
            return
        self._tokens = tokens
        self._apply()
        self.changed.emit()

    def _apply(self) -> None:
        self._application.setPalette(palette(self._tokens))
        self._application.setFont(application_font())
        sheet = scaled_css(style_sheet(self._tokens))
        # Setting it visits every widget there is, even where nothing changes.
        if self._application.styleSheet() != sheet:
            self._application.setStyleSheet(sheet)


def tokens_for(theme: Theme, scheme: Qt.ColorScheme) -> Palette:
    """The user's choice wins; a system that does not say counts as light."""
    if theme is Theme.SYSTEM:
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
    return DARK if theme is Theme.DARK else LIGHT


def palette(tokens: Palette) -> QPalette:
    made = QPalette()
    role = QPalette.ColorRole
    for each, name in (
        (role.Window, "window"),
        (role.Base, "window"),
        (role.AlternateBase, "raised"),
        (role.Button, "raised"),
        (role.ToolTipBase, "raised"),
        (role.WindowText, "text"),
        (role.Text, "text"),
        (role.ButtonText, "text"),
        (role.ToolTipText, "text"),
        (role.HighlightedText, "text"),
        (role.PlaceholderText, "muted"),
        (role.Highlight, "selection"),
        (role.Accent, "accent"),
        (role.Link, "link"),
        (role.LinkVisited, "link"),
        (role.Mid, "border"),
        (role.Dark, "border"),
        (role.Light, "hover"),
    ):
        made.setColor(each, QColor(getattr(tokens, name)))
    for each in (role.Text, role.WindowText, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, each, QColor(tokens.disabled))
    return made


@lru_cache(maxsize=2)
def style_sheet(tokens: Palette) -> str:
    text, code = load_fonts()
    template = Template((RESOURCES / "themes" / "hearth.qss").read_text(encoding="utf-8"))
    return template.substitute(asdict(tokens), text_family=text, code_family=code)
