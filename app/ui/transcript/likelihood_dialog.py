"""How surprising an answer was to the model: a sentence, the figures, and the text with what surprised marked."""

import codecs
import math

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QProgressBar, QWidget

from app.core.errors import UserError
from app.core.events import Looking, PromptProgress
from app.core.likelihood import Likelihood
from app.ui.formatting.numbers import count, line_of, looking_at, n_tokens
from app.ui.formatting.sentences import translated
from app.ui.theme.appearance import Appearance
from app.ui.widgets.buttons import push_button, rename
from app.ui.widgets.dialogs import SmallDialog

_WIDTH, _HIGH = 520, 260
_MOST = -math.log(0.005)
"""Nats of the loss from which a token is marked as strongly as can be: one in two hundred."""
_STRONGEST = 0.45
"""Opacity of that mark, over which text is still read well."""


class LikelihoodDialog(SmallDialog):
    """GUI thread; show it by `open()`. Until `show_result` it shows progress, and is rejected by Stop and Escape."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(self.tr("How surprising was this answer?"), parent)
        self._appearance = appearance
        self._found: Likelihood | None = None
        self.told = self.say(self.tr("The model reads the answer again…"), width=_WIDTH)
        self.figures = self.say("", "muted", width=_WIDTH)
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.progress.setRange(0, 0)
        self.body.addWidget(self.progress)
        self.text = self.show_text("", self.tr("The answer, with what surprised marked"))
        self.text.setMinimumHeight(_HIGH)
        self.legend = self.say(
            self.tr("The stronger a word is marked, the less the model expected it."), "muted", width=_WIDTH
        )
        self.close_button = push_button(self.tr("Stop"), self, self.reject)
        self.finish_layout(self.close_button)
        for each in (self.figures, self.text, self.legend):
            each.hide()
        appearance.changed.connect(self._mark)

    def show_progress(self, event: PromptProgress | Looking) -> None:
        if isinstance(event, Looking):
            self.told.setText(looking_at(event))
            return
        self.progress.setRange(0, max(1, event.total))
        self.progress.setValue(event.reused + event.read)

    def show_result(self, said: Likelihood | Exception | None) -> None:
        """Nothing is known where it was stopped by something else."""
        self.progress.hide()
        rename(self.close_button, self.tr("Close"))
        match said:
            case Likelihood():
                self._found = said
                self._show(said)
            case UserError():
                self.told.setText(translated(said.sentence))
            case Exception():
                self.told.setText(self.tr("That failed because of a fault in Hearth. The log tells more."))
            case None:
                self.told.setText(self.tr("It was stopped before its end."))
        self.setAccessibleDescription(self.told.text())
        self.adjustSize()

    def _show(self, found: Likelihood) -> None:
        words = [self._in_words(found.perplexity)]
        if found.n_left_out:
            left_out = self.tr("The context is full: {n} at the end could not be judged.")
            words.append(left_out.format(n=n_tokens(found.n_left_out)))
        self.told.setText(" ".join(words))
        shown = {"perplexity": f"{found.perplexity:,.2f}", "error": f"{found.error:.2f}", "loss": f"{found.loss:.3f}"}
        self.figures.setText(
            line_of(
                (
                    self.tr("Perplexity {perplexity} ± {error}").format(**shown),
                    self.tr("Loss {loss}").format(**shown),
                    n_tokens(found.n_scored),
                )
            )
        )
        for each in (self.figures, self.text, self.legend):
            each.show()
        self._mark()

    def _in_words(self, perplexity: float) -> str:
        if perplexity < 1.5:
            told = self.tr("Hardly: the model was nearly sure of each word of it.")
        elif perplexity < 5:
            told = self.tr("A little: word by word, the model wavered between about {n} that were as likely.")
        elif perplexity < 30:
            told = self.tr("It was: word by word, the model wavered between about {n} that were as likely.")
        else:
            told = self.tr("Very: the model expected other words, as if it had to choose among {n} at each place.")
        return told.format(n=count(round(min(perplexity, 1e9))) if math.isfinite(perplexity) else "∞")

    def _mark(self) -> None:
        if self._found is None:
            return
        self.text.clear()
        cursor = QTextCursor(self.text.document())
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for each in self._found.tokens:
            cursor.insertText(decoder.decode(each.piece), self._format(each.logprob))
        cursor.insertText(decoder.decode(b"", final=True))
        self.text.moveCursor(QTextCursor.MoveOperation.Start)

    def _format(self, logprob: float | None) -> QTextCharFormat:
        made = QTextCharFormat()
        if logprob is not None and math.isfinite(logprob):
            colour = QColor(self._appearance.tokens.warning)
            colour.setAlphaF(_STRONGEST * min(1.0, -logprob / _MOST))
            made.setBackground(colour)
        return made
