"""What is set and noted for one model alone, over the settings that hold for all.

It is kept as a JSON object: `loading`, `sampling` and so on by the names of the sections of `Settings`, each with what
is set of it; `adapters` as a list of `path` and `scale`; `favourite`, `notes`, and `used` in seconds since 1970.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

from app.core.adapters import LARGEST_SCALE, Adapter
from app.core.loading import Loading
from app.core.model_ref import ModelRef
from app.core.sampling import Sampling
from app.core.setting import plain, valid
from app.core.settings import SECTIONS, Settings
from app.core.speculation import Speculation

MODEL_SECTIONS: tuple[type, ...] = (Loading, Sampling, Speculation)
"""The sections of `Settings` that may be set for one model."""
_NAMELESS = frozenset({"model", "ggml-model"})
_LONGEST_NOTES = 100_000
_MOST_ADAPTERS = 32

Values = Mapping[str, object]
"""Of one section: what is set, by name."""


def key_of(model: ModelRef) -> str:
    """What a model's options are kept under: its file's name, so that they outlive a move to another folder.

    With its folder's where the name says nothing, as of Jan's files. Of a server's model it names the server, too.
    """
    if not model.is_file:
        return model.stored
    name = model.title
    return f"{model.file.parent.name}/{name}" if name.lower() in _NAMELESS else name


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Everything is empty where nothing is set."""

    overrides: Mapping[type, Values] = field(default_factory=dict)
    """By section; checked, and none of them empty."""
    adapters: tuple[Adapter, ...] = ()
    favourite: bool = False
    notes: str = ""
    used: int = 0
    """When it was loaded last, in seconds since 1970; 0 is never."""

    def of(self, section: type) -> Values:
        return self.overrides.get(section, {})

    @property
    def n_set(self) -> int:
        """How many settings differ from those for all."""
        return sum(map(len, self.overrides.values()))

    def applied(self, settings: Settings) -> Settings:
        """`settings` as they hold for this model, but for the sampling: its file's own advice comes before that."""
        names = {SECTIONS[section]: values for section, values in self.overrides.items() if section is not Sampling}
        changed: dict[str, Any] = {name: replace(getattr(settings, name), **values) for name, values in names.items()}
        return replace(settings, **changed)

    def with_section(self, section: type, values: Values) -> "ModelOptions":
        """With exactly these values set of a section; what can't be taken is left out."""
        kept = {each: set_values for each, set_values in self.overrides.items() if each is not section}
        checked = valid(section, values) if section in MODEL_SECTIONS else {}
        return replace(self, overrides={**kept, section: checked} if checked else kept)

    def without_settings(self) -> "ModelOptions":
        return replace(self, overrides={})


def options_from(value: Mapping[str, object]) -> ModelOptions:
    """From what was kept. What is wrong, or not known to this version, is left out; nothing is raised."""
    found = ((section, valid(section, value.get(SECTIONS[section]))) for section in MODEL_SECTIONS)
    used, notes = value.get("used"), value.get("notes")
    return ModelOptions(
        {section: values for section, values in found if values},
        _adapters(value.get("adapters")),
        value.get("favourite") is True,
        notes[:_LONGEST_NOTES] if isinstance(notes, str) else "",
        used if isinstance(used, int) and not isinstance(used, bool) and used > 0 else 0,
    )


def options_to(options: ModelOptions) -> dict[str, object]:
    """To be kept; empty where nothing is set."""
    told: dict[str, object] = {
        SECTIONS[section]: {key: plain(each) for key, each in values.items()}
        for section, values in options.overrides.items()
    }
    told["adapters"] = [{"path": str(each.path), "scale": each.scale} for each in options.adapters]
    told |= {"favourite": options.favourite, "notes": options.notes, "used": options.used}
    return {name: each for name, each in told.items() if each}


def _adapters(told: object) -> tuple[Adapter, ...]:
    found: dict[Path, Adapter] = {}
    for each in told if isinstance(told, list) else ():
        path, scale = (each.get("path"), each.get("scale")) if isinstance(each, Mapping) else (None, None)
        if isinstance(path, str) and path and _is_scale(scale):
            found[Path(path)] = Adapter(Path(path), float(scale))
    return tuple(found.values())[:_MOST_ADAPTERS]


def _is_scale(told: object) -> TypeGuard[float]:
    # An infinite number is beyond the largest, and no comparison with a NaN is true.
    return isinstance(told, int | float) and not isinstance(told, bool) and abs(told) <= LARGEST_SCALE
