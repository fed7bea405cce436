"""What the stand-in for matplotlib is made of: options, numbers along an axis, and what drawing functions return."""

import datetime
import math

_SHORT = {"c": "color", "ls": "linestyle", "lw": "linewidth", "ms": "markersize", "fc": "facecolor", "ec": "edgecolor"}
_LOOKS = {"color", "linestyle", "linewidth", "marker", "markersize", "alpha", "label", "edgecolor", "facecolor"}
_IGNORED = {
    *("zorder", "edgecolors", "linewidths", "antialiased", "clip_on", "hatch", "capsize", "ecolor", "elinewidth"),
    *("markeredgecolor", "markeredgewidth", "markerfacecolor", "shadow", "textprops", "wedgeprops", "pctdistance"),
    *("labeldistance", "notch", "showmeans", "interpolation", "rwidth", "boxprops", "medianprops"),
    *("fontsize", "fontweight", "weight", "family", "bbox", "rotation_mode", "linefmt", "markerfmt", "basefmt"),
}
CYCLE, _MOST = 10, 2000
"""Of the points of a line, as many are told as a picture is wide, with the highest and lowest of each stretch."""
_EPOCH = datetime.datetime(1970, 1, 1)


def options_of(given, *known):
    named = {_SHORT.get(name, name): value for name, value in given.items()}
    if unknown := named.keys() - _LOOKS - _IGNORED - set(known):
        raise TypeError(f"matplotlib here does not know the option {', '.join(sorted(unknown))}")
    return named


def listed(values):
    return [values] if isinstance(values, str | int | float | datetime.date) else list(values)


def each_of(value, n):
    """One for each of n, where one is meant for all."""
    return list(value) if isinstance(value, list | tuple) and not is_colour(value, n) else [value] * n


def is_colour(value, n):
    return len(value) in (3, 4) and len(value) != n and all(isinstance(each, int | float) for each in value)


def thinned(x, y):
    step = -(-len(x) // (_MOST // 2))
    if step < 2:
        return x, y
    kept = []
    for start in range(0, len(x), step):
        stretch = [place for place in range(start, min(start + step, len(x))) if y[place] is not None]
        if stretch:
            kept += sorted({min(stretch, key=y.__getitem__), max(stretch, key=y.__getitem__)})
    return [x[place] for place in kept], [y[place] for place in kept]


class Axis:
    def __init__(self):
        self.limits, self.scale, self.ticks, self.labels, self.rotation = [None, None], "linear", None, None, 0
        self.dates, self.inverted, self.names = False, False, []

    def numbers(self, values):
        return [self._number(each) for each in listed(values)]

    def _number(self, value):
        if isinstance(value, str):
            if value not in self.names:
                self.names.append(value)
            return float(self.names.index(value))
        if isinstance(value, datetime.date):
            self.dates = True
            if not isinstance(value, datetime.datetime):
                value = datetime.datetime(value.year, value.month, value.day)
            return (value.replace(tzinfo=None) - _EPOCH) / datetime.timedelta(days=1)
        value = value if isinstance(value, int) else math.nan if value is None else float(value)
        return value if math.isfinite(value) else None

    def told(self):
        ticks = list(range(len(self.names))) if self.ticks is None and self.names else self.ticks
        labels = self.names if self.labels is None and self.names else self.labels
        return {**vars(self), "ticks": ticks, "labels": labels}


class Drawn:
    """What drawing functions return: enough to be labelled, and asked where it is."""

    def __init__(self, item, **at):
        self.item = item
        self.__dict__.update({f"get_{name}": lambda value=value: value for name, value in at.items()})

    def set_label(self, label):
        self.item["label"] = str(label)

    def get_label(self):
        return self.item.get("label", "")

    def set_color(self, color):
        self.item["color"] = color

    set_facecolor = set_color

    def get_color(self):
        return self.item["color"]


class Nothing:
    """Looks that Hearth decides itself: whatever is done to it changes nothing."""

    def __getattr__(self, name):
        return lambda *_, **__: None

    def __getitem__(self, _):
        return self

    def values(self):
        return [self]


def format_of(text):
    """Of "ro--": colour, marker and line."""
    found = {"linestyle": ""}
    if len(text) > 2 and text.isalpha():
        return {"color": text, "linestyle": "-"}
    for style in ("--", "-.", "-", ":"):
        if style in text:
            found["linestyle"], text = style, text.replace(style, "", 1)
            break
    if len(text) == 2 and text[0] == "C" and text[1].isdigit():
        return {**found, "color": text}
    for each in text:
        found["color" if each in "bgrcmykw" else "marker"] = each
    if "marker" not in found and not found["linestyle"]:
        found["linestyle"] = "-"
    return found


def formatted(how, value):
    return how.format(value) if "{" in how else how % value


def mapped(values, cmap, low, high):
    low, high = min(values) if low is None else low, max(values) if high is None else high
    name = map_name(cmap)
    return [[name, (each - low) / ((high - low) or 1)] for each in values], {"low": low, "high": high, "map": name}


def map_name(cmap):
    return cmap if isinstance(cmap, str) else cmap(0)[0] if cmap is not None else "viridis"
