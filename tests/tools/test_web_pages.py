"""Pages of the web, from a server on this machine that stands for the internet where a test says so."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from app.core.errors import UserError
from app.core.html_text import text_of_html
from app.tools.built_in.public_address import PublicResolver, is_public
from app.tools.built_in.source import Here
from app.tools.built_in.web_pages import WebPages
from tests.work import assert_quick

PAGE = """<!doctype html><html><head><title>Jam</title><style>p {}</style><script>alert("no")</script></head><body>
<nav>Menu</nav><h1>Strawberry jam</h1><p>Take   <b>one</b> pound
of <a href="/sugar?a=1&amp;b=2">sugar</a>.</p><ul><li>Boil<li>Stir</ul><table><tr><td>1</td><td>2</td></tr></table>
<pre>a
  b</pre><img src="x" alt="A jar"><a href="javascript:alert(1)">Click</a></body></html>"""


@asynccontextmanager
async def served(**pages: web.Response) -> AsyncIterator[int]:
    """Each page under its name; yields the port."""

    async def answer(request: web.Request) -> web.Response:
        page = pages[request.match_info["page"]]
        return web.Response(status=page.status, headers=page.headers, body=page.body)

    application = web.Application()
    application.router.add_get("/{page}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def internet(*hosts: str) -> WebPages:
    """These hosts are this machine, which counts as public."""

    def look(host: str, port: int) -> list[tuple[int, str]]:
        if host not in hosts:
            raise OSError("no such host")
        return [(socket.AF_INET, "127.0.0.1")]

    return WebPages(PublicResolver(look, lambda _: True))


async def read(pages: WebPages, url: str) -> str:
    return (await pages.run("read_page", {"url": url}, Here())).text


def html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html")


async def test_a_page_becomes_text() -> None:
    async with served(jam=html(PAGE), data=web.json_response({"a": 1})) as port:
        pages = internet("jam.example")
        assert await read(pages, f"http://jam.example:{port}/jam") == (
            f"Jam\n\n# Strawberry jam\n\nTake one pound of [sugar](http://jam.example:{port}/sugar?a=1&b=2).\n\n"
            "- Boil\n- Stir\n\n | 1 | 2\n\na\n  b\n[A jar]Click"
        )
        assert await read(pages, f"http://jam.example:{port}/data") == '{"a": 1}'


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (web.Response(status=404), "answers 404"),
        (web.Response(body=b"%PDF", content_type="application/pdf"), "no text at this address, but application/pdf"),
        (web.Response(status=302, headers={"Location": "/page"}), "without end"),
        (web.Response(status=302, headers={"Location": "file:///etc/passwd"}), "begin with http"),
        (web.Response(status=302, headers={"Location": "http://["}), "no address"),
    ],
)
async def test_what_is_no_page_is_a_sentence(page: web.Response, told: str) -> None:
    async with served(page=page) as port:
        with pytest.raises(UserError, match=told):
            await read(internet("jam.example"), f"http://jam.example:{port}/page")


async def test_another_host_is_asked_about_by_itself() -> None:
    moved = web.Response(status=301, headers={"Location": "http://evil.example/?q=secret"})
    async with served(page=moved) as port:
        told = await read(internet("jam.example", "evil.example"), f"http://jam.example:{port}/page")
    assert told == "The page is at http://evil.example/?q=secret now. Read that one."


async def test_a_page_has_a_size() -> None:
    async with served(page=web.Response(text="x" * (6 << 20))) as port:
        assert len(await read(internet("jam.example"), f"http://jam.example:{port}/page")) == 5 << 20


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://example.org", "javascript:alert(1)", "example.org", "", "http://", "http://[",
        "https://" + "x" * 3000, "//example.org",
    ],
)  # fmt: skip
async def test_only_the_web(url: str) -> None:
    with pytest.raises(UserError):
        await read(internet("example.org"), url)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]",
        "0.0.0.0", "10.0.0.1", "192.168.1.1", "169.254.169.254", "[fe80::1]", "[fd00::1]",
        "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "100.64.0.1", "224.0.0.1", "[::]", "user:password@127.0.0.1",
    ],
)  # fmt: skip
async def test_nothing_within_this_network_is_reached(host: str) -> None:
    async with served(page=web.Response(text="secret")) as port:
        with pytest.raises(UserError, match=r"in its network|can't be read"):
            await read(WebPages(), f"http://{host}:{port}/page")


async def test_a_name_that_leads_home_is_refused_also_after_a_redirect() -> None:
    moved = web.Response(status=302, headers={"Location": "http://127.0.0.1/"})
    answers = [(int(socket.AF_INET), "93.184.216.34"), (int(socket.AF_INET), "127.0.0.1")]
    mixed = WebPages(PublicResolver(lambda *_: answers))
    with pytest.raises(UserError, match="in its network"):
        await read(mixed, "http://rebinding.example/")
    async with served(page=moved) as port:
        told = await read(internet("jam.example"), f"http://jam.example:{port}/page")
    assert told == "The page is at http://127.0.0.1/ now. Read that one."


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808"])
def test_what_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "::1", "::", "fe80::1%eth0", "fd00::1", "ff02::1", "::ffff:10.0.0.1", "2002:a00:1::",
        "64:ff9b::a00:1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "no address",
    ],
)  # fmt: skip
def test_what_is_not(address: str) -> None:
    assert not is_public(address)


def test_each_host_is_another_tool() -> None:
    pages = WebPages()
    (tool,) = pages.tools
    one, other = (pages.aimed(tool, {"url": url}) for url in ("https://Example.org/a?b", "https://other.org"))
    assert (one.server, one.fingerprint) == ("example.org", ":web example.org")
    assert not one.is_same(other) and one.is_same(pages.aimed(tool, {"url": "http://example.org:81"}))
    assert pages.aimed(tool, {"url": "nonsense"}).server == ""


@pytest.mark.parametrize(
    "part",
    [
        "<div>",
        "<!--",
        "<a href=",
        "</",
        "&#",
        "<script>",
        "<![CDATA[",
        "<pre",
        "<p <",
        '<a "',
        "<a '\">",
        "<pre>  ",
        " ",
    ],
)
def test_hostile_pages_cost_little(part: str) -> None:
    assert_quick(2.0, lambda: text_of_html(part * (200_000 // len(part)), "https://example.org"))
