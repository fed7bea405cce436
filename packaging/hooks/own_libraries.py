"""Runs in a bundle before the program: what Hearth starts must not be given Hearth's libraries.

PyInstaller's loader points the system's search path for libraries into the bundle. This process has read it by now; a
web browser that it opens for a link would read it too, and load our libraries instead of its own.
"""

import os

for _name in ("LD_LIBRARY_PATH", "LIBPATH"):
    _before = os.environ.pop(f"{_name}_ORIG", None)
    os.environ.pop(_name, None)
    if _before is not None:
        os.environ[_name] = _before

# A child that is Hearth again needs the path after all: this lets PyInstaller's loader set it as for a first start.
os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
