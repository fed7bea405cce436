"""Fixtures for every layer. Qt is imported by those that ask for it."""

import asyncio
import gc
import inspect
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# Tiny models on busy cores: one thread is hundreds of times faster than two that wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Windows that nobody sees; QT_QPA_PLATFORM=xcb (or what the system has) shows them.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Nobody's keyring is written to, or asks to be unlocked.
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")

from tests.child_signals import for_children
from tests.tiny_audio import AUDIO_MAKERS
from tests.tiny_models import MAKERS
from tests.tiny_vision import VISION_MAKERS
from tests.waits import WAIT

# How long an example takes says something of the machine, which may be busy, and nothing of the code.
hypothesis.settings.register_profile("hearth", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("hearth")
for_children()
ASYNC_LIMIT = WAIT / 1000
"""Seconds that a test may wait that is a coroutine."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test that is a coroutine is run to its end."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**arguments), ASYNC_LIMIT))
    return True


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A model file of each family, by the family's name."""
    folder = tmp_path_factory.mktemp("models")
    return {name: make(folder / f"{name}.gguf") for name, make in MAKERS.items()}


@pytest.fixture(scope="session")
def seeing_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    """A model and its projector of each family, side by side in a folder of their own."""
    return {name: make(tmp_path_factory.mktemp(name)) for name, make in VISION_MAKERS.items()}


@pytest.fixture(scope="session")
def hearing_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    """As `seeing_models`."""
    return {name: make(tmp_path_factory.mktemp(name)) for name, make in AUDIO_MAKERS.items()}


@pytest.fixture
def qtbot(qapp: object, request: pytest.FixtureRequest) -> object:
    from tests.patient_qtbot import PatientQtBot

    return PatientQtBot(request)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test writes into the user's folders."""
    folder = tmp_path / "home"
    monkeypatch.setenv("HEARTH_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """As in the program, no other thread than this one collects: what is Qt's in a cycle would be destroyed under Qt's
    feet there, which ends the process, or wait for a lock for ever.
    """
    gc.disable()
    yield
    if gc.get_count()[0] > gc.get_threshold()[0]:
        gc.collect(1)
    gc.enable()


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """A test that leaves a thread behind has leaked it."""
    before = set(threading.enumerate())
    yield
    new = [each for each in threading.enumerate() if each not in before and not each.daemon]
    for each in new:
        each.join(30)  # one that was told to end may not have heard it yet
    left = [each for each in new if each.is_alive()]
    assert not left, f"left running: {left}"
