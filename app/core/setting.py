"""Declaring a setting once: the dataclass field carries label, help and bounds.

The dialog, the command line, the settings file and the documentation are generated from these
declarations; code reads plain attributes.
"""

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from app.core.sentence import Sentence

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class Declaration:
    """What people are told about one setting, and what values it takes."""

    label: str
    help: str
    minimum: float | None = None
    maximum: float | None = None
    unit: str = ""
    reload: bool = False
    """A change takes effect only when the model is loaded again."""
    flags: tuple[str, ...] = ()
    """Command-line spellings, llama.cpp's where it has one."""
    advanced: bool = False
    model: bool = False
    """A text: the path of a model's file, or empty."""
    default_words: str = ""
    """What the default means, where its value does not say it: for the command line's help."""
    folder: bool = False
    """A text, or several: paths of folders."""
    words: str = ""
    """What people may call it who don't know its label: it is found by these, too."""
    lasting: bool = False
    """It means something only where the program stays: nothing to a command that answers and ends."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One value that was refused; the default stands in for it."""

    name: str
    sentence: str


def setting(
    default: Any, label: str, help: str, within: tuple[float | None, float | None] = (None, None), **more: Any
) -> Any:
    """A dataclass field that declares a setting, `within` bounds. `more` are `Declaration`'s other attributes."""
    return field(default=default, metadata={"setting": Declaration(label, help, *within, **more)})


def declaration(declared: "Field[Any]") -> Declaration:
    found: Declaration = declared.metadata["setting"]
    return found


Section = TypeVar("Section", bound="DataclassInstance")
_FIELD_TYPES: dict[type, dict[str, Any]] = {}


def field_types(section: type) -> dict[str, Any]:
    """The resolved type of each setting in a section."""
    if section not in _FIELD_TYPES:
        _FIELD_TYPES[section] = get_type_hints(section)
    return _FIELD_TYPES[section]


def check(section: type, name: str, value: object) -> Any:
    """`value` as the setting's own type, within its bounds; raises ValueError with a sentence."""
    declared = next(each for each in fields(section) if each.name == name)
    told = declaration(declared)
    wanted = field_types(section)[name]
    converted = _convert(wanted, value, told.label)
    if isinstance(converted, (int, float)) and not isinstance(converted, bool):
        if told.minimum is not None and converted < told.minimum:
            raise _outside("{label}: {value} is below the smallest value, {bound}.", told, converted, told.minimum)
        if told.maximum is not None and converted > told.maximum:
            raise _outside("{label}: {value} is above the largest value, {bound}.", told, converted, told.maximum)
    return converted


def valid(section: type, values: object) -> dict[str, object]:
    """Those of untrusted values that are settings of the section, checked. What is not is left out without a word."""
    names = {each.name for each in fields(section)}
    found: dict[str, object] = {}
    for name, value in values.items() if isinstance(values, Mapping) else ():
        try:
            if name in names:
                found[name] = check(section, name, value)
        except ValueError:
            continue
    return found


def with_values(section: Section, values: Mapping[str, object]) -> Section:
    """The section with these values, which `valid` or `check` has let through."""
    return replace(section, **values)


def plain(value: object) -> object:
    """A setting's value as files have it."""
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def _outside(template: str, told: Declaration, value: float, bound: float) -> ValueError:
    # Whole numbers in full: "16777216", where %g makes "1.67772e+07".
    shown = str(int(bound)) if bound == int(bound) else f"{bound:g}"
    return ValueError(Sentence(template, label=told.label, value=value, bound=shown))


def _convert(wanted: Any, value: object, label: str) -> Any:
    if wanted is bool:
        if isinstance(value, bool):
            return value
        raise ValueError(Sentence("{label}: write true or false, not {value}.", label=label, value=repr(value)))
    if isinstance(wanted, type) and issubclass(wanted, StrEnum):
        try:
            return wanted(str(value))
        except ValueError:
            told = "{label}: {value} is not one of {choices}."
            choices = ", ".join(wanted)
            raise ValueError(Sentence(told, label=label, value=repr(value), choices=choices)) from None
    if wanted is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _finite(value, label)
    if wanted is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if wanted is str and isinstance(value, str):
        return value
    if wanted == tuple[str, ...] and isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return tuple(value)
    kind = getattr(wanted, "__name__", wanted)
    raise ValueError(
        Sentence("{label}: {value} is not of the right kind ({kind}).", label=label, value=repr(value), kind=kind)
    )


def _finite(value: float, label: str) -> float:
    try:
        converted = float(value)
    except OverflowError:
        converted = math.inf
    if not math.isfinite(converted):
        raise ValueError(Sentence("{label}: write a finite number.", label=label))
    return converted


def section_from(section: type[Section], values: Mapping[str, object], where: str) -> tuple[Section, list[Problem]]:
    """A section from untrusted values: unknown names are reported, a bad value resets alone."""
    made = section()
    problems: list[Problem] = []
    known = {each.name for each in fields(section)}
    for name, value in values.items():
        if name not in known:
            unknown = f"{where}.{name}"
            problems.append(Problem(unknown, Sentence("{name} is not a setting of this version.", name=unknown)))
            continue
        try:
            made = replace(made, **{name: check(section, name, value)})
        except ValueError as error:
            problems.append(Problem(f"{where}.{name}", str(error)))
    return made, problems
