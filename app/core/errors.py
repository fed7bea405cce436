"""The two kinds of failure: what a person can act on, and bugs.

A `UserError` is the environment's fault (a file that is not there, memory that is short, a setting
that cannot work). It is shown as its one sentence, without a traceback, and ends a command with exit
code 1. Every other exception is a bug of ours: it goes to the crash report, and ends a command with 70.
"""

from app.core.sentence import Sentence


class UserError(Exception):
    """Something outside the program is wrong; `sentence` says what it is and what to do about it.

    It is made as a `Sentence` is: of a template and its values, or of a whole sentence alone.
    """

    def __init__(self, template: str, /, *, detail: str = "", **values: object) -> None:
        self.sentence = Sentence(template, **values) if values else template
        super().__init__(self.sentence)
        self.detail = detail
        """Technical text for the log and for a "Details" fold; may be empty, may have many lines."""

    @property
    def logged(self) -> str:
        """For the log. Who returns or raises the sentence logs it at INFO: whoever tells people does so once, and the
        console shows warnings by itself.
        """
        return f"{self.sentence} ({self.detail})" if self.detail else self.sentence


class ModelError(UserError):
    """A model file that cannot be used as it is."""


class ConstraintError(ModelError):
    """A grammar, or what one is made of, that no answer can keep to."""


class ContextFullError(UserError):
    """The prompt does not fit into the context, even with nothing kept for the answer."""

    def __init__(
        self, template: str, /, *, detail: str = "", n_tokens: int = 0, n_ctx: int = 0, **values: object
    ) -> None:
        super().__init__(template, detail=detail, **values)
        self.n_tokens = n_tokens
        """Of the prompt; 0 where they were not counted."""
        self.n_ctx = n_ctx
        """What the context holds; 0 where that is not what it is too much for."""
