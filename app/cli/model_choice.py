"""Which model a command uses, and what the command line asks for beyond what it can have."""

import argparse
import os
from pathlib import Path

from app.cli import terminal
from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.loading import Pooling
from app.core.model_ref import GUIDE_REF, ModelRef
from app.core.settings import Settings
from app.services.local_api.named_models import VectorFile


def choose_model(given: Path | None, settings: Settings) -> ModelRef:
    """The model that was asked for, or the one that the window used last, or the built-in one.

    Raises UserError where even that is missing.
    """
    if given is not None:
        return ModelRef.of_file(given)
    last = settings.interface.last_model
    used = ModelRef.from_stored(last) if last else None
    if used is not None and used.is_file and used.is_there:
        return used
    if GUIDE_REF.is_there:
        if used is not None and not used.is_file:
            told = f"The window asks {used.title} of a server, so the built-in guide answers here."
            terminal.warn(f"{told} Name another model with -m FILE.")
        elif last:
            terminal.warn(f"{last} is gone, so the built-in guide answers. Name another model with -m FILE.")
        return GUIDE_REF
    raise UserError("No model was given. Name a GGUF file with -m FILE.")


def vector_files(namespace: argparse.Namespace) -> tuple[VectorFile, ...]:
    """What `hearth serve` shall make vectors with. Raises UserError."""
    alone = namespace.embeddings or namespace.reranking
    if alone and namespace.model is None:
        raise UserError("Name the model with -m FILE.")
    own = [(namespace.model, namespace.reranking)] if alone else []
    embedding = [(path, False) for path in namespace.embedding_model]
    reranking = [(path, True) for path in namespace.reranking_model]
    return tuple(
        # llama.cpp takes a score out of any model that has a head for it, whatever its file says.
        VectorFile(ref.title, ref, ranks, Pooling.RANK if ranks else namespace.pooling)
        for ref, ranks in ((ModelRef.of_file(path), ranks) for path, ranks in (*own, *embedding, *reranking))
    )


def beyond_training(namespace: argparse.Namespace, info: ModelInfo) -> tuple[str, ...]:
    """A sentence for each of what the command line asks for and the model does not get: a larger context than it was
    trained with, more threads than the machine has. What the settings say is for all models, and no wish for this one.
    """
    told = []
    asked = getattr(namespace, "Loading.ctx_size", None) or 0
    if info.n_ctx_train and asked > info.n_ctx_train:
        trained = f"{info.name} was trained with {info.n_ctx_train:,} tokens of context"
        told.append(f"{trained}, so it gets {info.n_ctx:,} and not {asked:,}.")
    threads, most = getattr(namespace, "Loading.threads", None) or 0, os.cpu_count() or 0
    if most and threads > most:
        told.append(f"This computer runs {most} threads at once, so the model gets {most} and not {threads}.")
    return tuple(told)
