"""The command line, generated from the declared settings."""

import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import app
from app.core.loading import Loading
from app.core.sampling import Sampling
from app.core.setting import check, declaration, field_types

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Section = TypeVar("Section", bound="DataclassInstance")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line. Prints and raises SystemExit: 2 for wrong usage, 0 for --help and --version."""
    return build_parser().parse_args(arguments)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hearth", description="Talk to language models that run on this computer. Opens the window by default."
    )
    parser.add_argument("--version", action="version", version=f"hearth {app.__version__}")
    parser.add_argument("-v", "--verbose", action="store_true", help="log to the console what goes on")
    parser.set_defaults(command="window")
    commands = parser.add_subparsers(title="commands", metavar="")
    _add_ask(commands)
    _add_selftest(commands)
    return parser


def _add_ask(commands: Any) -> None:
    ask = commands.add_parser("ask", help="print one reply", description="Ask once; the reply streams as it comes.")
    ask.set_defaults(command="ask")
    ask.add_argument("prompt", metavar="PROMPT", help='what to ask; "-" reads it from standard input')
    ask.add_argument("--system", metavar="TEXT", default="", help="a system prompt")
    ask.add_argument("--json", action="store_true", help="print the reply and its figures as one JSON object")
    _add_model_options(ask)
    _add_settings(ask, Sampling)


def _add_selftest(commands: Any) -> None:
    told = "prove by exit code that this copy of Hearth works"
    selftest = commands.add_parser("selftest", help=told, description=told.capitalize() + ".")
    selftest.set_defaults(command="selftest")
    _add_model_options(selftest)


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", "--model", type=Path, metavar="FILE", help="a model in GGUF format")
    _add_settings(parser, Loading)


def _add_settings(parser: argparse.ArgumentParser, section: "type[DataclassInstance]") -> None:
    group = parser.add_argument_group(section.__name__.lower())
    types = field_types(section)
    for each in fields(section):
        told = declaration(each)
        if not told.flags:
            continue
        kind = types[each.name]
        options: dict[str, Any] = {"dest": f"{section.__name__}.{each.name}", "default": None}
        if kind is bool:
            options["action"] = "store_true"
        elif issubclass(kind, StrEnum):
            options.update(choices=[str(choice) for choice in kind], type=str)
        else:
            options.update(type=kind, metavar=kind.__name__.upper())
        group.add_argument(*told.flags, help=_escaped(f"{told.help} Default: {each.default}."), **options)


def _escaped(text: str) -> str:
    """argparse takes % for a format."""
    return text.replace("%", "%%")


def section_from_arguments(namespace: argparse.Namespace, base: Section) -> Section:
    """`base` with what the command line changes. A value out of bounds is wrong usage: SystemExit(2)."""
    kind = type(base)
    for each in fields(kind):
        value = getattr(namespace, f"{kind.__name__}.{each.name}", None)
        if value is None:
            continue
        try:
            base = replace(base, **{each.name: check(kind, each.name, value)})
        except ValueError as error:
            build_parser().error(str(error))
    return base
