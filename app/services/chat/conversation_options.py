"""What is set for one model or one conversation alone, over the settings that hold for all."""

import logging
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from app.core.errors import UserError
from app.core.overflow import Overflow
from app.core.preset import Preset
from app.core.reasoning import Effort, Efforts, nearest
from app.core.sampling import Sampling
from app.core.setting import valid, with_values
from app.services.chat.notices import ChatNotices
from app.services.chat.presets import Presets
from app.storage.options import OptionsStore, Scope

_log = logging.getLogger(__name__)

_SAMPLING, _OVERFLOW, _PRESET = "sampling", "overflow", "preset"
_MEMORY_ALONE, _REASONING = "memory_alone", "reasoning"
_TOOLS, _TOOL_SET = "tools", "tool_set"
_COLLECTIONS = "collections"
_NO_PRESET = "none"
"""What a new conversation says that is not to begin with the default."""


class ConversationOptions(QObject):
    """GUI thread. A conversation that is not stored yet (None) keeps them until it is. What the disk refuses to keep is
    told.
    """

    changed = Signal()
    """Also after a change that the disk refused: what shows them has to show the old ones again."""

    def __init__(self, store: OptionsStore, notices: ChatNotices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._notices = notices
        self._unstored: dict[str, object] = {}
        self.presets = Presets(store, self)

    def overflow(self, conversation_id: int | None) -> Overflow:
        try:
            return Overflow(str(self._of_conversation(conversation_id).get(_OVERFLOW, Overflow.STOP)))
        except ValueError:
            return Overflow.STOP

    def set_overflow(self, conversation_id: int | None, policy: Overflow) -> None:
        self._change(conversation_id, _OVERFLOW, None if policy is Overflow.STOP else policy.value)

    def preset_id(self, conversation_id: int | None) -> str:
        """Of the preset that the conversation uses; empty for none, or for one that is gone."""
        chosen = self._of_conversation(conversation_id).get(_PRESET)
        if chosen is None and conversation_id is None:
            return self.presets.default_id
        return str(chosen) if self.presets.get(str(chosen)) is not None else ""

    def preset(self, conversation_id: int | None) -> Preset | None:
        return self.presets.get(self.preset_id(conversation_id))

    def set_preset(self, conversation_id: int | None, preset_id: str) -> None:
        self._change(conversation_id, _PRESET, preset_id or (_NO_PRESET if conversation_id is None else None))

    def effort(self, conversation_id: int | None) -> Effort | None:
        """How long the model is to reason in the conversation; None leaves it to the preset and the model."""
        try:
            return Effort(str(self._of_conversation(conversation_id).get(_REASONING)))
        except ValueError:
            return None

    def set_effort(self, conversation_id: int | None, effort: Effort | None) -> None:
        self._change(conversation_id, _REASONING, effort.value if effort is not None else None)

    def template_args(
        self, conversation_id: int | None, known: Efforts, chosen: Preset | None = None
    ) -> dict[str, object]:
        """Variables for the chat template of a model that knows these efforts; see `sampling`."""
        preset = chosen or self.preset(conversation_id) or Preset("")
        own = self.effort(conversation_id) if chosen is None else None
        wanted = nearest(known, own) or nearest(known, preset.effort)
        return dict(known[wanted]) if wanted is not None else preset.template_args

    def keeps_on_disk(self, conversation_id: int | None) -> bool:
        """Whether what the model has read of it may be kept for the next start, where the settings allow it at all."""
        return self._of_conversation(conversation_id).get(_MEMORY_ALONE) is not True

    def set_keeps_on_disk(self, conversation_id: int | None, keeps: bool) -> None:
        self._change(conversation_id, _MEMORY_ALONE, not keeps)

    def tools(self, conversation_id: int | None) -> tuple[str, ...] | None:
        """Names of the servers whose tools it may use, "" for what is built in; None where nobody has chosen."""
        chosen = self._of_conversation(conversation_id).get(_TOOLS)
        on = chosen.get("on") if isinstance(chosen, dict) else None
        return tuple(map(str, on)) if isinstance(on, list) else None

    def set_tools(self, conversation_id: int | None, names: Sequence[str]) -> None:
        self._change(conversation_id, _TOOLS, {"on": list(names)})

    def tool_set(self, conversation_id: int | None) -> str:
        """What its model was told of: a name in `Scope.TOOL_SET`; empty where that was nothing yet."""
        return str(self._of_conversation(conversation_id).get(_TOOL_SET, ""))

    def set_tool_set(self, conversation_id: int, name: str) -> None:
        self._change(conversation_id, _TOOL_SET, name)

    def collections(self, conversation_id: int | None) -> tuple[int, ...]:
        """Numbers of the collections of documents that are looked through for each of its questions."""
        chosen = self._of_conversation(conversation_id).get(_COLLECTIONS)
        return tuple(each for each in chosen if isinstance(each, int)) if isinstance(chosen, list) else ()

    def set_collections(self, conversation_id: int | None, numbers: Sequence[int]) -> None:
        self._change(conversation_id, _COLLECTIONS, list(numbers) or None)

    def sampling_of_conversation(self, conversation_id: int | None) -> dict[str, object]:
        return valid(Sampling, self._of_conversation(conversation_id).get(_SAMPLING))

    def set_sampling_of_conversation(self, conversation_id: int | None, values: Mapping[str, object]) -> None:
        self._change(conversation_id, _SAMPLING, valid(Sampling, values))

    def sampling_of_model(self, model: str) -> dict[str, object]:
        return valid(Sampling, self._store.get(Scope.MODEL, model).get(_SAMPLING))

    def set_sampling_of_model(self, model: str, values: Mapping[str, object]) -> None:
        self._put(Scope.MODEL, model, _SAMPLING, valid(Sampling, values))

    def sampling(
        self, base: Sampling, model: str, conversation_id: int | None, chosen: Preset | None = None
    ) -> Sampling:
        """`base`, changed by the model's values, then by those of the conversation's preset, then by its own. One that
        is `chosen` holds in the place of both.
        """
        return with_values(base, self.sampling_set(model, conversation_id, chosen))

    def sampling_set(self, model: str, conversation_id: int | None, chosen: Preset | None = None) -> dict[str, object]:
        """What of it people set, beside the settings for all; as `sampling`."""
        preset = chosen or self.preset(conversation_id)
        values = self.sampling_of_model(model) | dict(preset.sampling if preset is not None else {})
        if chosen is None:
            values |= self.sampling_of_conversation(conversation_id)
        return values

    def stored(self, conversation_id: int) -> None:
        """The conversation that was new has this number now."""
        preset_id = self.preset_id(None)
        kept = {name: value for name, value in self._unstored.items() if name != _PRESET}
        if preset_id:
            # The default is meant as it was when the conversation began.
            kept[_PRESET] = preset_id
        if kept:
            self._store.put(Scope.CONVERSATION, str(conversation_id), kept)
        self._unstored = {}

    def copy(self, source: int, target: int) -> None:
        """What holds for one conversation holds for the other too."""
        self._store.put(Scope.CONVERSATION, str(target), self._of_conversation(source))

    def _of_conversation(self, conversation_id: int | None) -> dict[str, object]:
        if conversation_id is None:
            return self._unstored
        return self._store.get(Scope.CONVERSATION, str(conversation_id))

    def _change(self, conversation_id: int | None, name: str, value: object) -> None:
        if conversation_id is None:
            self._unstored = _with(self._unstored, name, value)
            self.changed.emit()
        else:
            self._put(Scope.CONVERSATION, str(conversation_id), name, value)

    def _put(self, scope: Scope, of: str, name: str, value: object) -> None:
        try:
            self._store.put(scope, of, _with(self._store.get(scope, of), name, value))
        except UserError as error:
            _log.warning("%s", error.sentence)
            self._notices.failed.emit(error)
        self.changed.emit()


def _with(values: Mapping[str, object], name: str, value: object) -> dict[str, object]:
    return {each: content for each, content in {**values, name: value}.items() if content}
