"""Which models help to search a collection: one that makes vectors, and one that ranks."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.core.model_ref import ModelRef
from app.library.catalogue import LibraryModel
from app.library.model_facts import ModelKind
from app.services.documents.embedding_models import recommended
from app.storage.passages.passage import Collection
from app.ui.formatting.numbers import size_text
from app.ui.widgets.buttons import push_button
from app.ui.widgets.chevron_box import PickBox
from app.ui.widgets.dialogs import SmallDialog
from app.ui.widgets.layouts import hbox
from app.ui.widgets.plain_text import plain_label


class CollectionModelsDialog(SmallDialog):
    """Accepted, `embedder` and `reranker` are wanted."""

    fetch_wanted = Signal()
    """The recommended model is to be downloaded, and used"""

    def __init__(self, collection: Collection, models: Sequence[LibraryModel], parent: QWidget) -> None:
        super().__init__(self.tr("Search by meaning"), parent)
        self.say(
            self.tr(
                "By words alone, a question finds what uses its words. A small embedding model finds what means the "
                "same, too: it works through every passage once, in the background. A reranking model puts what was "
                "found in a better order, and makes each search slower."
            ),
            width=460,
        )
        self._embedder = self._box(self.tr("Embedding model"), models, ModelKind.EMBEDDER, collection.embedder)
        self._reranker = self._box(self.tr("Reranking model"), models, ModelKind.RERANKER, collection.reranker)
        self.fetch_button = push_button("", self, self._fetch)
        self._recommend(is_here=any(each.path.name == recommended().file for each in models))
        cancel = push_button(self.tr("Cancel"), self, self.reject)
        self.use_button = push_button(self.tr("Use these"), self, self.accept)
        self.finish_layout(cancel, self.use_button, before=(self.fetch_button,))

    @property
    def embedder(self) -> ModelRef | None:
        return self._embedder.value

    @property
    def reranker(self) -> ModelRef | None:
        return self._reranker.value

    def _box(
        self, name: str, models: Sequence[LibraryModel], kind: ModelKind, chosen: ModelRef | None
    ) -> PickBox[ModelRef | None]:
        found: dict[ModelRef | None, str] = {None: self.tr("None")}
        found |= {each.ref: each.name for each in models if _is(each, kind)}
        if chosen is not None:
            # Its file may be away for now.
            found.setdefault(chosen, chosen.name)
        box = PickBox(name, [(title, model) for model, title in found.items()], self)
        box.choose(chosen)
        label = plain_label("", self, name)
        label.setBuddy(box)
        self.body.addLayout(hbox(label, box, gap=10))
        return box

    def _recommend(self, *, is_here: bool) -> None:
        """What one click fetches. Of one that is here already the list above says enough."""
        model = recommended()
        size = size_text(model.size * 1e9)
        self.fetch_button.setVisible(not is_here)
        self.fetch_button.setText(self.tr("Download it ({size})").format(size=size))
        if not is_here:
            told = self.tr(
                "None there? {name} is a usual choice: {size} from Hugging Face ({repo}), licence {licence}. It was "
                "not tried with Hearth. When it has come, this collection uses it by itself."
            )
            told = told.format(name=model.name, size=size, repo=model.repo, licence=model.licence)
            self.say(told, "small", width=460)

    def _fetch(self) -> None:
        self.reject()
        self.fetch_wanted.emit()


def _is(model: LibraryModel, kind: ModelKind) -> bool:
    return model.facts is not None and not model.problem and model.facts.kind is kind
