"""Whether this machine can compile C++."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

WITHOUT = "or take a ready-made engine with `--wheels cpu`"


def compiler_found() -> bool:
    if sys.platform == "win32":
        return shutil.which("cl") is not None or _visual_studio()
    if sys.platform == "darwin":
        # /usr/bin/c++ is there always; without the tools it only opens a dialog.
        return subprocess.run(["xcode-select", "-p"], capture_output=True, check=False).returncode == 0
    return _one_of("CC", "cc", "gcc", "clang") and _one_of("CXX", "c++", "g++", "clang++")


def advice() -> str:
    """One sentence for people without a compiler, on a system whose packages we do not know."""
    if sys.platform == "win32":
        what = "Visual Studio's C++ build tools: `winget install Microsoft.VisualStudio.2022.BuildTools --override "
        what += '"--passive --wait --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"`'
    elif sys.platform == "darwin":
        what = "Apple's compiler: `xcode-select --install`"
    else:
        what = "a C++ compiler, g++ or clang++, with this system's package manager"
    return f"No C++ compiler was found, and the engine is built on this machine: install {what}, {WITHOUT}."


def _one_of(variable: str, *names: str) -> bool:
    chosen = os.environ.get(variable, "").split()
    return any(shutil.which(name) is not None for name in (chosen[:1] or names))


def _visual_studio() -> bool:
    tool = Path(os.environ.get("PROGRAMFILES(X86)", "")) / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
    if not tool.is_file():
        return False
    component = "Microsoft.VisualStudio.Component.VC.Tools.*"
    asked = [str(tool), "-latest", "-products", "*", "-requires", component, "-property", "installationPath"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    return told.returncode == 0 and bool(told.stdout.strip())
