"""Axes with what is written at them."""

from plots.marks import Drawn
from plots.shapes import Shapes


class Axes(Shapes):
    def legend(self, *args, loc="best", **given):
        named = [each for each in self.items if each["kind"] != "text"]
        if args and isinstance(args[0], list | tuple) and args[0] and isinstance(args[0][0], str):
            for item, label in zip(named, args[0], strict=False):
                item["label"] = str(label)
        handles = args[0] if len(args) > 1 else given.get("handles")
        labels = args[1] if len(args) > 1 else given.get("labels")
        handles = [each[0] if isinstance(each, list) else each for each in handles or ()]
        for handle, label in zip(handles, labels or (), strict=False):
            handle.set_label(label)
        if labels and not handles:
            for item, label in zip([each for each in named if "named" in each] or named, labels, strict=False):
                item["label"] = item["named"] = str(label)
        self.key = {"loc": loc, "title": str(given.get("title") or ""), "items": [each.item for each in handles]}

    def get_legend_handles_labels(self):
        named = [each for each in self.items if each["label"]]
        return [Drawn(each) for each in named], [each["label"] for each in named]

    def set_title(self, text, *_, **__):
        self.texts["title"] = str(text)

    def set_xlabel(self, text, *_, **__):
        self.texts["xlabel"] = str(text)

    def set_ylabel(self, text, *_, **__):
        self.texts["ylabel"] = str(text)

    def set_xlim(self, low=None, high=None, left=None, right=None, **given):
        return _limit(self.x, low if left is None else left, high if right is None else right)

    def set_ylim(self, low=None, high=None, bottom=None, top=None, **given):
        return _limit(self.y, low if bottom is None else bottom, high if top is None else top)

    def set_xticks(self, ticks=None, labels=None, rotation=0, **_):
        _tick(self.x, ticks, labels, rotation)

    def set_yticks(self, ticks=None, labels=None, rotation=0, **_):
        _tick(self.y, ticks, labels, rotation)

    def set_xticklabels(self, labels, rotation=0, **_):
        _tick(self.x, None, labels, rotation)

    def set_yticklabels(self, labels, rotation=0, **_):
        _tick(self.y, None, labels, rotation)

    def tick_params(self, axis="both", rotation=None, labelrotation=None, **_):
        for name, each in (("x", self.x), ("y", self.y)):
            if axis in (name, "both"):
                each.rotation = rotation or labelrotation or each.rotation

    def set_xscale(self, scale, **_):
        self.x.scale = _scale(scale)

    def set_yscale(self, scale, **_):
        self.y.scale = _scale(scale)

    def grid(self, visible=True, *_, axis="both", **__):
        self.lines_across = {"both": "xy"}.get(axis, axis) if visible or visible is None else ""

    def axis(self, what=None, **_):
        if isinstance(what, list | tuple):
            self.x.limits, self.y.limits = list(what[:2]), list(what[2:])
        elif what in ("equal", "scaled", "square"):
            self.equal = True
        elif what == "off":
            self.frame = False

    def set_aspect(self, aspect, **_):
        self.equal = aspect in ("equal", 1)

    def set_axis_off(self):
        self.frame = False

    def invert_xaxis(self):
        self.x.inverted = not self.x.inverted

    def invert_yaxis(self):
        self.y.inverted = not self.y.inverted

    def set(self, **given):
        for name, value in given.items():
            getattr(self, f"set_{name}")(value)

    def set_axisbelow(self, _):
        pass

    def margins(self, *_, **__):
        pass

    set_facecolor = set_axisbelow

    def twinx(self):
        other = Axes(self.figure, self.place)
        other.x, other.right, other.cycle = self.x, True, self.cycle
        self.figure.axes.append(other)
        return other

    def get_figure(self):
        return self.figure

    def told(self):
        kept = ("place", "items", "texts", "right", "frame", "lines_across", "equal", "key", "strip")
        return {**{name: getattr(self, name) for name in kept}, "x": self.x.told(), "y": self.y.told()}


def _limit(axis, low, high):
    if isinstance(low, list | tuple):
        low, high = low
    for place, value in enumerate((low, high)):
        if value is not None:
            axis.limits[place] = axis.numbers(value)[0]
    return tuple(axis.limits)


def _tick(axis, ticks, labels, rotation):
    if ticks is not None:
        axis.ticks = axis.numbers(ticks)
    if labels is not None:
        axis.labels = [str(each) for each in labels]
    axis.rotation = {"vertical": 90, "horizontal": 0}.get(rotation, rotation) or axis.rotation


def _scale(scale):
    if scale not in ("linear", "log"):
        raise ValueError(f"matplotlib here has no scale {scale}: it has linear and log")
    return scale
