"""Which package for which missing library."""

import pytest
from devtools import debian

BOOKWORM = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian\n'
TRIXIE = 'VERSION_ID="13"\nID=debian\n'
SID = 'PRETTY_NAME="Debian GNU/Linux forky/sid"\nID=debian\n'
JAMMY = 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\n'
NOBLE = 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n'
MINT = 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22"\n'
FEDORA = "ID=fedora\nVERSION_ID=43\n"

LDCONFIG = """2 libs found in cache `/etc/ld.so.cache'
	libEGL.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libEGL.so.1
	libGL.so.1 (libc6) => /lib/i386-linux-gnu/libGL.so.1
	libgomp.so.1 (libc6,AArch64) => /lib/aarch64-linux-gnu/libgomp.so.1
"""


@pytest.mark.parametrize(
    ("text", "glib"),
    [
        (BOOKWORM, "libglib2.0-0"),
        (JAMMY, "libglib2.0-0"),
        (TRIXIE, "libglib2.0-0t64"),
        (SID, "libglib2.0-0t64"),
        (NOBLE, "libglib2.0-0t64"),
    ],
)
def test_the_package_has_the_name_of_its_release(text: str, glib: str) -> None:
    release = debian.release_from(text)
    missing = ["libEGL.so.1", "libglib-2.0.so.0", "libgthread-2.0.so.0"]
    assert debian.packages_for(missing, release) == ("libegl1", glib)


@pytest.mark.parametrize(("text", "has"), [(BOOKWORM, True), (NOBLE, True), (MINT, True), (FEDORA, False), ("", False)])
def test_kin_of_debian_are_known_by_what_they_are_like(text: str, has: bool) -> None:
    assert debian.release_from(text).has_apt is has


def test_the_cache_counts_only_libraries_of_this_processor() -> None:
    assert debian.libraries_in_cache(LDCONFIG, "x86_64") == {"libEGL.so.1"}
    assert debian.libraries_in_cache(LDCONFIG, "aarch64") == {"libgomp.so.1"}


def test_missing_is_what_neither_the_cache_knows_nor_the_loader_finds() -> None:
    known = set(debian.LIBRARIES) - {"libGL.so.1", "libxcb-cursor.so.0"}
    assert debian.missing_libraries(known, lambda library: library == "libGL.so.1") == ("libxcb-cursor.so.0",)
    assert debian.missing_libraries(known | {"libxcb-cursor.so.0"}, lambda library: library == "libGL.so.1") == ()


def test_the_facts_packages_are_all_there() -> None:
    """A bare Debian 12 needs at least these; the list was found by running Qt there."""
    all_of_them = set(debian.packages_for(debian.LIBRARIES, debian.release_from(BOOKWORM)))
    offscreen = {"libgl1", "libegl1", "libglib2.0-0", "libdbus-1-3", "libfontconfig1", "libxkbcommon0", "libgomp1"}
    xcb = {"libxcb-cursor0", "libxcb-icccm4", "libxcb-keysyms1", "libxcb-shape0", "libxkbcommon-x11-0"}
    assert offscreen | xcb <= all_of_them


def test_the_command_is_one_line_that_can_be_pasted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    command = debian.command_for(["libgl1", "g++"])
    assert command == "sudo apt-get update && sudo apt-get install -y --no-install-recommends libgl1 g++"


def test_the_command_of_a_bare_debian_does_not_ask_for_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    command = debian.command_for(["libgl1"])
    # With the hyphen, so that root's own PATH holds: without it, dpkg misses /usr/sbin.
    assert command == "su - -c 'apt-get update && apt-get install -y --no-install-recommends libgl1'"


def test_a_missing_compiler_names_the_way_without_one() -> None:
    assert "--wheels cpu" in debian.advice(("g++", "libgl1"))
    assert "--wheels" not in debian.advice(("libgl1",))
