"""A model that makes vectors of texts, in a child process: some texts and files make llama.cpp end its process, and
nobody's conversation waits for it or loses memory to it.

The talk: one JSON line each way. The child's first line tells what the model is; an answer's line says how long its
vectors are, which follow as float32, little-endian.
"""

import json
import os
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.core.errors import ContextFullError, ModelError, UserError
from app.core.loading import Loading, Pooling
from app.core.program import APART
from app.core.sentence import from_json

COMMAND = "_vectors"
"""The hidden subcommand of `hearth` that runs `child`."""

Text = str | Sequence[int | str]
"""Or tokens, or both mixed."""


@dataclass(frozen=True, slots=True)
class VectorFacts:
    """What a model says of itself once it is loaded."""

    pooling: Pooling
    width: int
    """Floats of a vector."""
    n_longest: int
    """Tokens of the longest text."""
    n_params: int
    size: int
    """Bytes of its tensors."""
    n_vocab: int


@dataclass(frozen=True, slots=True)
class Vectors:
    rows: tuple[NDArray[np.float32], ...]
    """As the model made them, one for each text; without pooling, a text's vectors one after the other."""
    n_tokens: tuple[int, ...]
    """Of each text."""
    n_cut: int = 0
    """Texts that were too long and cut."""


class VectorProcess:
    """Loads when it is made. One question at a time; any thread."""

    def __init__(self, command: Sequence[str], path: Path, loading: Loading, pooling: Pooling | None) -> None:
        """`command` starts this program. Blocks while the model is loaded. Raises UserError."""
        # Imported here, for it brings llama.cpp along.
        from app.engine.preflight.preflight import keep_words

        self._path = path
        self._words = bytearray()
        self._lock = threading.Lock()
        arguments = [str(path), json.dumps(asdict(loading)), *([pooling] if pooling is not None else [])]
        self._child = subprocess.Popen(
            [*command, COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "GGML_NO_BACKTRACE": "1", "PYTHONFAULTHANDLER": ""},
            **APART,
        )
        assert self._child.stderr is not None
        self._reader = threading.Thread(target=keep_words, args=(self._child.stderr, self._words), daemon=True)
        self._reader.start()
        try:
            told = self._line()
            self.facts = VectorFacts(**{**told, "pooling": Pooling(told["pooling"])})
        except BaseException:
            self.close()
            raise

    @property
    def is_alive(self) -> bool:
        return self._child.poll() is None

    def close(self) -> None:
        """End it, whatever it does; a question that is asked meanwhile fails. Any thread."""
        self._child.kill()
        self._child.wait()
        self._reader.join()
        with self._lock:
            for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
                assert pipe is not None
                with suppress(OSError):  # what the child was too dead to read is still to be written
                    pipe.close()

    def vectors(
        self, texts: Sequence[Text], *, query: str | None = None, first: int = 0, truncate: bool = False
    ) -> Vectors:
        """Of texts, or of tokens; with a `query`, how well each of the texts answers it. `truncate` cuts what is too
        long. Refusals count texts from `first` on. Raises ContextFullError, ModelError, and UserError where the
        child died.
        """
        asked = {"texts": list(texts), "query": query, "first": first, "truncate": truncate}
        with self._lock:
            self._write(json.dumps(asked).encode() + b"\n")
            told = self._line()
            sizes = told["sizes"]
            data = self._read(4 * sum(sizes))
        rows = np.split(np.frombuffer(data, "<f4"), np.cumsum(sizes)[:-1])
        return Vectors(tuple(rows), tuple(told["n_tokens"]), told["cut"])

    def _write(self, line: bytes) -> None:
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(line)
            self._child.stdin.flush()
        except (OSError, ValueError):  # the second where it has been closed
            raise self._crashed() from None

    def _line(self) -> dict[str, Any]:
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            raise self._crashed()
        told: dict[str, Any] = json.loads(line)
        if "sentence" in told:
            sentence, detail = from_json(told["sentence"]), str(told["detail"])
            kind = ContextFullError if told.get("too_long") else ModelError
            raise kind(sentence, detail=detail)
        return told

    def _read(self, size: int) -> bytes:
        assert self._child.stdout is not None
        data: bytes = self._child.stdout.read(size)
        if len(data) < size:
            raise self._crashed()
        return data

    def _crashed(self) -> UserError:
        self._child.wait()
        self._reader.join()
        words = self._words.decode("utf-8", "replace").strip()[-2000:]
        told = "{name} made llama.cpp crash. It is loaded again when it is wanted next."
        return UserError(told, name=self._path.name, detail=words)
