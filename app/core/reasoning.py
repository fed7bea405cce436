"""How long a model reasons before it answers, as far as its chat template lets people say it."""

from collections.abc import Mapping
from enum import StrEnum


class Effort(StrEnum):
    OFF = "off"
    ON = "on"
    """For templates that know no more than on and off."""
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


Efforts = Mapping[Effort, Mapping[str, object]]
"""Those that a model's template tells apart, the least first, each with the variables that ask for it. Empty where
nothing can be chosen."""


def nearest(known: Efforts, wanted: Effort | None) -> Effort | None:
    """The one of `known` that stands for what was wanted, perhaps of another model; None leaves it to the template."""
    if wanted is None or wanted in known:
        return wanted
    others = {Effort.OFF: (), Effort.ON: (Effort.MEDIUM, Effort.HIGH)}.get(wanted, (Effort.ON,))
    return next((each for each in others if each in known), None)


def at_once(known: Efforts) -> Mapping[str, object]:
    """The variables that ask for no reasoning at all; the one that most templates know where that is not known."""
    return known.get(Effort.OFF, {"enable_thinking": False})
