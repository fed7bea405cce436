"""Everything that can be done in the window, with its key; the menus are made of these."""

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.core.settings import Theme


class Actions(QObject):
    """The actions of one window. Whoever owns the window connects them; `menu` shows them all."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.new_chat = self._make(self.tr("&New chat"), "Ctrl+N")
        self.rename_chat = self._make(self.tr("Rena&me chat…"), "F2")
        self.delete_chat = self._make(self.tr("&Delete chat"), "Ctrl+Shift+Backspace")
        self.undo = self._make(self.tr("Undo the &last removal"), "Ctrl+Z")
        self.undo.setEnabled(False)
        self.regenerate = self._make(self.tr("Answe&r again"), "Ctrl+R")
        self.answer_with = self._make(self.tr("Answer again &with another model…"), "Ctrl+Shift+W")
        self.answer_twice = self._make(self.tr("Two answers side &by side"), "Ctrl+Shift+U")
        self.side_by_side = self._make(self.tr("Answers side by side, wit&h presets…"), "Ctrl+Alt+U")
        self.continue_answer = self._make(self.tr("Co&ntinue the last answer"), "Ctrl+Shift+G")
        self.edit_question = self._make(self.tr("&Edit the last question"), "Ctrl+Shift+E")
        self.previous_version = self._make(self.tr("Pre&vious version"), "Alt+Left")
        self.next_version = self._make(self.tr("Ne&xt version"), "Alt+Right")
        self.copy_answer = self._make(self.tr("&Copy the last answer"), "Ctrl+Shift+C")
        self.stop = self._make(self.tr("&Stop"), "Esc")
        self.add_picture = self._make(self.tr("Add a pict&ure…"), "Ctrl+Shift+A")
        self.add_recording = self._make(self.tr("Add a recordin&g…"), "Ctrl+Shift+N")
        self.attach_file = self._make(self.tr("A&ttach a file…"), "Ctrl+Shift+T")
        self.open_model = self._make(self.tr("&Open a model file…"), "Ctrl+O")
        self.choose_model = self._make(self.tr("&Choose a model"), "Ctrl+M")
        self.unload_model = self._make(self.tr("&Unload the model"), "Ctrl+U")
        self.models = self._make(self.tr("&Models…"), "Ctrl+Shift+O")
        self.documents = self._make(self.tr("Doc&uments…"), "Ctrl+J")
        self.focus_composer = self._make(self.tr("&Write a message"), "Ctrl+L")
        self.find = self._make(self.tr("&Find in this conversation"), "Ctrl+F")
        self.find_next = self._make(self.tr("Find ne&xt"), "F3")
        self.find_previous = self._make(self.tr("Find pre&vious"), "Shift+F3")
        self.focus_search = self._make(self.tr("S&earch conversations"), "Ctrl+Shift+F")
        self.show_trash = self._make(self.tr("&Trash"), "Ctrl+Shift+X")
        self.jump_to_end = self._make(self.tr("&Jump to the end"), "Ctrl+End")
        self.toggle_sidebar = self._make(self.tr("&Hide or show the sidebar"), "Ctrl+B")
        self.show_context = self._make(self.tr("Wh&at is in the context"), "Ctrl+Shift+M")
        self.larger_text = self._make(self.tr("&Larger text"), "Ctrl++")
        self.larger_text.setShortcuts([QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")])
        self.smaller_text = self._make(self.tr("&Smaller text"), "Ctrl+-")
        self.usual_text = self._make(self.tr("&Usual text size"), "Ctrl+0")
        self.palette = self._make(self.tr("Co&mmand palette…"), "Ctrl+K")
        self.presets = self._make(self.tr("Choose a &preset"), "Ctrl+P")
        self.edit_presets = self._make(self.tr("&Edit presets…"), "Ctrl+Shift+K")
        self.export = self._make(self.tr("Exp&ort…"), "Ctrl+Shift+S")
        self.import_files = self._make(self.tr("&Import…"), "Ctrl+Shift+I")
        self.save_state = self._make(self.tr("Save t&he state…"), "Ctrl+Shift+H")
        self.open_state = self._make(self.tr("Open &a saved state…"), "Ctrl+Shift+J")
        self.print_chat = self._make(self.tr("&Print…"), "Ctrl+Shift+P")
        self.back_up = self._make(self.tr("&Back up everything…"), "Ctrl+Shift+B")
        self.restore = self._make(self.tr("Restore a bac&kup…"), "Ctrl+Shift+R")
        self.settings = self._make(self.tr("&Settings…"), "Ctrl+,")
        self.show_menu = self._make(self.tr("Open the &menu"), "F10")
        self.shortcuts = self._make(self.tr("&Keyboard shortcuts"), "F1")
        self.about = self._make(self.tr("&About Hearth"), "Shift+F1")
        self.quit = self._make(self.tr("&Quit"), "Ctrl+Q")
        self.settings.setMenuRole(QAction.MenuRole.PreferencesRole)
        self.about.setMenuRole(QAction.MenuRole.AboutRole)
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        self.themes = self._make_themes()

    def all(self) -> Sequence[QAction]:
        """In the order of the menus, without the themes."""
        return [action for action in self._window.actions() if action not in self.themes.values()]

    def named(self) -> dict[str, QAction]:
        """As `all`, by the names of their attributes."""
        shown = self.all()
        return {name: value for name, value in vars(self).items() if isinstance(value, QAction) and value in shown}

    def keys(self) -> list[tuple[str, str]]:
        """What each action does, and its keys as people write them."""
        themes = [(self.tr("Theme: {name}").format(name=plain_text(each)), each) for each in self.themes.values()]
        named = [*((plain_text(each), each) for each in self.all()), *themes]
        return [(what, keys_of(action)) for what, action in named if not action.shortcut().isEmpty()]

    def menu(self, parent: QWidget) -> QMenu:
        """The window's menu. Its parent owns it."""
        menu = QMenu(parent)
        menu.setAccessibleName(self.tr("Menu"))
        menu.addAction(self.new_chat)
        _add_submenu(
            menu,
            self.tr("&Chat"),
            (self.rename_chat, self.delete_chat, self.undo),
            (self.add_picture, self.add_recording, self.attach_file),
            (self.export, self.import_files, self.print_chat),
            (self.save_state, self.open_state),
            (self.back_up, self.restore),
        )
        _add_submenu(
            menu,
            self.tr("Ans&wer"),
            (self.regenerate, self.answer_with, self.continue_answer, self.copy_answer, self.stop),
            (self.answer_twice, self.side_by_side),
            (self.edit_question, self.previous_version, self.next_version),
        )
        of_models = (self.open_model, self.choose_model, self.unload_model)
        _add_submenu(menu, self.tr("Mo&del"), (self.models,), of_models)
        menu.addAction(self.documents)
        _add_submenu(
            menu,
            self.tr("&Go to"),
            (self.find, self.find_next, self.find_previous),
            (self.focus_composer, self.focus_search, self.jump_to_end, self.show_context, self.show_trash),
            (self.toggle_sidebar,),
        )
        _add_submenu(menu, self.tr("&Presets"), (self.presets, self.edit_presets))
        _add_submenu(menu, self.tr("&Theme"), tuple(self.themes.values()))
        _add_submenu(menu, self.tr("Te&xt size"), (self.larger_text, self.smaller_text, self.usual_text))
        menu.addActions([self.palette, self.settings])
        menu.addSeparator()
        menu.addActions([self.shortcuts, self.about])
        menu.addSeparator()
        menu.addAction(self.quit)
        return menu

    def show_theme(self, theme: Theme) -> None:
        self.themes[theme].setChecked(True)

    def _make(self, text: str, keys: str) -> QAction:
        action = QAction(text, self._window)
        action.setShortcut(QKeySequence(keys))
        # Added to the window itself, so that the keys work whether a menu was ever opened or not.
        self._window.addAction(action)
        return action

    def _make_themes(self) -> dict[Theme, QAction]:
        names = {
            Theme.SYSTEM: (self.tr("As the &system"), "Ctrl+Shift+Y"),
            Theme.LIGHT: (self.tr("&Light"), "Ctrl+Shift+L"),
            Theme.DARK: (self.tr("&Dark"), "Ctrl+Shift+D"),
        }
        group = QActionGroup(self)
        made = {theme: self._make(name, keys) for theme, (name, keys) in names.items()}
        for action in made.values():
            action.setCheckable(True)
            group.addAction(action)
        return made


def _add_submenu(menu: QMenu, title: str, *groups: tuple[QAction, ...]) -> None:
    inside = menu.addMenu(title)
    for number, group in enumerate(groups):
        if number:
            inside.addSeparator()
        inside.addActions(list(group))


def plain_text(action: QAction) -> str:
    """What the action is called, without the marks of a menu."""
    return action.text().replace("&&", "\0").replace("&", "").replace("\0", "&").removesuffix("…")


def keys_of(action: QAction) -> str:
    """Its shortcut as the system writes it; empty for none."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def tell_key(action: QAction, *widgets: QWidget) -> None:
    """Say in their tooltips which key does the same. What has no tooltip gets its accessible name as one."""
    for widget in widgets:
        tip = widget.toolTip() or widget.accessibleName()
        widget.setToolTip(f"{tip} ({keys_of(action)})")
