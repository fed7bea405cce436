"""Puts the layers together: the only module that knows them all."""

import asyncio
import logging
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

import app
from app.core.api_settings import ApiSettings
from app.core.errors import UserError
from app.core.model_ref import GUIDE_REF
from app.core.paths import Paths
from app.core.program import own_command
from app.library.recent import RecentModels
from app.services.chat.chat_controller import ChatController
from app.services.conversations.chats import Chats
from app.services.documents.documents import Documents
from app.services.documents.page_reader import PageReader
from app.services.documents.passage_finder import PassageFinder
from app.services.documents.passage_lookup import PassageLookup
from app.services.documents.tool_search import ToolSearch
from app.services.drafts.composing import Composing
from app.services.engine.free_memory import free_now
from app.services.engine.idle_unload import IdleUnload
from app.services.engine.plans import MediaPlan, PreflightPlan
from app.services.engine.reply_stream import ReplyStream
from app.services.engine.service import EngineService
from app.services.exchange.exchange import Exchange
from app.services.local_api.clients import Clients
from app.services.local_api.other_models import OtherModels
from app.services.local_api.paired_sharing import PairedSharing
from app.services.local_api.sampling import ApiSampling
from app.services.local_api.switch import ApiSwitch
from app.services.local_api.thread import ApiThread
from app.services.local_api.vector_models import VectorModels
from app.services.models.history import ModelHistory
from app.services.models.models import Models, library_of
from app.services.models.options import KnownModels, OptionsOfModels
from app.services.pictures.service import PictureService
from app.services.recordings.service import RecordingService
from app.services.remote.model_servers import ModelServers
from app.services.remote.paired_computers import PairedComputers
from app.services.runtime.crash_reports import LastRun
from app.services.runtime.file_open_events import FileOpenEvents
from app.services.runtime.garbage_collector import GarbageCollector
from app.services.runtime.settings_service import SettingsService
from app.services.runtime.shutdown import emitted, ends_in_time
from app.services.tools.servers import ToolServers
from app.storage.attachments import AttachmentStore
from app.storage.conversations import ConversationStore
from app.storage.exchange import restore
from app.storage.options import OptionsStore
from app.storage.recovery import open_or_recover
from app.storage.search import found_passages
from app.tools.built_in.sources import built_in_sources
from app.ui.exporting.late_writers import late_writers
from app.ui.formatting.translation import install_translations
from app.ui.richtext.svg_picture import paint_svg
from app.ui.theme.appearance import Appearance
from app.ui.widgets.accessible_roles import install_roles
from app.ui.window.frame import Frame
from app.ui.window.main_window import MainWindow

if TYPE_CHECKING:
    from aiohttp import web

    from app.api.auth import Access
    from app.services.runtime.single_instance import InstanceServer

_log = logging.getLogger(__name__)

_NOTHING = LastRun()


class Program:
    """Everything that lives as long as the window."""

    def __init__(self, application: QApplication, paths: Paths) -> None:
        """Raises UserError when the conversations can't be opened."""
        self.paths = paths
        restored = _finish_restore(paths)
        opened = open_or_recover(paths.database)
        self._notes = (*restored, *opened.notes)
        self._database = opened.database
        self._collector = GarbageCollector()
        self._collector.start()
        self.settings = SettingsService(paths.settings)
        library, options = library_of(paths, self.settings.settings), OptionsStore(self._database)
        attachments = AttachmentStore(paths.attachments)
        self.model_servers = ModelServers(paths.model_servers, attachments)
        self.engine = EngineService(
            self.settings,
            PreflightPlan(paths.trusted_models, own_command()),
            MediaPlan(paths.attachments, paths.embeddings, paths.projectors, paths.models),
            paths.snapshots,
            KnownModels(library, options),
            self.model_servers,
        )
        built_in = built_in_sources(
            own_command(),
            paths.data,
            partial(found_passages, paths.search, paths.database),
            ToolSearch(paths.documents, attachments, own_command()),
            lambda: self.settings.settings.tools.folders,
            attachments.put,
        )
        self.servers = ToolServers(paths.tool_servers, paths.tool_listings, attachments, built_in)
        lookup = PassageLookup(
            paths.documents, attachments, PassageFinder(paths.documents, own_command()), own_command()
        )
        self.controller = ChatController(
            ConversationStore(self._database), self.engine, self.settings, options, self.servers, lookup
        )
        self.pages = PageReader(paths.documents, attachments, own_command())
        self.options = OptionsOfModels(options, self.engine, self.settings, library.drafts_for)
        self.idle = IdleUnload(self.engine, self.settings)
        self.options.changed.connect(self.idle.look)
        self.model_servers.changed.connect(self.engine.look_elsewhere)
        self.models = Models(
            paths, self.settings, self.engine, library, free_now, options=self.options, servers=self.model_servers
        )
        self.history = ModelHistory(RecentModels(paths.data / "recent-models.json"), self.engine, self.settings)
        self.pictures = PictureService(attachments)
        self.recordings = RecordingService(attachments)
        self.writing = Composing(self._database, attachments, self.engine, self.settings, self.controller, paint_svg)
        self.exchange = Exchange(paths, late_writers())
        self.chats = Chats(paths, self._database, self.engine, self.settings, self.controller)
        self.chats.library.gone.connect(self.writing.attachments.forget)
        self.documents = Documents(paths.documents, own_command())
        self._replies = ReplyStream(self.engine, self.engine)
        self._api_sampling = ApiSampling(self.engine, self.settings, self.engine)
        self.options.changed.connect(self._api_sampling.look)
        self.controller.options.changed.connect(self._api_sampling.look)
        self.api = ApiSwitch(self.settings, Clients(), self._make_listener)
        self._paired = PairedComputers(paths)
        self._paired_api = ApiSwitch(
            self.settings, self.api.visitors, self._make_paired_listener, lambda wanted: wanted.paired_computers
        )
        self.sharing = PairedSharing(self._paired, self._paired_api)
        self._others = OtherModels(
            lambda: library.models,
            lambda: self.settings.settings.local_api.load_models,
            (GUIDE_REF,) if GUIDE_REF.is_there else (),
        )
        install_translations(application)
        install_roles()
        self.appearance = Appearance(application, self.settings.settings.interface.theme)
        self.window = MainWindow(
            self.appearance,
            self.controller,
            self.engine,
            self.settings,
            recent_models=self.history.recent,
            installed_models=self.models.usable,
            state_folder=paths.config,
            pictures=self.pictures,
            recordings=self.recordings,
            writing=self.writing,
            api=self.api,
            sharing=self.sharing,
            exchange=self.exchange,
            chats=self.chats,
            models=self.models,
            tools=self.controller.tools,
            pages=self.pages,
            documents=self.documents,
        )
        self._others.requested.connect(self.window.model_requests.ask)
        self._others.ended.connect(self.window.model_requests.withdraw)

        self.options.failed.connect(self.window.notices.show_error)
        self._instance_server: InstanceServer | None = None
        self._expected: Callable[[], None] = lambda: None

    def expect_files(self, files: tuple[Path, ...], opened_by_system: FileOpenEvents | None) -> None:
        """Open `files` once the window is there, and from then on what later starts and the system ask for."""

        def begin() -> None:
            first = files
            if opened_by_system is not None:
                first += opened_by_system.take()
                opened_by_system.opened.connect(self.window.files.open_one)
            if first:
                self.window.files.open(first)
            # Imported behind the window, for Qt's network takes its time.
            from app.services.runtime.single_instance import InstanceServer

            self._instance_server = InstanceServer(self.paths.data, self.window)
            self._instance_server.rung.connect(self.window.files.answer)
            self._instance_server.listen()

        self._expected = begin

    async def run(self, last: LastRun = _NOTHING, frame: Frame | None = None) -> bool:
        """Show the window, in `frame` where there is one, until it is closed.

        Returns whether all of it has ended; where not, all is written, and the process has to `leave`.
        """
        closed = asyncio.get_running_loop().create_future()

        def close() -> None:
            if not closed.done():
                closed.set_result(None)

        self.window.closing.connect(close)
        _on_signals(self._close_window)
        if frame is None:
            self.window.show()
        else:
            frame.fill(self.window)
            self.window.composer.focus_text()
        QTimer.singleShot(0, self.begin)
        if last.report:
            self._tell_crash(last)
        try:
            await closed
        finally:
            began = time.monotonic()
            if self._instance_server is not None:
                self._instance_server.close()
            self.writing.outbox.close()
            self.controller.replies.stop_all()
            self.chats.titles.close()
            if self.controller.read_ahead is not None:
                self.controller.read_ahead.close()
            ended = await ends_in_time(self._end())
            self.close()
            _log.info("Closed in %.2f s", time.monotonic() - began)
        return ended

    def _close_window(self) -> None:
        self.window.window().close()

    async def _end(self) -> None:
        self.sharing.close()
        await self._paired_api.close()
        await self.api.close()
        await emitted(self.engine.closed, self.engine.close)

    def close(self) -> None:
        """Write what is still open. The engine must have ended, or the process ends next."""
        self.servers.close()
        self.models.close()
        self.options.close()
        self.exchange.close()
        self.chats.close()
        self.documents.close()
        self.writing.close()
        self.pictures.close()
        self.recordings.close()
        self.controller.replies.finish()
        if self.controller.passages is not None:
            self.controller.passages.close()
        self.pages.close()
        self._database.close()
        self._collector.stop()

    def begin(self) -> None:
        """After the first paint: what was there last time."""
        self.controller.start()
        for note in (*self._notes, *self.settings.notes):
            self.controller.notices.noticed.emit(note)
        self.models.start()
        self.models.when_named(self.history.last, self.history.load_last)
        self.api.start()
        self._paired_api.start()
        self.chats.start()
        self.documents.start()
        self._expected()
        _log.info("Hearth %s is open", app.__version__)

    def _make_listener(self, wanted: ApiSettings) -> ApiThread:
        # Imported when somebody wants it, for aiohttp takes its time.
        from app.api.auth import Access
        from app.api.hosts import refuse_open_access

        if wanted.other_computers and not wanted.api_key:
            raise UserError("Other computers may use the model only with a key: make one in the settings first.")
        refuse_open_access(wanted.host, wanted.api_key)
        access = Access(wanted.host, wanted.api_key, (wanted.allowed_origin,) if wanted.allowed_origin else ())
        return ApiThread(self._application(access, wanted), wanted.host, wanted.port)

    def _make_paired_listener(self, wanted: ApiSettings) -> ApiThread:
        from app.api.peer_access import EVERYWHERE, PeerAccess

        access = PeerAccess(EVERYWHERE, computers=self._paired)
        return ApiThread(self._application(access, wanted), EVERYWHERE, wanted.peers_port, tls=self._paired.context)

    def _application(self, access: "Access", wanted: ApiSettings) -> "Callable[[], web.Application]":
        from app.api.server import make_application

        vectors = VectorModels(
            own_command(), self.settings.settings.loading, (), self._others.vectors, self._others.may_load
        )
        return partial(
            make_application,
            self._replies,
            access,
            self._api_sampling,
            observer=self.api.visitors,
            strict_model=wanted.strict_model,
            keeps_sessions=wanted.keep_on_disk > 0,
            vectors=vectors,
            others=self._others,
        )

    def _tell_crash(self, last: LastRun) -> None:
        if last.survived:
            sentence = "Something went wrong in Hearth last time, and it went on. The details may help us mend it."
            _log.info("In the last run something went wrong:\n%s", last.report)
        else:
            sentence = (
                "Hearth ended unexpectedly last time. Your conversations are kept; the details may help us mend it."
            )
            _log.info("The last run ended unexpectedly:\n%s", last.report)
        QTimer.singleShot(0, lambda: self.controller.notices.failed.emit(UserError(sentence, detail=last.report)))


def _finish_restore(paths: Paths) -> tuple[str, ...]:
    """Put a backup that waits in its place; sentences about it."""
    try:
        told = restore.finish(paths)
    except UserError as error:
        _log.info("%s", error.logged)
        return (f"The backup could not be restored yet. {error.sentence}",)
    return (told,) if told else ()


def _on_signals(close: Callable[[], None]) -> None:
    """A terminal's Ctrl+C and a session manager's SIGTERM close the window as its button does."""
    if sys.platform == "win32":
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, close)
