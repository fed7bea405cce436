import subprocess
import sys
from pathlib import Path

import app
from app.core.program import own_command
from tests.hearth_process import REPOSITORY, HearthProcess


def test_the_program_starts_itself_again_from_anywhere(tmp_path: Path) -> None:
    done = subprocess.run([*own_command(), "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"hearth {app.__version__}\n"


def test_the_package_is_the_program() -> None:
    command = [sys.executable, "-m", "app", "--version"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout == f"hearth {app.__version__}\n"


def test_what_a_start_does_not_wait_for() -> None:
    """The model begins to load first, and who sends no pictures needs no Pillow, who asks for no tools no network. The
    window needs no protocol of tools before there is a server.
    """
    for module, late in (
        ("app.api.serve", ("aiohttp", "numpy", "llama_cpp", "app.library.catalogue")),
        ("app.cli.ask", ("aiohttp", "PIL", "asyncio", "ssl", "app.library.catalogue", "app.engine.documents.formats")),
        ("app.api.server", ("PIL",)),
        ("app.engine.loading.loader", ("diskcache",)),
        ("app.program", ("mcp", "wasmtime")),
    ):
        told = f"import sys, {module}; print(sorted(set({late}) & sys.modules.keys()))"
        done = subprocess.run([sys.executable, "-c", told], cwd=REPOSITORY, capture_output=True, text=True, check=True)
        assert done.stdout == "[]\n", module


def test_a_folder_that_cannot_be_made_is_the_environments_fault(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.touch()
    done = HearthProcess(home).run("ask", "hi")
    assert done.returncode == 1
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("hearth: Hearth cannot make its folder")
