"""Calls of an answer, and of those that follow it without a word, fold together once all of them are done with."""

from collections.abc import Sequence
from dataclasses import replace

from app.storage.conversations import MessageState, StoredMessage
from app.ui.formatting.numbers import number
from app.ui.transcript.call_run_line import CallRun
from app.ui.transcript.message_rows import Row, rows_of

_FEW = 3
"""Calls that stand as they are."""


class CallRuns:
    """Which of them are open, and where messages stand that are folded away."""

    def __init__(self) -> None:
        self._open: set[int] = set()
        self._heads: dict[int, int] = {}
        """Of messages that are not shown: the one in which the line stands that opens them."""
        self.hides_any = False
        """Whether calls are folded away in what was shown last."""

    def set_open(self, message_id: int, is_open: bool) -> None:
        (self._open.add if is_open else self._open.discard)(message_id)

    def open_at(self, message_id: int) -> bool:
        """False where this message is not folded away."""
        head = self._heads.get(message_id)
        if head is not None:
            self._open.add(head)
        return head is not None

    def shown_rows(self, messages: Sequence[StoredMessage], *, all_open: bool) -> list[Row]:
        """The rows that are shown for these."""
        rows, shown = rows_of(messages), list[Row]()
        self._heads, self.hides_any = {}, False
        if not any(row.stored.message.tool_calls for row in rows):
            return rows
        # After the last one nothing was said yet.
        for group in _grouped(rows[:-1]):
            head, others = group[0], group[1:]
            if head.stored.message.tool_calls and sum(len(each.stored.message.tool_calls) for each in group) > _FEW:
                run = _run(group, is_open=all_open or head.stored.id in self._open)
                head = replace(head, run=run)
                if not run.is_open:
                    self.hides_any = True
                    self._heads |= {each.stored.id: head.stored.id for each in others}
                    others = []
            shown += [head, *others]
        return shown + rows[-1:]


def _grouped(rows: Sequence[Row]) -> list[list[Row]]:
    """Those whose calls belong together, and all others alone."""
    groups: list[list[Row]] = []
    for row in rows:
        if _is_done(row) and groups and _is_done(groups[-1][-1]) and _may_be_hidden(row):
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _is_done(row: Row) -> bool:
    """Whether it has calls, and all of them have come to an end."""
    calls = row.stored.message.tool_calls
    results = (row.results.get(call.id) for call in calls)
    return bool(calls) and all(each is not None and each.state is not MessageState.WRITING for each in results)


def _may_be_hidden(row: Row) -> bool:
    """Nothing is to be read in it, or seen, but calls."""
    stored = row.stored
    shows = stored.message.text.strip() or any(each.message.pictures for each in row.results.values())
    return not shows and stored.n_versions == 1 and stored.state is MessageState.COMPLETE


def _run(group: Sequence[Row], *, is_open: bool) -> CallRun:
    results = [each for row in group for each in row.results.values()]
    figures = [each.figures or {} for each in results]
    denied = sum(1 for each in figures if each.get("denied"))
    failed = sum(1 for each in figures if each.get("error") and not each.get("denied"))
    return CallRun(len(results), failed, denied, sum(number(each, "ms") for each in figures) / 1000, is_open)
