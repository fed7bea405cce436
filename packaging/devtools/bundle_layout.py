"""Where the making of a bundle keeps its things: apart from those of the checkout's own environment."""

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
    def packed(self) -> Path:
        """What people download."""
        return self.root / "dist"
