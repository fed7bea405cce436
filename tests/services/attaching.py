"""Attachments over a real thread and store; the engine is a stand-in that ends its jobs when it is told."""

from pathlib import Path
from typing import cast

from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.services.drafts.draft_attachments import DraftAttachments
from app.services.drafts.offers import DocumentFile
from app.services.drafts.pending import PendingDocument, PendingMedia, ScannedDocument
from app.services.engine.service import EngineService
from app.services.engine.token_counts import TokenCounts
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from tests.picture_files import png
from tests.ui.fakes import FakeEngine, FakeSettings
from tests.waits import WAIT


def paint_svg(data: bytes) -> bytes:
    if b"broken" in data:
        raise UserError("This cannot be drawn.")
    return png(1024, 512, "blue")


class Stand:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = AttachmentStore(folder / "kept")
        self.engine, self.settings = FakeEngine(), FakeSettings()
        self.counts = TokenCounts(cast(EngineService, self.engine))
        self.drafts = DraftAttachments(
            self.store,
            cast(EngineService, self.engine),
            cast(SettingsService, self.settings),
            self.counts,
            paint_svg,
        )
        self.sentences: list[str] = []
        self.scanned: list[ScannedDocument] = []
        self.drafts.noticed.connect(self.sentences.append)
        self.drafts.scanned.connect(self.scanned.append)

    def add_document(self, data: bytes, name: str) -> int:
        (self.folder / name).write_bytes(data)
        return self.drafts.add(DocumentFile(self.folder / name))

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.drafts.pending]

    @property
    def encoding(self) -> list[bool]:
        return [each.is_encoding for each in self.drafts.pending if isinstance(each, PendingMedia)]

    @property
    def documents(self) -> list[PendingDocument]:
        return [each for each in self.drafts.pending if isinstance(each, PendingDocument)]

    def settle(self, qtbot: QtBot) -> None:
        qtbot.waitUntil(lambda: all(each.part for each in self.drafts.pending), timeout=WAIT)
