"""Asks whether a collection is to go."""

from PySide6.QtWidgets import QWidget

from app.storage.passages.passage import Collection
from app.ui.widgets.buttons import push_button
from app.ui.widgets.dialogs import SmallDialog


class RemoveCollectionDialog(SmallDialog):
    """Accepted, it is to go."""

    def __init__(self, collection: Collection, parent: QWidget) -> None:
        super().__init__(self.tr("Delete a collection"), parent)
        self.say(self.tr("Delete {name}?").format(name=collection.name), "title", width=420)
        self.say(
            self.tr("Hearth forgets what it read of %n file(s), which stay where they are.", None, collection.n_files)
        )
        cancel = push_button(self.tr("Cancel"), self, self.reject)
        self.remove_button = push_button(self.tr("Delete"), self, self.accept)
        self.finish_layout(cancel, self.remove_button)
        # What can't be taken back by itself is not what Enter does.
        cancel.setDefault(True)
        cancel.setFocus()
