"""Every architecture that llama.cpp can write a test model of: do drafts, right and wrong ones, change an answer?

    python -m tests.bench.drafting.architectures FOLDER [PATTERN]

FOLDER is what llama.cpp's `test-llama-archs -o FOLDER` wrote; PATTERN picks files, such as "qwen*". Each model runs in
a child process. Exits with 1 if an answer differs from that of plain decoding.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.events import Finished
from app.core.messages import Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.engine.drafting.opening import DraftPlan
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session
from tests.bench.context.exactness import EXACT, lengthened
from tests.bench.context.numbers import NumbersChat, numbers
from tests.engine.drafting.guesses import Guesser, let_guess

_PATIENCE = 600
_TOKENS = 48
_SEEDS = 3
_STATES = Speculation(ngram=False, draft_model="none.gguf", draft_max=12)
"""Lets recurrent memories keep states, where they can."""


@contextmanager
def opened(path: Path, asked: Speculation | None) -> Iterator[Session]:
    drafts = DraftPlan(asked) if asked is not None else None
    made = open_session(
        path, EXACT, cancel=CancelFlag(), checkpointing=Checkpointing(every=64, min_step=16), drafts=drafts
    )
    assert made is not None
    session = made[0]
    session.chat = NumbersChat(session._model.vocab)
    try:
        yield session
    finally:
        session.close()


def ask(session: Session, *messages: Message) -> Finished:
    *_, last = session.reply(ChatRequest(messages, Sampling(temperature=0.0, max_tokens=_TOKENS)))
    assert isinstance(last, Finished)
    return last


def tried(path: Path) -> dict[str, object]:
    """Two questions with fuzzed drafts, with each way of letting go that the memory has."""
    question, next_question = (Message.of(Role.USER, numbers(size, seed)) for seed, size in enumerate((90, 20), 2))
    with opened(path, None) as plain:
        first = ask(plain, question)
        messages = question, Message(Role.ASSISTANT, (TextPart(first.text),), first.generation), next_question
        second = ask(plain, *messages)
    kinds, equal, of, drafted, accepted = [], 0, 0, 0, 0
    for asked in (Speculation(ngram=False), _STATES):
        with opened(path, asked) as session:
            assert session.drafting is not None
            kind = str(session.drafting.info.rollback)
            if kind in kinds:
                continue
            kinds.append(kind)
            for seed in range(_SEEDS):
                session.slot.forget()
                for wanted, asks in ((first, (question,)), (second, messages)):
                    guesser = let_guess(session, Guesser(wanted.generation.tokens, seed=seed, wrong=0.6, n_max=12))
                    equal += ask(session, *asks).generation.tokens == wanted.generation.tokens
                    of += 1
                    drafted, accepted = drafted + guesser.drafted, accepted + guesser.accepted
    return {
        "model": path.stem,
        "rollback": kinds,
        "equal": equal,
        "of": of,
        "drafted": drafted,
        "accepted": accepted,
    }


def _child(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(tried(lengthened(path, Path(folder)))))


def main() -> None:
    if sys.argv[1] == "--one":
        _child(Path(sys.argv[2]))
        return
    folder, *patterns = sys.argv[1:]
    totals: Counter[str] = Counter()
    for path in sorted(Path(folder).glob((patterns or ["*"])[0] + ".gguf")):
        command = [sys.executable, "-m", "tests.bench.drafting.architectures", "--one", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        if done.returncode:
            verdict = "not loadable"
            print(f"{path.stem:24} {verdict} ({(done.stderr.splitlines() or [''])[-1][:90]})", flush=True)
        else:
            found = json.loads(done.stdout.splitlines()[-1])
            verdict = "equal" if found["equal"] == found["of"] else "DIFFERENT"
            verdict = verdict if found["of"] else "no memory"
            print(
                f"{path.stem:24} {'+'.join(found['rollback']):20} {found['equal']:2}/{found['of']:<2} answers  "
                f"{found['accepted']:4}/{found['drafted']:<4} drafted tokens  {verdict}",
                flush=True,
            )
        totals[verdict] += 1
    print(dict(totals))
    sys.exit(bool(totals["DIFFERENT"]))


if __name__ == "__main__":
    main()
