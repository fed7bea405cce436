"""`hearth models -m FILE`: what a model can do here, as the engine finds when it has loaded it."""

import argparse
import json
from collections.abc import Iterator

from app.cli import terminal
from app.cli.ask import cancel_on_interrupt
from app.cli.models import open_model
from app.core.cancel import CancelFlag
from app.core.capabilities import Capabilities, capabilities_json
from app.core.paths import Paths
from app.core.program import EXIT_INTERRUPTED
from app.core.settings import Settings


def run(namespace: argparse.Namespace, settings: Settings, paths: Paths, command: list[str]) -> int:
    """Exit code: 0, or 130 after Ctrl+C. Raises UserError."""
    cancel = CancelFlag()
    cancel_on_interrupt(cancel.set)
    with open_model(namespace, settings, paths, command, cancel) as session:
        if session is None:
            return EXIT_INTERRUPTED
        info = session.info
    if namespace.json:
        told = {"name": info.name, "path": info.ref.id, "capabilities": capabilities_json(info.capabilities)}
        terminal.write(json.dumps(told, ensure_ascii=False, indent=2) + "\n")
    else:
        terminal.write("".join(f"{line}\n" for line in _lines(info.name, info.capabilities)))
    return 0


def _lines(name: str, can: Capabilities) -> Iterator[str]:
    yield name
    for told, value in (
        ("sees pictures", can.sees),
        ("hears recordings", can.hears),
        ("reasons first", can.reasons),
        ("is told of tools", can.tools),
        ("keeps to grammars", can.grammar),
        ("has a head that guesses further tokens", can.own_head),
        ("fills gaps in texts", can.fills),
        ("makes vectors of texts", can.embeddings),
        ("is saved by name", can.states),
    ):
        yield f"    {told}: {'yes' if value else 'no'}"
    yield f"    writes calls as: {can.tool_format}"
    yield f"    guesses with: {', '.join(can.drafters) or 'nothing'}"
    yield f"    memory: {can.memory}"
