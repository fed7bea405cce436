"""What a bundle holds and what it leaves out, as plain data that `hearth.spec` and the tests read."""

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

APP_ID = "io.github.hearth_chat.Hearth"
"""Names the program to macOS and to AppStream."""
SUMMARY = "Talk to language models that run on your own computer"
MINIMUM_MACOS = "15.0"
"""What PySide6 6.11's own libraries are built for, although its wheel is named for 13; the spec looks at all."""
GGUF_TYPE, GGUF_UTI = "application/x-gguf", "org.ggml.gguf"
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)

RESOURCES = (
    "fonts",
    "icons",
    "licences",
    "models",
    "python",
    "themes",
    "translations",
    "models.json",
    "embedding-models.json",
)
"""Of the folder `resources`; a test finds what is missing here."""
NOT_SHIPPED = (".ts",)
"""Sources of what is shipped."""
PACKAGE_DATA = ("ziamath", "ziafont", "latex2mathml", "pypdfium2", "pypdfium2_raw", "linkify_it", "_soundfile_data")
"""Packages with files beside their code that PyInstaller does not know of by itself."""
HIDDEN_IMPORTS = (
    *("re._parser", "pypdfium2_raw", "keyring.backends.SecretService", "keyring.backends.macOS"),
    *("_cffi_backend", "_miniaudio", "_soundfile"),
)
"""Imported under names that are put together when the program runs."""

EXCLUDED_MODULES = (
    # Tests, checks and training. None of them is in the environment that a bundle is made of; this is the second lock.
    *("pytest", "_pytest", "pytestqt", "hypothesis", "schemathesis", "openai", "tests", "devtools"),
    *("mypy", "ruff", "importlinter", "torch", "tokenizers", "gguf", "guide"),
    # Tools of Python's own and of those who install packages.
    *("tkinter", "idlelib", "lib2to3", "turtledemo", "ensurepip", "venv", "distutils", "pip", "setuptools"),
    *("doctest", "unittest", "pdb", "pydoc", "pydoc_data"),
    *("pkg_resources", "wheel", "PyInstaller", "_pyinstaller_hooks_contrib", "IPython", "matplotlib"),
    *("PIL.ImageTk", "PIL.ImageQt", "PIL.ImageGrab", "numpy.f2py", "numpy.distutils", "numpy.testing"),
    # Hearth has downloads of its own, which go on after an interruption; this one's is 10 MB of native code.
    "hf_xet",
    # Of the SDK for tools: its servers, the sign-in of programs without people, and a check of results.
    *("jsonschema", "rpds", "uvicorn", "jwt"),
    # Under the GPL, which would then hold for all of Hearth; and nobody types into its interpreter.
    "readline",
    # The second of two ways in which this package works; the first is there on all three systems.
    *("zstandard._cffi", "zstandard.backend_cffi"),
    # Qt without what a program of widgets needs.
    *("PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtQuickWidgets", "PySide6.QtQuickControls2", "PySide6.QtSql"),
    *("PySide6.QtTest", "PySide6.QtDesigner", "PySide6.QtUiTools", "PySide6.QtHelp", "PySide6.QtConcurrent"),
    *("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtXml", "PySide6.QtPdf", "PySide6.QtWebEngineCore"),
)

_PLUGINS = {
    "platforms": {"qxcb", "qwayland", "qoffscreen", "qwindows", "qcocoa"},
    "platformthemes": {"qxdgdesktopportal"},
    "platforminputcontexts": {"composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"},
    "imageformats": {"qsvg", "qjpeg", "qgif", "qico", "qwebp"},
    "iconengines": {"qsvgicon"},
    "printsupport": {"cupsprintersupport", "windowsprintersupport", "cocoaprintersupport"},
    "styles": {"qmodernwindowsstyle", "qmacstyle"},
    "wayland-shell-integration": {"xdg-shell"},
    "wayland-decoration-client": {"adwaita", "bradient"},
    "wayland-graphics-integration-client": {"qt-plugin-wayland-egl"},
    "xcbglintegrations": {"qxcb-egl-integration", "qxcb-glx-integration"},
}
"""Qt's plugins by folder, without `lib` and ending. All others stay out, and with them what only they need."""
# With the two that Windows' wheel brings for programs that draw with OpenGL: 25 MB, and this one does not.
_UNUSED_QT = re.compile(
    r"Qt6?(Qml|Quick|Pdf|VirtualKeyboard|Sql|Test|Designer|Lottie|ShaderTools|Labs|Egl[Ff][Ss])"
    r"|^opengl32sw\.dll$|^d3dcompiler_[0-9]+\.dll$"
)
_PLUGIN = re.compile(r"(?:^|/)plugins/([^/]+)/(?:lib)?([^/]+?)(?:\.so|\.dylib|\.dll)$")
# The wheel's own copies lie in llama_cpp/lib, where llama.cpp looks for its backends; PyInstaller adds more. On macOS
# what it adds are links, and the only way by which these libraries find each other there.
_SECOND_COPY = re.compile(r"^(?:lib)?(?:ggml|llama|mtmd)[^/]*\.(?:so|dll)[.0-9]*$")
_WITH_SYMBOLS = re.compile(
    r"^(?:libpython[^/]*|(?:zstandard|cryptography|aiohttp|yaml|multidict|yarl|frozenlist|propcache)/.*\.so)$"
)
# A system's graphics drivers are made for its own C++ library, and may not find an older one in their way; with them
# comes the Vulkan loader that finds them. Printing is the system's matter too: where CUPS is missing, the dialog offers
# PDF files alone.
_SYSTEMS_OWN = re.compile(r"^(?:lib(?:stdc\+\+|gcc_s|cups|vulkan)\.so\.[0-9]+|vulkan-1\.dll)$", re.IGNORECASE)


def version_of(root: Path) -> str:
    """The program's version, from the one place where it stands."""
    found = _VERSION.search((root / "app" / "__init__.py").read_text(encoding="utf-8"))
    if found is None:
        raise ValueError("app/__init__.py does not say its __version__")
    return found[1]


def is_wanted(destination: str) -> bool:
    """Whether a file of PyInstaller's choice goes into the bundle. `destination` is relative to it."""
    path = destination.replace("\\", "/")
    if plugin := _PLUGIN.search(path):
        return plugin[2] in _PLUGINS.get(plugin[1], ())
    name = PurePosixPath(path).name
    if path.startswith("PySide6/"):
        # Any part: half a framework, as its Info.plist alone would be, is what codesign refuses.
        unused = any(_UNUSED_QT.search(part) for part in PurePosixPath(path).parts)
        return "/translations/" not in path and "/qml/" not in path and not unused
    return not (_SECOND_COPY.match(path) or _SYSTEMS_OWN.match(name) or _UNUSED_QT.search(name))


def may_be_stripped(destination: str) -> bool:
    """Whether a Linux file carries symbols that nobody needs, and stays whole without them."""
    return bool(_WITH_SYMBOLS.match(destination))


def resource_files(resources: Path) -> list[tuple[str, str]]:
    """Source and target folder of every file that is shipped, for PyInstaller."""
    files = (file for name in RESOURCES for file in _files(resources / name))
    wanted = (file for file in files if file.suffix not in NOT_SHIPPED)
    return [(str(file), str(PurePosixPath("resources") / _folder(file, resources))) for file in wanted]


def engine_files(library: Path) -> list[tuple[str, str]]:
    """All of the engine's libraries: it opens its backends by looking into its folder, so no scan can find them."""
    endings = (".so", ".dylib", ".dll", ".metallib")
    return [(str(file), "llama_cpp/lib") for file in sorted(library.iterdir()) if file.suffix in endings]


def sandbox_files(wasmtime: Path) -> list[tuple[str, str]]:
    """wasmtime's library, which it opens by its place in the package."""
    endings = (".so", ".dylib", ".dll")
    found = (file for file in sorted(wasmtime.glob("*/*")) if file.suffix in endings)
    return [(str(file), f"wasmtime/{file.parent.name}") for file in found]


def still_needed(
    kept: Iterable[tuple[str, str]], chosen: Iterable[tuple[str, str]], needs: dict[str, set[str]]
) -> set[str]:
    """The names of those system libraries out of `chosen` that `kept` files, or each other, are linked to.

    Both are (name in the bundle, file); `needs` says for each file what it is linked to, by name.
    """
    offered = dict(chosen)
    found: set[str] = set()
    waiting = [file for _, file in kept]
    while waiting:
        for name in needs.get(waiting.pop(), ()):
            if name in offered and name not in found:
                found.add(name)
                waiting.append(offered[name])
    return found


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())


def _folder(file: Path, resources: Path) -> PurePosixPath:
    return PurePosixPath(file.parent.relative_to(resources).as_posix())
