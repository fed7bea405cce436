"""Eight conversations of 2,000 entries take turns: entries that are read, by Hearth and by llama-server as it comes.

    python -m tests.bench.serving.taking_turns --server LLAMA_SERVER [--families llama gemma3 qwen35 mamba] [--turns 40]

Counts, and no times. Both have the same context, of 8,192 entries, and all else as it comes: llama-server has four
slots and 8 GiB of RAM for prompts, Hearth 1 GiB. Answers are sent back as text by a client. First the conversations go
round, then anybody's turn comes. Told is what the first turns read, in which all is new, and what the later ones read.
"""

import argparse
import random
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from app.core.loading import Loading
from tests.bench.serving.programs import Chat, Program, hearth_serve, llama_server
from tests.bench.serving.talkers import MAKERS, speak_ascii

_CONVERSATIONS = 8
_ENTRIES = 2000
_LOADING = Loading(ctx_size=8192, gpu_layers=0, threads=1)
_WORDS = ["river", "stone", "old", "bridge", "water", "hill", "rain", "slowly", "home", "light", "where", "under"]


@dataclass
class Talk:
    """One conversation with one program."""

    program: Program
    chat: Chat = field(default_factory=list)

    def say(self, text: str) -> tuple[int, int]:
        """Entries that were read, and those of the prompt."""
        self.chat.append({"role": "user", "content": text})
        reply = self.program.ask(self.chat, 16)
        self.chat.append({"role": "assistant", "content": reply.text})
        return reply.total - reply.reused, reply.total


def words(n: int, seed: str) -> str:
    return " ".join(random.Random(seed).choices(_WORDS, k=n))


def first_of(number: int, program: Program) -> str:
    """So many words that the prompt has about 2,000 entries."""
    _, total = Talk(program).say(words(200, "measured"))
    return words(200 * _ENTRIES // total, str(number))


def play(program: Program, firsts: list[str], turns: int) -> tuple[int, int]:
    """Entries that are read in each conversation's first turn, and in all later ones."""
    talks = [Talk(program) for _ in firsts]
    rng = random.Random(28)
    begun = sum(talk.say(text)[0] for talk, text in zip(talks, firsts, strict=True))
    later = 0
    for turn in range(turns - len(talks)):
        talk = talks[turn % len(talks)] if turn < turns // 2 else rng.choice(talks)
        later += talk.say(words(8, f"turn {turn}"))[0]
    return begun, later


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--families", nargs="+", default=["llama", "gemma3", "qwen35", "mamba"])
    parser.add_argument("--turns", type=int, default=40)
    asked = parser.parse_args()
    for family in asked.families:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            model = speak_ascii(MAKERS[family](home / f"{family}.gguf"))
            with (
                hearth_serve(model, _LOADING, home) as ours,
                llama_server(asked.server, model, _LOADING, home / "log", "-np", "-1") as theirs,
            ):
                firsts = [first_of(number, theirs) for number in range(_CONVERSATIONS)]
                own, other = (play(each, firsts, asked.turns) for each in (ours, theirs))
        print(
            f"{family:8} first turns: Hearth {own[0]:,}, llama-server {other[0]:,}; "
            f"later ones: Hearth {own[1]:,}, llama-server {other[1]:,}",
            flush=True,
        )


if __name__ == "__main__":
    main()
