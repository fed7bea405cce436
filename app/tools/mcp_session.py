"""One connection to a server of tools, by the Model Context Protocol. For one asyncio loop that is not Qt's.

The SDK is imported here and beside, when the first server is switched on: that takes half a second.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from app.core.errors import UserError
from app.core.messages import ImagePart
from app.tools.forms import Form, FormAction, FormAnswer, form_of
from app.tools.listing import listing_of
from app.tools.mcp_file import ServerEntry
from app.tools.results import contents_of, pictures_of, text_of, text_of_prompt
from app.tools.secrets import Secrets
from app.tools.server_process import ServerLog, ServerProcess, server_process
from app.tools.sign_in import WAITS, SignIn
from app.tools.tool import Listing, Prompt, Resource, ToolResult
from app.tools.transports import MOST_IN_ALL, over_http, over_pipes, over_sse
from app.tools.watcher import Watcher

if TYPE_CHECKING:
    import mcp_types as types
    from mcp import Client
    from mcp.client._transport import TransportStreams

_log = logging.getLogger(__name__)

START_WITHIN = 120.0
"""Seconds for a start, which may download the server first."""
_LIST_AGAIN = 0.5
"""Seconds after a change of its lists, for servers tell of many at once."""
_ASK_WITHIN = 60.0
"""Seconds for a prompt or a resource."""
_REFUSALS = (-32601, -32602, -32022)
"""Of the handshake itself: no such method, or no such version."""
_NO_STREAMS = (-32600, -32601, -32603)
"""What the SDK makes of an address that answers by another status than 200."""

Progress = Callable[[str], None]
Ask = Callable[[Form], Coroutine[Any, Any, FormAnswer]]


@dataclass(frozen=True, slots=True)
class Started:
    """A server runs, and has this; told again when it has something else."""

    listing: Listing


@dataclass(frozen=True, slots=True)
class SignInWanted:
    """It waits for a person, who has to open this web page."""

    url: str


Told = Started | SignInWanted
if TYPE_CHECKING:
    _Transport = AbstractAsyncContextManager[TransportStreams]
    _Way = tuple[str, Callable[[], _Transport], tuple[int, ...]]
    """A mode of the SDK, a transport, and the errors of the way before after which it is worth a try."""


class McpSession:
    """Begun by `run` in a task of its own, which enters and leaves the connection; calls come from other tasks."""

    def __init__(
        self, entry: ServerEntry, log: ServerLog, watcher: Watcher, secrets: Secrets, tell: Callable[[Told], None]
    ) -> None:
        self._entry = entry
        self._log = log
        self._watcher = watcher
        self._secrets = secrets
        self._tell = tell
        self._client: Client | None = None
        self._wake = asyncio.Event()
        self._stop_wanted = False
        self._is_over = False
        """Nothing comes from its pipes any more."""
        self._ended = asyncio.Event()
        self._turn = asyncio.Lock()
        self._ask: Ask | None = None
        """Of the call that runs."""
        self._form: asyncio.Task[FormAnswer] | None = None
        """Of that call, while a person fills it in."""
        self._starting: asyncio.Timeout | None = None
        self._process: ServerProcess | None = None
        self.problem: UserError | None = None
        """Why the connection ended, where nobody wanted it to."""

    @property
    def has_ended(self) -> bool:
        return self._ended.is_set()

    @property
    def is_stopping(self) -> bool:
        return self._stop_wanted

    async def run(self) -> None:
        """Be connected until `stop`. Raises UserError."""
        try:
            await self._run(await asyncio.to_thread(self._secrets.filled, self._entry))
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            # What is left over HTTP is often left with an error.
            if not self._stop_wanted:
                self.problem = self._explained(error)
                raise self.problem from error
        finally:
            self._client = None
            self._ended.set()

    def stop(self) -> None:
        self._stop_wanted = True
        self._wake.set()

    async def call(
        self, name: str, arguments: Mapping[str, object], seconds: float, tell: Progress, ask: Ask
    ) -> ToolResult:
        """Calls of one server run one after another. `seconds` begin anew with each progress, and do not run while a
        person is asked. Raises UserError.
        """
        async with self._turn:
            try:
                return await self._call(self._connection(), name, arguments, seconds, tell, ask)
            finally:
                self._ask = None
                if self._form is not None:
                    self._form.cancel()

    async def prompt(self, prompt: Prompt, arguments: Mapping[str, str]) -> str:
        """The text of a prompt. Raises UserError."""
        found = await self._asked(self._connection().get_prompt(prompt.name, dict(arguments)), prompt.name)
        return text_of_prompt(found)

    async def resource(self, resource: Resource) -> tuple[str, tuple[ImagePart, ...]]:
        """Its text, and what is a picture of it. Raises UserError."""
        found = await self._asked(self._connection().read_resource(resource.uri), resource.name)
        return contents_of(found, resource.name)

    def _connection(self) -> "Client":
        if self._client is None:
            raise self.problem or UserError("{name} is not running.", name=self._entry.name)
        return self._client

    async def _asked(self, asked: Awaitable[Any], what: str) -> Any:
        try:
            async with asyncio.timeout(_ASK_WITHIN):
                return await self._unless_ended(asked)
        except TimeoutError:
            raise _too_slow(what, _ASK_WITHIN) from None

    async def _call(
        self, client: "Client", name: str, arguments: Mapping[str, object], seconds: float, tell: Progress, ask: Ask
    ) -> ToolResult:
        import mcp_types as types

        loop = asyncio.get_running_loop()
        began = loop.time()

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            if timer.when() is not None:
                timer.reschedule(min(loop.time() + seconds, began + MOST_IN_ALL))
            tell(_progress_text(progress, total, message))

        forms = asyncio.Lock()

        async def asks(form: Form) -> FormAnswer:
            # A server may ask for several at once: they are shown one after another.
            async with forms:
                if self._ask is not asks:
                    return FormAnswer(FormAction.CANCEL)
                timer.reschedule(None)
                self._form = loop.create_task(ask(form), name="form")
                await asyncio.wait([self._form])
                if self._form.cancelled():
                    return FormAnswer(FormAction.CANCEL)
                timer.reschedule(loop.time() + seconds)
                return self._form.result()

        self._ask = asks
        # Not the session's own `call_tool`: it loses a result that misses the schema which its server declared.
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=dict(arguments)))
        asked = client.session.send_request(request, types.CallToolResult, progress_callback=heard)
        try:
            async with asyncio.timeout(seconds) as timer:
                found = await self._unless_ended(asked)
        except TimeoutError:
            raise _too_slow(name, seconds) from None
        return ToolResult(text_of(found), bool(found.is_error), pictures=pictures_of(found, name))

    async def _unless_ended(self, asked: Any) -> Any:
        """A connection that breaks over HTTP cancels what waits in it without a word."""
        loop = asyncio.get_running_loop()
        call = loop.create_task(asked, name="tool call")
        ended = loop.create_task(self._ended.wait(), name="connection")
        try:
            await asyncio.wait((call, ended), return_when=asyncio.FIRST_COMPLETED)
            if call.done() and not call.cancelled():
                return call.result()
            raise self._explained(None)
        except UserError:
            raise
        except Exception as error:
            raise self._explained(error) from error
        finally:
            call.cancel()
            ended.cancel()
            await asyncio.gather(call, ended, return_exceptions=True)

    async def _run(self, entry: ServerEntry) -> None:
        """By the first way that leads to a handshake; what is told is what was wrong with the first of all."""
        first: Exception | None = None
        code = 0
        for mode, transport, after in await self._ways(entry):
            if first is not None and code not in after:
                continue
            error = await self._connected(mode, transport)
            if error is None:
                return
            first, code = first or error, getattr(_first(error), "code", 0)
        assert first is not None
        raise first

    async def _ways(self, entry: ServerEntry) -> "tuple[_Way, ...]":
        if not entry.url:
            pipes = partial(self._over_pipes, entry)
            # Those of the newer kind alone know no handshake.
            return ("legacy", pipes, ()), ("auto", pipes, _REFUSALS)
        auth = None
        if not any(name.lower() == "authorization" for name in entry.headers):
            auth = await SignIn(self._entry, self._secrets, self._want_sign_in).provider()
        http, sse = partial(over_http, entry, auth), partial(over_sse, entry, auth)
        return ("legacy", http, ()), ("auto", http, _REFUSALS), ("legacy", sse, _NO_STREAMS)

    async def _connected(self, mode: str, transport: "Callable[[], _Transport]") -> Exception | None:
        """Until the end. Returns why there was no handshake; raises UserError, and what the SDK raises, after it."""
        from mcp import Client

        try:
            async with (
                asyncio.timeout(START_WITHIN) as self._starting,
                Client(
                    transport(),
                    mode=mode,
                    cache=None,
                    elicitation_callback=self._elicit,
                    message_handler=self._notified,
                ) as client,
            ):
                listing = await listing_of(client, self._entry)
                self._starting.reschedule(None)
                self._client = client
                self._tell(Started(listing))
                await self._stay(client)
        except TimeoutError:
            raise UserError(
                "{name} did not answer within {n} seconds.", name=self._entry.name, n=f"{START_WITHIN:.0f}"
            ) from None
        except Exception as error:
            if self._client is not None:
                raise
            return error
        return None

    async def _stay(self, client: "Client") -> None:
        """Until it is to stop; lists again what has changed."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._stop_wanted:
                return
            if self._is_over:
                raise UserError("{name} has ended.", name=self._entry.name)
            await asyncio.sleep(_LIST_AGAIN)
            try:
                async with asyncio.timeout(_ASK_WITHIN):
                    self._tell(Started(await listing_of(client, self._entry)))
            except TimeoutError:
                _log.info("%s did not list again what it has", self._entry.name)

    async def _notified(self, message: object) -> None:
        import mcp_types as types

        if isinstance(
            message,
            types.ToolListChangedNotification
            | types.PromptListChangedNotification
            | types.ResourceListChangedNotification,
        ):
            self._wake.set()

    async def _elicit(self, context: object, params: Any) -> "types.ElicitResult":
        import mcp_types as types

        answer = FormAnswer(FormAction.CANCEL)
        url = params.url if params.mode == "url" else ""
        if self._ask is not None and (not url or url.startswith(("http://", "https://"))):
            schema = {} if url else params.requested_schema
            answer = await self._ask(replace(form_of(self._entry.name, params.message, schema), url=url))
        content = dict(answer.values) if answer.action is FormAction.ACCEPT and not url else None
        return types.ElicitResult.model_validate({"action": answer.action.value, "content": content})

    def _want_sign_in(self, url: str) -> None:
        if self._client is None and self._starting is not None:
            self._starting.reschedule(asyncio.get_running_loop().time() + WAITS + START_WITHIN)
        self._tell(SignInWanted(url))

    @asynccontextmanager
    async def _over_pipes(self, entry: ServerEntry) -> "AsyncIterator[TransportStreams]":
        self._is_over = False
        async with (
            server_process(entry, self._log, self._watcher) as self._process,
            over_pipes(self._process, self._end) as streams,
        ):
            yield streams

    def _end(self) -> None:
        self._is_over = True
        self._wake.set()

    def _explained(self, error: BaseException | None) -> UserError:
        """One sentence, and what the server said last."""
        error = _first(error)
        told = self._process.problem if self._process is not None else None
        if isinstance(error, UserError):
            told = error
        detail = self._log.text.strip()
        name = self._entry.name
        if told is not None:
            return UserError(told.sentence, detail=detail or told.detail)
        if error is None or "onnection closed" in str(error):
            return UserError("{name} has ended.", name=name, detail=detail)
        if self._entry.url and type(error).__module__.startswith("httpx"):
            return UserError("{name} can't be reached at {url}.", name=name, url=self._entry.url, detail=repr(error))
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        _log.info("A server of tools failed", exc_info=error)
        if type(error).__module__.startswith("mcp.client.auth"):
            return UserError("The sign-in to {name} failed: {reason}", name=name, reason=reason)
        return UserError("{name} failed: {reason}", name=name, reason=reason, detail=detail)


def _first(error: BaseException | None) -> BaseException | None:
    """Of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _too_slow(what: str, seconds: float) -> UserError:
    return UserError("{tool} took longer than {n} seconds and was stopped.", tool=what, n=f"{seconds:.0f}")


def _progress_text(done: float, total: float | None, message: str | None) -> str:
    if message:
        return " ".join(message.split())[:200]
    return f"{done:g} / {total:g}" if total else f"{done:g}"
