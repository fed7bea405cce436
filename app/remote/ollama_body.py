"""A request as Ollama's `/api/chat` takes it."""

from app.core.messages import Message, Role
from app.core.requests import ChatRequest, ToolChoice
from app.remote.media import MediaBytes, encoded
from app.remote.openai_body import Body, arguments_of, sampling_fields, spoken
from app.remote.refusals import takes
from app.remote.server import Abilities, ServerModel
from app.remote.shapes import Shape


def ollama_body(request: ChatRequest, model: ServerModel, shape: Shape, media: MediaBytes, n_ctx: int | None) -> Body:
    """`n_ctx` must be the same for all requests to a model, for another one loads it anew; None leaves it to the
    server. Raises UserError for a medium that can't be sent.
    """
    options = sampling_fields(request, shape)
    if n_ctx:
        options["num_ctx"] = n_ctx
    if request.stop:
        options["stop"] = list(request.stop)
    has_tools = request.tools and request.tool_choice is not ToolChoice.NONE
    return {
        "model": model.id,
        **({"tools": [*request.tools, *request.found_tools]} if has_tools else {}),
        "messages": [_message(each, model.abilities, media) for each in request.messages],
        "stream": True,
        "options": options,
        **({"format": request.schema} if request.schema is not None else {}),
        **_thinking(request),
    }


def _thinking(request: ChatRequest) -> Body:
    """By the variables with which templates are asked for it."""
    effort, on = request.template_args.get("reasoning_effort"), request.template_args.get("enable_thinking")
    if isinstance(effort, str):
        return {"think": effort}
    return {"think": on} if isinstance(on, bool) else {}


def _message(message: Message, can: Abilities, media: MediaBytes) -> Body:
    body: Body = {"role": message.role.value, "content": spoken(message, can)}
    if message.role is Role.USER and (shown := [each for each in message.media if takes(can, each)]):
        body["images"] = [encoded(each, media(each))[1] for each in shown]
    if message.reasoning:
        body["thinking"] = message.reasoning
    if message.tool_calls:
        body["tool_calls"] = [
            {"function": {"name": each.name, "arguments": arguments_of(each)}} for each in message.tool_calls
        ]
    if message.role is Role.TOOL:
        body["tool_name"] = message.name
    return body
