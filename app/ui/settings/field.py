"""One setting in a dialog: its label, help and editor, what was refused, and the way back."""

from dataclasses import Field, fields
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.core.setting import check, declaration, field_types
from app.services.runtime.debounce import Debounce
from app.ui.formatting.sentences import translated
from app.ui.settings.browse_button import BrowseButton
from app.ui.settings.model_file_edit import ModelFileEdit
from app.ui.theme.fonts import scaled
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dynamic_property import set_property
from app.ui.widgets.layouts import FILL, grow, hbox, vbox
from app.ui.widgets.plain_text import plain_label, plain_tip, tell, told
from app.ui.widgets.setting_editors import ChoiceEdit, Editor, ListEdit, NumberEdit, SwitchEdit, TextEdit, shown

_EDITOR_WIDTH = 170
_MARKED_MS = 3000


class SettingField(QWidget):
    """Made from a setting's declaration alone.

    Without `overrides` the base is the default, and a value is set where it differs. With `overrides` the base is
    what would be inherited, and a value is set where somebody set it, even to the same.
    """

    edited = Signal()

    def __init__(self, section: type, name: str, parent: QWidget, *, overrides: bool = False) -> None:
        super().__init__(parent)
        self.name = name
        declared = _declared(section, name)
        self.told = declaration(declared)
        self._section = section
        self._overrides = overrides
        self._set_here = False
        self._base: Any = declared.default
        self._rule = ""
        self._outcome = ""
        self._needs_reload = False
        self._marked = Debounce(_MARKED_MS, self._unmark, self)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.editor: Editor | ModelFileEdit = _make_editor(section, name, self)
        self.browse: BrowseButton | None = None
        """Of a setting that names folders."""
        self._title = plain_label("", self, self.label)
        self._title.setBuddy(self.editor)
        self.state = plain_label("small", self)
        """Whether the value is inherited or set here; empty for a setting that overrides nothing."""
        text = self.tr("Clear") if overrides else self.tr("Reset")
        self.reset_button = push_button(text, self, self.reset, tone="reset")
        self._note = plain_label("small", self, wraps=True)
        self._name_parts()
        self._lay_out()
        self.show_value(self._base)
        self.editor.value_changed.connect(self._edited)

    @property
    def label(self) -> str:
        return _tr(self.told.label)

    @property
    def help(self) -> str:
        return _tr(self.told.help)

    @property
    def note(self) -> str:
        """Below the field: what was refused; or what the value becomes, and when the change takes effect."""
        return told(self._note)

    @property
    def is_set(self) -> bool:
        if self._overrides:
            return self._set_here
        return bool(self.problem) or self.value() != self._base

    @property
    def problem(self) -> str:
        """Why the value cannot be taken; empty where it can."""
        try:
            self.value()
        except ValueError as error:
            return translated(str(error))
        return self._rule

    def value(self) -> Any:
        """The value as the setting's own type. Raises ValueError with a sentence."""
        return check(self._section, self.name, _read(self.editor))

    def show_value(self, value: object, *, set_here: bool = False) -> None:
        """Show a value that nobody edited."""
        with QSignalBlocker(self.editor):
            _write(self.editor, value)
        self._set_here = set_here
        self._refresh()

    def show_base(self, base: object) -> None:
        """What holds where nothing is set: the default, or what is inherited."""
        self._base = base
        if self._overrides and not self._set_here:
            self.show_value(base)
        self._refresh()

    def show_rule(self, sentence: str) -> None:
        """A problem with this value beside others; empty for none."""
        self._rule = sentence
        self._refresh()

    def show_outcome(self, sentence: str) -> None:
        """What the value becomes where it can't be had as it is; empty for none."""
        if sentence != self._outcome:
            self._outcome = sentence
            self._refresh()

    def show_reload(self, needs_reload: bool) -> None:
        self._needs_reload = needs_reload
        self._refresh()

    def mark(self) -> None:
        """Somebody looked for this one."""
        set_property(self, "found", "true")
        self._marked.start()

    @property
    def is_marked(self) -> bool:
        return self._marked.isActive()

    def _unmark(self) -> None:
        set_property(self, "found", "false")

    def reset(self) -> None:
        """Back to the default, or to what is inherited."""
        # The button hides; the keyboard stays here.
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self.show_value(self._base)
        self.edited.emit()

    def _edited(self) -> None:
        self._set_here = True
        self._refresh()
        self.edited.emit()

    def _refresh(self) -> None:
        problem = self.problem
        waits = self.tr("Takes effect when the model is loaded again.") if self._needs_reload else ""
        note = problem or " ".join(filter(None, (self._outcome, waits)))
        tell(self._note, note)
        set_property(self._note, "tone", "danger" if problem else "hint")
        self.reset_button.setVisible(self.is_set)
        if self._overrides:
            self.state.setText(self.tr("Set here") if self._set_here else self.tr("Inherited"))
        self.state.setVisible(self._overrides)
        set_property(self.editor, "refused", "true" if problem else "false")
        self.editor.setAccessibleDescription(
            " ".join(filter(None, (self.help, self._bounds(), self.state.text(), note)))
        )
        self._say_reset()

    def _say_reset(self) -> None:
        way = self.tr("Clear {label}, and use {value}") if self._overrides else self.tr("Reset {label} to {value}")
        told = way.format(label=self.label, value=shown(self._base) or self.tr("nothing"))
        self.reset_button.setAccessibleName(told)
        self.reset_button.setToolTip(plain_tip(told))

    def _bounds(self) -> str:
        if self.told.minimum is None or self.told.maximum is None:
            return ""
        return self.tr("From {least} to {most}.").format(
            least=shown(float(self.told.minimum)), most=shown(float(self.told.maximum))
        )

    def _name_parts(self) -> None:
        self.editor.setAccessibleName(f"{self.label}, {_tr(self.told.unit)}" if self.told.unit else self.label)
        if not isinstance(self.editor, ModelFileEdit):
            self.editor.setToolTip(self._bounds())
        if isinstance(self.editor, ChoiceEdit | ModelFileEdit):
            self.editor.view().setAccessibleName(self.label)

    def set_narrow(self, narrow: bool) -> None:
        """Where there is no room beside the words, the editor stands below them."""
        self._title.setWordWrap(narrow)
        if not isinstance(self.editor, TextEdit | ModelFileEdit | SwitchEdit):
            self._place(below=narrow)

    def _lay_out(self) -> None:
        text = plain_label("small", self, self.help, wraps=True)
        self._words = vbox(self._title, text, FILL, gap=3)
        back = hbox(FILL, self.state, self.reset_button, gap=4)
        self._side = vbox(back, FILL, gap=4)
        if not isinstance(self.editor, TextEdit | ModelFileEdit | SwitchEdit):
            self.editor.ensurePolished()
            # What can be chosen is read whole.
            hint = self.editor.sizeHint().width() if isinstance(self.editor, ChoiceEdit) else 0
            self.editor.setFixedWidth(max(scaled(_EDITOR_WIDTH), hint))
        self._column = vbox(hbox(grow(self._words), self._side, gap=24), on=self, gap=6)
        if self.told.folder and isinstance(self.editor, TextEdit):
            self.browse = BrowseButton(self.editor, self.label, self)
            self._column.addWidget(self.browse, 0, Qt.AlignmentFlag.AlignLeading)
        self._column.addWidget(self._note)
        self._place(below=isinstance(self.editor, TextEdit | ModelFileEdit))

    def _place(self, *, below: bool) -> None:
        """The title stands on the line of what is in the editor, where that is beside it."""
        for each in (self._side, self._column):
            each.removeWidget(self.editor)
        if below:
            self._column.insertWidget(1, self.editor)
        else:
            self._side.insertWidget(0, self.editor, 0, Qt.AlignmentFlag.AlignTrailing)
        beside = 0 if below else max(0, self.editor.sizeHint().height() - self._title.sizeHint().height()) // 2
        self._words.setContentsMargins(0, beside, 0, 0)


def words_of(section: type) -> list[tuple[str, str, str, str]]:
    """Name, label, help and other words of each setting of a section, in the window's language."""
    told = ((each.name, declaration(each)) for each in fields(section))
    return [(name, _tr(each.label), _tr(each.help), _tr(each.words)) for name, each in told]


def _declared(section: type, name: str) -> "Field[Any]":
    return next(each for each in fields(section) if each.name == name)


def _make_editor(section: type, name: str, parent: QWidget) -> Editor | ModelFileEdit:
    kind, told = field_types(section)[name], declaration(_declared(section, name))
    if kind is bool:
        return SwitchEdit(parent)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return ChoiceEdit(list(kind), parent)
    if kind is int or kind is float:
        return NumberEdit(kind, told, _tr(told.unit), parent)
    if told.model:
        return ModelFileEdit(parent)
    return TextEdit(parent) if kind is str else ListEdit(parent)


def _read(editor: Editor | ModelFileEdit) -> object:
    return editor.read_all() if isinstance(editor, ListEdit) else editor.read()


def _write(editor: Editor | ModelFileEdit, value: Any) -> None:
    if isinstance(editor, ListEdit):
        editor.write_all(value)
    else:
        editor.write(value)


def _tr(text: str) -> str:
    """Declarations live below Qt; their words are translated here."""
    return QCoreApplication.translate("settings", text) if text else ""
