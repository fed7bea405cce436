"""What has an area and is reckoned from data: bars, histograms, pies and boxes."""

import itertools
import math
import statistics

from plots.lines import CYCLE, Lines
from plots.marks import Drawn, each_of, formatted, listed, options_of

_range = range


class Shapes(Lines):
    def bar(self, x, height, width=0.8, bottom=0, align="center", **given):
        return self._bars(self.x, self.y, x, height, width, bottom, align, given, is_upright=True)

    def barh(self, y, width, height=0.8, left=0, align="center", **given):
        return self._bars(self.y, self.x, y, width, height, left, align, given, is_upright=False)

    def _bars(self, along, up, at, length, width, base, align, given, *, is_upright):
        options = options_of(given, "yerr", "xerr", "tick_label")
        places, lengths = along.numbers(at), up.numbers(length)
        lengths = lengths * len(places) if len(lengths) == 1 else lengths
        if len(places) != len(lengths):
            raise ValueError(f"shape mismatch: {len(places)} bars and {len(lengths)} heights")
        colour = options["color"] if options.get("color") is not None else self._colour(options)
        looks = [each_of(value, len(places)) for value in (width, base, colour, options.get("label", ""))]
        lengths = [size or 0 for size in lengths]
        made = []
        for place, size, wide, low, look, label in zip(places, lengths, *looks, strict=True):
            side = place if align == "edge" else place - wide / 2
            sides, ends = [side, side + wide, side + wide, side], [low, low, low + size, low + size]
            x, y = (sides, ends) if is_upright else (ends, sides)
            named = label if isinstance(options.get("label"), list | tuple) or not made else ""
            item = self._add("area", {**options, "label": named}, x=x, y=y, color=look, edge=options.get("edgecolor"))
            made.append(Drawn(item, x=x[0], y=y[0], width=x[2] - x[0], height=y[2] - y[0]))
        if options.get("tick_label") is not None:
            along.ticks, along.labels = places, [str(each) for each in listed(options["tick_label"])]
        for error, of in ((options.get("yerr"), True), (options.get("xerr"), False)):
            if error is not None and of is is_upright:
                ends = [low + size for low, size in zip(looks[1], lengths, strict=True)]
                x, y = (places, ends) if is_upright else (ends, places)
                self.errorbar(x, y, **{"yerr" if is_upright else "xerr": error}, color="black", linestyle="")
        bars = _Bars(made)
        bars.is_upright = is_upright
        return bars

    def bar_label(self, bars, labels=None, fmt="%g", **_):
        for place, bar in enumerate(bars):
            wide, high, x, y = bar.get_width(), bar.get_height(), bar.get_x(), bar.get_y()
            size = high if bars.is_upright else wide
            told = labels[place] if labels is not None else fmt(size) if callable(fmt) else formatted(fmt, size)
            if bars.is_upright:
                self.text(x + wide / 2, y + high, told, ha="center", va="bottom" if high >= 0 else "top")
            else:
                self.text(x + wide, y + high / 2, f" {told}", ha="left", va="center")

    def hist(
        self, x, bins=10, range=None, density=False, cumulative=False, stacked=False, histtype="bar",
        orientation="vertical", weights=None, **given,
    ):  # fmt: skip
        if weights is not None or orientation != "vertical":
            raise TypeError("matplotlib here knows no weights and no orientation of histograms")
        x = list(x)
        sets = [list(each) for each in x] if x and isinstance(x[0], list | tuple) else [x]
        sets = [[float(each) for each in values] for values in sets]
        low, high = range or (min(map(min, sets)), max(map(max, sets)))
        if isinstance(bins, str):
            bins = max(1, math.ceil(math.log2(max(map(len, sets))) + 1))
        step = ((high - low) or 1) / bins if isinstance(bins, int) else 0
        edges = [low + step * n for n in _range(bins + 1)] if isinstance(bins, int) else [float(each) for each in bins]
        counts = [_counted(values, edges, density, cumulative) for values in sets]
        colours, labels = each_of(given.pop("color", None), len(sets)), each_of(given.pop("label", ""), len(sets))
        made, below = [], [0] * (len(edges) - 1)
        shares = 1 if stacked or histtype != "bar" else len(sets)
        for number, found in enumerate(counts):
            widths = [(b - a) / shares for a, b in itertools.pairwise(edges)]
            starts = [a + wide * (number if shares > 1 else 0) for a, wide in zip(edges, widths, strict=False)]
            look = {"color": colours[number]} if colours[number] is not None else {}
            made.append(self.bar(starts, found, widths, below, align="edge", label=labels[number], **{**look, **given}))
            below = [a + b for a, b in zip(below, found, strict=True)] if stacked else below
        return (counts[0], edges, made[0]) if len(sets) == 1 else (counts, edges, made)

    def pie(self, x, explode=None, labels=None, colors=None, autopct=None, startangle=0, counterclock=True, **given):
        options_of(given, "radius", "normalize")
        x = [float(each) for each in x]
        self.frame, self.equal, self.x.limits, self.y.limits = False, True, [-1.25, 1.25], [-1.25, 1.25]
        angle, wedges = startangle, []
        for place, value in enumerate(x):
            turn = 360 * value / sum(x) * (1 if counterclock else -1)
            middle = math.radians(angle + turn / 2)
            out = explode[place] if explode else 0
            at = [out * math.cos(middle), out * math.sin(middle)]
            steps = max(2, int(abs(turn)))
            arc = [math.radians(angle + turn * n / steps) for n in range(steps + 1)]
            colour = colors[place % len(colors)] if colors else f"C{place % CYCLE}"
            label = str(labels[place]) if labels else ""
            xs, ys = [at[0], *(at[0] + math.cos(a) for a in arc)], [at[1], *(at[1] + math.sin(a) for a in arc)]
            wedges.append(Drawn(self._add("area", {}, x=xs, y=ys, color=colour, edge="white")))
            if label:
                side = "left" if math.cos(middle) >= 0 else "right"
                self.text(at[0] + 1.1 * math.cos(middle), at[1] + 1.1 * math.sin(middle), label, ha=side, va="center")
                wedges[-1].item["named"] = label
            if autopct:
                share = 100 * value / sum(x)
                told = autopct(share) if callable(autopct) else autopct % share
                self.text(
                    at[0] + 0.6 * math.cos(middle), at[1] + 0.6 * math.sin(middle), told, ha="center", va="center"
                )
            angle += turn
        return wedges, [], []

    def boxplot(
        self, x, labels=None, tick_labels=None, vert=True, widths=0.5, showfliers=True, patch_artist=False, **given
    ):  # fmt: skip
        options_of(given)
        x = list(x)
        sets = [list(each) for each in x] if isinstance(x[0], list | tuple) else [x]
        boxes, medians = [], []
        for place, values in enumerate(sets, 1):
            low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
            reach = 1.5 * (high - low)
            within = [each for each in values if low - reach <= each <= high + reach]
            far = [each for each in values if each not in within] if showfliers else []
            left, right = place - widths / 2, place + widths / 2
            box = [left, right, right, left], [low, low, high, high]
            x_of, y_of = box if vert else reversed(box)
            look = "C0" if patch_artist else "none"
            boxes.append(Drawn(self._add("area", {}, x=x_of, y=y_of, color=look, edge="black")))
            black = {"color": "black", "linewidth": 1}
            for xs, ys, looks in (
                ([place, place], [high, max(within)], black),
                ([place, place], [low, min(within)], black),
                ([place] * len(far), far, {**black, "linestyle": "", "marker": "o"}),
                ([left, right], [middle, middle], {"color": "C1"}),
            ):
                line = self._line(*((xs, ys) if vert else (ys, xs)), looks)
            medians.append(Drawn(line))
        along, names = self.x if vert else self.y, tick_labels if tick_labels is not None else labels
        along.ticks = list(range(1, len(sets) + 1))
        along.labels = [str(each) for each in names] if names is not None else None
        return {"boxes": boxes, "medians": medians, "whiskers": [], "caps": [], "fliers": [], "means": []}


class _Bars(list):
    @property
    def patches(self):
        return list(self)


def _counted(values, edges, density, cumulative):
    counts = [0] * (len(edges) - 1)
    for value in values:
        if edges[0] <= value <= edges[-1]:
            place = next((n for n, edge in enumerate(edges[1:-1]) if value < edge), len(counts) - 1)
            counts[place] += 1
    if density:
        counts = [n / (sum(counts) or 1) / (b - a) for n, a, b in zip(counts, edges, edges[1:], strict=False)]
    if cumulative:
        counts = [sum(counts[: n + 1]) for n in range(len(counts))]
    return counts
