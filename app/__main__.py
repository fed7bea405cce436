"""`hearth` and `python -m app`: from the command line to one of the front doors."""

import gc
import logging
import sys
import traceback
from functools import partial
from typing import TYPE_CHECKING

from app.cli import terminal
from app.cli.standard_streams import provide_standard_streams
from app.core.errors import UserError
from app.core.program import EXIT_BUG, EXIT_ENVIRONMENT, EXIT_INTERRUPTED, own_command
from app.core.sampling import Sampling

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from app.core.events import ModelInfo
    from app.core.paths import Paths
    from app.core.sampling import Sampling
    from app.core.settings import Settings


_YOUNG = 20_000
"""Objects that are made before Python looks for garbage among them."""


def main(arguments: list[str] | None = None) -> int:
    """Exit codes: 0 done, 1 the environment's fault (one sentence on standard error), 2 wrong usage, 70 a bug,
    130 interrupted. Wrong usage and --help raise SystemExit, as argparse does.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    provide_standard_streams()
    terminal.prepare()
    try:
        try:
            return _run(arguments)
        finally:
            terminal.write("")  # what is still buffered, so that it fails here and not at exit
    except UserError as error:
        terminal.warn(error.sentence)
        logging.getLogger(__name__).info("Ended by: %s", error.logged)
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
        from app.engine.loading import preflight_child

        return preflight_child.main(arguments[1:])
    if arguments[:1] == ["_read-document"]:
        from app.engine.documents import document_child

        return document_child.main(arguments[1:])
    if arguments[:1] == ["_draw-page"]:
        from app.engine.documents import page_picture

        return page_picture.main(arguments[1:])
    if arguments[:1] == ["_python"]:
        from app.tools.built_in import python_child

        return python_child.main(arguments[1:])
    if arguments[:1] == ["_vectors"]:
        from app.engine.vectors import child

        return child.main(arguments[1:])
    if arguments[:1] == ["_index"]:
        from app.services.documents import index_child

        return index_child.main(arguments[1:])
    if arguments[:1] == ["_check-window"]:
        from app.start import check_window

        return check_window()
    if not arguments:
        return _open_window((), verbose=False)
    from app.cli.named_files import named_files

    if (named := named_files(arguments)) is not None:
        return _open_window(named.files, verbose=named.verbose)
    # Imports leave next to no garbage: to look for it in all that they make took a twentieth of the start.
    gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
    from app.cli.arguments import parse

    namespace = parse(arguments)
    if namespace.command == "window":
        return _open_window((), verbose=namespace.verbose)
    return _run_command(namespace.command, namespace)


def _open_window(files: "tuple[Path, ...]", *, verbose: bool) -> int:
    from app.start import open_window

    return open_window(files, verbose=verbose)


def _run_command(command: str, namespace: "argparse.Namespace") -> int:
    from app.core.log import start_logging
    from app.storage.folders import find_paths, make_folders
    from app.storage.settings_file import load_settings

    paths = find_paths()
    make_folders(paths)
    start_logging(paths.logs, verbose=namespace.verbose)
    loaded = load_settings(paths.settings)
    for note in loaded.notes:
        terminal.warn(note)
    if command == "serve":
        return _serve(namespace, loaded.settings, paths)
    if command == "models" and namespace.server:
        from app.cli import servers

        return servers.run(namespace)
    if command == "models" and namespace.model is not None:
        from app.cli import capabilities

        return capabilities.run(namespace, loaded.settings, paths, own_command())
    if command == "models":
        from app.cli import model_list

        return model_list.run(namespace, loaded.settings, paths)
    if command == "perplexity":
        from app.cli import perplexity

        return perplexity.run(namespace, loaded.settings, paths, own_command())
    # One alone: the self-test has to start where the engine that the other needs can't be loaded.
    if command == "selftest":
        from app.cli import selftest

        return selftest.run(namespace, loaded.settings, paths, own_command())
    from app.cli import ask

    return ask.run(namespace, loaded.settings, paths, own_command())


def _serve(namespace: "argparse.Namespace", settings: "Settings", paths: "Paths") -> int:
    from app.api.serve import ServeOptions, run
    from app.cli.arguments import existing_folder, section_from_arguments
    from app.cli.drafting import speculation_from
    from app.cli.model_choice import beyond_training, choose_model, vector_files
    from app.core.api_settings import PEERS_PORT, LoadModels
    from app.storage.model_options import stored_options

    vectors = vector_files(namespace)
    model = choose_model(namespace.model, settings)
    options_of = partial(stored_options, paths.database)
    own = options_of(model)
    settings = own.applied(settings)

    def sampling_of(info: "ModelInfo") -> "Sampling":
        told = own if info.ref == model else options_of(info.ref)
        return section_from_arguments(namespace, settings.sampling.layered(info.sampling, told.of(Sampling)))

    options = ServeOptions(
        model=None if namespace.embeddings or namespace.reranking else model,
        vectors=vectors,
        load_models=LoadModels(namespace.load_models),
        options_of=options_of,
        mmproj=namespace.mmproj,
        loading=section_from_arguments(namespace, settings.loading),
        checkpoints=section_from_arguments(namespace, settings.checkpoints),
        pictures=section_from_arguments(namespace, settings.pictures),
        sampling=sampling_of,
        adapters=own.adapters,
        speculation=speculation_from(namespace, settings.speculation),
        host=namespace.host,
        port=namespace.port,
        api_key=namespace.api_key,
        peers_port=namespace.peers_port if namespace.peers_port is not None or not namespace.pair else PEERS_PORT,
        pairs=namespace.pair,
        announces=not namespace.no_announce,
        origins=namespace.cors_origins,
        sleep_seconds=namespace.sleep_idle_seconds,
        tells_slots=not namespace.no_slots,
        tells_metrics=not namespace.no_metrics,
        tells_prompts=namespace.tell_prompts,
        continues_answers=namespace.continue_answers,
        strict_model=namespace.strict_model,
        states=existing_folder(namespace.slot_save_path),
        strip_images=namespace.strip_images,
        kept_on_disk=namespace.keep_on_disk,
        moves_changes=namespace.move_changes,
        thinks=None if namespace.reasoning is None else namespace.reasoning == "on",
        remarks=lambda info: beyond_training(namespace, info),
    )
    return run(options, paths, own_command(), tell=lambda line: terminal.write(f"{line}\n"), warn=terminal.warn)


if __name__ == "__main__":
    sys.exit(main())
