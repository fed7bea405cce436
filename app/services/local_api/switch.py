"""The local API beside the window: on when the settings say so, and started anew when they change."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal, Slot

from app.core.api_settings import ApiSettings
from app.core.errors import UserError
from app.services.local_api.clients import Clients
from app.services.runtime.settings_service import SettingsService
from app.services.runtime.tasks import spawn

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ApiOff:
    """Nobody is listened to; `problem` says why where the settings want it otherwise."""

    problem: str = ""


@dataclass(frozen=True, slots=True)
class ApiOn:
    url: str
    """What a client takes as its base URL."""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0


ApiState = ApiOff | ApiOn


class Listener(Protocol):
    """`app.services.local_api.thread.ApiThread`, or a test's stand-in."""

    async def start(self) -> int: ...

    async def stop(self) -> None: ...


MakeListener = Callable[[ApiSettings], Listener]
"""Raises UserError where the settings would leave the door open."""


class ApiSwitch(QObject):
    """GUI thread, on the program's loop. One change is carried out after the other."""

    changed = Signal(object)
    """ApiState"""
    failed = Signal(object)
    """UserError: it is wanted, and can't be had"""

    def __init__(
        self,
        settings: SettingsService,
        visitors: Clients,
        make_listener: MakeListener,
        is_wanted: Callable[[ApiSettings], bool] = lambda wanted: wanted.enabled,
    ) -> None:
        super().__init__()
        self._is_wanted = is_wanted
        self.visitors = visitors
        """Who uses it now."""
        self._settings = settings
        self._make_listener = make_listener
        self._listener: Listener | None = None
        self._wanted = ApiSettings()
        """What was last asked for: nothing, before the first time."""
        self._state: ApiState = ApiOff()
        self._turn = asyncio.Lock()
        self._closed = False

    @property
    def state(self) -> ApiState:
        return self._state

    def start(self) -> None:
        """Follow the settings from now on."""
        self._settings.changed.connect(self._follow)
        self._follow()

    async def close(self) -> None:
        """Stop for good, and wait until it has."""
        self._closed = True
        async with self._turn:
            await self._stop()

    @Slot()
    def _follow(self) -> None:
        wanted, before = self._settings.settings.local_api, self._wanted
        self._wanted = wanted
        if wanted != before and (self._is_wanted(wanted) or self._is_wanted(before)):
            spawn(self._carry_out(wanted), name="local API")

    async def _carry_out(self, wanted: ApiSettings) -> None:
        async with self._turn:
            if self._closed or wanted is not self._wanted:
                return
            await self._stop()
            if self._is_wanted(wanted):
                await self._begin(wanted)
            else:
                self._set(ApiOff())

    async def _begin(self, wanted: ApiSettings) -> None:
        try:
            listener = self._make_listener(wanted)
            port = await listener.start()
        except UserError as error:
            _log.warning("%s", error.sentence)
            self._set(ApiOff(error.sentence))
            self.failed.emit(error)
            return
        self._listener = listener
        self._set(ApiOn(f"http://127.0.0.1:{port}/v1"))

    async def _stop(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            await listener.stop()

    def _set(self, state: ApiState) -> None:
        if state != self._state:
            self._state = state
            self.changed.emit(state)
