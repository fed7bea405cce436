"""The command line, generated from the declared settings."""

import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import app
from app.cli.option_types import SPEC_TYPES, mebibytes, origins, port, reader, seconds, spec_types
from app.core.api_settings import PEERS_PORT
from app.core.checkpointing import Checkpointing
from app.core.errors import UserError
from app.core.likelihood import Windows
from app.core.loading import Loading, LoadMode, Pooling
from app.core.picture_settings import PictureSettings
from app.core.sampling import Sampling
from app.core.setting import check, declaration, field_types
from app.core.speculation import Speculation

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

Section = TypeVar("Section", bound="DataclassInstance")
_LOAD_MODES = {
    "--mlock": LoadMode.MMAP_MLOCK,
    "--no-mmap": LoadMode.NONE,
    "--direct-io": LoadMode.DIRECT_IO,
}
"""As llama.cpp had it before there were modes."""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line. Prints and raises SystemExit: 2 for wrong usage, 0 for --help and --version."""
    return build_parser().parse_args(arguments)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hearth",
        description="Talk to language models that run on this computer. Opens the window by default; "
        "`hearth FILE…` loads a model there, and attaches other files to the message.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"hearth {app.__version__}")
    parser.add_argument("-v", "--verbose", action="store_true", help="log to the console what goes on")
    parser.set_defaults(command="window")
    commands = parser.add_subparsers(title="commands", metavar="")
    _add_ask(commands)
    _add_perplexity(commands)
    _add_serve(commands)
    _add_models(commands)
    _add_selftest(commands)
    return parser


def _add_ask(commands: "Commands") -> None:
    described = (
        "Ask once; the reply streams as it comes. With --spec-mtp --json the model drafts with its own head (MTP), and "
        "what came of it is told in counts and times."
    )
    ask = _command(commands, "ask", "print one reply", described)
    ask.add_argument("prompt", metavar="PROMPT", help='what to ask; "-" reads it from standard input')
    ask.add_argument(
        "-i",
        "--image",
        type=Path,
        metavar="FILE",
        action="append",
        default=[],
        help="a picture (PNG, JPEG, WebP, GIF, BMP, TIFF, AVIF, HEIC) or a recording (WAV, FLAC, MP3, OGG, Opus, "
        "AIFF); may be repeated",
    )
    _add_strip_images(ask)
    ask.add_argument(
        *("-d", "--document"),
        type=Path,
        metavar="FILE",
        action="append",
        default=[],
        help="a document (text, source, PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, EML); may be repeated",
    )
    ask.add_argument(
        *("-sys", "--system-prompt", "--system"), dest="system", metavar="TEXT", default="", help="a system prompt"
    )
    ask.add_argument(
        "--state",
        type=Path,
        metavar="FILE",
        help="go on with the conversation in a .hearthstate file, without reading it again",
    )
    ask.add_argument("--save-state", type=Path, metavar="FILE", help="save the conversation with the answer to a file")
    ask.add_argument(
        "--tools",
        nargs="?",
        const="",
        metavar="NAMES",
        help="let the model call tools: those that are on in the settings, or those named, with commas between: "
        "servers of mcp.json, and clock, python, documents, chats, files, web. Write it after the prompt. Before a "
        "call that has to be allowed you are asked, where there is a terminal",
    )
    ask.add_argument(
        "--allow",
        metavar="NAME",
        action="append",
        default=[],
        help="allow a tool, all tools of a server, or pages of a host beforehand; may be repeated",
    )
    ask.add_argument("--figures", action="store_true", help="print what it took, as a line on standard error")
    ask.add_argument("--no-stop-repetition", action="store_true", help="let an answer go on that only repeats itself")
    ask.add_argument("--json", action="store_true", help="print the reply and its figures as one JSON object")
    _add_server(ask, asks=True)
    _add_model_options(ask)
    _add_settings(ask, "sampling", Sampling)


def _add_perplexity(commands: "Commands") -> None:
    told = "tell how likely a model finds a text"
    described = (
        "Tell the perplexity of a text: e to the mean loss of a token, as llama.cpp's llama-perplexity reckons it. "
        "The lower, the better the model foresees the text."
    )
    perplexity = _command(commands, "perplexity", told, described)
    perplexity.add_argument("file", metavar="FILE", type=Path, help='a text in UTF-8; "-" reads standard input')
    perplexity.add_argument("--tokens", action="store_true", help="tell how likely each token was, too")
    perplexity.add_argument("--json", action="store_true", help="print it as one JSON object")
    _add_settings(perplexity, "windows", Windows)
    _add_model_options(perplexity)


def _add_serve(commands: "Commands") -> None:
    told = (
        "Offer the model to other programs through an API like OpenAI's, on this computer alone unless told otherwise."
    )
    serve = _command(commands, "serve", "let other programs use the model", told)
    _add_access(serve)
    _add_peers(serve)
    _add_choice_of_models(serve)
    _add_strip_images(serve)
    _add_vectors(serve)
    _add_prompts(serve)
    _add_rest(serve)
    _add_model_options(serve, lasts=True)
    _add_settings(serve, "sampling", Sampling)


def _add_access(serve: argparse.ArgumentParser) -> None:
    told = "the address to listen on; several are separated by commas. Default: 127.0.0.1."
    serve.add_argument("--host", default="127.0.0.1", help=told)
    serve.add_argument("--port", type=port, default=8080, help="0 takes a free one. Default: 8080.")
    serve.add_argument(
        "--api-key", metavar="KEY", default="", help="what programs must show; needed beyond this computer"
    )
    serve.add_argument(
        "--cors-origins",
        type=origins,
        metavar="ORIGINS",
        default=(),
        help="whose pages may use it from a browser: such as https://chat.example,https://b.example, or localhost for "
        "those of this computer. Default: none but the one in the settings.",
    )


def _add_peers(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--pair",
        action="store_true",
        help="show a code by which one more Hearth in your network may use this computer's model",
    )
    serve.add_argument(
        "--no-announce", action="store_true", help="with --pair: don't tell the network that a code is shown (mDNS)"
    )
    serve.add_argument(
        "--peers-port",
        type=port,
        metavar="PORT",
        help=f"serve the computers that are paired at this port, encrypted; 0 takes a free one. Default: none, and "
        f"{PEERS_PORT} with --pair.",
    )


def _add_choice_of_models(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--strict-model",
        action="store_true",
        help="refuse requests that name another model than the loaded one, which otherwise answers to any name",
    )
    serve.add_argument(
        "--load-models",
        choices=["never", "always"],
        default="never",
        help="whether a request that names another model of this computer gets that one. Default: never.",
    )


def _add_rest(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--sleep-idle-seconds",
        type=seconds,
        metavar="SECONDS",
        default=0,
        help="free the model's memory when nobody used it for so long, in place of --idle-unload, which counts minutes",
    )
    serve.add_argument(
        "--keep-on-disk",
        type=mebibytes,
        metavar="MIB",
        default=0,
        help="what the model has read of programs' conversations is kept over a restart, in files of so many MiB; "
        "they hold what was said. Default: 0, nothing.",
    )
    serve.add_argument("--no-slots", action="store_true", help="don't tell programs what is being answered (/slots)")
    serve.add_argument("--no-metrics", action="store_true", help="don't tell them how much was answered (/metrics)")
    serve.add_argument(
        "--tell-prompts",
        action="store_true",
        help="put the prompt into each whole chat completion, as a request's verbose does",
    )
    serve.add_argument(
        "--continue-answers",
        action="store_true",
        help="go on with an answer that a chat completion ends with, also where it does not ask for it",
    )


def _add_prompts(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--reasoning",
        choices=("on", "off"),
        help="whether models think that can do both, where a request does not say. Default: as the template has it.",
    )
    serve.add_argument(
        "--move-changes",
        action="store_true",
        help="put lines that programs change in their system prompts, such as dates, behind what stays: that is then "
        "not read again",
    )
    serve.add_argument(
        "--slot-save-path",
        type=Path,
        metavar="FOLDER",
        help="a folder where programs may save what the model has read, to bring it back later",
    )


def _add_vectors(serve: argparse.ArgumentParser) -> None:
    group = serve.add_argument_group("vectors of texts")
    for option, made in (("--embedding-model", "makes vectors of texts"), ("--reranking-model", "ranks documents")):
        told = f"a model that {made}, beside the one that chats; may be repeated"
        group.add_argument(option, type=Path, metavar="FILE", action="append", default=[], help=told)
    told = "the model (-m) makes vectors of texts, and nothing chats"
    group.add_argument("--embeddings", "--embedding", action="store_true", help=told)
    told = "the model (-m) ranks documents, and nothing chats"
    group.add_argument("--reranking", "--rerank", action="store_true", help=told)
    told = "what a text's vector is made of. Default: as the model's file says."
    group.add_argument("--pooling", type=Pooling, choices=list(Pooling), metavar="KIND", help=told)


def _add_strip_images(parser: argparse.ArgumentParser) -> None:
    told = "go on with the text alone where the model can't see pictures, and say so"
    parser.add_argument("--strip-images", action="store_true", help=told)


def _add_models(commands: "Commands") -> None:
    told = "list the models of this computer"
    described = (
        "List the models of this computer with what goes with them: projectors, and models that draft for them. "
        "With -m, load that one and tell what it can do. With --server, list those of a server."
    )
    models = _command(commands, "models", told, described)
    models.add_argument("--json", action="store_true", help="print them as JSON")
    _add_server(models, asks=False)
    _add_model_options(models)


def _add_selftest(commands: "Commands") -> None:
    told = "prove by exit code that this copy of Hearth works"
    _add_model_options(_command(commands, "selftest", told, told.capitalize() + "."))


def _command(commands: "Commands", name: str, told: str, description: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=told, description=description, allow_abbrev=False)
    parser.set_defaults(command=name)
    return parser


def _add_server(parser: argparse.ArgumentParser, *, asks: bool) -> None:
    parser.add_argument(
        "--server",
        metavar="URL",
        help="a server on another machine (llama-server, vLLM, SGLang, Ollama, LM Studio, hearth serve, or another "
        "that speaks OpenAI's chat completions) in place of a model here; its key is read from HEARTH_SERVER_KEY",
    )
    if asks:
        parser.add_argument("--server-model", metavar="NAME", default="", help="which of the server's models answers")


def _add_model_options(parser: argparse.ArgumentParser, *, lasts: bool = False) -> None:
    """`lasts`: the command stays when it has answered."""
    parser.add_argument("-m", "--model", type=Path, metavar="FILE", help="a model in GGUF format")
    parser.add_argument("--mmproj", type=Path, metavar="FILE", help="its projector, with which it sees or hears")
    _add_settings(parser, "loading", Loading, lasts=lasts)
    for flag, mode in _LOAD_MODES.items():
        told = f"the same as --load-mode {mode}"
        parser.add_argument(flag, dest="Loading.load_mode", action="store_const", const=str(mode), help=told)
    _add_settings(parser, "checkpoints", Checkpointing)
    _add_settings(parser, "pictures", PictureSettings)
    _add_settings(parser, "speculative decoding", Speculation)
    parser.add_argument(
        "--spec-type",
        type=spec_types,
        metavar="TYPES",
        help=f"which kinds of drafts to make, with commas between them: {', '.join(SPEC_TYPES)}. "
        "Other options come before it.",
    )


def _add_settings(
    parser: argparse.ArgumentParser, heading: str, section: "type[DataclassInstance]", *, lasts: bool = False
) -> None:
    group = parser.add_argument_group(heading)
    types = field_types(section)
    for each in fields(section):
        told = declaration(each)
        if not told.flags or (told.lasting and not lasts):
            continue
        kind = types[each.name]
        options: dict[str, Any] = {"dest": f"{section.__name__}.{each.name}", "default": None}
        if kind is bool:
            options["action"] = argparse.BooleanOptionalAction if each.default else "store_true"
        elif kind is str:
            options.update(metavar="TEXT")
        elif issubclass(kind, StrEnum):
            options.update(choices=[str(choice) for choice in kind], type=str)
        else:
            options.update(type=reader(section, each.name, kind), metavar=kind.__name__.upper())
        default = told.default_words or _in_words(each.default)
        group.add_argument(*told.flags, help=_escaped(f"{told.help} Default: {default}."), **options)


def _in_words(default: object) -> str:
    match default:
        case bool():
            return "on" if default else "off"
        case "":
            return "none"
    return str(default)


def _escaped(text: str) -> str:
    """argparse takes % for a format."""
    return text.replace("%", "%%")


def existing_folder(given: Path | None) -> Path | None:
    """Raises UserError where it is none."""
    if given is not None and not given.is_dir():
        raise UserError("{folder} is no folder. Make it first, or name another one.", folder=given)
    return given


def section_from_arguments(namespace: argparse.Namespace, base: Section) -> Section:
    """`base` with what the command line changes; `parse` has checked it."""
    kind = type(base)
    for each in fields(kind):
        value = getattr(namespace, f"{kind.__name__}.{each.name}", None)
        if value is not None:
            base = replace(base, **{each.name: check(kind, each.name, value)})
    return base
