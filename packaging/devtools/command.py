"""The command line of `packaging/dev.py`."""

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from devtools.console import say
from devtools.engine import BUILD, VARIANTS
from devtools.errors import SetUpError
from devtools.layout import Layout
from devtools.plan import RUN, TEST, set_up

USAGE = f"""Usage: python3 packaging/dev.py [options] COMMAND [arguments]

  run [arguments]    set up what is missing, then start Hearth: `dev.py run`, `dev.py run ask "hello"`
  test [arguments]   set up what is missing, then run all checks; with arguments, pytest alone: `dev.py test -k reuse`
  setup              set up what is missing, for both
  guide [arguments]  make the built-in model anew, which takes more than an hour: `dev.py guide`; with arguments, those
                     of `python -m guide`: `dev.py guide evaluate`
  bundle [options]   make what people download, with an engine for all processors; tries it and packs it into dist
                     (--flavour vulkan: with graphics cards; --folder-only: unpacked; takes a quarter of an hour)
  lock [--upgrade]   make the lock files again from pyproject.toml (needs uv and a network)

  --wheels KIND      take upstream's ready-made engine and need no compiler: {", ".join(VARIANTS)};
                     remembered until `--wheels {BUILD}`, which compiles it here again
  --onscreen         with `test`: show the windows

Options come before the command or right after it; all that follows goes to the program.
"""
COMMANDS = ("run", "test", "setup", "guide", "bundle", "lock")
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Request:
    command: str
    arguments: tuple[str, ...] = ()
    wheels: str | None = None
    onscreen: bool = False
    upgrade: bool = False


class UsageError(Exception):
    pass


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code: the program's, 1 for a failed set-up, 2 for wrong usage, 130 for an interruption."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0 if arguments else 2
    try:
        request = parse(arguments)
    except UsageError as error:
        print(f"{error}\n\n{USAGE}", end="", file=sys.stderr)
        return 2
    treat_as_interruption("SIGTERM", "SIGHUP")
    try:
        return _obey(request, Layout(Path(__file__).resolve().parents[2]))
    except SetUpError as error:
        print(error.sentence, error.detail, sep="\n" if error.detail else "", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted; the same command takes up where this one stopped.", file=sys.stderr)
        return _INTERRUPTED


def parse(arguments: Sequence[str]) -> Request:
    """Ours are the options around the command; the rest is passed on as it is. Raises `UsageError`."""
    rest = list(arguments)
    command, wheels, onscreen, upgrade = "", None, False, False
    while rest:
        word = rest[0]
        if word in COMMANDS and not command:
            command = word
        elif word == "--":
            del rest[0]
            break
        elif word == "--wheels" or word.startswith("--wheels="):
            wheels, taken = _wheels(rest)
            del rest[1:taken]
        elif word == "--onscreen" and command in ("", "test"):
            onscreen = True
        elif word == "--upgrade" and command == "lock":
            upgrade = True
        elif not command:
            raise UsageError(f"{word} is neither a command nor an option of dev.py.")
        else:
            break
        del rest[0]
    if not command:
        raise UsageError(f"Say what to do: {', '.join(COMMANDS)}.")
    if command == "test" and "--onscreen" in rest:
        onscreen = True
        rest = [word for word in rest if word != "--onscreen"]
    if rest and command in ("setup", "lock"):
        raise UsageError(f"{command} does not take {rest[0]}.")
    return Request(command, tuple(rest), wheels, onscreen, upgrade)


def _wheels(rest: Sequence[str]) -> tuple[str, int]:
    """The kind that is asked for, and how many words that took."""
    _, equals, kind = rest[0].partition("=")
    taken = 1 if equals else 2
    if not equals:
        kind = rest[1] if len(rest) > 1 else ""
    if kind not in (*VARIANTS, BUILD):
        raise UsageError(f"--wheels takes one of {', '.join((*VARIANTS, BUILD))}.")
    return kind, taken


def _obey(request: Request, layout: Layout) -> int:
    if request.command == "lock":
        from devtools.locks import make_locks

        make_locks(layout, upgrade=request.upgrade)
        return 0
    if request.command == "bundle":
        from devtools.bundle import make_bundle

        return make_bundle(layout.root, request.arguments)
    try:
        set_up(layout, RUN if request.command == "run" else TEST, request.wheels)
    except OSError as error:  # a full disk, a folder that is not ours
        raise SetUpError(f"The set-up cannot go on: {error}.") from None
    if request.command == "run":
        from devtools.program import become_hearth

        become_hearth(layout, request.arguments)
    if request.command == "test":
        from devtools.checks import run_checks

        return run_checks(layout, request.arguments, onscreen=request.onscreen)
    if request.command == "guide":
        from devtools.guide import make_guide

        return make_guide(layout, request.arguments)
    say("Hearth is set up.")
    return 0


def treat_as_interruption(*names: str) -> None:
    """A polite request to end is like Ctrl+C, so that nothing that was started is left behind."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    for name in names:
        number = getattr(signal, name, None)  # Windows lacks some
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # `nohup` ignores one, and means it
            signal.signal(number, interrupt)
