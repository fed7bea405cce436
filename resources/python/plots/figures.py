"""Figures, and which of them are shown."""

import json
import types

from plots.axes import Axes
from plots.marks import Nothing


class _Grid(list):
    """Of axes, which programs take for an array."""

    @property
    def flat(self):
        return _Grid(ax for each in self for ax in (each.flat if isinstance(each, _Grid) else [each]))

    def flatten(self):
        return self.flat

    ravel = flatten

    def __getitem__(self, at):
        if isinstance(at, tuple):
            row, column = at
            found = list.__getitem__(self, row)
            return _Grid(each[column] for each in found) if isinstance(row, slice) else found[column]
        return list.__getitem__(self, at)


class Figure:
    def __init__(self, figsize=None):
        self.size, self.axes, self.title, self.patch = list(figsize or State.size), [], "", Nothing()
        self.told_already = False

    def add_subplot(self, *at, projection=None, **_):
        if projection is not None:
            raise TypeError("matplotlib here draws no polar and no 3D plots")
        if len(at) == 1:
            at = [int(each) for each in str(at[0])]
        rows, columns, number = at or (1, 1, 1)
        first, last = (number, number) if isinstance(number, int) else number
        row, column = divmod(first - 1, columns)
        last_row, last_column = divmod(last - 1, columns)
        sizes = (last_row - row + 1) / rows, (last_column - column + 1) / columns
        place = [row / rows, column / columns, *sizes]
        found = next((each for each in self.axes if each.place == place and not each.right), None)
        if found is None:
            found = Axes(self, place)
            self.axes.append(found)
        return found

    def subplots(self, rows=1, columns=1, *, squeeze=True, nrows=None, ncols=None, **given):
        if given.get("subplot_kw"):
            raise TypeError("matplotlib here draws no polar and no 3D plots")
        rows, columns = nrows or rows, ncols or columns
        line = _Grid(self.add_subplot(rows, columns, number + 1) for number in range(rows * columns))
        if not squeeze or (rows > 1 and columns > 1):
            return _Grid(_Grid(line[row * columns : (row + 1) * columns]) for row in range(rows))
        return line[0] if len(line) == 1 else line

    def gca(self):
        return self.axes[-1] if self.axes else self.add_subplot(1, 1, 1)

    def suptitle(self, text, *_, **__):
        self.title = str(text)

    def colorbar(self, drawn=None, ax=None, label="", **_):
        ax = ax if isinstance(ax, Axes) else self.gca()
        drawn = drawn if drawn is not None else ax.last_mapped
        ax.strip = {**drawn.mapped, "label": str(label)}
        return types.SimpleNamespace(set_label=lambda text, **_: ax.strip.update(label=str(text)), ax=Nothing())

    def legend(self, *args, **given):
        self.gca().legend(*args, **given)

    def savefig(self, *_, **__):
        STATE.show(self)

    def show(self, *_, **__):
        STATE.show(self)

    def autofmt_xdate(self, rotation=30, **_):
        for each in self.axes:
            each.x.rotation = rotation

    def set_size_inches(self, width, height=None):
        self.size = list(width) if height is None else [width, height]

    def tight_layout(self, *_, **__):
        pass

    subplots_adjust = set_facecolor = set_tight_layout = tight_layout


class State:
    size = (6.4, 4.8)

    def __init__(self):
        self.open, self.shown = [], []

    def show(self, figure):
        if not figure.told_already and any(ax.items for ax in figure.axes):
            figure.told_already = True
            axes = [ax.told() for ax in figure.axes]
            self.shown.append(json.dumps({"size": figure.size, "title": figure.title, "axes": axes}, default=str))

    def figure(self):
        if not self.open:
            self.open.append(Figure())
        return self.open[-1]


STATE = State()
