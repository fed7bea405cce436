"""Reading a page of the web: each host is asked about, and none in this computer's own networks is reached."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.core.errors import UserError
from app.core.html_text import text_of_html
from app.tools.built_in.source import Here, Source, source_name, tool
from app.tools.daemon_call import daemon_call
from app.tools.tool import Capability, Nature, Tool, ToolResult, to_model

if TYPE_CHECKING:
    import aiohttp
    from yarl import URL

    from app.tools.built_in.public_address import PublicResolver

_SECONDS = 20.0
_MOST_BYTES = 5 << 20
_REDIRECTS = 5
_MOST_ADDRESS = 2_000
_TEXTS = (
    "text/",
    "application/json",
    "application/xml",
    "application/xhtml+xml",
    "application/rss",
    "application/atom",
)
_HEADERS = {"User-Agent": "Hearth", "Accept": "text/html, text/*;q=0.9, application/json;q=0.8"}


class WebPages(Source):
    name = source_name("web")
    tools = (
        tool(
            "read_page",
            to_model("The text of a web page. The user is asked about each host."),
            # The address itself tells its host something.
            Nature(frozenset({Capability.LOOKS, Capability.SENDS}), asks=True),
            url="Address that begins with https:// or http://",
        ),
    )

    def __init__(self, resolver: "PublicResolver | None" = None) -> None:
        self._resolver = resolver

    def aimed(self, tool: Tool, arguments: Mapping[str, Any]) -> Tool:
        """Another one for each host; one that can't be read is refused when it runs."""
        try:
            host = _address(str(arguments["url"])).host or ""
        except UserError:
            host = ""
        return replace(tool, server=host, fingerprint=f"{self.name} {host}")

    async def run(self, name: str, arguments: Mapping[str, Any], here: Here) -> ToolResult:
        from aiohttp import ClientError

        try:
            async with asyncio.timeout(_SECONDS):
                return ToolResult(await self._read(_address(str(arguments["url"]))))
        except TimeoutError:
            raise UserError("The page took longer than {seconds} seconds.", seconds=int(_SECONDS)) from None
        except (ClientError, OSError, ValueError) as error:
            raise UserError("The page can't be read: {reason}.", reason=str(error) or type(error).__name__) from error

    async def _read(self, address: "URL") -> str:
        # Imported here: they take a while, and most people never read a page.
        from aiohttp import ClientSession, DummyCookieJar, TCPConnector

        from app.tools.built_in.public_address import PublicResolver, check_digits

        resolver = self._resolver = self._resolver or PublicResolver()
        # No proxies of the environment: they would look names up for themselves, and reach what we may not.
        connector = TCPConnector(resolver=resolver, use_dns_cache=False)
        async with ClientSession(connector=connector, cookie_jar=DummyCookieJar(), headers=_HEADERS) as session:
            for _ in range(_REDIRECTS + 1):
                check_digits(address.host or "", resolver)
                async with session.get(address, allow_redirects=False) as response:
                    target = response.headers.get("Location")
                    if response.status not in (301, 302, 303, 307, 308) or target is None:
                        return await _told(response)
                before, address = address, _address(str(address.join(_url(target))))
                if address.host != before.host:
                    # Another host is asked about by itself.
                    return to_model("The page is at {address} now. Read that one.", address=address)
        raise UserError("The page leads from one address to the next without end.")


async def _told(response: "aiohttp.ClientResponse") -> str:
    if response.status != 200:
        raise UserError("The page answers {status} {reason}.", status=response.status, reason=response.reason or "")
    kind = response.content_type
    if not kind.startswith(_TEXTS):
        raise UserError("There is no text at this address, but {kind}.", kind=kind)
    data = bytearray()
    async for part in response.content.iter_chunked(1 << 16):
        data += part
        if len(data) >= _MOST_BYTES:
            break
    try:
        text = bytes(data[:_MOST_BYTES]).decode(response.charset or "utf-8", "replace")
    except LookupError:
        text = data.decode("utf-8", "replace")
    if "html" in kind:
        text = await daemon_call(lambda: text_of_html(text, str(response.url)))
    return text or to_model("The page has no text.")


def _address(text: str) -> "URL":
    """Raises UserError."""
    url = _url(text.strip()) if len(text) <= _MOST_ADDRESS else None
    if url is None or url.scheme not in ("http", "https") or not url.host:
        raise UserError("Only addresses that begin with http:// or https:// can be read.")
    # Names and passwords in it would be sent.
    return url.with_user(None).with_fragment(None)


def _url(text: str) -> "URL":
    from yarl import URL

    try:
        return URL(text)
    except ValueError as error:
        raise UserError("This is no address.") from error
