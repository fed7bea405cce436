"""A conversation that changes between two Hearths, which are paired and have a home each, is read once."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.cancel import CancelFlag
from app.core.events import Finished
from app.core.loading import Loading
from app.core.messages import Message, Role, TextPart
from app.core.model_ref import ModelRef
from app.core.program import own_command
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.loading.loader import open_session
from app.remote.address import ServerAddress
from app.remote.exchange import Exchange, Outgoing, Patience
from app.remote.moving import STATE, StateLink
from app.remote.pairing.certificate import OwnCertificate, Pin
from app.remote.pairing.peers import Peer, PeerFile
from app.remote.server import Server, ServerKind, ServerModel
from app.remote.stop_signal import StopSignal
from app.services.engine.plans import PreflightPlan
from app.services.engine.service import EngineService
from app.services.engine.states import ModelOnServer, ModelReady, ReplyFailed, ReplyUpdate, known_model
from app.services.remote.model_servers import ModelServers
from app.services.remote.states import Listing
from app.services.runtime.settings_service import SettingsService
from app.storage.attachments import AttachmentStore
from tests import tiny_models
from tests.e2e.test_paired_hearths import PEERS
from tests.endless_model import make_repeating
from tests.hearth_process import HearthProcess
from tests.hostile_states import two_cells_for_one
from tests.serve_process import serving
from tests.services.asking import becomes
from tests.services.shutdown import shut_down
from tests.waits import WAIT

_LINK = 1e12
"""Bytes a second: a tiny model reads faster than its state is large, so loopback is taken for endlessly fast."""
_LONG = "one two three " * 340


def _serve(home: Path, model: Path) -> Iterator[int]:
    options = ("-m", model, "--peers-port", "0", "-t", "1", "-c", "8192")
    with serving(HearthProcess(home, qt=True), *options) as running:
        assert running.process.stdout is not None
        told = PEERS.fullmatch(running.process.stdout.readline().decode())
        assert told is not None
        yield int(told[1])


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, OwnCertificate, OwnCertificate]:
    """The strong machine's home, its certificate, and the weak one's, which it knows."""
    home = tmp_path_factory.mktemp("attic")
    own, laptop = (OwnCertificate.at(each / "certificate.pem") for each in (home, tmp_path_factory.mktemp("laptop")))
    PeerFile(home / "peers.json").add(Peer(laptop.pem, "LAPTOP"))
    return home, own, laptop


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repeating(tmp_path_factory.mktemp("model") / "m.gguf")


@pytest.fixture(scope="module")
def attic(certificates: tuple[Path, OwnCertificate, OwnCertificate], model: Path) -> Iterator[ServerAddress]:
    home, own, laptop = certificates
    for port in _serve(home, model):
        yield ServerAddress(f"https://127.0.0.1:{port}", Pin(own.pem, str(laptop.path)))


class Laptop:
    """The weak machine's engine and servers."""

    def __init__(self, home: Path, address: ServerAddress, qtbot: QtBot, link: float) -> None:
        settings = SettingsService(home / "settings.toml")
        settings.update(Loading, threads=1, gpu_layers=0, ctx_size=8192)
        self.home, self.qtbot = home, qtbot
        self.servers = ModelServers(home / "servers.json", AttachmentStore(home / "attachments"), link=link)
        plan = PreflightPlan(home / "tried.json", own_command())
        self.engine = EngineService(settings, plan, elsewhere=self.servers)
        listed = Listing(Server(address, ServerKind.HEARTH), (ServerModel("m"),))
        self.there = ModelRef.of_server(self.servers.add("ATTIC", address, "", listed), "m")
        self.said: list[Message] = []

    def load(self, model: Path) -> ModelRef:
        with becomes(self.engine, self.qtbot, ModelReady):
            self.engine.load(ModelRef.of_file(model))
        return ModelRef.of_file(model)

    def forget(self) -> None:
        """Hold nothing of the conversation, as after days of others."""
        done: list[object] = []
        self.engine.ask(lambda session, _: session.slot.forget_conversation("7"), done.append)
        self.qtbot.waitUntil(lambda: bool(done), timeout=WAIT)

    def ask(self, text: str, model: ModelRef) -> Finished:
        """The next question of the conversation, to a model that is chosen first, as in the window."""
        known = known_model(self.engine.state)
        if known is None or known.ref != model:
            self.engine.load(model)
        assert isinstance(self.engine.state, ModelReady | ModelOnServer), "this computer's model stays in memory"
        self.said.append(Message(Role.USER, (TextPart(text),)))
        heard: list[ReplyUpdate | ReplyFailed] = []
        request = ChatRequest(tuple(self.said), sampling=Sampling(max_tokens=8, temperature=0.0), conversation="7")
        self.engine.generate(request, heard.append, model=model)

        def ended() -> bool:
            return bool(heard) and (isinstance(heard[-1], ReplyFailed) or heard[-1].is_last)

        self.qtbot.waitUntil(ended, timeout=WAIT)
        (last,) = heard[-1:]
        assert isinstance(last, ReplyUpdate), last
        assert isinstance(last.event, Finished)
        self.said.append(Message(Role.ASSISTANT, (TextPart(last.event.text),), last.event.generation))
        return last.event


@pytest.fixture
def laptop(tmp_path: Path, attic: ServerAddress, qtbot: QtBot) -> Iterator[Laptop]:
    made = Laptop(tmp_path, attic, qtbot, _LINK)
    yield made
    made.servers.close()
    shut_down(made.engine, qtbot)


def _n_entries(done: Finished) -> int:
    """Of the conversation when the answer had ended."""
    timings = done.timings
    assert timings.prompt_n is not None
    assert timings.cache_n is not None
    assert timings.predicted_n is not None
    return timings.prompt_n + timings.cache_n + timings.predicted_n


def _share_read_again(before: Finished, done: Finished) -> float:
    """Of what there was of the conversation before the question, wherever."""
    n = _n_entries(before)
    assert n > 4000
    assert done.timings.cache_n is not None
    return max(0, n - done.timings.cache_n) / n


def test_a_conversation_goes_there_and_comes_back(laptop: Laptop, model: Path) -> None:
    here = laptop.load(model)
    first = laptop.ask(_LONG, here)
    assert first.timings.cache_n == 0
    sent = laptop.ask("go on", laptop.there)
    assert _share_read_again(first, sent) < 0.01
    (note,) = sent.notes
    assert note.startswith("Sent ")
    laptop.forget()
    fetched = laptop.ask("go on", here)
    assert _share_read_again(sent, fetched) < 0.01
    (note,) = fetched.notes
    assert "instead of reading 4," in note


def test_what_both_hold_is_not_moved_for_a_few_words(laptop: Laptop, model: Path) -> None:
    here = laptop.load(model)
    laptop.ask(_LONG, here)
    sent = laptop.ask("go on", laptop.there)
    fetched = laptop.ask("go on", here)
    assert _share_read_again(sent, fetched) < 0.01
    assert fetched.notes == ()


def test_another_model_file_is_said_and_read_anew(laptop: Laptop, tmp_path: Path) -> None:
    here = laptop.load(tiny_models.llama(tmp_path / "other.gguf"))
    first = laptop.ask(f"Another one: {_LONG}", here)
    there = laptop.ask("go on", laptop.there)
    assert _share_read_again(first, there) > 0.9
    assert [each for each in there.notes if each.startswith("ATTIC has another model file")]


def test_who_was_removed_is_asked_for_nothing(laptop: Laptop, model: Path) -> None:
    here = laptop.load(model)
    laptop.ask(f"A third one: {_LONG}", here)
    laptop.ask("go on", laptop.there)
    laptop.servers.remove(laptop.there.server)
    assert laptop.ask("go on", here).notes == ()


def test_what_is_slower_is_read_and_said(tmp_path: Path, attic: ServerAddress, model: Path, qtbot: QtBot) -> None:
    slow = Laptop(tmp_path, attic, qtbot, link=1.0)
    here = slow.load(model)
    slow.ask(_LONG, here)
    there = slow.ask("go on", slow.there)
    slow.servers.close()
    shut_down(slow.engine, qtbot)
    (note,) = there.notes
    assert "tokens again was quicker than moving" in note


def _put(address: ServerAddress, path: Path, session: str) -> tuple[int, bytes]:
    asked = Outgoing("PUT", address.url(STATE), headers={"X-Session-ID": session} if session else {}, file=path)
    with Exchange(address, "", asked, Patience(), StopSignal()) as exchange:
        return exchange.head().status, exchange.body(10_000)


def test_an_altered_state_is_refused_in_a_sentence(laptop: Laptop, attic: ServerAddress, model: Path) -> None:
    here = laptop.load(model)
    laptop.ask(_LONG, here)
    path = laptop.home / "s.hearthstate"
    done: list[object] = []
    laptop.engine.ask(lambda session, _: session.save_state(path, {}, "7"), done.append)
    laptop.qtbot.waitUntil(lambda: bool(done), timeout=WAIT)
    whole = path.read_bytes()
    for place in (10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        status, told = _put(attic, path, "x")
        assert status == 400
        assert b"is damaged" in told
    path.write_bytes(whole[: len(whole) // 2])
    assert _put(attic, path, "x")[0] == 400
    path.write_bytes(whole)
    assert _put(attic, path, "x")[0] == 200
    assert _put(attic, path, "")[0] == 400


def test_a_computer_reaches_its_own_conversations_alone(attic: ServerAddress, laptop: Laptop, model: Path) -> None:
    here = laptop.load(model)
    laptop.ask(_LONG, here)
    laptop.ask("go on", laptop.there)  # something is held there, which is not for whoever asks
    server = Server(attic, ServerKind.HEARTH)
    assert StateLink(server, "nobody's", StopSignal()).held().n_entries == 0
    with Exchange(attic, "", Outgoing("GET", attic.url(STATE)), Patience(), StopSignal()) as exchange:
        assert exchange.head().status == 400


def test_a_signed_state_that_ends_llama_cpp_is_refused_and_the_host_lives(
    certificates: tuple[Path, OwnCertificate, OwnCertificate], tmp_path: Path
) -> None:
    home, own, laptop = certificates
    model, path = tiny_models.mamba(tmp_path / "mamba.gguf"), tmp_path / "s.hearthstate"
    loading = Loading(threads=1, gpu_layers=0, ctx_size=512)
    opened = open_session(model, loading, cancel=CancelFlag())
    assert opened is not None
    with closing(opened[0]) as session:
        question = ChatRequest((Message(Role.USER, (TextPart("hello"),)),), Sampling(max_tokens=4), conversation="1")
        for _ in session.reply(question):
            pass
        two_cells_for_one(session, "1", path)
    for port in _serve(home, model):
        address = ServerAddress(f"https://127.0.0.1:{port}", Pin(own.pem, str(laptop.path)))
        status, told = _put(address, path, "x")
        assert status == 400
        assert b"makes llama.cpp crash" in told
        assert StateLink(Server(address, ServerKind.HEARTH), "x", StopSignal()).held().n_entries == 0
