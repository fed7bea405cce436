"""How much of the context the message takes, beside the gauge."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.services.drafts.draft_size import DraftSize, Fit
from app.ui.formatting.numbers import count, isolated
from app.ui.widgets.dynamic_property import set_property

_LEVELS = {Fit.FITS: "", Fit.NEAR: "warning"}
_WORTH = 0.05
"""Share of the context that is worth telling of."""


class TokenMeter(QLabel):
    """Hidden while there is nothing to tell."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("meter")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("tone", "small")
        self.hide()

    def show_size(self, size: DraftSize | None) -> None:
        told = size is not None and (size.fit is not Fit.FITS or size.count.n >= _WORTH * size.n_ctx)
        self.setVisible(told)
        if size is None or not told:
            return
        self.setText(isolated(self.tr("+ {percent} %").format(percent=round(100 * size.count.n / size.n_ctx))))
        sentence = self.sentence(size)
        self.setToolTip(sentence)
        self.setAccessibleName(sentence)
        set_property(self, "level", _LEVELS.get(size.fit, "danger"))

    def sentence(self, size: DraftSize) -> str:
        """What the numbers say, in words."""
        takes = self.tr("This message takes {n} tokens, and {left} of {n_ctx} are left.")
        if not size.count.exact:
            takes = self.tr("This message takes about {n} tokens, and {left} of {n_ctx} are left.")
        told = takes.format(n=count(size.count.n), left=count(size.left), n_ctx=count(size.n_ctx))
        if size.fit is Fit.NEAR:
            return told + " " + self.tr("Little room stays for the answer.")
        return f"{told} {self.warning(size)}".strip()

    def warning(self, size: DraftSize) -> str:
        """What will happen when it is sent; empty where it fits."""
        match size.fit:
            case Fit.TOO_LONG:
                return self._too_long(size)
            case Fit.REFUSED:
                return self.tr(
                    "This message does not fit: shorten it, begin a new chat, or let older messages be left out."
                )
            case Fit.DROPS_OLDEST:
                return self.tr("The oldest messages will be left out, so that this one fits.")
            case Fit.DROPS_MIDDLE:
                return self.tr("Messages in the middle of the chat will be left out, so that this one fits.")
            case Fit.TOO_MUCH:
                return self.tr("This is too much for the guide; a larger model can read it.")
            case _:
                return ""

    def _too_long(self, size: DraftSize) -> str:
        if size.most > max(size.n_ctx, size.count.n):
            told = self.tr(
                "This message is too long for the model's context of {n_ctx} tokens: shorten it, or load the model "
                "with a larger one; it was made for up to {most}."
            )
        elif size.most:
            told = self.tr(
                "This message is too long for the model's context, and for the {most} tokens that the model was made "
                "for: shorten it, or choose another model."
            )
        else:
            told = self.tr(
                "This message is too long for the model's context: shorten it, or load the model with a larger one."
            )
        return told.format(n_ctx=count(size.n_ctx), most=count(size.most))
