"""What the installer for Windows says, read as text: Inno Setup runs nowhere else."""

import re
from pathlib import Path

import pytest
from devtools.bundle_contents import SUMMARY
from devtools.bundle_identity import MODEL_ICON

ROOT = Path(__file__).parents[2]
WINDOWS = ROOT / "packaging" / "windows"
RECIPE = (WINDOWS / "hearth.iss").read_text(encoding="utf-8")


def section(name: str) -> list[str]:
    text = RECIPE.split(f"[{name}]\n")[1].split("\n[")[0]
    return [line for line in text.splitlines() if line and not line.startswith((";", "#"))]


def values(line: str) -> dict[str, str]:
    return dict(re.findall(r'(\w+): ("(?:[^"]|"")*"|[^;]+)', line))


def test_model_files_are_offered_and_everything_written_is_taken_back() -> None:
    entries = [values(line) for line in section("Registry")]
    assert {each["Root"] for each in entries} == {"HKA"}, "for one user or all, as it was installed"
    keys = [each["Subkey"].strip('"') for each in entries]
    removed = [key for key, each in zip(keys, entries, strict=True) if "uninsdelete" in each.get("Flags", "")]
    for key in keys:
        assert any(key == each or key.startswith(each + "\\") for each in removed), f"{key} would stay"
    assert "Software\\Classes\\.gguf" not in keys, "which program opens a file is for people to choose"
    opened = next(each for each in entries if "Hearth.gguf\\shell" in each["Subkey"])
    assert opened["ValueData"] == '"""{app}\\hearth.exe"" ""%1"""'
    assert f"_internal\\{MODEL_ICON}.ico" in RECIPE
    assert SUMMARY in RECIPE


def test_what_the_installer_reads_is_what_the_build_leaves() -> None:
    assert "SetupIconFile=..\\..\\build\\bundle\\hearth.ico" in RECIPE
    assert '"..\\..\\dist\\hearth"' in RECIPE
    assert (WINDOWS / "../../LICENSE").resolve().exists()
    script = (WINDOWS / "release.ps1").read_text(encoding="utf-8")
    named = re.search(r"OutputBaseFilename=(.*)", RECIPE)
    assert named is not None
    assert f"dist\\{named[1].replace('{#Version}', '$version')}.exe" in script
    assert "'/DSigned'" in script
    assert "#ifdef Signed\nSignTool=hearth\n" in RECIPE
    assert "/Shearth=" in script


@pytest.mark.parametrize("name", ["hearth.iss", "release.ps1"])
def test_programs_of_both_kinds_are_named_as_the_build_names_them(name: str) -> None:
    text = (WINDOWS / name).read_text(encoding="utf-8")
    assert set(re.findall(r"hearth\.(?:exe|com)\b", text)) <= {"hearth.exe", "hearth.com"}
    assert "hearth-console" not in text, "dev.py has renamed it"
