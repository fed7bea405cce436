"""From a citation in an answer to the page beside the chat."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.core.messages import PassagePart
from app.ui.passages.citation_list import CitationList
from app.ui.passages.page_panel import PagePanel
from app.ui.passages.panel_split import PanelSplit
from app.ui.presenters.window_state import WindowState
from app.ui.transcript.transcript import Transcript

if TYPE_CHECKING:
    from app.services.documents.page_reader import PageReader


class PassagesPresenter(QObject):
    """`split`, of which `panel` is a part, owns it."""

    def __init__(
        self, pages: "PageReader", transcript: Transcript, panel: PagePanel, split: PanelSplit, state: WindowState
    ) -> None:
        super().__init__(split)
        self._pages = pages
        self._panel = panel
        self._split = split
        transcript.passage_wanted.connect(self.show)
        panel.page_wanted.connect(self._read)
        panel.closed.connect(split.close_panel)
        split.width_chosen.connect(state.keep_panel_width)

    @Slot(object)
    def show(self, citations: CitationList) -> None:
        """Open the page of the one that was asked for."""
        self._split.open()
        self._panel.show_citations(citations)
        self._panel.close_button.setFocus()

    @Slot(object, int)
    def _read(self, part: PassagePart, page: int) -> None:
        self._pages.show(part, page, self._panel.show_page)
