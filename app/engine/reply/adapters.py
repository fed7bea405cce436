"""The LoRA adapters that work on a loaded model: attached and detached while it stays in memory."""

import logging
from collections.abc import Iterable
from pathlib import Path

from app.core.adapters import Adapter, in_force
from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.files import fingerprint
from app.core.gguf_header import GgufHeader
from app.core.loading import Loading
from app.core.sentence import Sentence
from app.engine.binding.adapter import AdapterRefusedError, LoraAdapter, attach
from app.engine.binding.context import Context
from app.engine.binding.model import Model
from app.engine.preflight.model_file import header_of, unreadable
from app.engine.preflight.preflight import Preflight, Report

_log = logging.getLogger(__name__)

_TYPE, _ARCHITECTURE, _KIND = "general.type", "general.architecture", "adapter.type"
_ACTIVATED = "adapter.alora.invocation_tokens"
_OTHER_BASE = ("does not exist in base model", "incorrect shape")


class Adapters:
    """Belongs to a model and the contexts that run it, or its head. Close it after these, before the model."""

    def __init__(self, model: Model, *contexts: Context) -> None:
        self._model = model
        self._contexts = contexts
        self._working: list[tuple[LoraAdapter, float]] = []
        self._loaded: dict[str, LoraAdapter] = {}
        """By fingerprint: a file may have been written anew."""
        self.in_force: tuple[Adapter, ...] = ()
        """What works now; none with a scale of 0."""
        self.identity = ""
        """Equal where the same adapters work in the same way; empty where none does."""

    def change(self, wanted: Iterable[Adapter]) -> tuple[bool, tuple[str, ...]]:
        """Let these work from now on, and no others; whether that changes anything, and a sentence for each that
        can't be used. What the context holds must be forgotten then.
        """
        usable: list[tuple[Adapter, str]] = []
        problems: list[str] = []
        for adapter in in_force(tuple(wanted)):
            try:
                usable.append((adapter, self._load(adapter.path)))
            except ModelError as error:
                _log.info("%s", error.logged)
                problems.append(error.sentence)
        identity = "\n".join(sorted(f"{print_} {adapter.scale!r}" for adapter, print_ in usable))
        changes = identity != self.identity
        if changes:
            self._working = [(self._loaded[print_], adapter.scale) for adapter, print_ in usable]
            self.attach_again()
            self.in_force, self.identity = tuple(adapter for adapter, _ in usable), identity
        self._free_all_but({print_ for _, print_ in usable})
        return changes, tuple(problems)

    def attach_again(self) -> None:
        """The contexts, or what they were, know nothing of them."""
        for context in self._contexts:
            attach(context, self._working)

    def close(self) -> None:
        self._free_all_but(set())

    def _load(self, path: Path) -> str:
        """Its fingerprint, under which it is loaded then. Raises ModelError with a sentence."""
        check_adapter(path, self._model.path.name, self._model.metadata(_ARCHITECTURE) or "")
        try:
            print_ = fingerprint(path)
            if print_ not in self._loaded:
                self._loaded[print_] = LoraAdapter(self._model, path)
        except OSError as error:
            raise unreadable(path, error) from error
        except AdapterRefusedError as error:
            raise _refused(path, self._model.path.name, error.lines) from error
        return print_

    def _free_all_but(self, kept: set[str]) -> None:
        for print_ in set(self._loaded) - kept:
            self._loaded.pop(print_).close()


def try_adapters(
    preflight: Preflight,
    model: Path,
    adapters: tuple[Adapter, ...],
    loading: Loading,
    *,
    cancel: CancelFlag,
    report: Report = lambda _: None,
) -> tuple[tuple[Adapter, ...], tuple[str, ...]]:
    """Those that a child process has tried, and a sentence for each that failed, which costs the adapter alone."""
    usable, problems = [], []
    for adapter in in_force(adapters):
        try:
            if preflight.ensure(model, loading, adapter=adapter.path, cancel=cancel, report=report):
                usable.append(adapter)
        except ModelError as error:
            _log.info("%s", error.logged)
            problems.append(error.sentence)
    return tuple(usable), tuple(problems)


def check_adapter(path: Path, model: str, architecture: str) -> None:
    """Refuse what can't work on a model before llama.cpp sees it. Raises ModelError with a sentence."""
    told = _problem(path, header_of(path), model, architecture)
    if told:
        raise ModelError(told)


def _problem(path: Path, header: GgufHeader, model: str, architecture: str) -> str:
    if header.text(_TYPE) != "adapter" or header.text(_KIND) != "lora":
        return Sentence("{name} is no LoRA adapter. Choose a GGUF file that was made from one.", name=path.name)
    if header.lengths.get(_ACTIVATED):
        return Sentence(
            "{name} is an adapter that works from certain words on (aLoRA), which Hearth can't do.", name=path.name
        )
    made_for = header.text(_ARCHITECTURE)
    if made_for != architecture:
        return Sentence(
            "{name} was made for models of the kind “{made_for}”, and {model} is one of “{kind}”.",
            name=path.name,
            made_for=made_for,
            model=model,
            kind=architecture,
        )
    if not header.tensors:
        return Sentence("{name} is empty: there is no adapter in it.", name=path.name)
    return ""


def _refused(path: Path, model: str, lines: list[str]) -> ModelError:
    detail = "\n".join(lines)
    if any(sign in detail for sign in _OTHER_BASE):
        told = "{name} was trained on another model than {model}. Choose an adapter that was trained on this one."
    else:
        told = "{name} can't be used: llama.cpp refuses it. It may be damaged, or of an old kind."
    return ModelError(told, name=path.name, model=model, detail=detail)
