"""What is finished: one small file per step, written only after the step succeeded."""

from pathlib import Path


class Stamps:
    """Stamps in `folder`. A step that is interrupted leaves the folder `unfinished`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._marker = folder / "in-progress"

    @property
    def unfinished(self) -> bool:
        """Some step began to change the environment and did not end: nothing in it can be trusted."""
        return self._marker.exists()

    def knows(self, name: str) -> bool:
        """Whether the step was ever finished here, with whatever key."""
        return (self._folder / name).exists()

    def matches(self, name: str, key: str) -> bool:
        try:
            return (self._folder / name).read_text(encoding="utf-8") == key
        except (OSError, UnicodeDecodeError):
            return False

    def begin(self, name: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        _write(self._marker, name)
        (self._folder / name).unlink(missing_ok=True)

    def finish(self, name: str, key: str) -> None:
        _write(self._folder / name, key)
        self._marker.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    """All or nothing: an interruption leaves the old file or the new one."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
