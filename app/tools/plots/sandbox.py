"""The stand-in for matplotlib, as code for the sandbox."""

from app.core.resources import RESOURCES

_MODULES = ("marks", "lines", "shapes", "axes", "figures", "pyplot")
"""In the order in which they need one another."""
_LOAD = """import sys, types
sys.modules["plots"] = types.ModuleType("plots")
for name, source in {sources!r}:
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
"""
DRAWN = 'import sys\nprint(sys.modules["plots.pyplot"].drawn())'
"""Prints the figures that were made, as JSON."""


def is_wanted(code: str) -> bool:
    return "matplotlib" in code


def stand_in() -> str:
    """Code that makes `import matplotlib` find something."""
    folder = RESOURCES / "python" / "plots"
    sources = [(f"plots.{name}", (folder / f"{name}.py").read_text("utf-8")) for name in _MODULES]
    return _LOAD.format(sources=sources)
