"""`python -m guide build|train|convert|evaluate`: make the built-in guide anew. `--help` tells the rest."""

import argparse
import random
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_WORK = _ROOT / "build" / "guide"
_SHIPPED = _ROOT / "resources" / "models"


def main(arguments: list[str]) -> int:
    parsed = _parser().parse_args(arguments)
    if parsed.command in ("build", "train"):
        _train(parsed)
    if parsed.command in ("build", "convert"):
        _convert(parsed)
    if parsed.command == "evaluate":
        return _evaluate(parsed)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="guide", description="Make Hearth's built-in guide anew.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, told in (
        ("build", "train, then convert"),
        ("train", "train, or go on with a training that was broken off"),
        ("convert", "write the two GGUF files of the last checkpoint"),
        ("evaluate", "ask the converted model what it was never taught the wording of"),
    ):
        command = commands.add_parser(name, help=told, description=told)
        command.add_argument("--work", type=Path, default=_WORK, help="folder of vocabulary and checkpoint")
        if name in ("build", "train"):
            command.add_argument("--minutes", type=float, default=86, help="time for learning to speak")
            command.add_argument("--vision-minutes", type=float, default=11, help="time for learning to see, before")
            command.add_argument("--seed", type=int, default=1)
            command.add_argument("--rate", type=float, default=2.5e-3, help="highest learning rate")
            command.add_argument("--entries", type=int, default=2560, help="tokens of a batch of one process, about")
            command.add_argument(
                "--from",
                dest="start",
                type=Path,
                help="folder of a model and mmproj to go on from; the eye then stays as it is",
            )
            command.add_argument("--processes", type=int, default=2, help="one thread each")
            command.add_argument("--adam", action="store_true", help="AdamW for all weights instead of Muon")
        if name != "train":
            command.add_argument("--out", type=Path, default=_SHIPPED, help="folder of the GGUF files")
        if name == "convert":
            command.add_argument("--full-precision", action="store_true", help="F32, to compare with PyTorch")
        if name == "evaluate":
            kinds = ("hearth", "talk", "follow_up", "tool", "thinking", "picture", "pasted", "brief", "unclear")
            command.add_argument("--kind", action="append", choices=kinds)
            command.add_argument("--table", type=Path, help="write the table of scores there too, as Markdown")
    return parser


def _train(parsed: argparse.Namespace) -> None:
    # Each command imports only what it needs: PyTorch takes seconds, and is not there to evaluate.
    from guide.corpus import vocabulary_texts
    from guide.tokenizer import Vocabulary
    from guide.training import Plan, train

    parsed.work.mkdir(parents=True, exist_ok=True)
    vocabulary = parsed.work / "vocabulary.json"
    if parsed.start is not None and not (parsed.work / "checkpoint.pt").exists():
        from guide.restore import restore

        restore(parsed.start, parsed.work)
    if not vocabulary.exists():
        print("Learning the vocabulary.", flush=True)
        Vocabulary.train(vocabulary_texts(random.Random(parsed.seed))).save(vocabulary)
    plan = Plan(
        parsed.minutes,
        parsed.vision_minutes,
        parsed.seed,
        parsed.rate,
        muon=not parsed.adam,
        eye_learns=parsed.start is None,
        entries=parsed.entries,
        processes=parsed.processes,
    )
    train(parsed.work, plan)


def _convert(parsed: argparse.Namespace) -> None:
    from guide.convert import Trained, convert
    from guide.tokenizer import Vocabulary

    trained = Trained.load(parsed.work / "checkpoint.pt")
    vocabulary = Vocabulary.load(parsed.work / "vocabulary.json")
    full_precision = getattr(parsed, "full_precision", False)
    for path in convert(trained, vocabulary, parsed.out, full_precision=full_precision):
        print(f"{path}: {path.stat().st_size:,} bytes")


def _evaluate(parsed: argparse.Namespace) -> int:
    from guide.evaluate import run

    return run(parsed.out, tuple(parsed.kind or ()), parsed.table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
