"""Lines, points, texts and pictures of a plot."""

from plots.marks import (
    Axis,
    Drawn,
    Nothing,
    each_of,
    format_of,
    is_colour,
    listed,
    map_name,
    mapped,
    options_of,
    thinned,
)

CYCLE = 10


class Lines:
    def __init__(self, figure, place=(0, 0, 1, 1)):
        self.figure, self.place, self.x, self.y = figure, list(place), Axis(), Axis()
        self.items, self.texts, self.cycle = [], {"title": "", "xlabel": "", "ylabel": ""}, [0]
        self.right, self.frame, self.lines_across, self.equal, self.key, self.strip = False, True, "", False, None, None
        self.spines = self.xaxis = self.yaxis = self.patch = Nothing()
        self.transAxes = "axes"

    def _colour(self, options, name="color"):
        colour = options.get(name) or options.get("facecolor")
        if colour is None:
            colour = f"C{self.cycle[0] % CYCLE}"
            self.cycle[0] += 1
        return colour

    def _add(self, kind, options, **told):
        item = {"kind": kind, "alpha": options.get("alpha"), "label": str(options.get("label") or ""), **told}
        self.items.append(item)
        return item

    def _line(self, x, y, options, **more):
        x, y = thinned(self.x.numbers(x), self.y.numbers(y))
        if len(x) != len(y):
            raise ValueError(f"x and y must have same first dimension, but have {len(x)} and {len(y)}")
        looks = {"style": options.get("linestyle", "-"), "width": options.get("linewidth", 1.5)}
        marks = {"marker": options.get("marker") or "", "size": options.get("markersize", 6)}
        return self._add("line", options, x=x, y=y, **{"color": self._colour(options), **looks, **marks, **more})

    def plot(self, *args, **given):
        options, made, args = options_of(given, "drawstyle"), [], list(args)
        while args:
            first, second = args.pop(0), None
            if args and not isinstance(args[0], str):
                second = args.pop(0)
            how = format_of(args.pop(0)) if args and isinstance(args[0], str) else {}
            x, y = (range(len(listed(first))), first) if second is None else (first, second)
            made.append(Drawn(self._line(x, y, {**how, **options})))
        return made

    def step(self, x, y, *_, where="pre", **given):
        x, y = listed(x), listed(y)
        xs = [each for each in x for _ in range(2)]
        ys = [each for each in y for _ in range(2)]
        return self.plot(*((xs[1:], ys[:-1]) if where == "post" else (xs[:-1], ys[1:])), **given)

    def stem(self, x, y=None, **given):
        x, y = (range(len(x)), x) if y is None else (x, y)
        options = {"color": "C0", **options_of(given, "bottom")}
        for at, high in zip(self.x.numbers(x), self.y.numbers(y), strict=True):
            self._line([at, at], [0, high], {**options, "label": ""})
        return self._line(x, y, {**options, "linestyle": "", "marker": "o"})

    def semilogx(self, *args, **given):
        self.x.scale = "log"
        return self.plot(*args, **given)

    def semilogy(self, *args, **given):
        self.y.scale = "log"
        return self.plot(*args, **given)

    def loglog(self, *args, **given):
        self.x.scale = "log"
        return self.semilogy(*args, **given)

    def errorbar(self, x, y, yerr=None, xerr=None, fmt="", **given):
        options = {**(format_of(fmt) if fmt and fmt != "none" else {}), **options_of(given)}
        options["color"] = self._colour(options)
        x, y = self.x.numbers(x), self.y.numbers(y)
        for place, (at, high) in enumerate(zip(x, y, strict=True)):
            for error, is_x in ((yerr, False), (xerr, True)):
                if error is not None:
                    size = each_of(error, len(x))[place]
                    xs, ys = ([at - size, at + size], [high, high]) if is_x else ([at, at], [high - size, high + size])
                    self._line(xs, ys, {"color": options["color"], "linewidth": 1})
        return self._line(x, y, options)

    def scatter(self, x, y, s=36, c=None, cmap="viridis", vmin=None, vmax=None, **given):
        options = options_of(given)
        x, y = self.x.numbers(x), self.y.numbers(y)
        colours = c if c is not None else self._colour(options)
        told = None
        if isinstance(colours, list | tuple | range) and not is_colour(colours, len(x)):
            colours = list(colours)
            if all(isinstance(each, int | float) for each in colours):
                colours, told = mapped(colours, cmap, vmin, vmax)
        item = self._add(
            "points", options, x=x, y=y, sizes=s if isinstance(s, int | float) else list(s), colors=colours,
            marker=options.get("marker") or "o", color=colours if not isinstance(colours, list) else "C0",
        )  # fmt: skip
        drawn = Drawn(item)
        drawn.mapped = told
        self.last_mapped = drawn if told else getattr(self, "last_mapped", None)
        return drawn

    def fill_between(self, x, y1, y2=0, where=None, step=None, **given):
        options = options_of(given)
        x = self.x.numbers(x)
        tops, bottoms = (found * len(x) if len(found) == 1 else found for found in map(self.y.numbers, (y1, y2)))
        colour, runs = self._colour(options), [[]]
        for n, _ in enumerate(x):
            if where is None or list(where)[n]:
                runs[-1].append(n)
            elif runs[-1]:
                runs.append([])
        item = None
        for run in filter(None, runs):
            xs = [x[n] for n in run] + [x[n] for n in reversed(run)]
            ys = [tops[n] for n in run] + [bottoms[n] for n in reversed(run)]
            item = self._add("area", options, x=xs, y=ys, color=colour, edge=options.get("edgecolor"))
            options = {**options, "label": ""}
        return Drawn(item)

    def fill(self, x, y, *_, **given):
        options = options_of(given)
        x, y = self.x.numbers(x), self.y.numbers(y)
        return Drawn(self._add("area", options, x=x, y=y, color=self._colour(options), edge=options.get("edgecolor")))

    def stackplot(self, x, *sets, labels=(), colors=None, **given):
        sets = [list(each) for each in (sets[0] if len(sets) == 1 and isinstance(sets[0][0], list | tuple) else sets)]
        below = [0.0] * len(sets[0])
        for place, values in enumerate(sets):
            above = [a + b for a, b in zip(below, values, strict=True)]
            look = {"color": colors[place % len(colors)]} if colors else {}
            self.fill_between(x, above, below, label=labels[place] if place < len(labels) else "", **{**given, **look})
            below = above

    def _across(self, axis, low, high, options):
        looks = {"style": options.get("linestyle", "-"), "width": options.get("linewidth", 1.5)}
        return Drawn(self._add("across", options, axis=axis, low=low, high=high, color=self._colour(options), **looks))

    def axhline(self, y=0, xmin=0, xmax=1, **given):
        return self._across("y", *self.y.numbers(y) * 2, {"color": "C0", **options_of(given)})

    def axvline(self, x=0, ymin=0, ymax=1, **given):
        return self._across("x", *self.x.numbers(x) * 2, {"color": "C0", **options_of(given)})

    def axhspan(self, ymin, ymax, **given):
        return self._across("y", *self.y.numbers([ymin, ymax]), options_of(given))

    def axvspan(self, xmin, xmax, **given):
        return self._across("x", *self.x.numbers([xmin, xmax]), options_of(given))

    def hlines(self, y, xmin, xmax, colors="C0", linestyles="-", label="", **given):
        for at in listed(y):
            looks = {"color": colors, "linestyle": linestyles, "label": label, **options_of(given)}
            self._line([xmin, xmax], [at, at], looks)

    def vlines(self, x, ymin, ymax, colors="C0", linestyles="-", label="", **given):
        for at in listed(x):
            looks = {"color": colors, "linestyle": linestyles, "label": label, **options_of(given)}
            self._line([at, at], [ymin, ymax], looks)

    def text(self, x, y, s, fontdict=None, **given):
        sides = ("ha", "va", "horizontalalignment", "verticalalignment")
        options = options_of(given, *sides, "rotation", "transform", "size")
        is_within = options.get("transform") is not None
        at = {"x": float(x), "y": float(y)} if is_within else {"x": self.x.numbers(x)[0], "y": self.y.numbers(y)[0]}
        sides = {"ha": options.get("ha", options.get("horizontalalignment", "left"))}
        sides["va"] = options.get("va", options.get("verticalalignment", "baseline"))
        return Drawn(
            self._add(
                "text", {}, text=str(s), within=is_within, color=options.get("color", "black"),
                rotation=options.get("rotation", 0), **at, **sides,
            )
        )  # fmt: skip

    def annotate(self, text, xy, xytext=None, arrowprops=None, textcoords="data", xycoords="data", **given):
        to = xytext if xytext is not None and textcoords == "data" else xy
        drawn = self.text(*to, text, **given)
        drawn.item["offset"] = list(xytext) if xytext is not None and textcoords != "data" else [0, 0]
        if arrowprops is not None:
            drawn.item["arrow"] = [self.x.numbers(xy[0])[0], self.y.numbers(xy[1])[0]]
        return drawn

    def imshow(self, rows, cmap="viridis", vmin=None, vmax=None, extent=None, aspect="equal", origin="upper", **given):
        options_of(given, "norm")
        rows = [[float(each) for each in row] for row in rows]
        flat = [each for row in rows for each in row]
        low, high = min(flat) if vmin is None else vmin, max(flat) if vmax is None else vmax
        wide, high_up = len(rows[0]), len(rows)
        extent = list(extent) if extent else [-0.5, wide - 0.5, -0.5, high_up - 0.5]
        self.equal = aspect == "equal"
        self.y.inverted = origin == "upper"
        item = self._add("image", {}, rows=rows, extent=extent, map=map_name(cmap), low=low, high=high)
        drawn = self.last_mapped = Drawn(item)
        drawn.mapped = {"low": low, "high": high, "map": item["map"]}
        return drawn

    matshow = imshow
