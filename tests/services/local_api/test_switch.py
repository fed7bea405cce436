"""The local API follows the settings: one change after the other, and nothing is left open."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.api_settings import ApiSettings
from app.core.errors import UserError
from app.core.settings import Interface
from app.services.local_api.clients import Clients
from app.services.local_api.switch import ApiOff, ApiOn, ApiState, ApiSwitch
from app.services.runtime.settings_service import SettingsService


class Listener:
    """Stands in for the thread that listens."""

    def __init__(self, wanted: ApiSettings, log: list[str], problem: str = "") -> None:
        self._port = wanted.port
        self._log = log
        self._problem = problem

    async def start(self) -> int:
        await asyncio.sleep(0)
        if self._problem:
            raise UserError(self._problem)
        self._log.append(f"start {self._port}")
        return self._port

    async def stop(self) -> None:
        await asyncio.sleep(0)
        self._log.append(f"stop {self._port}")


class Desk:
    def __init__(self, folder: Path) -> None:
        self.settings = SettingsService(folder / "settings.toml")
        self.log: list[str] = []
        self.problem = ""
        self.states: list[ApiState] = []
        self.failures: list[UserError] = []
        self.switch = ApiSwitch(self.settings, Clients(), self._make)
        self.switch.changed.connect(self.states.append)
        self.switch.failed.connect(self.failures.append)

    def _make(self, wanted: ApiSettings) -> Listener:
        return Listener(wanted, self.log, self.problem)

    async def settled(self, ready: Callable[[], bool]) -> None:
        while not ready():
            await asyncio.sleep(0)


@pytest.fixture
def drafts(tmp_path: Path, qapp: object) -> Desk:
    return Desk(tmp_path)


async def test_it_is_off_until_it_is_switched_on(drafts: Desk) -> None:
    drafts.switch.start()
    for _ in range(10):
        await asyncio.sleep(0)
    assert drafts.log == []
    assert drafts.switch.state == ApiOff()
    drafts.settings.update(ApiSettings, enabled=True, port=9000)
    await drafts.settled(lambda: drafts.switch.state == ApiOn("http://127.0.0.1:9000/v1"))
    drafts.settings.update(ApiSettings, enabled=False)
    await drafts.settled(lambda: drafts.switch.state == ApiOff())
    await drafts.switch.close()
    assert drafts.log == ["start 9000", "stop 9000"]


async def test_a_change_starts_it_anew_and_another_setting_does_not(drafts: Desk) -> None:
    drafts.settings.update(ApiSettings, enabled=True, port=9000)
    drafts.switch.start()
    await drafts.settled(lambda: isinstance(drafts.switch.state, ApiOn))
    drafts.settings.update(Interface, system_prompt="be brief")
    drafts.settings.update(ApiSettings, port=9001)
    drafts.settings.update(ApiSettings, port=9002)
    await drafts.settled(lambda: drafts.switch.state == ApiOn("http://127.0.0.1:9002/v1"))
    await drafts.switch.close()
    assert drafts.log[0] == "start 9000"
    assert drafts.log[-2:] == ["start 9002", "stop 9002"]
    starts = [each.split()[1] for each in drafts.log if each.startswith("start")]
    assert drafts.log == [each for port in starts for each in (f"start {port}", f"stop {port}")]


async def test_what_goes_wrong_is_told_and_can_be_mended(drafts: Desk) -> None:
    drafts.problem = "Port 9000 is in use."
    drafts.settings.update(ApiSettings, enabled=True, port=9000)
    drafts.switch.start()
    await drafts.settled(lambda: bool(drafts.failures))
    assert drafts.switch.state == ApiOff("Port 9000 is in use.")
    drafts.problem = ""
    drafts.settings.update(ApiSettings, port=9001)
    await drafts.settled(lambda: isinstance(drafts.switch.state, ApiOn))
    await drafts.switch.close()
    assert [each.sentence for each in drafts.failures] == ["Port 9000 is in use."]


async def test_after_the_end_nothing_starts(drafts: Desk) -> None:
    drafts.switch.start()
    await drafts.switch.close()
    drafts.settings.update(ApiSettings, enabled=True)
    for _ in range(10):
        await asyncio.sleep(0)
    assert drafts.log == []
