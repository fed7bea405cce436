"""The presets that people keep, and which one new conversations begin with."""

import json
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.core.files import write_atomic
from app.core.preset import LARGEST_FILE, Preset, dump_file, from_json, load_file, plain_name, to_json, unused_name
from app.storage.file_errors import about_file
from app.storage.options import OptionsStore, Scope

_DEFAULT = "default"
"""The name under which it is kept which preset is the first one; those of presets are longer."""


@dataclass(frozen=True, slots=True)
class KeptPreset:
    id: str
    preset: Preset


class Presets(QObject):
    """In the database's thread. Every method raises UserError for what is wrong with the disk."""

    changed = Signal()

    def __init__(self, store: OptionsStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store

    def all(self) -> tuple[KeptPreset, ...]:
        """By name."""
        found = [
            KeptPreset(name, from_json(value)) for name, value in self._store.all(Scope.PRESET) if name != _DEFAULT
        ]
        return tuple(sorted(found, key=lambda kept: (kept.preset.name.casefold(), kept.id)))

    def get(self, preset_id: str) -> Preset | None:
        if not preset_id or preset_id == _DEFAULT:
            return None
        value = self._store.get(Scope.PRESET, preset_id)
        return from_json(value) if value else None

    def add(self, preset: Preset) -> str:
        """Keep a new one, under a name that no other has; its id."""
        number = secrets.token_hex(16)
        self._put(number, preset)
        return number

    def change(self, preset_id: str, preset: Preset) -> None:
        self._put(preset_id, preset)

    def delete(self, preset_id: str) -> KeptPreset | None:
        """What was removed, for `restore`. Conversations that used it go on without."""
        preset = self.get(preset_id)
        if preset is None:
            return None
        self._store.put(Scope.PRESET, preset_id, {})
        self.changed.emit()
        return KeptPreset(preset_id, preset)

    def restore(self, kept: KeptPreset) -> None:
        """Undo `delete`: conversations that used it use it again."""
        self._put(kept.id, kept.preset)

    @property
    def default_id(self) -> str:
        """Of the preset that new conversations begin with; empty for none."""
        number = str(self._store.get(Scope.PRESET, _DEFAULT).get("id", ""))
        return number if self.get(number) is not None else ""

    def set_default(self, preset_id: str) -> None:
        self._store.put(Scope.PRESET, _DEFAULT, {"id": preset_id} if preset_id else {})
        self.changed.emit()

    def export(self, preset_id: str, path: Path) -> None:
        preset = self.get(preset_id)
        if preset is None:
            raise LookupError(preset_id)
        try:
            write_atomic(path, dump_file(preset))
        except OSError as error:
            raise about_file(path, error) from error

    def import_file(self, path: Path) -> str:
        """Keep the preset of a file; its id."""
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise ValueError("too large")
            preset = load_file(path.read_bytes())
        except OSError as error:
            raise about_file(path, error) from error
        except (ValueError, json.JSONDecodeError) as error:
            raise UserError(
                "{name} is no preset of Hearth; choose a file that was exported as one.",
                name=path.name,
                detail=str(error),
            ) from error
        return self.add(preset if preset.name else replace(preset, name=plain_name(path.name.partition(".")[0])))

    def _put(self, number: str, preset: Preset) -> None:
        taken = {kept.preset.name.casefold() for kept in self.all() if kept.id != number}
        named = replace(preset, name=unused_name(plain_name(preset.name) or "Preset", taken))
        self._store.put(Scope.PRESET, number, to_json(named))
        self.changed.emit()
