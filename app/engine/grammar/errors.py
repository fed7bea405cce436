"""What can go wrong with a grammar."""


class GrammarError(Exception):
    """A text that is no grammar, or one that asks for too much. Its message holds nothing of it."""


class GrammarCancelledError(Exception):
    """The cancel flag was set while a grammar was at work."""
