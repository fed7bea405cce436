"""The small dialogs about one model or server: what removing it means, and a chat template."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.library.catalogue import LibraryModel
from app.library.removal import Removal
from app.ui.formatting.numbers import count, size_text
from app.ui.formatting.sentences import translated
from app.ui.theme.fonts import SMALL_SIZE, code_font
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialogs import SmallDialog

_LONGEST = 200_000
"""Characters of a template that are shown."""


class RemoveDialog(SmallDialog):
    """Accepted, the model is to go."""

    def __init__(self, model: LibraryModel, plan: Removal, parent: QWidget, *, loaded: bool) -> None:
        super().__init__(self.tr("Remove a model"), parent)
        self.say(self.tr("Move {name} to the trash?").format(name=model.name), "title", width=440)
        n_files = len(plan.paths)
        if n_files == 1:
            told = self.tr("Emptying the trash then frees {size}.")
        else:
            told = self.tr("These are {count} files; emptying the trash then frees {size}.")
        self.say(told.format(count=count(n_files), size=size_text(plan.freed)))
        if loaded:
            self.say(self.tr("It is loaded now, and is unloaded first."))
        for sentence in plan.users:
            self.say(translated(sentence), "warning")
        self.say(str(model.path.parent), "small")
        cancel = push_button(self.tr("Cancel"), self, self.reject)
        self.remove_button = push_button(self.tr("Move to the trash"), self, self.accept)
        self.finish_layout(cancel, self.remove_button)
        # What can't be taken back by itself is not what Enter does.
        cancel.setDefault(True)
        cancel.setFocus()


class TemplateDialog(SmallDialog):
    """The template as it stands in the file, to read and to copy."""

    def __init__(self, name: str, text: str, parent: QWidget) -> None:
        super().__init__(self.tr("Chat template of {name}").format(name=name), parent)
        # A damaged file may hold any number; what is copied is all of it.
        shown = self.show_text(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…", self.tr("Chat template"))
        # Without ligatures: every sign of a template counts.
        shown.setFont(code_font(SMALL_SIZE))
        shown.setMinimumSize(560, 320)
        copy = push_button(self.tr("Copy"), self, lambda: QGuiApplication.clipboard().setText(text))
        self.finish_layout(copy, push_button(self.tr("Close"), self, self.accept))


class RemoveServerDialog(SmallDialog):
    """Accepted, the server is to go."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(self.tr("Remove a server"), parent)
        self.say(self.tr("Remove {name}?").format(name=name), "title", width=440)
        self.say(self.tr("Its key goes with it. Conversations with its models stay."))
        cancel = push_button(self.tr("Cancel"), self, self.reject)
        self.remove_button = push_button(self.tr("Remove"), self, self.accept)
        self.finish_layout(cancel, self.remove_button)
        # What can't be taken back by itself is not what Enter does.
        cancel.setDefault(True)
        cancel.setFocus()
