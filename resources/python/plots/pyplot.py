"""What `import matplotlib.pyplot` finds in the sandbox: it notes what is to be drawn, and Hearth draws it.

Run there before a model's code that names matplotlib. What is not here raises, so that a model learns of it instead of
showing people a picture that lacks something. `drawn` tells all figures as JSON, which `app.tools.plots` reads.
"""

import sys
import types

from plots.axes import Axes
from plots.figures import STATE, Figure, State

_OF_FIGURE = ("savefig", "suptitle", "tight_layout", "subplots_adjust", "colorbar")
_SET = ("title", "xlabel", "ylabel", "xlim", "ylim", "xscale", "yscale", "xticks", "yticks")
_OF_AXES = [name for name in dir(Axes) if not name.startswith(("_", "set", "get", "told"))]


class _Settings(dict):
    def __setitem__(self, name, value):
        super().__setitem__(name, value)
        if name == "figure.figsize":
            State.size = tuple(value)

    def update(self, *given, **more):
        for name, value in dict(*given, **more).items():
            self[name] = value


class _Maps:
    def __getattr__(self, name):
        return lambda value, *_, **__: [[name, each] for each in value] if hasattr(value, "__iter__") else [name, value]


rcParams, cm = _Settings(), _Maps()  # noqa: N816 - matplotlib's name
style = types.SimpleNamespace(use=lambda _: None, available=[])
gcf = STATE.figure


def figure(num=None, figsize=None, **_):
    STATE.open.append(Figure(figsize))
    return STATE.open[-1]


def subplots(*at, figsize=None, **given):
    found = figure(figsize=figsize)
    return found, found.subplots(*at, **given)


def subplot(*at, **given):
    found = gcf().add_subplot(*(at or (1, 1, 1)), **given)
    sca(found)
    return found


def gca():
    return gcf().gca()


def sca(ax):
    ax.figure.axes.remove(ax)
    ax.figure.axes.append(ax)


def show(*_, **__):
    for each in STATE.open:
        STATE.show(each)
    STATE.open.clear()


def close(which=None, *_):
    if which == "all":
        STATE.open.clear()
    elif STATE.open:
        STATE.open.remove(which if which in STATE.open else STATE.open[-1])


def clf():
    STATE.open[-1:] = [Figure(gcf().size)]


def get_cmap(name="viridis", *_):
    return getattr(cm, name)


def drawn():
    for each in STATE.open:
        STATE.show(each)
    return "[" + ",".join(STATE.shown) + "]"


def _nothing(*_, **__):
    pass


cla, ion, ioff, draw, pause = clf, _nothing, _nothing, _nothing, _nothing


def __getattr__(name):
    """What the current figure and its current axes have."""
    if name in _OF_FIGURE:
        return getattr(gcf(), name)
    if name in (*_SET, *_OF_AXES):
        return getattr(gca(), f"set_{name}" if name in _SET else name)
    if name.startswith("_"):
        raise AttributeError(name)
    own = (each for each in globals() if each.islower() and not each.startswith("_"))
    told = ", ".join(sorted({*own, *_OF_FIGURE, *_SET, *_OF_AXES} - {"drawn", "sys", "types"}))
    raise AttributeError(f"matplotlib.pyplot here is small and has no {name}. It has: {told}")


_package = types.ModuleType("matplotlib")
_package.__path__, _package.use, _package.rcParams, _package.cm, _package.pyplot = (
    [], _nothing, rcParams, cm, sys.modules[__name__],
)  # fmt: skip
sys.modules |= {"matplotlib": _package, "matplotlib.pyplot": sys.modules[__name__]}
