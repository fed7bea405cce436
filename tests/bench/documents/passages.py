"""What documents cost a conversation, on every kind of memory: each question, and a new chat on the same document.

    python -m tests.bench.documents.passages [--server LLAMA_SERVER] [--kind NAME ...]

Twenty questions over five documents in one chat, each of which brings passages, some of them again: entries read beside
those that nobody has read or written before, which are the question, its new passages and the template's words. Then a
new chat on a document that goes whole, and one after a restart, when the chats before are deleted. llama-server (of
the llama.cpp commit that Hearth is built with) reads the same prompts. Exits with 1 where a question of ours reads more
than is new, or a new chat more than 1 %.
"""

import argparse
import logging
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.core.messages import DocumentPart, Message, PassagePart, Role, TextPart
from app.core.requests import ChatRequest
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.output.gbnf import literal
from app.engine.reply.session import Session
from tests.bench.context.server import LOADING
from tests.bench.context.tool_rounds import post, session_on
from tests.bench.serving.programs import llama_server
from tests.tool_talk import KINDS, answered, ask, write_model

_QUESTIONS, _DOCUMENTS, _PASSAGES, _AGAIN = 20, 5, 2, 1
_N_CTX = 32_768
_SHARE = 0.01
_QUOTA = 8 << 30
_SAYS = "It rained on the third of May [1]."
_TEXT = "river stone bridge water field morning village road house winter garden letter window table"
_WORDS = _TEXT.split(" ")


def questions() -> Iterator[Message]:
    """Each with new passages, and from the second on with one that stands above."""
    rng, number = random.Random(4), 0
    for n in range(_QUESTIONS):
        brought = [PassagePart(each, "", "", "") for each in rng.sample(range(1, number + 1), min(number, _AGAIN))]
        for _ in range(_PASSAGES):
            number += 1
            text = " ".join(rng.choices(_WORDS, k=80))
            brought.append(PassagePart(number, "", f"document {rng.randrange(_DOCUMENTS)}.pdf", text, number))
        yield Message(Role.USER, (*brought, TextPart(f"What of the {rng.choice(_WORDS)}, question {n}?")))


def chat(kind: str, model: Path) -> bool:
    """Print what each question reads; whether that is what is new."""
    with session_on(model, _N_CTX) as session:
        messages: list[Message] = []
        read, new = [], []
        for question in questions():
            held = len(session.slot)
            done = ask(session, [*messages, question], _SAYS, tools=())
            timings = done.timings
            read.append(timings.prompt_n or 0)
            new.append((timings.prompt_n or 0) + (timings.cache_n or 0) - held)
            messages += [question, answered(done)]
        worse = [f"{a}/{b}" for a, b in zip(read, new, strict=True) if a > b]
        told = f"{statistics.median(read[1:]):g} a question (median), {sum(read):,} in all"
        print(f"{kind:10} Hearth       {told}; more than new: {' '.join(worse) or 'never'}", flush=True)
        return not worse


def server_chat(kind: str, program: Path, model: Path, log: Path) -> None:
    with session_on(model, _N_CTX) as session:
        prompts, messages = [], list[Message]()
        for question in questions():
            messages.append(question)
            prompts.append(session.written(ChatRequest(tuple(messages))).text)
            messages.append(Message.of(Role.ASSISTANT, _SAYS))
    with llama_server(program, model, replace(LOADING, ctx_size=_N_CTX), log) as server:
        read = []
        for prompt in prompts:
            grammar = f"root ::= {literal(_SAYS)}"
            body = {"prompt": prompt, "grammar": grammar, "n_predict": 200, "temperature": 0, "cache_prompt": True}
            read.append(int(post(f"{server.base}/completion", body)["timings"]["prompt_n"]))
    print(f"{kind:10} llama-server {statistics.median(read[1:]):g} a question, {sum(read):,} in all", flush=True)


def new_chats(kind: str, model: Path, folder: Path) -> bool:
    """Print what a chat, another one, and one after a restart read of the same document."""
    rng = random.Random(6)
    document = DocumentPart("", "long.pdf", "\n".join(" ".join(rng.choices(_WORDS, k=12)) for _ in range(400)))
    told = []
    for run in range(2):
        with closing(SnapshotDisk(folder, _QUOTA)) as disk, session_on(model, _N_CTX, disk) as session:
            for name in ("1", "2")[run:] if not run else ("3",):
                question = Message(Role.USER, (document, TextPart(f"What is said in {name}?")))
                done = ask(session, [question], _SAYS, tools=(), conversation=name)
                told.append((done.timings.prompt_n or 0, (done.timings.cache_n or 0) + (done.timings.prompt_n or 0)))
                forget(session, name)
            disk.close(600)
    shown = "; ".join(f"{read:,} of {total:,} ({100 * read / total:.2f} %)" for read, total in told)
    print(f"{kind:10} new chats    {shown}", flush=True)
    return all(read <= _SHARE * total for read, total in told[1:])


def forget(session: Session, name: str) -> None:
    session.slot.keep()
    session.slot.forget_conversation(name)


def main() -> int:
    parser = argparse.ArgumentParser(description="Count what documents have read.")
    parser.add_argument("--server", type=Path, help="llama-server of the same llama.cpp commit")
    parser.add_argument("--kind", action="append", choices=KINDS)
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    good = []
    for kind in given.kind or KINDS:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            model = write_model(kind, folder / "model.gguf", _N_CTX)
            good.append(chat(kind, model))
            if given.server is not None:
                server_chat(kind, given.server, model, folder / "log")
            good.append(new_chats(kind, model, folder / "kept"))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
