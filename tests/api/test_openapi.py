"""The description is of what is there."""

from dataclasses import fields

from app.api.asked import Checks
from app.api.auth import Access
from app.api.openai.chat_request import parse_chat_completion
from app.api.openapi import description
from app.api.server import make_application
from app.core.sampling import Sampling
from tests.api.test_server import FakeReplies, served, told


def test_every_route_is_described_and_no_other() -> None:
    application = make_application(FakeReplies(), Access("127.0.0.1"), Sampling())
    routes = {
        (route.method.lower(), route.resource.canonical)
        for route in application.router.routes()
        if route.resource is not None and route.method != "HEAD"
    }
    described = {(method, path) for path, methods in description()["paths"].items() for method in methods}
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
