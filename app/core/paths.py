"""Where Hearth keeps its files."""

from dataclasses import dataclass
from pathlib import Path

CERTIFICATE = "certificate.pem"


@dataclass(frozen=True, slots=True)
class Paths:
    """Every folder and file that Hearth writes. `app.storage.folders` finds the roots."""

    data: Path
    config: Path
    logs_folder: Path

    @property
    def database(self) -> Path:
        return self.data / "hearth.sqlite3"

    @property
    def search(self) -> Path:
        """The index of what was said; made anew where it is missing."""
        return self.data / "search.sqlite3"

    @property
    def documents(self) -> Path:
        """What was read of documents, and the collections that people made of them."""
        return self.data / "documents.sqlite3"

    @property
    def collections(self) -> Path:
        """The names of those, and what is in them."""
        return self.data / "collections.json"

    @property
    def certificate(self) -> Path:
        """This computer's own, with its private key: what paired ones know it by."""
        return self.config / CERTIFICATE

    @property
    def peers(self) -> Path:
        """Computers that may use this one."""
        return self.config / "peers.json"

    @property
    def attachments(self) -> Path:
        return self.data / "attachments"

    @property
    def embeddings(self) -> Path:
        """Encoded pictures; a cache within a quota."""
        return self.data / "embeddings"

    @property
    def projectors(self) -> Path:
        """Which mmproj people chose for which model."""
        return self.data / "projectors.json"

    @property
    def snapshots(self) -> Path:
        return self.data / "snapshots"

    @property
    def program_snapshots(self) -> Path:
        """The same of conversations of other programs, as `hearth serve` keeps them."""
        return self.data / "program-snapshots"

    @property
    def models(self) -> Path:
        return self.data / "models"

    @property
    def catalogue(self) -> Path:
        """What is known of model files; a cache that may be lost."""
        return self.data / "catalogue.json"

    @property
    def downloads(self) -> Path:
        """What is being fetched, so that it goes on with the next start."""
        return self.data / "downloads.json"

    @property
    def short_list(self) -> Path:
        """A newer list of good models than the one that comes with the program."""
        return self.data / "good-models.json"

    @property
    def trusted_models(self) -> Path:
        """Which model files have been tried on this machine; see `app.engine.preflight.preflight`."""
        return self.data / "tried-models.json"

    @property
    def settings(self) -> Path:
        return self.config / "settings.toml"

    @property
    def model_servers(self) -> Path:
        """Which servers have models for the window."""
        return self.config / "servers.json"

    @property
    def tool_servers(self) -> Path:
        """Which servers of tools there are, in the notation that other programs have too."""
        return self.config / "mcp.json"

    @property
    def tool_listings(self) -> Path:
        """What servers listed last; a cache that may be lost."""
        return self.data / "tool-listings.json"

    @property
    def logs(self) -> Path:
        return self.logs_folder

    @property
    def crash_report(self) -> Path:
        return self.logs_folder / "crash.txt"
