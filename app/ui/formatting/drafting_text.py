"""What drafting does, in words."""

from PySide6.QtCore import QCoreApplication

from app.core.speculation import DrafterKind, DraftFigures


def _tr(text: str) -> str:
    return QCoreApplication.translate("drafting", text)


def kind_name(kind: DrafterKind) -> str:
    """As the field calls it."""
    names = {
        DrafterKind.NGRAM: _tr("n-gram"),
        DrafterKind.MTP: _tr("MTP"),
        DrafterKind.DRAFT_MODEL: _tr("draft model"),
    }
    return names[kind]


def kind_names(figures: DraftFigures) -> str:
    return ", ".join(map(kind_name, figures.kinds)) or _tr("drafts")


def sameness(*, identical: bool) -> str:
    """Whether drafts can change the wording."""
    return _tr("identical output") if identical else _tr("same distribution; wording may differ by rounding")
