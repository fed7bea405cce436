"""The one way in which a set-up fails."""


class SetUpError(Exception):
    """Something outside is wrong; `sentence` says what it is and what to do, `detail` is shown below it."""

    def __init__(self, sentence: str, detail: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.detail = detail
