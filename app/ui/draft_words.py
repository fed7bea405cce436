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


def working_parts(figures: DraftFigures) -> tuple[str, ...]:
    """For a line of figures, what matters most first; empty where drafts gained nothing."""
    if not figures.accepted or figures.gain < 1:
        return ()
    share = round(100 * figures.accepted / figures.drafted)
    return (
        _tr("{drafters}: {share}% accepted").format(drafters=kind_names(figures), share=share),
        _tr("runs of {run}").format(run=f"{figures.mean_run:.1f}"),
        sameness(identical=figures.identical),
    )
