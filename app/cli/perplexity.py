"""`hearth perplexity`: how likely a model finds a text, on standard output."""

import argparse
import json
from contextlib import closing
from pathlib import Path

from app.cli import terminal
from app.cli.arguments import section_from_arguments
from app.cli.ask import cancel_on_interrupt
from app.cli.models import ProgressLine, open_model
from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import PromptProgress
from app.core.likelihood import Likelihood, TextToScore, Windows, likelihood_json
from app.core.paths import Paths
from app.core.program import EXIT_INTERRUPTED
from app.core.settings import Settings
from app.engine.reply.session import Session


def run(namespace: argparse.Namespace, settings: Settings, paths: Paths, command: list[str]) -> int:
    """Exit code: 0, or 130 after Ctrl+C. Raises UserError."""
    asked = TextToScore(_text(namespace.file), section_from_arguments(namespace, Windows()))
    cancel = CancelFlag()
    cancel_on_interrupt(cancel.set)
    with open_model(namespace, settings, paths, command, cancel) as session:
        found = _score(session, asked) if session is not None else None
        if session is None or found is None:
            return EXIT_INTERRUPTED
        name = session.info.name
    if namespace.json:
        told = {"model": name, **likelihood_json(found, per_token=namespace.tokens)}
        terminal.write(json.dumps(told, ensure_ascii=False) + "\n")
        return 0
    if namespace.tokens:
        terminal.write("".join(f"{line}\n" for line in _token_lines(found)))
    terminal.write(_line(found) + "\n")
    return 0


def _text(file: Path) -> str:
    """Without one line's end at its end, as llama.cpp's tools read files."""
    if str(file) == "-":
        text = terminal.read_all()
    else:
        try:
            text = file.read_bytes().decode()
        except OSError as error:
            raise UserError("{file} can't be read: {why}.", file=file, why=error.strerror or error) from error
        except UnicodeDecodeError as error:
            raise UserError("{file} is no text in UTF-8.", file=file) from error
    return text.removesuffix("\n")


def _score(session: Session, asked: TextToScore) -> Likelihood | None:
    """None when it was cancelled."""
    line = ProgressLine()
    with closing(session.likelihood(asked)) as events:
        for event in events:
            match event:
                case PromptProgress(total, _, read):
                    line.say(f"Reading {read:,} of {total:,}")
                case Likelihood():
                    line.clear()
                    return event
    line.clear()
    return None


def _token_lines(found: Likelihood) -> list[str]:
    """The logarithm of each token's probability before its text, as a Python literal so that blanks are seen."""
    return [
        f"{'-' if each.logprob is None else f'{each.logprob:.6f}':>12}  {each.piece.decode('utf-8', 'replace')!r}"
        for each in found.tokens
    ]


def _line(found: Likelihood) -> str:
    figures = f"perplexity {found.perplexity:.4f} +/- {found.error:.5f}, loss {found.loss:.6f}"
    cut = f" in {found.n_windows:,} windows of {found.window:,}" if found.window else ""
    by = f", strided by {found.stride:,}" if found.window and found.stride else ""
    return f"{figures} ({found.n_scored:,} of {len(found.tokens):,} tokens scored{cut}{by})"
