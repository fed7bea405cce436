"""A server's model as the rest of the program knows models."""

from app.core.capabilities import Capabilities
from app.core.events import ModelInfo
from app.core.model_ref import ModelRef
from app.core.reasoning import Effort, Efforts
from app.remote.server import Abilities, ServerKind, ServerModel, Verdict
from app.services.remote.saved_servers import SavedServer

_USUAL = 8192
"""Tokens."""
_LEVELLED = "gpt-oss"
"""Ollama's manual: these take a level, and pass over on and off; all others know just those."""
_LEVELS: Efforts = {each: {"reasoning_effort": each.value} for each in (Effort.LOW, Effort.MEDIUM, Effort.HIGH)}
_SWITCH: Efforts = {Effort.OFF: {"enable_thinking": False}, Effort.ON: {"enable_thinking": True}}


def model_info(ref: ModelRef, server: SavedServer, name: str) -> ModelInfo:
    """With what the server has told, and 0 or nothing where it has not."""
    model = server.model_named(ref.id)
    can = model.abilities
    return ModelInfo(
        ref=ref,
        name=name,
        architecture="",
        size=0,
        n_params=0,
        n_ctx=context_of(server.kind, model) or model.context or 0,
        n_ctx_train=0,
        vocab="",
        has_template=True,
        capabilities=_capabilities(can),
        efforts=_efforts(server.kind, model),
        continues=can.continues.may_be_tried,
        host=server.address.host,
        takes_states=server.address.pin is not None,
    )


def _capabilities(can: Abilities) -> Capabilities:
    """What nobody has told may be tried: the server's refusal is a sentence. Not so for recordings, which many servers
    drop without a word.
    """
    return Capabilities(
        sees=can.pictures.may_be_tried,
        hears=can.recordings.verdict is Verdict.YES,
        hears_seconds=float("inf") if can.recordings.verdict is Verdict.YES else 0.0,
        reasons=can.reasons.may_be_tried,
        tools=can.tools.may_be_tried,
        grammar=can.grammar.may_be_tried,
        states=False,
    )


def _efforts(kind: ServerKind, model: ServerModel) -> Efforts:
    """Of Ollama's models, and where llama-server shows a template with a switch: other servers tell of none."""
    if model.abilities.reasons.verdict is not Verdict.YES:
        return {}
    if kind in (ServerKind.LLAMA_SERVER, ServerKind.HEARTH):
        return _SWITCH
    if kind is not ServerKind.OLLAMA:
        return {}
    return _LEVELS if _LEVELLED in model.id.lower() else _SWITCH


def context_of(kind: ServerKind, model: ServerModel) -> int | None:
    """What Ollama is asked to load a model with: what it has where it is loaded, or what most computers bear; without
    a word it would cut long conversations. None leaves it to the server.
    """
    if kind is not ServerKind.OLLAMA:
        return None
    context = model.context or _USUAL
    return context if model.is_loaded else min(context, _USUAL)
