"""What a model that was just loaded can do: from what was found out by trying, and from what its file says."""

from app.core.capabilities import Capabilities, MemoryKind
from app.core.speculation import DrafterKind, DraftingInfo
from app.engine.binding.model import Model
from app.engine.drafting.drafting import Drafting
from app.engine.media.media import Media
from app.engine.memory.reuse import MemoryTraits
from app.engine.prompt.chat_prompt import ChatPrompt


def capabilities_of(
    model: Model, traits: MemoryTraits, chat: ChatPrompt, drafting: Drafting | None, media: Media | None
) -> Capabilities:
    plain, with_tools = chat.chat_format(), chat.chat_format(tools=True)
    drafts = drafting.info if drafting is not None else DraftingInfo(no_head="Nothing drafts.")
    return Capabilities(
        sees=media is not None and media.mtmd.sees,
        hears=media is not None and media.mtmd.hears,
        hears_seconds=media.max_seconds if media is not None else 0.0,
        reasons=plain.reasons or bool(plain.template.efforts),
        tools=with_tools.template.supports_tools,
        tool_format=with_tools.format.name,
        own_head=_has_head(drafts),
        drafters=drafts.ready,
        fills=model.vocab.fill_marks is not None,
        memory=_memory_of(model, traits),
    )


def _has_head(drafts: DraftingInfo) -> bool:
    """Where it was asked for it works, or there is a problem; otherwise it was looked for."""
    asked = drafts.asked.mtp or DrafterKind.MTP in dict(drafts.problems)
    return DrafterKind.MTP in drafts.ready or not (asked or drafts.no_head)


def _memory_of(model: Model, traits: MemoryTraits) -> MemoryKind:
    if not traits.trims:
        return MemoryKind.RECURRENT if model.is_recurrent else MemoryKind.HYBRID
    return MemoryKind.SLIDING_WINDOW if traits.n_swa else MemoryKind.ATTENTION
