import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.standard_streams import Nowhere, provide_standard_streams


def test_streams_that_are_there_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sys.stdout, sys.stderr
    provide_standard_streams()
    assert (sys.stdout, sys.stderr) == before


def test_streams_that_are_missing_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    provide_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        assert isinstance(stream, Nowhere)
        assert stream.write("words") == 5
        stream.flush()


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_no_file_gets_the_number_of_standard_error(tmp_path: Path) -> None:
    program = (
        "import os\nfrom app.cli.standard_streams import provide_standard_streams\n"
        f"provide_standard_streams()\nfile = open({str(tmp_path / 'file')!r}, 'w')\n"
        "assert file.fileno() > 2, file.fileno()\nos.write(2, b'a complaint')\nfile.write('mine')\n"
    )
    command = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", program]
    done = subprocess.run(command, check=False, cwd=Path(__file__).resolve().parents[2])
    assert done.returncode == 0
    assert (tmp_path / "file").read_text() == "mine"
