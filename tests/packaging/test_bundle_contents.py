"""What goes into a bundle, decided by plain functions."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from devtools import bundle_contents
from devtools.bundle_contents import (
    RESOURCES,
    engine_files,
    is_wanted,
    may_be_stripped,
    resource_files,
    still_needed,
    version_of,
)

import app

ROOT = Path(__file__).parents[2]
QT = "PySide6/Qt"


def test_the_version_has_one_home() -> None:
    assert version_of(ROOT) == app.__version__
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "app.__version__"}
    assert "version_of(ROOT)" in (ROOT / "packaging" / "hearth.spec").read_text(encoding="utf-8")


def test_a_program_without_a_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text('"""Nothing."""\n', encoding="utf-8")
    with pytest.raises(ValueError, match="__version__"):
        version_of(tmp_path)


@pytest.mark.parametrize(
    "destination",
    [
        f"{QT}/plugins/platforms/libqxcb.so",
        f"{QT}/plugins/platforms/libqoffscreen.so",
        f"{QT}/plugins/iconengines/libqsvgicon.so",
        f"{QT}/plugins/printsupport/libcupsprintersupport.so",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        "PySide6\\msvcp140.dll",
        f"{QT}/lib/QtCore.framework/Versions/A/QtCore",
        f"{QT}/lib/QtCore.framework/Versions/A/Resources/Info.plist",
        f"{QT}/lib/QtCore.framework/Versions/Current",
        # By these links the libraries in llama_cpp/lib find each other on macOS.
        "libggml-base.dylib",
        "libllama.dylib",
        f"{QT}/plugins/platforms/libqcocoa.dylib",
        f"{QT}/lib/libQt6Widgets.so.6",
        "llama_cpp/lib/libggml-cpu-haswell.so",
        "llama_cpp/lib/libggml-vulkan.so",
        "libpython3.11.so.1.0",
        "numpy.libs/libscipy_openblas64_.so",
        "resources/translations/hearth_en.qm",
    ],
)
def test_what_is_used_goes_in(destination: str) -> None:
    assert is_wanted(destination)


@pytest.mark.parametrize(
    "destination",
    [
        f"{QT}/plugins/platformthemes/libqgtk3.so",
        f"{QT}/plugins/platforms/libqeglfs.so",
        f"{QT}/plugins/platforminputcontexts/libqtvirtualkeyboardplugin.so",
        f"{QT}/plugins/qmltooling/libqmldbg_server.so",
        f"{QT}/lib/libQt6Quick.so.6",
        f"{QT}/lib/libQt6Pdf.so.6",
        f"{QT}/lib/QtQml.framework/Versions/A/QtQml",
        # Half a framework is none, and codesign refuses it.
        f"{QT}/lib/QtQml.framework/Versions/A/Resources/Info.plist",
        f"{QT}/lib/QtQml.framework/Versions/Current",
        f"{QT}/lib/QtQml.framework/Resources",
        "QtQml",
        "PySide6\\Qt6Quick.dll",
        "PySide6\\opengl32sw.dll",
        "PySide6\\d3dcompiler_47.dll",
        f"{QT}/lib/libQt6EglFSDeviceIntegration.so.6",
        f"{QT}/lib/libQt6EglFsKmsSupport.so.6",
        f"{QT}/translations/qtbase_de.qm",
        "libQt6Qml.so.6",
        "libggml-cpu-haswell.so",
        "libllama.so.0",
        "libstdc++.so.6",
        "libgcc_s.so.1",
        "libcups.so.2",
        "libvulkan.so.1",
        "vulkan-1.dll",
    ],
)
def test_what_nobody_uses_stays_out(destination: str) -> None:
    assert not is_wanted(destination)


def test_only_what_stays_whole_is_stripped() -> None:
    assert may_be_stripped("libpython3.11.so.1.0")
    assert may_be_stripped("zstandard/backend_c.cpython-311-x86_64-linux-gnu.so")
    assert not may_be_stripped("numpy.libs/libscipy_openblas64_-32a4b2a6.so")
    assert not may_be_stripped("numpy/_core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so")
    assert not may_be_stripped("llama_cpp/lib/libllama.so")


def test_all_resources_go_in_but_the_sources_of_translations() -> None:
    resources = ROOT / "resources"
    assert {path.name for path in resources.iterdir()} == set(RESOURCES)
    placed = {f"{folder}/{Path(file).name}" for file, folder in resource_files(resources)}
    there = {f"resources/{file.relative_to(resources).as_posix()}" for file in resources.rglob("*") if file.is_file()}
    assert "resources/translations/hearth_en.ts" not in placed
    assert {name for name in there - placed if not name.endswith(".ts")} == set()
    assert placed <= there


def test_the_engine_goes_in_with_every_backend_and_without_headers(tmp_path: Path) -> None:
    for name in ("libllama.so", "libggml-cpu-x64.so", "ggml-vulkan.dll", "libggml.dylib", "llama.h", "README"):
        (tmp_path / name).touch()
    placed = {(Path(file).name, folder) for file, folder in engine_files(tmp_path)}
    names = {"libllama.so", "libggml-cpu-x64.so", "ggml-vulkan.dll", "libggml.dylib"}
    assert placed == {(name, "llama_cpp/lib") for name in names}


def test_a_systems_library_stays_only_where_something_kept_leads_to_it() -> None:
    chosen = [
        ("libxcb.so.1", "/l/xcb"),
        ("libXau.so.6", "/l/xau"),
        ("libgtk-3.so.0", "/l/gtk"),
        ("libatk.so", "/l/atk"),
    ]
    needs = {"/q/xcb": {"libxcb.so.1", "libc.so.6"}, "/l/xcb": {"libXau.so.6"}, "/l/gtk": {"libatk.so", "libxcb.so.1"}}
    assert still_needed([("PySide6/x", "/q/xcb")], chosen, needs) == {"libxcb.so.1", "libXau.so.6"}


def test_nothing_that_the_program_imports_is_excluded() -> None:
    imported = {name for file in (ROOT / "app").rglob("*.py") for name in _imports(file)}
    assert "PySide6.QtWidgets" in imported
    clashes = {
        (name, excluded)
        for name in imported
        for excluded in bundle_contents.EXCLUDED_MODULES
        if name == excluded or name.startswith(f"{excluded}.")
    }
    assert not clashes


def test_no_tool_of_the_tests_goes_in() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = {re.match(r"[\w-]+", each)[0].lower().replace("_", "-") for each in project["dependency-groups"]["test"]}  # type: ignore[index]
    run = (ROOT / "packaging" / "requirements" / "run.lock").read_text(encoding="utf-8")
    installed = set(re.findall(r"^([a-z0-9-]+)==", run, re.MULTILINE))
    assert "numpy" in installed
    assert not named & installed


def _imports(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found
