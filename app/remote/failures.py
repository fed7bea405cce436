"""What can go wrong with a server, in sentences."""

import json
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from app.core.errors import ContextFullError, UserError
from app.core.sentence import Sentence
from app.remote.address import ServerAddress

LONGEST_ERROR = 1 << 16
"""Bytes of an answer that is none, which are read to say what it was."""
_SHOWN = 200
"""Characters of a server's own words in a sentence."""
_SECRET = 8
"""Characters of a key from which on it is one: "none" and "ollama" are words."""
_SECONDS = re.compile(r"\d{1,6}")
_TOO_LONG = re.compile(
    r"exceed_context_size|context_length_exceeded|maximum context length|context window|"
    r"exceeds? the (available |model's )?context|prompt is too long|context size has been exceeded",
    re.IGNORECASE,
)
_NO_PICTURES = re.compile(r"not a multimodal|image input is not supported|does not support image|mmproj", re.IGNORECASE)
_UNKNOWN_PEER = "{server} does not know this computer any more. Pair with it again."
_HTML = re.compile(rb"\s*(<!doctype html|<html)", re.IGNORECASE)


class BrokenError(Exception):
    """A connection that was not made or did not hold; another try may mend it."""

    def __init__(self, told: UserError) -> None:
        super().__init__(told.sentence)
        self.told = told


class BusyError(UserError):
    """The server wants to be asked later."""

    def __init__(self, template: str, /, *, detail: str = "", wait: float = 0.0, **values: object) -> None:
        super().__init__(template, detail=detail, **values)
        self.wait = wait
        """Seconds until then; 0 where it does not say."""


def of_network(error: Exception, address: ServerAddress) -> BrokenError:
    """What httpx or the system raised instead of an answer."""
    told = _peer_sentence(error) if address.pin is not None else ""
    return BrokenError(UserError(told or _network_sentence(error), server=address.shown, detail=repr(error)))


def _peer_sentence(error: Exception) -> str:
    """Where a Hearth that was paired with is not what it was; empty for what can befall any server."""
    causes = list(_causes(error))
    if any(isinstance(each, ssl.SSLCertVerificationError) for each in causes):
        return (
            "{server} shows another certificate than the one that it was paired with, so nothing was sent. If it was "
            "set up anew, pair with it again."
        )
    if any(isinstance(each, ssl.SSLError) for each in causes) or "disconnected" in str(error):
        # TLS 1.3 lets a client believe that it is welcome until the first answer.
        return _UNKNOWN_PEER
    return ""


def _network_sentence(error: Exception) -> str:
    import httpx2

    causes = list(_causes(error))
    told = " ".join(map(str, causes))
    if any(isinstance(each, ssl.SSLCertVerificationError) for each in causes):
        return (
            "This computer does not trust the certificate of {server}. If your network or company puts its own there, "
            "name its certificate in SSL_CERT_FILE."
        )
    if any(isinstance(each, ssl.SSLError) for each in causes) and ("WRONG_VERSION" in told or "RECORD_LAYER" in told):
        return "{server} does not speak https. Enter its address with http:// in front."
    if isinstance(error, httpx2.ProxyError):
        return "The proxy of this network does not let Hearth through to {server}. Ask who runs it, or set NO_PROXY."
    if any(isinstance(each, socket.gaierror) for each in causes):
        return "The name {server} is not known here. Check the address and the network."
    if isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout):
        return "{server} does not answer. Check that the computer is on, and that no firewall stands between."
    if isinstance(error, httpx2.ConnectError):
        return "{server} can't be reached. Check that the server runs, and that address and port are right."
    return "The connection to {server} broke off. Check that the server still runs, and ask again."


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def quiet_for(address: ServerAddress, seconds: float) -> UserError:
    told = "{server} said nothing for {seconds} seconds, so the connection was closed. Ask again when it is well."
    return UserError(told, server=address.shown, seconds=round(seconds))


def cut_off(address: ServerAddress, *, is_first: bool) -> UserError:
    """Where the end of an answer never came."""
    told = (
        "{server} ended the connection without an answer. Its log may say why; perhaps the conversation is too long."
        if is_first
        else "{server} ended the connection in the middle of the answer. What came is kept: let it go on, or try again."
    )
    return UserError(told, server=address.shown)


def unreadable(address: ServerAddress, detail: str) -> UserError:
    """Where something came that is no answer of an engine."""
    told = (
        "{server} sent something that is no answer, so the answer ends here. Ask again, or look into the server's log."
    )
    return UserError(told, server=address.shown, detail=detail[:_SHOWN])


def web_page(address: ServerAddress) -> UserError:
    return UserError(
        "{server} answers with a web page. It may be the login page of this network, or no engine is at that address.",
        server=address.shown,
    )


def leads_on(address: ServerAddress, target: str) -> UserError:
    """A key is sent nowhere but where people have said."""
    told = "{server} leads on to {target}. If you trust that address, enter it instead."
    return UserError(told, server=address.shown, target=_shown(target) or "another address")


def is_web_page(content_type: str, beginning: bytes) -> bool:
    return content_type in ("text/html", "application/xhtml+xml") or _HTML.match(beginning) is not None


def of_status(address: ServerAddress, status: int, body: bytes, *, key: str, wait: float = 0.0) -> UserError:
    """The sentence for an answer that is no success: by its type and text first, and by its status last."""
    told, code = error_told(body)
    told = _without(key, told)
    detail = f"status {status} of {address.base}: {told[:1000]}"
    by_words = of_words(address, told, code, body)
    if by_words is not None:
        return by_words
    if status in (429, 503) or status == 529:
        return BusyError(
            "{server} has too much to do. Ask again {when}.",
            server=address.shown,
            when=when(wait),
            detail=detail,
            wait=wait,
        )
    if status in (401, 403) and address.pin is not None:
        return UserError(_UNKNOWN_PEER, server=address.shown, detail=detail)
    if status in (401, 403):
        template = (
            "{server} refuses the key that is kept for it. Enter another one."
            if key
            else "{server} wants a key. Enter the one that its owner gave you."
        )
        return UserError(template, server=address.shown, detail=detail)
    if status in (502, 504):
        return UserError(
            "What stands before {server} can't reach it ({status}). Try again later, or ask who runs it.",
            server=address.shown,
            status=status,
            detail=detail,
        )
    if status in (404, 405, 410):
        template = "{server} does not know what it was asked for: {told}. The model may be gone; choose another one."
        return UserError(template, server=address.shown, told=_told(told, status), detail=detail)
    if status >= 500:
        template = "{server} failed by itself: {told}. Look into its log, or start it again."
        return UserError(template, server=address.shown, told=_told(told, status), detail=detail)
    template = "{server} refuses the question: {told}."
    return UserError(template, server=address.shown, told=_told(told, status), detail=detail)


def of_error_event(address: ServerAddress, told: str, code: str, *, key: str, is_first: bool) -> UserError:
    """An error in a stream that began well."""
    told = _without(key, told)
    by_words = of_words(address, told, code, b"")
    if by_words is not None:
        return by_words
    template = (
        "{server} failed by itself: {told}. Look into its log, or start it again."
        if is_first
        else "{server} failed in the middle of the answer: {told}. What came is kept."
    )
    return UserError(template, server=address.shown, told=_told(told, 0), detail=told[:1000])


def of_words(address: ServerAddress, told: str, code: str, body: bytes) -> UserError | None:
    """What an error says that every engine has other statuses for."""
    if _TOO_LONG.search(code) or _TOO_LONG.search(told):
        n_tokens, n_ctx = _sizes(told, body)
        return ContextFullError(
            "This conversation is longer than the context of {server}. Start a new one, shorten this one, or let "
            "the server have a larger context.",
            server=address.shown,
            detail=told[:1000],
            n_tokens=n_tokens,
            n_ctx=n_ctx,
        )
    if _NO_PICTURES.search(told):
        return UserError(
            "The model at {server} can't see pictures. Take them out, or choose a model that sees.",
            server=address.shown,
            detail=told[:1000],
        )
    return None


def error_told(body: bytes) -> tuple[str, str]:
    """What an error says, and its type or code: OpenAI's object, FastAPI's `detail`, Ollama's text, or plain words."""
    try:
        said = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace").strip(), ""
    match said:
        case {"error": error}:
            return error_of(error)
        case {"object": "error", "message": str(message)}:
            return message, str(said.get("type") or "")
        case {"detail": str(detail)} | {"message": str(detail)}:
            return detail, ""
        case {"detail": [*details]}:
            return "; ".join(map(_detail, details)), ""
    return body.decode("utf-8", "replace").strip(), ""


def error_of(error: object) -> tuple[str, str]:
    """An `error` field, in whatever shape."""
    if isinstance(error, Mapping):
        codes = (error.get("type"), error.get("code"))
        return str(error.get("message") or error), " ".join(str(each) for each in codes if each)
    return str(error), ""


def _detail(each: object) -> str:
    """One of FastAPI's."""
    match each:
        case {"loc": [*place], "msg": str(message)}:
            return f"{'.'.join(map(str, place[1:]))}: {message}"
    return str(each)


def _sizes(told: str, body: bytes) -> tuple[int, int]:
    """Tokens of the prompt and of the context, 0 where they are not told."""
    fields = {
        name: int(found[1]) if (found := re.search(rb'"%s"\s*:\s*(\d{1,12})' % name.encode(), body)) else 0
        for name in ("n_prompt_tokens", "n_ctx")
    }
    if fields["n_ctx"]:
        return fields["n_prompt_tokens"], fields["n_ctx"]
    context = re.search(r"(?:context length is|maximum context length of|context window of) (\d{1,12})", told)
    prompt = re.search(r"(?:requested|prompt contains|resulted in|has) (?:at least )?(\d{1,12})", told)
    return int(prompt[1]) if prompt else 0, int(context[1]) if context else 0


def _without(key: str, told: str) -> str:
    """Some servers repeat the key that they refuse, and what they say stands in the log and in the conversation."""
    return told.replace(key, "…") if len(key) >= _SECRET else told


def _told(told: str, status: int) -> str:
    """A server's own words on one line, or the status where it has none."""
    return _shown(told).rstrip(".!") or Sentence("it does not say why ({status})", status=status)


def _shown(told: str) -> str:
    line = " ".join("".join(each if each.isprintable() else " " for each in told).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def when(wait: float) -> str:
    if wait <= 0:
        return Sentence("later")
    if wait < 90:
        return Sentence("in {count} s", count=max(1, round(wait)))
    return Sentence("in {count} minutes", count=max(2, round(wait / 60)))


def wait_told(headers: Mapping[str, str]) -> float:
    """Seconds for which a server wants to be left alone (RFC 9110, 10.2.3); 0 where nothing is said."""
    told = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(told):
        return float(told)
    until, now = _date(told), _date(headers.get("date", ""))
    # By the server's own clock, where it tells it: this computer's may be wrong.
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds()) if until is not None else 0.0


def _date(told: str) -> datetime | None:
    from email.utils import parsedate_to_datetime  # not for the window's start

    try:
        when = parsedate_to_datetime(told)
        return (when if when.tzinfo is not None else when.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
