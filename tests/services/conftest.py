"""Services on a real engine thread with tiny models."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.loading import Loading
from app.core.model_options import ModelOptions
from app.core.model_ref import ModelRef
from app.core.program import own_command
from app.core.sampling import Sampling
from app.services.chat.chat_controller import ChatController
from app.services.engine.plans import PreflightPlan
from app.services.engine.service import EngineService
from app.services.engine.states import ModelFailed, ModelReady
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.storage.options import OptionsStore
from tests.services.asking import becomes
from tests.services.chatting import Chat
from tests.services.shutdown import shut_down


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What does not end before the test does, in threads that are called "test"."""
    made = threading.Event()
    yield made
    made.set()
    for each in threading.enumerate():
        if each.name == "test":
            each.join()


@pytest.fixture
def settings(tmp_path: Path, qapp: object) -> SettingsService:
    service = SettingsService(tmp_path / "settings.toml")
    service.update(Loading, threads=1, gpu_layers=0, ctx_size=1024)
    service.update(Sampling, temperature=0.0, max_tokens=40)
    return service


@pytest.fixture(scope="session")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of tried models, shared so that each tiny model costs one child process and not one a test."""
    return tmp_path_factory.mktemp("tried") / "tried.json"


@dataclass
class Catalog:
    """What the engine is told of models."""

    projectors: dict[ModelRef, Path] = field(default_factory=dict)
    names: dict[ModelRef, str] = field(default_factory=dict)
    options_of: Callable[[ModelRef], ModelOptions] = lambda _: ModelOptions()

    def projector_of(self, model: ModelRef) -> Path | None:
        return self.projectors.get(model)

    def called(self, model: ModelRef) -> str:
        return self.names.get(model, "")


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture
def engine(settings: SettingsService, tried: Path, catalog: Catalog, qtbot: QtBot) -> Iterator[EngineService]:
    service = EngineService(settings, PreflightPlan(tried, own_command()), catalog=catalog)
    yield service
    shut_down(service, qtbot)


Load = Callable[[str], ModelReady]


@pytest.fixture
def load(engine: EngineService, tiny_models: dict[str, Path], qtbot: QtBot) -> Load:
    """Loads a family's tiny model and waits until it is there."""

    def load_one(family: str) -> ModelReady:
        with becomes(engine, qtbot, ModelReady, ModelFailed):
            engine.load(ModelRef.of_file(tiny_models[family]))
        assert isinstance(engine.state, ModelReady)
        return engine.state

    return load_one


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "hearth.sqlite3") as opened:
        yield opened


@pytest.fixture
def store(database: Database) -> ConversationStore:
    return ConversationStore(database)


@pytest.fixture
def controller(
    database: Database, store: ConversationStore, engine: EngineService, settings: SettingsService
) -> ChatController:
    return ChatController(store, engine, settings, OptionsStore(database))


@pytest.fixture
def chat(controller: ChatController, engine: EngineService, store: ConversationStore, load: Load, qtbot: QtBot) -> Chat:
    return Chat(controller, engine, store, load, qtbot)
