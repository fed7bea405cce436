"""The hub's token, in the system's keyring and nowhere else."""

import logging
import threading

from app.core.errors import UserError

_log = logging.getLogger(__name__)
_LONGEST = 200
_SERVICE, _USER = "Hearth", "huggingface.co"
_NO_KEYRING = (
    "This computer has no keyring, so the token is kept until Hearth is closed. "
    "HF_TOKEN can be set instead, before Hearth starts."
)


class NotKeptError(UserError):
    """It holds, but only until the program ends."""


class HubToken:
    """Blocks: some keyrings ask the user, so the keyring is asked once and no more. Call it in a thread, or in many."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: str | None = None
        self._was_read = False

    def get(self) -> str | None:
        """None where there is none; what was set by `set` comes before HF_TOKEN."""
        import os

        with self._lock:
            if not self._was_read:
                self._session, self._was_read = self._kept(), True
            if self._session:
                return self._session
        told = os.environ.get("HF_TOKEN", "").strip()
        return told if _can_be_sent(told) else None

    def set(self, token: str) -> None:
        """Keep it. Raises UserError for what is no token, and NotKeptError where there is no keyring: it then holds for
        this run of the program."""
        import keyring

        token = token.strip()
        if not token.startswith("hf_") or not _can_be_sent(token):
            raise UserError("That is no token of Hugging Face: they begin with hf_.")
        with self._lock:
            self._session, self._was_read = token, True
        try:
            keyring.set_password(_SERVICE, _USER, token)
        except Exception as error:
            # Keyrings of other makers raise what they like.
            raise NotKeptError(_NO_KEYRING, detail=str(error)) from error

    def forget(self) -> None:
        """Remove it from the keyring. Raises UserError where that keeps it: it would come back with the next start."""
        import keyring

        with self._lock:
            self._session, self._was_read = None, True
        try:
            keyring.delete_password(_SERVICE, _USER)
        except Exception as error:
            _log.info("No token was removed: %r", error)
            if self._kept():
                raise UserError(
                    "The keyring did not let the token go. Remove “Hearth” in the program that manages your passwords.",
                    detail=str(error),
                ) from error

    def _kept(self) -> str | None:
        import keyring

        try:
            found = keyring.get_password(_SERVICE, _USER)
        except Exception as error:  # noqa: BLE001 - see `set`
            _log.info("The keyring can't be read: %s", error)
            return None
        return found if found and _can_be_sent(found) else None


def _can_be_sent(token: str) -> bool:
    """In a header, of which nothing else may become a part."""
    return bool(token) and token.isascii() and token.isprintable() and " " not in token and len(token) <= _LONGEST
