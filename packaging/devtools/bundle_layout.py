"""Where the making of a bundle keeps its things: apart from those of the checkout's own environment."""

import sys
from pathlib import Path

from devtools.layout import Layout


class BundleLayout(Layout):
    """The checkout's layout with another environment, other wheels, and another workshop.

    So a bundle is never made of what a developer has installed, and making one leaves `.venv` alone.
    """

    @property
    def venv(self) -> Path:
        return self.build / "bundle-venv"

    @property
    def wheels(self) -> Path:
        return self.build / "wheels-bundle"

    @property
    def workshop(self) -> Path:
        return self.build / "bundle-engine"

    @property
    def work(self) -> Path:
        """What is made on the way: icons, PyInstaller's own files, the trees of packages."""
        return self.build / "bundle"

    @property
    def folder(self) -> Path:
        """The bundle itself, unpacked."""
        return self.root / "dist" / "hearth"

    @property
    def program(self) -> Path:
        """What is started to see whether the bundle works: on Windows the one with a console."""
        if sys.platform == "darwin":
            return self._application / "Contents" / "MacOS" / "hearth"
        return self.folder / ("hearth.com" if sys.platform == "win32" else "hearth")

    @property
    def contents(self) -> Path:
        """The folder that the running program takes for its own."""
        return self._application / "Contents" / "Frameworks" if sys.platform == "darwin" else self.folder / "_internal"

    @property
    def packed(self) -> Path:
        """What people download."""
        return self.root / "dist"

    @property
    def _application(self) -> Path:
        return self.packed / "Hearth.app"


def room_for(contents: Path, name: str) -> Path:
    """Where the build puts the data that the program finds as `contents / name`.

    The same place, but for a .app: codesign takes whatever lies in Frameworks for code and refuses what it can't sign,
    so there it is among the Resources, and Frameworks has a link. Untried, for want of a Mac.
    """
    if contents.name != "Frameworks":
        return contents / name
    link = contents / name
    link.unlink(missing_ok=True)
    link.symlink_to(Path("..") / "Resources" / name)
    return contents.parent / "Resources" / name
