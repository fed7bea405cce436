"""The same recordings on llama-server, llama-mtmd-cli and Hearth: entries of the prompt, entries read, and answers.

    python -m tests.bench.context.audio --programs FOLDER

`FOLDER` holds llama-server and llama-mtmd-cli of the llama.cpp commit that Hearth is built with. Greedy, F32 cells and
no flash attention, on every tiny pair that hears. The files have the encoders' own rate, for each resamples otherwise.
Bytes that are no characters become as many marks as each likes, and half a character at the end becomes none.
llama-mtmd-cli often ends before it has printed all, so it is asked for more, and what it printed is compared. Exits
with 1 where entries or answers differ.
"""

import argparse
import logging
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.audio_files import noise, sound_file
from tests.bench.context.conversations import FOURTH, SECOND, OwnSide, Talk, heard, shown
from tests.bench.context.entries import own_session
from tests.bench.context.server import LOADING
from tests.bench.serving.programs import llama_server
from tests.tiny_audio import AUDIO_MAKERS, gemma4_is_gemma3, lfm2a

_RATE = 16_000
_ASKED = "what is it? "
_LENGTHS = (1.0, 12.3, 31.0)
"""Seconds; the last is longer than a window of Whisper's."""
_N_PREDICT = 24
_MARKS = re.compile("\N{REPLACEMENT CHARACTER}+")


def on_command_line(program: Path, model: Path, mmproj: Path, sound: Path, log: Path) -> str:
    """What llama-mtmd-cli answers."""
    settings = {"-m": model, "--mmproj": mmproj, "--audio": sound, "-p": _ASKED, "-n": 4 * _N_PREDICT, "--temp": 0}
    kinds = {"-c": LOADING.ctx_size, "-t": 1, "-ngl": 0, "-ctk": "f32", "-ctv": "f32", "-fa": "off"}
    command = [str(program), "--jinja", *(str(part) for pair in (settings | kinds).items() for part in pair)]
    with log.open("ab") as output:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            env={**os.environ, "LD_LIBRARY_PATH": str(program.parent)},
            check=True,
        )
    return _plain(done.stdout.decode("utf-8", "replace"))


def _plain(said: str) -> str:
    return _MARKS.sub("\N{REPLACEMENT CHARACTER}", said).strip(" \r\n\0\N{REPLACEMENT CHARACTER}")


def _begins(said: str, other: str) -> bool:
    """Whether one of them is the beginning of the other."""
    return bool(said) and (said.startswith(other) or other.startswith(said))


def compare(family: str, programs: Path, folder: Path) -> bool:
    """Print a table for one pair; whether all agree."""
    model, mmproj = AUDIO_MAKERS[family](folder / family)
    if family == "lfm2a":
        lfm2a(mmproj, places=4000)  # llama-server tries a longer one when it starts
    log, good = folder / "programs.log", True
    for number, seconds in enumerate(_LENGTHS):
        sound = folder / f"{number}.wav"
        sound.write_bytes(sound_file(noise(number, seconds), _RATE))
        part = heard(sound.read_bytes())
        with (
            llama_server(programs / "llama-server", model, LOADING, log, "--mmproj", str(mmproj)) as server,
            own_session(model, mmproj) as session,
        ):
            talk = Talk(server, OwnSide(session, recorded=False))
            steps = [
                talk.say([part, *shown(_ASKED)], n_predict=_N_PREDICT),
                talk.say(SECOND, n_predict=_N_PREDICT),
                talk.say([*shown(FOURTH), part], n_predict=_N_PREDICT),
            ]
        said = on_command_line(programs / "llama-mtmd-cli", model, mmproj, sound, log)
        same = all(theirs.total == own.total and _plain(theirs.text) == _plain(own.text) for theirs, own in steps)
        third = _begins(said, _plain(steps[0][1].text))
        good = good and same and third
        told = "  ".join(f"{step[0].total - step[0].reused:5}{step[1].total - step[1].reused:6}" for step in steps)
        print(
            f"{family:10} {seconds:5} s {steps[0][1].total:6} entries   read {told}   "
            f"{'equal' if same else 'DIFFERS'}   {f'equal ({len(said)})' if third else f'DIFFERS: {said!r}'}",
            flush=True,
        )
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare what is made of recordings.")
    parser.add_argument("--programs", type=Path, required=True, help="the folder with llama-server and llama-mtmd-cli")
    parser.add_argument("--family", action="append", choices=AUDIO_MAKERS)
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    print(f"{'':34}   read of three prompts, llama-server and Hearth   llama-server   llama-mtmd-cli")
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        gemma4_is_gemma3(patch)
        good = [compare(family, given.programs, Path(folder)) for family in given.family or AUDIO_MAKERS]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
