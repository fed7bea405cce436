"""What is set for the conversation on screen and for the model in memory, over the settings that hold for all."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal

from app.core.events import ModelInfo
from app.core.model_options import key_of
from app.core.overflow import Overflow
from app.core.reasoning import Effort
from app.services.chat.active_conversation import ActiveConversation
from app.services.chat.conversation_changes import ConversationChanges
from app.services.chat.conversation_options import ConversationOptions
from app.services.chat.presets import Presets
from app.services.engine.service import EngineService
from app.services.engine.states import known_model


class ActiveOptions(QObject):
    """GUI thread."""

    changed = Signal()
    """Also after a change that the disk refused: what shows them has to show the old ones again."""

    def __init__(
        self,
        options: ConversationOptions,
        screen: ActiveConversation,
        kept: ConversationChanges,
        engine: EngineService,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._options = options
        self._kept = kept
        self._screen = screen
        self._engine = engine

    @property
    def overflow(self) -> Overflow:
        """What happens to the conversation when the context is full."""
        return self._options.overflow(self._screen.conversation_id)

    def set_overflow(self, policy: Overflow) -> None:
        self._change(lambda: self._options.set_overflow(self._screen.conversation_id, policy))

    @property
    def presets(self) -> Presets:
        return self._options.presets

    @property
    def preset_id(self) -> str:
        """Of the preset of the conversation; empty for none."""
        return self._options.preset_id(self._screen.conversation_id)

    def set_preset(self, preset_id: str) -> None:
        """It holds from the next question on; empty for none."""
        self._change(lambda: self._options.set_preset(self._screen.conversation_id, preset_id))

    @property
    def effort(self) -> Effort | None:
        """How long the model is to reason in the conversation; None where nobody has said it."""
        return self._options.effort(self._screen.conversation_id)

    def set_effort(self, effort: Effort | None) -> None:
        """It holds from the next answer on."""
        self._change(lambda: self._options.set_effort(self._screen.conversation_id, effort))

    @property
    def sampling_of_conversation(self) -> Mapping[str, object]:
        """What is set for the conversation alone, by the names of `Sampling`'s fields."""
        return self._options.sampling_of_conversation(self._screen.conversation_id)

    def set_conversation_sampling(self, values: Mapping[str, object]) -> None:
        self._change(lambda: self._options.set_sampling_of_conversation(self._screen.conversation_id, values))

    @property
    def sampling_of_model(self) -> Mapping[str, object]:
        """What is set for the loaded model alone, by the names of `Sampling`'s fields."""
        return self._options.sampling_of_model(self._model_key)

    def set_model_sampling(self, values: Mapping[str, object]) -> None:
        self._change(lambda: self._options.set_sampling_of_model(self._model_key, values))

    @property
    def advice_of_model(self) -> Mapping[str, object]:
        """How the loaded model's file says that it is best sampled, by the names of `Sampling`'s fields."""
        return self._model.sampling if self._model is not None else {}

    def keeps_on_disk(self, conversation_id: int) -> bool:
        """Whether what the model has read of a conversation may be kept for the next start."""
        return self._options.keeps_on_disk(conversation_id)

    def set_keeps_on_disk(self, conversation_id: int, keeps: bool) -> None:
        """Switching it off removes what is kept, at once."""

        def act() -> None:
            self._options.set_keeps_on_disk(conversation_id, keeps)
            if not keeps:
                self._engine.forget_conversation(str(conversation_id))

        self._kept.guard(act)

    @property
    def _model(self) -> ModelInfo | None:
        return known_model(self._engine.state)

    @property
    def _model_key(self) -> str:
        return key_of(self._model.ref) if self._model is not None else ""

    def _change(self, act: Callable[[], None]) -> None:
        self._kept.guard(act)
        self.changed.emit()
