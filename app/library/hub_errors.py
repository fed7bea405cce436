"""What can go wrong with the hub, in sentences."""

import re
import ssl

from app.core.errors import UserError
from app.core.sentence import Sentence

_PROXY_STATUS = re.compile(r"(4\d\d)\b")
"""How httpcore's ProxyError begins where the proxy answered; 5xx means that it does not reach the hub either."""


class OfflineError(UserError):
    """The hub can't be reached at all."""


class GatedError(UserError):
    """The hub wants to know who asks, or that its terms are accepted."""


class BusyError(UserError):
    """The hub wants to be asked later."""

    def __init__(self, template: str, /, *, detail: str = "", wait: float = 0.0, **values: object) -> None:
        super().__init__(template, detail=detail, **values)
        self.wait = wait
        """Seconds until then; 0 where it does not say."""


def offline(detail: object = "") -> OfflineError:
    return OfflineError(
        "Hugging Face can't be reached. Check the network; the models that are here work without it.",
        detail=str(detail),
    )


def unusable_proxy(detail: object) -> UserError:
    return UserError(
        "The proxy that is set for this computer can't be used. HTTPS_PROXY and ALL_PROXY have to begin with http://.",
        detail=str(detail),
    )


def of_network(error: Exception) -> UserError:
    """The sentence for what httpx, the system or huggingface_hub raised instead of an answer."""
    import httpx2

    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        return UserError(
            "HF_ENDPOINT names no address that can be asked. It has to begin with https://.", detail=str(error)
        )
    if _is_untrusted(error):
        return UserError(
            "This computer does not trust the certificate that comes in Hugging Face's name. If a proxy of your "
            "network puts its own there, name its certificate in SSL_CERT_FILE.",
            detail=str(error),
        )
    if isinstance(error, httpx2.ProxyError) and (refused := _PROXY_STATUS.match(str(error))):
        if refused[1] == "407":
            return of_status(407, "", has_token=False, detail=str(error))
        return UserError(
            "The proxy of this network does not let Hearth through to Hugging Face ({status}). Try another "
            "network, or ask who runs it.",
            status=refused[1],
            detail=str(error),
        )
    return offline(repr(error))


def _is_untrusted(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def of_status(status: int, what: str, *, has_token: bool, detail: str = "", wait: float = 0.0) -> UserError:
    """The sentence for an answer that is no success. `what` is the repository; `wait` the seconds until it makes sense
    to ask again, as far as the hub says so."""
    if status == 401:
        told = Sentence("refuses the token that is kept here") if has_token else Sentence("wants to know who asks")
        template = "Hugging Face {told} for {what}. Make a token at huggingface.co/settings/tokens and enter it here."
        return GatedError(template, told=told, what=what, detail=detail)
    if status == 403:
        then = Sentence("then try again") if has_token else Sentence("and enter a token here")
        template = "{what} is gated. Accept its terms at huggingface.co/{what}, {then}."
        return GatedError(template, what=what, then=then, detail=detail)
    if status in (404, 410):
        return UserError("{what} is not on Hugging Face (any more), or it is private.", what=what, detail=detail)
    if status == 429:
        return _busy("Hugging Face is asked too often from here. Try again {when}.", wait, detail)
    if status == 407:
        return UserError("The proxy of this network wants a password. Set HTTPS_PROXY with one.", detail=detail)
    if status >= 500:
        return _busy("Hugging Face has a problem of its own ({status}). Try again {when}.", wait, detail, status)
    return UserError("Hugging Face does not give {what} ({status}).", what=what, status=status, detail=detail)


def _busy(template: str, wait: float, detail: str, status: int = 429) -> BusyError:
    return BusyError(template, detail=detail, wait=wait, when=_when(wait), status=status)


def _when(wait: float) -> str:
    if wait <= 0:
        return Sentence("later")
    if wait < 90:
        return Sentence("in {count} s", count=max(1, round(wait)))
    if wait < 5400:
        return Sentence("in {count} minutes", count=round(wait / 60))
    return Sentence("in {count} hours", count=round(wait / 3600))
