"""Makes `resources/python/python.wasm.xz` of `runner.py`: CPython as a WebAssembly component.

Run by hand, when the runner or Python's version changes, in an environment that has componentize-py (0.25.1 made the
file that is here, with CPython 3.14): `python packaging/python/make.py`.
"""

import lzma
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "resources" / "python" / "python.wasm.xz"


def main() -> int:
    program = Path(sys.executable).with_name("componentize-py")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "python.wasm"
        what = ["-d", "runner.wit", "-w", "runner", "componentize", "runner", "-o", str(made)]
        subprocess.run([program, *what], cwd=HERE, check=True)
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_bytes(lzma.compress(made.read_bytes(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{TARGET.name}: {TARGET.stat().st_size / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
