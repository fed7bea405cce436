"""The script that signs and packs the .app, run with stand-ins for Apple's tools: its order, and a refusal."""

import os
import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="a shell script")
SECRETS = {
    "MACOS_CERTIFICATE": "Y2VydA==",
    "MACOS_CERTIFICATE_PASSWORD": "open",
    "MACOS_IDENTITY": "Developer ID Application: Ada (TEAM)",
}
NOTARY = {"NOTARY_KEY": "a2V5", "NOTARY_KEY_ID": "ID", "NOTARY_ISSUER": "ISSUER"}
TELL = """#!/bin/sh
printf "%s" "${0##*/}" >>"$CALLS"
for word in "$@"; do printf " %s" "$word" >>"$CALLS"; done
echo >>"$CALLS"
"""
TOOLS = {
    "codesign": "",
    "spctl": "",
    "hdiutil": 'for last in "$@"; do :; done; [ -e "$BUSY" ] && { rm "$BUSY"; exit 1; }; : >"$last"',
    "sleep": "",
    "ditto": 'for last in "$@"; do :; done; : >"$last"',
    "security": 'if [ "$1" = create-keychain ]; then : >"$4"; fi; echo "    \\"/Users/ada/login.keychain-db\\""',
    "uuidgen": "echo password",
    "file": 'case $2 in *.so|*.dylib|*/QtCore) echo "Mach-O 64-bit" ;; *) echo "ASCII text" ;; esac',
    "plutil": 'case $2 in status) echo "$STATUS" ;; *) echo 1234 ;; esac',
    "xcrun": 'if [ "$2" = log ]; then echo "the signature is invalid"; fi',
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "packaging" / "macos", root / "packaging" / "macos")
    (root / "app").mkdir()
    (root / "app" / "__init__.py").write_text('__version__ = "1.2.3"\n', encoding="utf-8")
    contents = root / "dist" / "Hearth.app" / "Contents"
    framework = contents / "Frameworks" / "PySide6" / "Qt" / "lib" / "QtCore.framework" / "Versions" / "A"
    for folder in (contents / "MacOS", framework / "Resources", contents / "Frameworks" / "llama_cpp"):
        folder.mkdir(parents=True)
    (framework / "QtCore").touch()
    (framework / "Resources" / "Info.plist").touch()
    (framework.parent / "Current").symlink_to("A")
    (contents / "Frameworks" / "llama_cpp" / "libllama.dylib").touch()
    (contents / "Frameworks" / "a script.py").touch(mode=0o755)
    program = contents / "MacOS" / "hearth"
    # Its environment is its own, so it is told here where to write.
    program.write_text(f'{TELL}env >"{tmp_path}/environment"\n'.replace('"$CALLS"', f'"{tmp_path}/calls"'))
    program.chmod(0o755)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, act in TOOLS.items():
        (tools / name).write_text(f"{TELL}{act}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    return root


def release(checkout: Path, secrets: dict[str, str], status: str = "Accepted") -> tuple[int, str, list[str]]:
    """Its exit code, what it said, and which tools it called with what, in order."""
    base = checkout.parent
    environment = {
        "PATH": f"{base / 'tools'}:/usr/bin:/bin",
        "HOME": str(base),
        "TMPDIR": str(base),
        "CALLS": str(base / "calls"),
        "BUSY": str(base / "busy"),
        "STATUS": status,
        **secrets,
    }
    script = str(checkout / "packaging" / "macos" / "release.sh")
    done = subprocess.run(["sh", script], env=environment, capture_output=True, text=True, check=False)
    calls = (base / "calls").read_text(encoding="utf-8").replace(str(checkout), "").splitlines()
    return done.returncode, done.stdout + done.stderr, calls


def number(calls: list[str], *words: str) -> int:
    """The place of the one call with all of these words."""
    found = [place for place, call in enumerate(calls) if all(word in call for word in words)]
    assert len(found) == 1, (words, [calls[place] for place in found] or calls)
    return found[0]


def test_parts_are_signed_before_the_whole_and_tickets_come_last(checkout: Path) -> None:
    code, told, calls = release(checkout, SECRETS | NOTARY)
    assert code == 0, told
    app = "/dist/Hearth.app"
    order = [
        number(calls, "codesign --force --timestamp --options runtime", "libllama.dylib"),
        next(n for n, call in enumerate(calls) if call.endswith("QtCore.framework/Versions/A")),
        number(calls, "codesign --force", "--entitlements", "entitlements.plist"),
        number(calls, "codesign --verify --deep --strict"),
        number(calls, "hearth selftest"),
        number(calls, "notarytool submit", "app.zip"),
        number(calls, "stapler staple", app),
        number(calls, "hdiutil create"),
        number(calls, "codesign", "macos-"),
        number(calls, "notarytool submit", ".dmg"),
        number(calls, "stapler staple", ".dmg"),
    ]
    assert order == sorted(order), calls
    assert not [call for call in calls if call.startswith("codesign") and "script" in call], "what is no code"
    signed_alone = [call for call in calls if call.startswith("codesign --force") and "MacOS/hearth" in call]
    assert signed_alone == [], "the program is signed with the whole, for it has the entitlements"
    assert [call for call in calls if "--entitlements" in call and not call.endswith(app)] == []
    assert any(line.startswith("/") and line.endswith(".dmg") for line in told.splitlines()), "it says where it is"


def test_a_refusal_by_apple_ends_it_with_apples_reasons(checkout: Path) -> None:
    code, told, calls = release(checkout, SECRETS | NOTARY, status="Invalid")
    assert code != 0
    assert "the signature is invalid" in told
    assert not [call for call in calls if "stapler" in call or "hdiutil" in call]


def test_without_secrets_it_is_packed_and_said(checkout: Path) -> None:
    code, told, calls = release(checkout, {})
    assert code == 0, told
    assert "Not signed" in told
    assert "Not notarised" in told
    order = [
        number(calls, "codesign --force --deep --sign -"),
        number(calls, "hearth selftest"),
        number(calls, "hdiutil"),
    ]
    assert order == sorted(order)
    assert not [call for call in calls if call.startswith(("security", "xcrun"))]


def test_a_busy_image_is_tried_again(checkout: Path) -> None:
    (checkout.parent / "busy").touch()
    code, told, calls = release(checkout, {})
    assert code == 0, told
    assert len([call for call in calls if call.startswith("hdiutil")]) == 2


@pytest.mark.parametrize("status", ["Accepted", "Invalid"])
def test_the_program_is_told_no_secret_and_no_key_stays(checkout: Path, status: str) -> None:
    _, _, calls = release(checkout, SECRETS | NOTARY, status)
    told = (checkout.parent / "environment").read_text(encoding="utf-8")
    assert "HEARTH_HOME=" in told
    assert not [name for name in SECRETS | NOTARY if name in told]
    assert calls[-1].startswith("security delete-keychain")
    assert list(checkout.parent.glob("tmp.*")) == []


def test_the_entitlements_are_what_python_and_exchanged_libraries_need() -> None:
    told = plistlib.loads((ROOT / "packaging" / "macos" / "entitlements.plist").read_bytes())
    assert told == {
        "com.apple.security.cs.allow-unsigned-executable-memory": True,
        "com.apple.security.cs.disable-library-validation": True,
    }
