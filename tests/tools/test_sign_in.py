"""Signing in to servers, and where secrets lie."""

import asyncio
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from app.core.errors import UserError
from app.tools import sign_in
from app.tools.connections import Connections, Ended
from app.tools.forms import Form, FormAnswer
from app.tools.mcp_file import ServerEntry
from app.tools.mcp_session import SignInWanted, Told
from app.tools.secrets import Secrets, secrets_of, sign_in_name
from tests.far_servers import far_server


class Drawer(KeyringBackend):
    """A keyring in memory, which may be locked for ever."""

    priority = 1

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self.look()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.look()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.look()
        if (service, username) not in self.kept:
            raise PasswordDeleteError
        del self.kept[service, username]

    def look(self) -> None:
        if self.locked:
            raise RuntimeError("nobody is there")


@pytest.fixture
def drawer() -> Iterator[Drawer]:
    before, made = keyring.get_keyring(), Drawer()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def visit(url: str) -> str:
    """As a browser does: it goes where it is sent."""
    try:
        with urllib.request.urlopen(url, timeout=30) as page:
            return str(page.read().decode())
    except urllib.error.HTTPError as error:
        return str(error.code)


async def _nothing(_: Form) -> FormAnswer:
    raise AssertionError


async def weather(entry: ServerEntry, secrets: Secrets, *, browser: bool = True) -> tuple[str, int]:
    """What the server tells, and how often a person was asked to sign in."""
    asked: list[str] = []
    pages: list[asyncio.Task[str]] = []

    def hear(_: ServerEntry, what: Told | Ended) -> None:
        if isinstance(what, SignInWanted):
            asked.append(what.url)
            if browser:
                pages.append(asyncio.get_running_loop().create_task(asyncio.to_thread(visit, what.url)))

    connections = Connections(hear, secrets)
    try:
        (tool,) = await connections.tools(entry)
        result = await connections.call(entry, tool, {"city": "Oslo"}, 20.0, lambda _: None, _nothing)
        return result.text, len(asked)
    finally:
        await asyncio.gather(*pages)
        await connections.close()


def test_a_browser_signs_in_once(tmp_path: Path, drawer: Drawer) -> None:
    with far_server(tmp_path, "sign-in") as far:
        assert asyncio.run(weather(far.entry, Secrets())) == ("Sunny in Oslo", 1)
        # The next run of the program.
        assert asyncio.run(weather(far.entry, Secrets())) == ("Sunny in Oslo", 0)
        assert (far.log.count("POST /register "), far.log.count("GET /authorize")) == (1, 1)
        (name,) = (name for _, name in drawer.kept)
        assert name == sign_in_name(far.entry)
        Secrets().forget(far.entry)
        assert not drawer.kept


def test_what_has_ended_is_renewed_without_a_browser(tmp_path: Path, drawer: Drawer) -> None:
    with far_server(tmp_path, "expire") as far:
        asyncio.run(weather(far.entry, Secrets()))
        asyncio.run(asyncio.sleep(1.1))
        assert asyncio.run(weather(far.entry, Secrets())) == ("Sunny in Oslo", 0)
        assert far.log.count("POST /token ") > 1 and far.log.count("GET /authorize") == 1


def test_without_a_keyring_it_holds_for_this_run(tmp_path: Path, drawer: Drawer) -> None:
    drawer.locked = True
    secrets = Secrets()
    with far_server(tmp_path, "sign-in") as far:
        assert asyncio.run(weather(far.entry, secrets)) == ("Sunny in Oslo", 1)
        assert asyncio.run(weather(far.entry, secrets)) == ("Sunny in Oslo", 0)


def test_who_is_not_let_in_is_told(tmp_path: Path, drawer: Drawer, caplog: pytest.LogCaptureFixture) -> None:
    with far_server(tmp_path, "refuse") as far, pytest.raises(UserError, match="far did not let you sign in"):
        asyncio.run(weather(far.entry, Secrets()))


def test_nobody_waits_for_ever(
    tmp_path: Path, drawer: Drawer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sign_in, "WAITS", 0.2)
    with far_server(tmp_path, "sign-in") as far, pytest.raises(UserError, match="Nobody signed in to far"):
        asyncio.run(weather(far.entry, Secrets(), browser=False))


async def test_other_programs_of_this_computer_are_sent_away(drawer: Drawer) -> None:
    there = sign_in.SignIn(ServerEntry("far", url="http://127.0.0.1:9/mcp"), Secrets(), lambda _: None)
    provider = await there.provider()
    (address,) = map(str, provider.context.client_metadata.redirect_uris or ())
    await there._open("http://127.0.0.1:9/authorize?state=right")
    waiting = asyncio.get_running_loop().create_task(there._wait())
    await asyncio.sleep(0.05)
    for wrong in ("?code=1&state=wrong", "?code=1", "/more?code=1&state=right"):
        assert await asyncio.to_thread(visit, address + wrong) == "404"
    assert not waiting.done()
    assert "go back to Hearth" in await asyncio.to_thread(visit, f"{address}?code=c&state=right")
    assert (await waiting).code == "c"


async def test_what_is_no_web_page_is_not_opened(drawer: Drawer) -> None:
    asked: list[str] = []
    there = sign_in.SignIn(ServerEntry("far", url="http://127.0.0.1:9/mcp"), Secrets(), asked.append)
    with pytest.raises(UserError, match="no web page"):
        await there._open("file:///etc/passwd")
    assert not asked


def test_secrets_leave_the_file_and_come_back(drawer: Drawer, home: Path) -> None:
    entry = ServerEntry("notes", "run", env={"API_KEY": "abc", "PLACE": "here"}, headers={"Authorization": "Bearer x"})
    assert secrets_of(entry.env) == ("API_KEY",)
    hidden, is_kept = Secrets().hide(entry)
    assert is_kept and hidden.env == {"API_KEY": "${keyring:notes/API_KEY}", "PLACE": "here"}
    assert "Bearer" not in str(hidden.headers) and hidden.fingerprint == entry.fingerprint
    assert secrets_of(hidden.env) == () and Secrets().filled(hidden) == entry
    fetched = ServerEntry("notes", "run", env={"PLACE": "${env:HEARTH_HOME}/x", "KEY": "${input:key}"})
    with pytest.raises(UserError, match="notes asks for key: write it"):
        Secrets().filled(fetched)
    assert Secrets().filled(replace(fetched, env={"PLACE": "${env:HEARTH_HOME}/x"})).env["PLACE"] == f"{home}/x"
    Secrets().forget(hidden)
    with pytest.raises(UserError, match="API_KEY of notes is not in this computer's keyring"):
        Secrets().filled(hidden)
    drawer.locked = True
    there = Secrets()
    again, is_kept = there.hide(entry)
    assert not is_kept and there.filled(again) == entry
