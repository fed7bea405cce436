"""Models of servers in the lists of models: where they answer, and that what is asked goes there."""

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from app.remote.server import Ability, Verdict
from app.services.remote.states import ListedModel, ServerState
from app.ui.formatting.numbers import compact
from app.ui.models.rows import DOT, ServerRow
from app.ui.widgets.fuzzy_match import folded


def server_rows(models: Iterable[ListedModel]) -> tuple[ServerRow, ...]:
    """One for each, in the same order."""
    return tuple(map(_row, models))


def _row(listed: ListedModel) -> ServerRow:
    saved = listed.server.saved
    away = listed.server.state is ServerState.AWAY
    badges = tuple(_badges(listed))
    line = DOT.join(each for each in (listed.server.name, _way(listed, away=away), _context(listed)) if each)
    return ServerRow(
        listed.ref,
        listed.name,
        line,
        f"{listed.model.id}\n{saved.address.base}",
        badges,
        is_wrong=away,
        leaves=not saved.address.is_loopback,
        index=folded(" ".join((listed.name, listed.model.id, line, *badges, saved.address.shown, saved.kind.maker))),
    )


def _way(listed: ListedModel, *, away: bool) -> str:
    if away:
        return _tr("does not answer")
    if listed.server.saved.address.is_loopback:
        return _tr("on this computer")
    return _tr("leaves this computer")


def _context(listed: ListedModel) -> str:
    context = listed.model.context
    return _tr("context {size}").format(size=compact(context)) if context else ""


def _badges(listed: ListedModel) -> Iterable[str]:
    model, can = listed.model, listed.model.abilities
    if model.is_cloud:
        yield _tr("cloud")
    if _is_told(can.pictures):
        yield _tr("sees")
    if _is_told(can.recordings):
        yield _tr("hears")
    if _is_told(can.tools):
        yield _tr("tools")
    if _is_told(can.reasons):
        yield _tr("reasoning")
    if model.is_loaded is False:
        yield _tr("not loaded")


def _is_told(ability: Ability) -> bool:
    return ability.verdict is Verdict.YES


def _tr(text: str) -> str:
    return QCoreApplication.translate("models", text)
