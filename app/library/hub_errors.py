"""What can go wrong with the hub, in sentences."""

from app.core.errors import UserError


class OfflineError(UserError):
    """The hub can't be reached at all."""


class GatedError(UserError):
    """The hub wants to know who asks, or that its terms are accepted."""


class BusyError(UserError):
    """The hub wants to be asked later."""


def offline(detail: object = "") -> OfflineError:
    return OfflineError(
        "Hugging Face can't be reached. Check the network; the models that are here work without it.",
        detail=str(detail),
    )


def of_status(status: int, what: str, *, has_token: bool, detail: str = "") -> UserError:
    """The sentence for an answer that is no success. `what` is the repository."""
    if status == 401:
        told = "refuses the token that is kept here" if has_token else "wants to know who asks"
        return GatedError(
            f"Hugging Face {told} for {what}. Make a token at huggingface.co/settings/tokens and enter it here.",
            detail=detail,
        )
    if status == 403:
        return GatedError(
            f"{what} is gated. Accept its terms at huggingface.co/{what}, "
            + ("then try again." if has_token else "and enter a token here."),
            detail=detail,
        )
    if status in (404, 410):
        return UserError(f"{what} is not on Hugging Face (any more), or it is private.", detail=detail)
    if status == 429:
        return BusyError("Hugging Face is asked too often from here. It goes on by itself in a while.", detail=detail)
    if status == 407:
        return UserError("The proxy of this network wants a password. Set HTTPS_PROXY with one.", detail=detail)
    if status >= 500:
        return BusyError(f"Hugging Face has a problem of its own ({status}). Try again later.", detail=detail)
    return UserError(f"Hugging Face does not give {what} ({status}).", detail=detail)
