"""Opens the command palette with everything that can be done, opened or loaded."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.core.model_ref import GUIDE_REF, ModelRef
from app.storage.conversations import Conversation
from app.ui.commands.actions import Actions, keys_of, plain_text
from app.ui.commands.palette_entries import Entry, Source, used
from app.ui.presenters.window_state import WindowState
from app.ui.theme.appearance import Appearance

if TYPE_CHECKING:
    from app.services.chat.chat_controller import ChatController
    from app.services.engine.service import EngineService
    from app.ui.commands.command_palette import CommandPalette

Models = Callable[[], Sequence[ModelRef]]


class PalettePresenter(QObject):
    """`window` owns it."""

    def __init__(
        self,
        appearance: Appearance,
        actions: Actions,
        controller: "ChatController",
        engine: "EngineService",
        models: Sequence[Models],
        name_of: Callable[[ModelRef], str],
        state: WindowState,
        window: QWidget,
    ) -> None:
        """`name_of` is what people know a model by."""
        super().__init__(window)
        self._appearance = appearance
        self._actions = actions
        self._controller = controller
        self._engine = engine
        self._models = models
        self._state = state
        self._window = window
        self._conversations: Sequence[Conversation] = ()
        self._palette: CommandPalette | None = None
        self._name_of = name_of
        self._sources: tuple[Source, ...] = (self._from_actions, self._from_conversations, self._from_models)
        controller.active.listed.connect(self._show_conversations)
        actions.palette.triggered.connect(self.toggle)

    @property
    def palette(self) -> "CommandPalette":
        """Made when it is asked for first."""
        if self._palette is None:
            from app.ui.commands.command_palette import CommandPalette

            self._palette = CommandPalette(self._appearance, self._window)
            self._palette.chosen.connect(self._do)
        return self._palette

    def add_source(self, source: Source) -> None:
        """More to offer, after what the actions do."""
        self._sources = (self._sources[0], source, *self._sources[1:])

    def toggle(self) -> None:
        if self.palette.isVisible():
            self.palette.hide()
        else:
            entries = [entry for source in self._sources for entry in source()]
            self.palette.open(entries, self._state.commands)

    @Slot(object)
    def _show_conversations(self, conversations: Sequence[Conversation]) -> None:
        self._conversations = conversations

    @Slot(object)
    def _do(self, entry: Entry) -> None:
        self._state.keep_commands(used(entry.key, self._state.commands))
        entry.act()

    def _from_actions(self) -> Iterator[Entry]:
        for name, action in self._actions.named().items():
            if action.isEnabled() and action is not self._actions.palette:
                yield Entry(f"action:{name}", plain_text(action), "", action.trigger, keys_of(action))
        for theme, action in self._actions.themes.items():
            title = self.tr("Theme: {name}").format(name=plain_text(action))
            yield Entry(f"theme:{theme}", title, "", action.trigger)

    def _from_conversations(self) -> Iterator[Entry]:
        kind, untitled = self.tr("Chat"), self.tr("New chat")
        for each in self._conversations:
            yield Entry(
                f"chat:{each.id}",
                each.title or untitled,
                kind,
                partial(self._controller.open_conversation, each.id),
            )

    def _from_models(self) -> Iterator[Entry]:
        kind = self.tr("Model")
        known: dict[ModelRef, None] = {model: None for models in self._models for model in models()}
        if GUIDE_REF.is_there:
            known[GUIDE_REF] = None
        for model in known:
            yield Entry(
                f"model:{model.id}",
                self._name_of(model),
                kind,
                partial(self._engine.load, model),
                detail=model.id,
            )
