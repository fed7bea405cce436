"""What the Linux packages tell desktops, loaders and Debian."""

import configparser
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from devtools.bundle_contents import APP_ID, GGUF_TYPE, SUMMARY
from devtools.bundle_elf import debian_packages, read_listing, recommended_packages
from devtools.bundle_linux import control_text, maintainer, metainfo_text, share
from devtools.errors import SetUpError

ROOT = Path(__file__).parents[2]
LINUX = ROOT / "packaging" / "linux"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
LISTING = """
File: /b/libqxcb.so

Dynamic section at offset 0x2d18 contains 30 entries:
  Tag        Type                         Name/Value
 0x0000000000000001 (NEEDED)             Shared library: [libxcb.so.1]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x000000000000000e (SONAME)             Library soname: [libqxcb.so]

File: /b/readme
readelf: Error: Not an ELF file

File: /b/libllama.so
 0x0000000000000001 (NEEDED)             Shared library: [libggml.so]
"""


def entry() -> configparser.SectionProxy:
    read = configparser.ConfigParser(interpolation=None)
    read.optionxform = str  # type: ignore[method-assign,assignment]  # keys keep their capitals
    read.read(LINUX / "hearth.desktop", encoding="utf-8")
    return read["Desktop Entry"]


def test_the_desktop_entry_opens_model_files_and_belongs_to_the_window() -> None:
    told = entry()
    assert told["Exec"] == "hearth %F"
    assert told["MimeType"] == f"{GGUF_TYPE};"
    assert (told["Name"], told["Icon"], told["Comment"], told["Terminal"]) == ("Hearth", "hearth", SUMMARY, "false")
    # What Qt tells a desktop of the window, so that it finds its entry and icon.
    assert f'setDesktopFileName("{told["StartupWMClass"]}")' in (ROOT / "app" / "start.py").read_text(encoding="utf-8")


def test_model_files_are_known_by_their_first_bytes_and_by_their_ending() -> None:
    kind = ET.parse(LINUX / "hearth.xml").getroot().find(f"{MIME}mime-type")
    assert kind is not None
    assert kind.get("type") == GGUF_TYPE
    assert [each.get("pattern") for each in kind.iter(f"{MIME}glob")] == ["*.gguf"]
    assert [(each.get("value"), each.get("offset")) for each in kind.iter(f"{MIME}match")] == [("GGUF", "0")]


def test_the_description_for_software_centres_is_filled_in() -> None:
    text = metainfo_text(LINUX / "metainfo.xml", "1.2.3", 86_400)
    assert "@" not in text
    told = ET.fromstring(text)
    release = told.find("releases/release")
    assert release is not None
    assert release.attrib == {"version": "1.2.3", "date": "1970-01-02"}
    assert told.findtext("id") == APP_ID
    assert told.findtext("launchable") == "hearth.desktop"
    assert told.findtext("provides/mediatype") == GGUF_TYPE
    assert told.findtext("summary") == SUMMARY


@pytest.mark.parametrize(
    ("command", "name"),
    [(("desktop-file-validate",), "hearth.desktop"), (("appstreamcli", "validate", "--no-net"), "metainfo.xml")],
)
def test_the_standards_own_tools_agree(command: tuple[str, ...], name: str, tmp_path: Path) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not here")
    text = (LINUX / name).read_text(encoding="utf-8")
    file = tmp_path / (f"{APP_ID}.metainfo.xml" if name == "metainfo.xml" else name)
    file.write_text(metainfo_text(LINUX / name, "1.2.3", 0) if name == "metainfo.xml" else text, encoding="utf-8")
    done = subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_tree_for_desktops_has_an_icon_for_every_name(tmp_path: Path) -> None:
    icons = tmp_path / "icons"
    (icons / "hicolor" / "16x16" / "apps").mkdir(parents=True)
    (icons / "hicolor" / "16x16" / "apps" / "hearth.png").write_bytes(b"drawn")
    share(ROOT, icons, tmp_path / "share", "1.2.3")
    assert {file.relative_to(tmp_path / "share").as_posix() for file in (tmp_path / "share").rglob("*.*")} == {
        "applications/hearth.desktop",
        "icons/hicolor/16x16/apps/hearth.png",
        f"metainfo/{APP_ID}.metainfo.xml",
        "mime/packages/hearth.xml",
    }


def test_what_files_are_linked_to_is_read_from_readelf() -> None:
    assert read_listing(LISTING) == {
        "/b/libqxcb.so": {"libxcb.so.1", "libc.so.6"},
        "/b/readme": set(),
        "/b/libllama.so": {"libggml.so"},
    }


def test_libraries_are_packages_of_debian_and_an_unknown_one_stops_the_build() -> None:
    assert debian_packages(["libGL.so.1", "libgthread-2.0.so.0", "libglib-2.0.so.0"]) == ["libgl1", "libglib2.0-0"]
    assert debian_packages(["libcups.so.2", "libvulkan.so.1"]) == [], "the program does without"
    assert recommended_packages(["libGL.so.1", "libvulkan.so.1"]) == ["libvulkan1", "mesa-vulkan-drivers"]
    assert recommended_packages(["libGL.so.1"]) == []
    with pytest.raises(SetUpError, match=r"unknown: libnew\.so\.1"):
        debian_packages(["libGL.so.1", "libnew.so.1"])


def test_debian_is_told_what_the_program_needs() -> None:
    text = control_text("1.2.3", "amd64", ["libgl1", "libglib2.0-0"], ["libcups2"], "2.34", 9)
    told = dict(line.split(": ", 1) for line in text.splitlines() if not line.startswith(" "))
    assert told["Depends"] == "libc6 (>= 2.34), libgl1, libglib2.0-0 | libglib2.0-0t64"
    assert (told["Package"], told["Version"], told["Architecture"]) == ("hearth", "1.2.3", "amd64")
    assert told["Installed-Size"] == "9"
    assert told["Recommends"].startswith("libcups2, fonts-")


def test_who_answers_for_a_package_is_told_as_debians_own_tools_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEBFULLNAME", raising=False)
    monkeypatch.delenv("DEBEMAIL", raising=False)
    assert maintainer() == "The Hearth authors <hearth@invalid>"
    monkeypatch.setenv("DEBFULLNAME", "Ada")
    monkeypatch.setenv("DEBEMAIL", "ada@example.org")
    assert "\nMaintainer: Ada <ada@example.org>\n" in control_text("1", "amd64", [], [], "2.34", 9)


def test_the_menu_entry_of_an_unpacked_copy_starts_that_copy(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / 'a "folder" of $5 & 100%'
    (tmp_path / "icons" / "hicolor").mkdir(parents=True)
    share(ROOT, tmp_path / "icons", folder / "share", "1.2.3")
    shutil.copy(LINUX / "install.sh", folder)
    run(folder, home)
    line = next(line for line in entry_of(home).splitlines() if line.startswith("Exec="))
    path = str(folder / "hearth")
    special = (
        path.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$").replace("%", "%%").replace("\\", "\\\\")
    )
    assert line == f'Exec="{special}" %F'
    run(folder, home, "--remove")
    assert [file for file in home.rglob("*") if file.is_file() and not re.search("cache|mime/", str(file))] == []


def run(folder: Path, home: Path, *arguments: str) -> None:
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    subprocess.run(["sh", "install.sh", *arguments], cwd=folder, env=environment, check=True, capture_output=True)


def entry_of(home: Path) -> str:
    return (home / ".local/share/applications/hearth.desktop").read_text(encoding="utf-8")
