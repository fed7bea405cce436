"""Composes batches in another process, ahead of time, so that training never waits."""

import multiprocessing
import os
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.queues import Queue
from typing import Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Composes(Protocol[T_co]):
    """Makes batch k; can be sent to another process."""

    def batch(self, index: int) -> T_co: ...


@contextmanager
def composed(composer: Composes[T_co], first: int, step: int = 1, *, ahead: int = 6) -> Iterator[Iterator[T_co]]:
    """Batch `first` and each `step`-th after it, without end. The process ends with the block."""
    context = multiprocessing.get_context("spawn")
    ready: Queue[T_co] = context.Queue(ahead)
    worker = context.Process(target=_compose, args=(composer, first, step, ready), daemon=True)
    worker.start()
    try:
        yield _taken(ready, worker)
    finally:
        worker.terminate()
        worker.join()


def _taken(ready: "Queue[T_co]", worker: multiprocessing.process.BaseProcess) -> Iterator[T_co]:
    while True:
        try:
            yield ready.get(timeout=10)
        except queue.Empty:
            if not worker.is_alive():
                raise RuntimeError("The process that composes the corpus has died; its message stands above.") from None


def _compose(composer: Composes[T_co], first: int, step: int, ready: "Queue[T_co]") -> None:
    # Training needs the cores more.
    if hasattr(os, "nice"):
        os.nice(2)
    ready.cancel_join_thread()
    parent = multiprocessing.parent_process()
    index = first
    while True:
        batch = composer.batch(index)
        # Whoever waits for batches may have been killed, without a chance to end this process.
        while parent is None or parent.is_alive():
            try:
                ready.put(batch, timeout=5)
                break
            except queue.Full:
                continue
        else:
            return
        index += step
