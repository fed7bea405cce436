"""A machine with models of several programs, small enough for tests, and the services that know them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from app.core.fit import Free, Gpu
from app.core.fit_shape import FitShape, LayerShape
from app.core.paths import Paths
from app.library.catalogue import LibraryModel
from app.library.model_facts import ModelFacts, ModelKind
from app.library.model_sources import Source
from app.services.engine.service import EngineService
from app.services.models.models import Models, library_of
from app.services.runtime.settings_service import SettingsService
from tests.library import homes
from tests.tiny_vision import VISION_MAKERS
from tests.ui.fakes import FakeEngine, FakeSettings
from tests.waits import WAIT

GIB = 1 << 30


@dataclass
class ModelHome:
    root: Path
    engine: FakeEngine = field(default_factory=FakeEngine)
    settings: FakeSettings = field(default_factory=FakeSettings)
    ram: int = 8 * GIB
    """Bytes that are free now."""
    gpus: tuple[Gpu, ...] = ()

    def __post_init__(self) -> None:
        self.own = self.root / "models"
        paths, machine = Paths(self.root, self.root, self.root / "logs"), homes.machine(self.root / "anna")
        self.models = Models(
            paths,
            cast(SettingsService, self.settings),
            cast(EngineService, self.engine),
            library_of(paths, self.settings.settings, machine),
            lambda: Free(self.ram, self.gpus),
            machine,
        )

    def close(self) -> None:
        """Here and now: what the collector of garbage would find late, it might find in another thread."""
        self.models.close()
        self.models.deleteLater()
        QCoreApplication.sendPostedEvents(self.models, QEvent.Type.DeferredDelete.value)

    def scan(self, qtbot: QtBot) -> None:
        library = self.models.library
        with qtbot.waitSignal(library.scanning, timeout=WAIT, check_params_cb=lambda busy: not busy):
            library.scan()

    def find(self, name: str) -> LibraryModel:
        return next(model for model in self.models.library.models if model.name == name)


def described(
    name: str,
    source: Source = Source.HEARTH,
    size: float = 5 * GIB,
    *,
    kind: ModelKind = ModelKind.MODEL,
    problem: str = "",
    n_parts: int = 1,
    projectors: tuple[Path, ...] = (),
) -> LibraryModel:
    """A model of that many bytes as the library would tell of it; no such file is there."""
    stem = name.replace(" ", "-")
    parts = [f"{stem}-{number:05}-of-{n_parts:05}" if n_parts > 1 else stem for number in range(1, n_parts + 1)]
    paths = tuple(Path("/models", f"{part}.gguf") for part in parts)
    n_layer, bytes_ = 36, int(size)
    shape = FitShape(
        "qwen3", (LayerShape(bytes_ // n_layer, 1024, 1024, n=n_layer),), bytes_ // 20, bytes_ // 20,
        n_ctx_train=32_768, n_embd=4096, n_vocab=150_000, n_head=32, head_k=128, n_ff=12_288,
    )  # fmt: skip
    facts = ModelFacts(
        kind, name, "qwen3", int(size * 1.6), "Q4_K_M", bytes_, 32_768, has_template=True, tools=True, reasoning=True,
        vision=kind is ModelKind.PROJECTOR, licence="apache-2.0", sampling={"temperature": 0.6, "top_p": 0.95},
        shape=shape if kind is ModelKind.MODEL else None,
    )  # fmt: skip
    return LibraryModel(
        paths[0], name, source, bytes_, paths, 1_763_000_000 * 10**9, None if problem else facts, problem,
        projectors=projectors,
    )  # fmt: skip


MMPROJ = described("mmproj Qwen3 VL 4B", Source.LM_STUDIO, GIB, kind=ModelKind.PROJECTOR)
SHOWN = (
    described("Llama 3.3 70B Instruct (Q4_K_M)", Source.LM_STUDIO, 40 * GIB, n_parts=2),
    MMPROJ,
    described("Mistral Nemo (Q4_0)", Source.JAN, problem="Mistral-Nemo.gguf is damaged. Fetch it again."),
    described("Qwen3 VL 4B (Q4_K_M)", Source.LM_STUDIO, 3 * GIB, projectors=(MMPROJ.path,)),
    described("snow:3b", Source.OLLAMA, 2 * GIB),
)
"""What a library might hold, for tests of how it looks."""


@contextmanager
def model_home(root: Path, tiny_models: dict[str, Path], qtbot: QtBot) -> Iterator[ModelHome]:
    """Found already: a model that sees and its projector, one of Ollama's, one of LM Studio's, a damaged file."""
    home = ModelHome(root)
    data = {name: path.read_bytes() for name, path in tiny_models.items()}
    seeing, projector = VISION_MAKERS["gemma3"](home.root)
    homes.put(home.own / "Rain-8B-Q4_0.gguf", data["llama"])
    homes.put(home.own / "eyes" / "Seer-4B-F16.gguf", seeing.read_bytes())
    homes.put(home.own / "eyes" / "mmproj-Seer-4B-F16.gguf", projector.read_bytes())
    homes.put(home.own / "Torn-7B-Q8_0.gguf", data["moe"][:-5000])
    seeing.unlink()
    projector.unlink()
    homes.ollama(root / "anna" / ".ollama" / "models", "library/snow", "3b", data["qwen35"])
    homes.put(root / "anna" / ".lmstudio" / "models" / "lab" / "fog" / "Fog-2B-F32.gguf", data["mamba"])
    home.scan(qtbot)
    yield home
    home.close()
