"""The steps that lead to a bundle, as far as they can be tried without making one."""

import os
import plistlib
import subprocess
import sys
from pathlib import Path

import pytest
from devtools.bundle import FILES, make_bundle, self_test, write_file_list
from devtools.bundle_contents import APP_ID, GGUF_UTI, MINIMUM_MACOS
from devtools.bundle_engine import engine_options, need_tools, portable_engine
from devtools.bundle_identity import MODEL_ICON, info_plist, windows_version
from devtools.bundle_layout import BundleLayout, room_for
from devtools.engine import cmake_arguments
from devtools.errors import SetUpError
from devtools.layout import Layout

from app.cli import parts
from app.core.errors import UserError

ROOT = Path(__file__).parents[2]


def test_the_engine_of_a_bundle_is_for_all_processors_also_where_the_usual_one_is_for_this() -> None:
    options = engine_options("cpu", "Linux", "x86_64")
    words = cmake_arguments({}, options).split()
    assert words.index("-DGGML_NATIVE=ON") < words.index("-DGGML_NATIVE=OFF"), "CMake takes the last"
    assert {"-DGGML_BACKEND_DL=ON", "-DGGML_CPU_ALL_VARIANTS=ON"} <= set(words)
    assert cmake_arguments({"CMAKE_ARGS": "-DX=1"}, options).endswith(" -DX=1"), "people's own win"


def test_flavours_add_a_backend_and_take_none_away() -> None:
    plain = engine_options("cpu", "Linux", "x86_64")
    assert engine_options("vulkan", "Windows", "AMD64") == (*plain, "-DGGML_VULKAN=ON")
    assert "-DGGML_METAL=ON" in engine_options("metal", "Darwin", "arm64")
    assert "-DGGML_METAL=OFF" in engine_options("cpu", "Darwin", "x86_64")


def test_the_engine_is_for_the_macos_that_the_program_says_it_needs() -> None:
    assert f"-DCMAKE_OSX_DEPLOYMENT_TARGET={MINIMUM_MACOS}" in engine_options("metal", "Darwin", "arm64")
    assert info_plist("1.2.3")["LSMinimumSystemVersion"] == MINIMUM_MACOS
    spec = (ROOT / "packaging" / "hearth.spec").read_text(encoding="utf-8")
    assert "macosx_version_min(file)[:2] > oldest" in spec, "and the build looks at all libraries"


def test_engines_of_bundles_differ_by_flavour_and_not_by_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = BundleLayout(ROOT)
    usual = portable_engine(layout, "cpu")
    assert usual.is_built
    assert portable_engine(layout, "vulkan").key != usual.key
    monkeypatch.setattr("devtools.processor.processor", lambda: "another")
    assert portable_engine(layout, "cpu") == usual


@pytest.mark.skipif(sys.platform == "darwin", reason="it can be built there")
def test_metal_is_refused_elsewhere() -> None:
    with pytest.raises(SetUpError, match="macOS"):
        portable_engine(BundleLayout(ROOT), "metal")


def test_making_a_bundle_leaves_the_checkouts_own_environment_alone() -> None:
    layout = BundleLayout(ROOT)
    own = Layout(ROOT)
    assert (layout.python, layout.wheels, layout.workshop) != (own.python, own.wheels, own.workshop)
    assert layout.venv.is_relative_to(ROOT / "build")
    assert layout.stamps.is_relative_to(layout.venv)


def test_the_list_of_files_is_what_the_self_test_reads(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.so").touch()
    (tmp_path / "b.so").symlink_to("lib/a.so")
    write_file_list(tmp_path)
    assert FILES == parts.FILES
    assert (tmp_path / FILES).read_text(encoding="utf-8") == "b.so\nfiles.txt\nlib/a.so\n"
    assert parts.check_files(tmp_path) == "all 3 are there"
    (tmp_path / "lib" / "a.so").unlink()
    with pytest.raises(Exception, match=r"b\.so, lib/a\.so"):
        parts.check_files(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="links are for administrators elsewhere")
def test_in_a_macos_program_data_lies_among_the_resources_and_is_listed_through_links(tmp_path: Path) -> None:
    frameworks, resources = tmp_path / "Contents" / "Frameworks", tmp_path / "Contents" / "Resources"
    (frameworks / "lib").mkdir(parents=True)
    (frameworks / "lib" / "a.dylib").touch()
    (frameworks / "lib" / "Current").symlink_to(".")
    (resources / "themes").mkdir(parents=True)
    (resources / "themes" / "dark.toml").touch()
    (frameworks / "themes").symlink_to("../Resources/themes")
    for _ in range(2):  # a bundle may be made over another one
        write_file_list(frameworks)
        assert not (resources / FILES).is_symlink()
        assert (frameworks / FILES).readlink() == Path("../Resources") / FILES
        assert (frameworks / FILES).read_text("utf-8") == "files.txt\nlib/a.dylib\nthemes/dark.toml\n"
    assert parts.check_files(frameworks) == "all 3 are there"
    (resources / "themes" / "dark.toml").unlink()
    with pytest.raises(UserError, match=r"themes/dark\.toml"):
        parts.check_files(frameworks)
    assert room_for(frameworks, "licences") == resources / "licences"
    assert room_for(tmp_path / "_internal", "licences") == tmp_path / "_internal" / "licences"


def test_what_is_started_and_where_its_parts_are_depends_on_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    places = {"linux": ("hearth/hearth", "hearth/_internal"), "win32": ("hearth/hearth.com", "hearth/_internal")}
    places["darwin"] = ("Hearth.app/Contents/MacOS/hearth", "Hearth.app/Contents/Frameworks")
    for system, (program, contents) in places.items():
        monkeypatch.setattr("sys.platform", system)
        layout = BundleLayout(ROOT)
        assert (layout.program, layout.contents) == (ROOT / "dist" / program, ROOT / "dist" / contents), system


@pytest.mark.parametrize(
    ("lacks", "told"),
    [("", False), *((each, True) for each in ("glslc", "Vk", "vulkan/vulkan.hpp", "spirv/unified1/spirv.hpp"))],
)
def test_what_compiles_code_for_graphics_cards_is_asked_for_before_the_long_build(
    lacks: str, told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for header in {"vulkan/vulkan.hpp", "vulkan/vulkan_core.h", "spirv/unified1/spirv.hpp"} - {lacks}:
        (tmp_path / header).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / header).write_text("" if lacks == "Vk" else "struct VkLayerSettingsCreateInfoEXT", encoding="utf-8")
    monkeypatch.delenv("VULKAN_SDK", raising=False)
    monkeypatch.setattr("devtools.bundle_engine.compiler_found", lambda: True)
    monkeypatch.setattr("devtools.bundle_engine._INCLUDE", (tmp_path,))
    monkeypatch.setattr("shutil.which", lambda name: None if name == lacks else f"/usr/bin/{name}")
    layout = BundleLayout(ROOT)
    need_tools(portable_engine(layout, "cpu"))
    engine = portable_engine(layout, "vulkan")
    if told:
        with pytest.raises(SetUpError, match="glslc, libvulkan-dev and spirv-headers"):
            need_tools(engine)
        monkeypatch.setenv("VULKAN_SDK", "C:/VulkanSDK")
    need_tools(engine)


@pytest.mark.skipif(os.name != "posix", reason="a shell script stands in for the program")
def test_a_bundle_that_fails_its_self_test_is_none(tmp_path: Path) -> None:
    program = tmp_path / "hearth" / "hearth"
    program.parent.mkdir()
    with pytest.raises(SetUpError, match="does not start"):
        self_test(program)
    program.write_text('#!/bin/sh\necho "$1: $#, ${PATH-none}"\nexit ${CODE-0}\n', encoding="utf-8")
    program.chmod(0o755)
    self_test(program)
    program.write_text("#!/bin/sh\necho broken >&2\nexit 3\n", encoding="utf-8")
    with pytest.raises(SetUpError, match="code 3") as caught:
        self_test(program)
    assert caught.value.detail == "broken"


def test_unknown_options_are_told() -> None:
    with pytest.raises(SetUpError, match="--flavor") as caught:
        make_bundle(ROOT, ["--flavor"])
    assert "--flavour cpu|vulkan|metal" in caught.value.detail


def test_macos_is_told_whose_files_are_whose() -> None:
    told = plistlib.loads(plistlib.dumps(info_plist("1.2.3")))
    assert told["CFBundleShortVersionString"] == "1.2.3"
    (kind,), (document,) = told["UTImportedTypeDeclarations"], told["CFBundleDocumentTypes"]
    assert kind["UTTypeIdentifier"] == GGUF_UTI
    assert document["LSItemContentTypes"] == [GGUF_UTI]
    assert kind["UTTypeTagSpecification"] == {"public.filename-extension": ["gguf"]}
    assert kind["UTTypeIconFile"] == document["CFBundleTypeIconFile"] == f"{MODEL_ICON}.icns"


@pytest.mark.parametrize(("version", "numbers"), [("1.2.3", "1.2.3"), ("0.10.0rc2", "0.10.0"), ("2.0", "2.0.0")])
def test_macos_is_told_the_version_in_three_numbers(version: str, numbers: str) -> None:
    told = info_plist(version)
    assert told["CFBundleShortVersionString"] == told["CFBundleVersion"] == numbers


@pytest.mark.parametrize(("version", "numbers"), [("1.2.3", (1, 2, 3, 0)), ("0.10.0rc2", (0, 10, 0, 2))])
def test_windows_is_told_the_version_in_numbers(version: str, numbers: tuple[int, ...]) -> None:
    made: list[dict[str, object]] = []
    names = ("VSVersionInfo", "StringFileInfo", "StringTable", "StringStruct", "VarFileInfo", "VarStruct")
    kinds: dict[str, object] = {name: lambda *_, **__: None for name in names}
    eval(windows_version(version), {**kinds, "FixedFileInfo": lambda **given: made.append(given)})
    assert made[0]["filevers"] == made[0]["prodvers"] == numbers
    assert repr(APP_ID) in windows_version(version)


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"LD_LIBRARY_PATH": "/bundle"}, None),
        ({"LD_LIBRARY_PATH": "/bundle", "LD_LIBRARY_PATH_ORIG": "/own"}, "/own"),
        ({}, None),
    ],
)
def test_other_programs_are_not_given_our_libraries(given: dict[str, str], left: str | None) -> None:
    hook = ROOT / "packaging" / "hooks" / "own_libraries.py"
    tell = "import os, runpy, sys; runpy.run_path(sys.argv[1]); told = os.environ.get; "
    tell += "print(told('LD_LIBRARY_PATH'), told('LD_LIBRARY_PATH_ORIG'), told('PYINSTALLER_RESET_ENVIRONMENT'))"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("LD_LIBRARY_PATH")}
    done = subprocess.run(
        [sys.executable, "-c", tell, str(hook)], env=plain | given, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{left} None 1\n", "and a child that is Hearth again starts as the first did"
