"""`hearth` and `python -m app`: from the command line to one of the front doors."""

import logging
import sys
import traceback
from pathlib import Path

from app.cli import terminal
from app.core.errors import UserError

EXIT_ENVIRONMENT = 1
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done, 1 the environment's fault (one sentence on standard error), 2 wrong usage, 70 a bug,
    130 interrupted. Wrong usage and --help raise SystemExit, as argparse does.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    terminal.prepare()
    try:
        try:
            return _run(arguments)
        finally:
            terminal.write("")  # what is still buffered, so that it fails here and not at exit
    except UserError as error:
        terminal.warn(error.sentence)
        logging.getLogger(__name__).info("Ended by: %s (%s)", error.sentence, error.detail)
        return EXIT_ENVIRONMENT
    except BrokenPipeError:
        return 0  # whoever read our output has seen enough, as `head` does
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception:  # noqa: BLE001 - the last line of defence: a bug becomes an exit code
        traceback.print_exc()
        terminal.warn("This is a fault in Hearth, not in what you did.")
        return EXIT_BUG


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["_try-model"]:
        from app.engine.preflight import child_main

        return child_main(arguments[1:])
    if arguments[:1] == ["_check-window"]:
        from app.bootstrap import check_window

        return check_window()
    from app.cli.arguments import parse

    namespace = parse(arguments)
    if namespace.command == "window":
        from app.bootstrap import run_window

        return run_window(namespace)
    return _run_command(namespace.command, namespace)


def _run_command(command: str, namespace: object) -> int:
    import argparse

    from app.cli import ask, selftest
    from app.core.log import start_logging
    from app.storage.folders import find_paths, make_folders
    from app.storage.settings_file import load_settings

    assert isinstance(namespace, argparse.Namespace)
    paths = find_paths()
    make_folders(paths)
    start_logging(paths.logs, verbose=namespace.verbose)
    loaded = load_settings(paths.settings)
    for note in loaded.notes:
        terminal.warn(note)
    runners = {"ask": ask.run, "selftest": selftest.run}
    return runners[command](namespace, loaded.settings, paths, own_command())


def own_command() -> list[str]:
    """The command that starts this program again, frozen or not."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    root = str(Path(__file__).resolve().parent.parent)
    start = f"import sys; sys.path.insert(0, {root!r}); from app.__main__ import main; sys.exit(main())"
    return [sys.executable, "-c", start]


if __name__ == "__main__":
    sys.exit(main())
