"""For `selftest` of a bundle: all of it is there, and what the program loads only when it is wanted can be loaded."""

import sys
import warnings
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from app.core.errors import UserError
from app.core.resources import RESOURCES

FILES = "files.txt"
"""Written when a bundle is made: the names of its files, one a line."""
_SHOWN = 5
_MODULES = (
    "aiohttp.web",
    "httpx2",
    "huggingface_hub",
    "keyring",
    "linkify_it",
    "markdown_it",
    "miniaudio",
    "mdit_py_plugins.footnote",
    "msgspec.json",
    "pi_heif",
    "PIL.Image",
    "psutil",
    "pygments.lexers",
    "send2trash",
    "soundfile",
    "soxr",
    "tomli_w",
    "zstandard",
)


def is_bundle() -> bool:
    return bool(getattr(sys, "frozen", False))


def check_files(folder: Path = RESOURCES.parent) -> str:
    """Whether every file that the bundle was made with is in `folder`. Raises UserError that names what is missing.

    What is in the files is not looked at: Qt's libraries may be replaced by others of their kind.
    """
    try:
        names = (folder / FILES).read_text("utf-8").splitlines()
    except OSError as error:
        raise UserError(f"{folder / FILES} can't be read. Install Hearth again.", detail=str(error)) from error
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        raise UserError(_sentence(missing))
    return f"all {len(names):,} are there"


def check_modules(modules: Iterable[str] = _MODULES) -> str:
    """Loads every library, draws a formula, colours a line, opens a PDF. Raises whatever is wrong with them."""
    loaded = [import_module(name) for name in modules]
    _draw_formula()
    _colour_line()
    pages = _open_pdf()
    return f"{len(loaded)} load, a formula and {pages} page of PDF are read"


def _sentence(missing: list[str]) -> str:
    more = len(missing) - _SHOWN
    shown = ", ".join(missing[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
    return f"Missing from this copy of Hearth: {shown}. Install it again."


def _draw_formula() -> None:
    with warnings.catch_warnings():
        # It finds its fonts in a way that Python calls old.
        warnings.simplefilter("ignore", DeprecationWarning)
        import ziamath

    ziamath.config.svg2 = False
    if "<path" not in ziamath.Latex(r"\frac{a}{b}").svg():
        raise ValueError("ziamath drew no path")


def _colour_line() -> None:
    from pygments.lexers import get_lexer_by_name

    if not list(get_lexer_by_name("python").get_tokens("x = 1")):
        raise ValueError("Pygments found no words")


def _open_pdf() -> int:
    import pypdfium2

    document = pypdfium2.PdfDocument.new()
    document.new_page(100, 100)
    return len(document)
