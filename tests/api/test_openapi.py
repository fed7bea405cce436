"""The description is of what is there."""

from dataclasses import fields
from pathlib import Path

import pytest

from app.api.asked import Checks
from app.api.auth import Access
from app.api.openai.chat_request import parse_chat_completion
from app.api.openapi import description
from app.api.peer_access import PeerAccess
from app.api.server import make_application
from app.core.paths import Paths
from app.core.sampling import Sampling
from app.services.remote.paired_computers import PairedComputers
from tests.api.test_server import FakeReplies, served, told


@pytest.mark.parametrize("paired", [False, True])
def test_every_route_is_described_and_no_other(paired: bool, tmp_path: Path) -> None:
    access = Access("127.0.0.1")
    if paired:
        access = PeerAccess("127.0.0.1", computers=PairedComputers(Paths(tmp_path, tmp_path, tmp_path)))
    application = make_application(FakeReplies(), access, Sampling())
    routes = {
        (route.method.lower(), route.resource.canonical)
        for route in application.router.routes()
        if route.resource is not None and route.method != "HEAD"
    }
    paths = description(paired=paired)["paths"]
    described = {(method, path) for path, methods in paths.items() for method in methods}
    assert described == {(method, path.replace(":.+", "")) for method, path in routes}


async def test_it_is_served() -> None:
    async with served(FakeReplies()) as client:
        assert await told(await client.get("/openapi.json")) == description()


def test_every_parameter_of_a_chat_is_known() -> None:
    """A value of null is as if left out, so it is refused only where nobody knows the name."""
    body = description()["paths"]["/v1/chat/completions"]["post"]["requestBody"]["content"]["application/json"]
    names = body["schema"]["properties"]
    assert {each.name for each in fields(Sampling)} <= set(names)
    checks = Checks(Sampling(), 10, lambda _: "")
    for name in names:
        if name != "messages":
            parse_chat_completion({"messages": [{"role": "user", "content": "a"}], name: None}, checks)
