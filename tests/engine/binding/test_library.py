"""llama.cpp as a library of the process."""

import subprocess
import sys
from pathlib import Path

from tests.hearth_process import REPOSITORY

PROGRAM = """
import sys
from pathlib import Path
from app.core.cancel import CancelFlag
from app.core.loading import Loading
from app.engine.loading.loader import open_session
session, _ = open_session(Path(sys.argv[1]), Loading(threads=1, gpu_layers=0, ctx_size=256), cancel=CancelFlag())
session.try_one_token()
session.close()
"""


def test_a_program_that_has_loaded_a_model_leaves_nothing_open(tiny_models: dict[str, Path]) -> None:
    command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", PROGRAM, str(tiny_models["llama"])]
    done = subprocess.run(command, capture_output=True, timeout=60, cwd=REPOSITORY, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
