"""Walking back through what was sent, as in a terminal; what was being written comes back at the end."""

from collections.abc import Iterator

from app.storage.questions import SentQuestions


class SentHistory:
    """GUI thread. Raises UserError."""

    def __init__(self, questions: SentQuestions) -> None:
        self._questions = questions
        self._texts: list[str] = []
        """What was being written, and then what was walked through, newest first."""
        self._more: Iterator[str] = iter(())
        self._place = 0

    @property
    def is_walking(self) -> bool:
        return self._place > 0

    def reset(self) -> None:
        """The field was changed, or is another conversation's."""
        self._texts, self._place, self._more = [], 0, iter(())

    def older(self, conversation: int | None, current: str) -> str | None:
        """The question before the one in the field, where `current` stands now; None where there is none."""
        if not self.is_walking:
            self._texts, self._more = [current], self._questions.texts(conversation)
        if self._place + 1 == len(self._texts):
            found = next((each for each in self._more if each != current), None)
            if found is None:
                return None
            self._texts.append(found)
        self._place += 1
        return self._texts[self._place]

    def newer(self) -> str | None:
        """The one after it, and at the end what was being written; None where nothing was walked."""
        if not self.is_walking:
            return None
        self._place -= 1
        return self._texts[self._place]
