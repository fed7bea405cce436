"""One model over several machines: a llama-server of our own that computes on `rpc-server` workers.

It is a process by itself, because a worker that goes ends it: llama.cpp aborts. Workers have no password and no
encryption, so they listen on their own machine's loopback and are reached through a tunnel.
"""

import contextlib
import logging
import os
import secrets
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import UserError
from app.core.events import Finished, FinishReason, ReplyEvent, Retrying, Timings
from app.core.messages import Generation
from app.core.requests import ChatRequest
from app.core.sentence import Sentence
from app.remote.address import ServerAddress
from app.remote.asking import Asker
from app.remote.engine import RemoteEngine
from app.remote.exchange import Patience, StoppedError
from app.remote.model_list import list_models
from app.remote.server import Server, ServerKind
from app.remote.stop_signal import StopSignal
from app.remote.worker import MOST_WORKERS, Worker

_log = logging.getLogger(__name__)

_PATIENCE = Patience(between=30.0)
"""A worker that sleeps is not missed by llama.cpp, which waits for it for ever."""
_POLL = 0.1
_TOLD = 4096
"""Bytes at the end of its log."""


class WorkerEngine:
    """Asked as any engine is, one by one; starts llama-server with the first question, and anew when a worker went."""

    def __init__(
        self,
        program: Path,
        model: Path,
        workers: Sequence[Worker],
        log: Path,
        *,
        n_ctx: int = 0,
        options: Sequence[str] = (),
        watch: Callable[[int], None] = lambda _group: None,
        unwatch: Callable[[int], None] = lambda _group: None,
        patience: Patience = _PATIENCE,
    ) -> None:
        """`log` is a file for what llama-server says, of the last start. `watch` is told each process group, so that
        somebody ends it who outlives this process, and `unwatch` when it has ended. `n_ctx` of 0 leaves the context to
        the model.
        """
        self._program = program
        self._model = model
        self._workers = tuple(workers[:MOST_WORKERS])
        self._log = log
        self._options = ("-c", str(n_ctx), "-ngl", "99", "-np", "1", "--jinja", *options)
        self._watch = watch
        self._unwatch = unwatch
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._engine: RemoteEngine | None = None
        self._turn = threading.Lock()
        self._is_over = False
        self.working: tuple[Worker, ...] = ()
        """Those that it was started with."""

    def reply(self, request: ChatRequest, stop: StopSignal) -> Generator[ReplyEvent, None, None]:
        """As `RemoteEngine.reply`; where a worker goes in the midst, what came is kept, and the notes name it. The next
        question starts llama-server again, with the workers that answer. Raises UserError, too, where it can't start.
        """
        while not self._turn.acquire(timeout=_POLL):
            if stop.is_set:
                yield _cancelled()
                return
        try:
            yield from self._reply(request, stop)
        finally:
            self._turn.release()

    def _reply(self, request: ChatRequest, stop: StopSignal) -> Generator[ReplyEvent, None, None]:
        engine = self._running()
        if engine is None:
            self._choose_workers()
            told = "The model is being laid out over {count} computers, which may take minutes."
            yield Retrying(Sentence(told, count=len(self.working)), 0.0)
            try:
                engine = self._engine = self._started(stop)
            except StoppedError:
                yield _cancelled()
                return
        try:
            for event in engine.reply(request, stop):
                if isinstance(event, Finished) and event.reason is FinishReason.BROKEN_OFF:
                    yield replace(event, notes=(self._end_told(),))
                else:
                    yield event
        except UserError as error:
            if self._has_ended():
                raise UserError(self._end_told(), detail=error.logged) from error
            raise

    def close(self) -> None:
        """End it for good. From any thread."""
        self._is_over = True
        self._end()

    def _end(self) -> None:
        process, self._process, self._engine = self._process, None, None
        if process is not None:
            with contextlib.suppress(OSError):
                process.kill()
            process.wait()
            self._unwatch(process.pid)

    def _running(self) -> RemoteEngine | None:
        """With all of its workers there: one that went in idle time would end it at the next word."""
        there = self._engine is not None and not self._has_ended() and all(each.answers for each in self.working)
        return self._engine if there else None

    def _choose_workers(self) -> None:
        self._end()
        self.working = tuple(each for each in self._workers if each.answers)
        if not self.working:
            raise none_answers(self._workers)
        if left_out := len(self._workers) - len(self.working):
            _log.info("%d of %d workers do not answer", left_out, len(self._workers))

    def _started(self, stop: StopSignal) -> RemoteEngine:
        port, key = _free_port(), secrets.token_urlsafe(32)
        argv = [str(self._program), "-m", str(self._model), "--host", "127.0.0.1", "--port", str(port)]
        argv += ["--rpc", ",".join(map(str, self.working)), *self._options]
        # Other users see arguments. A backtrace by gdb would keep an aborted process for seconds.
        environ = {**os.environ, "LLAMA_API_KEY": key, "GGML_NO_BACKTRACE": "1"}
        try:
            with self._log.open("wb") as output:
                process = self._process = subprocess.Popen(
                    argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environ, start_new_session=True
                )
        except OSError as error:
            told = "llama-server can't be started from {path}: {reason}. Choose one of the same build as the workers."
            raise UserError(told, path=self._program, reason=error.strerror or error) from error
        self._watch(process.pid)
        if self._is_over:  # while it was being started
            self._end()
            raise StoppedError
        server = Server(ServerAddress(f"http://127.0.0.1:{port}"), ServerKind.LLAMA_SERVER, key)
        self._await(server, stop)
        models = list_models(server, stop)
        return RemoteEngine(server, models[0], patience=self._patience)

    def _await(self, server: Server, stop: StopSignal) -> None:
        asker = Asker(server.address, server.key, stop)
        while not self._has_ended():
            with contextlib.suppress(UserError):
                if asker.ask("/health").ok:
                    return
            if stop.wait(_POLL):
                self._end()
                raise StoppedError
        raise UserError(self._end_told(), detail=self._last_words())

    def _has_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def _end_told(self) -> str:
        """Why it ended, in a sentence; one that hangs is ended first."""
        process = self._process
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1.0)
        gone = [each for each in self.working if not each.answers]
        code = None if process is None else process.poll()
        self._end()
        if gone:
            told = "The machine at {name} is gone, on which the model was computed. Ask again to go on without it."
            return Sentence(told, name=", ".join(map(str, gone)))
        if code is None:
            return Sentence("A machine that computes fell silent, so the server was ended. Ask again to start it anew.")
        if code == -signal.SIGABRT:
            return Sentence("The server that computes on other machines lost one of them. Ask again to start it anew.")
        told = "The server that computes on other machines ended with code {code}. Its log says why."
        return Sentence(told, code=code)

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            return self._log.read_bytes()[-_TOLD:].decode("utf-8", "replace")
        return ""


def none_answers(workers: Sequence[Worker]) -> UserError:
    told = "None of the machines that should compute answers: {names}. Start their workers, and ask again."
    return UserError(told, names=", ".join(map(str, workers)))


def _cancelled() -> Finished:
    return Finished(FinishReason.CANCELLED, "", Generation("", ()), Timings(None, None), None, None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
