"""The models of a server, and what it tells of them."""

from collections.abc import Mapping
from dataclasses import replace

from app.core.errors import UserError
from app.remote.asking import Asker, Told
from app.remote.server import YES, Ability, Server, ServerKind, ServerModel, no
from app.remote.shapes import SHAPES, unlisted
from app.remote.stop_signal import StopSignal
from app.remote.told_fields import at, count, flag, objects, text, words

_MOST_SHOWN = 100
"""Models of an Ollama that are asked about one by one."""

_BLIND = "This model can't see pictures."
_DEAF = "This model can't hear recordings."
_NO_REASONING = "This model does not reason apart from its answer."
_NO_TOOLS = "The chat template of this model knows no tools."


def list_models(server: Server, stop: StopSignal | None = None) -> list[ServerModel]:
    """Wakes none of them. Empty where the server has none that chats, or does not tell, as Transformers.

    Blocks for some seconds. Raises UserError with a sentence, and StoppedError.
    """
    asker = Asker(server.address, server.key, stop or StopSignal())
    match server.kind:
        case ServerKind.OLLAMA:
            return _of_ollama(asker)
        case ServerKind.LM_STUDIO:
            return _of_lm_studio(asker) or _of_openai(server, asker)
        case ServerKind.LLAMA_SERVER | ServerKind.HEARTH:
            return _of_llama_server(server, asker)
        case ServerKind.SGLANG:
            return _of_sglang(server, asker)
    return _of_openai(server, asker)


def _of_openai(server: Server, asker: Asker) -> list[ServerModel]:
    told = asker.ask("/v1/models")
    if server.kind is ServerKind.TRANSFORMERS and told.head.status == 500:
        return []  # it lists a cache, and fails where there is none
    return _listed(server, asker, told)


def _listed(server: Server, asker: Asker, told: Told) -> list[ServerModel]:
    if not told.ok:
        raise asker.refusal(told)
    shape = SHAPES[server.kind].abilities
    return [
        ServerModel(name, context=count(each, "max_model_len") or count(each, "meta", "n_ctx"), abilities=shape)
        for each in objects(told.body, "data")
        if (name := text(each, "id")) and text(each, "task") in ("", "chat")
    ]


def _of_llama_server(server: Server, asker: Asker) -> list[ServerModel]:
    """`/props` tells of the one that is loaded; of a router's others nothing is asked, for that would load them."""
    told = asker.ask("/v1/models")
    states = {text(each, "id"): text(each, "status", "value") for each in objects(told.body, "data")}
    models = [replace(each, is_loaded=_is_loaded(states.get(each.id, ""))) for each in _listed(server, asker, told)]
    if len(models) == 1 and models[0].is_loaded is not False:
        props = asker.ask("/props")
        return [_with_props(models[0], props.body)] if props.ok else models
    return models


def _is_loaded(state: str) -> bool | None:
    return state == "loaded" if state else None


def _with_props(model: ServerModel, props: Mapping[str, object]) -> ServerModel:
    context = count(props, "default_generation_settings", "n_ctx") or model.context
    can = model.abilities
    calls = flag(props, "chat_template_caps", "supports_tool_calls")
    tools = flag(props, "chat_template_caps", "supports_tools")
    return replace(
        model,
        context=context,
        abilities=replace(
            can,
            pictures=_ability(flag(props, "modalities", "vision"), _BLIND),
            recordings=_ability(flag(props, "modalities", "audio"), _DEAF),
            tools=_ability(tools if calls is None else calls, _NO_TOOLS),
            reasons=_reasons(props) or can.reasons,
            # Whether a template that knows tools can be held to them is seen only when it is tried.
            forced_tools=no(_NO_TOOLS) if (tools if calls is None else calls) is False else Ability(),
        ),
    )


def _reasons(props: Mapping[str, object]) -> Ability | None:
    """Hearth tells it; of llama-server's models a variable of the template does, or nothing."""
    if (told := flag(props, "capabilities", "reasons")) is not None:
        return _ability(told, _NO_REASONING)
    return YES if "enable_thinking" in text(props, "chat_template") else None


def _ability(told: bool | None, why_not: str) -> Ability:
    return Ability() if told is None else YES if told else no(why_not)


def _of_sglang(server: Server, asker: Asker) -> list[ServerModel]:
    models = _of_openai(server, asker)
    info = asker.ask("/model_info")
    sees = flag(info.body, "has_image_understanding") if info.ok else None
    hears = flag(info.body, "has_audio_understanding") if info.ok else None
    seen = {"pictures": _ability(sees, _BLIND), "recordings": _ability(hears, _DEAF)}
    return [replace(each, abilities=replace(each.abilities, **seen)) for each in models]


def _of_ollama(asker: Asker) -> list[ServerModel]:
    told = asker.ask("/api/tags")
    if not told.ok:
        raise asker.refusal(told)
    names = [name for each in objects(told.body, "models") if (name := text(each, "model") or text(each, "name"))]
    running = {text(each, "model"): each for each in objects(asker.ask("/api/ps").body, "models")}
    models = [
        _shown_by_ollama(asker, name) if number < _MOST_SHOWN else unlisted(ServerKind.OLLAMA, name)
        for number, name in enumerate(names)
    ]
    return [
        replace(
            each, is_loaded=each.id in running, context=count(running.get(each.id), "context_length") or each.context
        )
        for each in models
        if each is not None
    ]


def _shown_by_ollama(asker: Asker, name: str) -> ServerModel | None:
    """None for one that does not chat."""
    try:
        shown = asker.ask("/api/show", {"model": name})
    except UserError:
        return unlisted(ServerKind.OLLAMA, name)
    can = words(shown.body, "capabilities")
    if not shown.ok or not can:
        return unlisted(ServerKind.OLLAMA, name)
    if "completion" not in can:
        return None
    facts = at(shown.body, "model_info")
    lengths = [
        value
        for key in (facts if isinstance(facts, Mapping) else ())
        if key.endswith(".context_length") and (value := count(facts, key))
    ]
    return ServerModel(
        name,
        context=lengths[0] if lengths else None,
        abilities=replace(
            SHAPES[ServerKind.OLLAMA].abilities,
            pictures=YES if "vision" in can else no(_BLIND),
            tools=YES if "tools" in can else no(_NO_TOOLS),
            reasons=YES if "thinking" in can else no(_NO_REASONING),
        ),
        is_cloud=bool(text(shown.body, "remote_host") or text(shown.body, "remote_model"))
        or name.endswith(("-cloud", ":cloud")),
    )


def _of_lm_studio(asker: Asker) -> list[ServerModel]:
    """Its own list; empty where this version has another one."""
    told = asker.ask("/api/v1/models")
    can = SHAPES[ServerKind.LM_STUDIO].abilities
    return [
        ServerModel(
            name,
            text(each, "display_name"),
            count(each, "max_context_length"),
            replace(
                can,
                pictures=_ability(flag(each, "capabilities", "vision"), _BLIND),
                tools=_ability(flag(each, "capabilities", "trained_for_tool_use"), _NO_TOOLS),
            ),
            is_loaded=bool(list(objects(each, "loaded_instances"))),
        )
        for each in objects(told.body, "models")
        if (name := text(each, "key")) and text(each, "type") in ("llm", "vlm", "")
    ]
