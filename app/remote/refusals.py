"""What a server would leave out without a word is refused here, before anything is sent."""

from app.core.errors import UserError
from app.core.messages import AudioPart, ImagePart, MediaPart
from app.core.requests import ChatRequest, ToolChoice
from app.core.sentence import Sentence
from app.remote.server import Abilities, Ability, Server, ServerModel, Verdict
from app.remote.shapes import SHAPES


def refuse(request: ChatRequest, server: Server, model: ServerModel) -> None:
    """Raises UserError with a sentence for what can't be asked of this model."""
    can, shape = model.abilities, SHAPES[server.kind]
    last = request.messages[-1] if request.messages else None
    if request.prompt is not None or request.only_read or last is None:
        raise UserError("A server is asked in conversations only. Choose a model on this computer for this.")
    if last.media:
        _demand(_for_media(can, last.media), "Take them out, or choose another model.")
    if request.tools and request.tool_choice is not ToolChoice.NONE:
        _demand(can.tools, "Switch the tools off for this conversation, or choose another model.")
        if request.tool_choice is ToolChoice.REQUIRED:
            _demand(can.forced_tools, "Choose another model for this.")
    if request.grammar:
        _demand(can.grammar, "Choose another model for this.")
    elif request.schema is not None:
        _demand(can.schema, "Choose another model for this.")
    if request.continues:
        _demand(can.continues, "Have the answer written anew, or choose another model.")
    if request.top_logprobs is not None or request.logit_bias or request.stop_tokens:
        raise UserError("Tokens and their probabilities can't be asked of a server. Choose a model on this computer.")
    if request.ignore_eos and not shape.ignore_eos:
        raise UserError("This server can't be kept from ending an answer. Choose another model for this.")


def _for_media(can: Abilities, media: tuple[MediaPart, ...]) -> Ability:
    abilities = [can.pictures if isinstance(each, ImagePart) else can.recordings for each in media]
    return next((each for each in abilities if each.verdict is Verdict.NO), abilities[0])


def _demand(ability: Ability, then: str) -> None:
    if ability.verdict is Verdict.NO:
        raise UserError("{why} {then}", why=ability.why, then=Sentence(then))


def takes(can: Abilities, part: MediaPart) -> bool:
    """Whether it is sent as it is; otherwise the model is told its name."""
    return (can.recordings if isinstance(part, AudioPart) else can.pictures).may_be_tried
