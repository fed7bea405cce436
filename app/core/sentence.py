"""What is said to people below the window: English, and able to be said in another language."""

from string import Formatter
from typing import Self

_parse = Formatter().parse


class Sentence(str):
    """Equal to its English text; the window translates `template` and fills it with `values` itself.

    `packaging/sentences.py` collects the templates from the sources. A value may be a `Sentence` too. What is made of
    one, such as an f-string, is a plain str again, and so is what Qt hands on as `str`: signals carry it as `object`.
    """

    template: str
    values: dict[str, str | int | float]

    def __new__(cls, template: str, /, **values: object) -> Self:
        # Texts and numbers alone, so that it can go to another process, and into a file.
        plain = {name: each if isinstance(each, str | int | float) else str(each) for name, each in values.items()}
        made = super().__new__(cls, template.format_map(plain))
        made.template, made.values = template, plain
        return made

    @classmethod
    def joined(cls, *sentences: str) -> Self:
        """Several in a row; empty ones are left out."""
        parts = {f"_{number}": each for number, each in enumerate(filter(None, sentences))}
        return cls(" ".join(f"{{{name}}}" for name in parts), **parts)

    def __str__(self) -> str:
        """Itself, so that `str(error)` keeps what the error was made of."""
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str | int | float]]:
        return (self.template,), self.values


def as_json(sentence: str) -> object:
    """What `from_json` makes the sentence of again."""
    if not isinstance(sentence, Sentence):
        return sentence
    values = {name: as_json(each) if isinstance(each, str) else each for name, each in sentence.values.items()}
    return {"template": sentence.template, "values": values}


def from_json(told: object) -> str:
    """Of a file that may come from others: empty where it is no sentence. Gaps may be plain alone, with no width."""
    match told:
        case str():
            return told
        case {"template": str(template), "values": dict(values)}:
            try:
                if all(name is None or _is_plain(name, how, turned) for _, name, how, turned in _parse(template)):
                    return Sentence(template, **{name: _value(each) for name, each in values.items()})
            except (ValueError, KeyError, RecursionError):
                pass
    return ""


def _is_plain(name: str, how: str | None, turned: str | None) -> bool:
    return name.isidentifier() and how in ("", ",") and turned is None


def _value(told: object) -> str | int | float:
    return told if isinstance(told, int | float) else from_json(told)
