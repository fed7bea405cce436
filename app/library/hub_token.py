"""The hub's token, in the system's keyring and nowhere else."""

import logging

from app.core.errors import UserError

_log = logging.getLogger(__name__)
_SERVICE, _USER = "Hearth", "huggingface.co"
_NO_KEYRING = (
    "This computer has no keyring, so the token is kept until Hearth is closed. "
    "HF_TOKEN can be set instead, before Hearth starts."
)


class NotKeptError(UserError):
    """It holds, but only until the program ends."""


class HubToken:
    """Blocks: some keyrings ask the user. Call it in a thread."""

    def __init__(self) -> None:
        self._session: str | None = None

    def get(self) -> str | None:
        """None where there is none; what was set by `set` comes before HF_TOKEN."""
        import os

        if self._session:
            return self._session
        kept = self._kept()
        return kept or os.environ.get("HF_TOKEN", "").strip() or None

    def set(self, token: str) -> None:
        """Keep it. Raises UserError for what is no token, and NotKeptError where there is no keyring: it then holds for
        this run of the program."""
        import keyring
        from keyring.errors import KeyringError

        token = token.strip()
        if not token.startswith("hf_") or not token.isascii() or len(token) > 200 or any(map(str.isspace, token)):
            raise UserError("That is no token of Hugging Face: they begin with hf_.")
        self._session = token
        try:
            keyring.set_password(_SERVICE, _USER, token)
        except (KeyringError, RuntimeError, OSError) as error:
            raise NotKeptError(_NO_KEYRING, detail=str(error)) from error

    def forget(self) -> None:
        """Remove it from the keyring."""
        import keyring
        from keyring.errors import KeyringError

        self._session = None
        try:
            keyring.delete_password(_SERVICE, _USER)
        except (KeyringError, RuntimeError, OSError) as error:
            _log.info("There was no token to remove: %s", error)

    def _kept(self) -> str | None:
        import keyring
        from keyring.errors import KeyringError

        try:
            return keyring.get_password(_SERVICE, _USER)
        except (KeyringError, RuntimeError, OSError) as error:
            _log.info("The keyring can't be read: %s", error)
            return None
