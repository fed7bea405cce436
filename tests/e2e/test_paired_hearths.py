"""Two Hearths on one machine, with a home each: one is paired with the other by its code, and asks its model."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.events import Finished, FinishReason, TextDelta
from app.core.messages import Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.remote.address import ServerAddress
from app.remote.engine import RemoteEngine
from app.remote.model_list import list_models
from app.remote.moving import StateLink
from app.remote.pairing.certificate import OwnCertificate, Pin
from app.remote.pairing.guest import PairedHost, pair
from app.remote.pairing.peers import PeerFile
from app.remote.recognise import recognise
from app.remote.server import ServerKind
from app.remote.stop_signal import StopSignal
from tests.endless_model import make_repeating
from tests.hearth_process import HearthProcess
from tests.serve_process import Serving, serving

PEERS = re.compile(r"Paired computers: https://[\d.]+:(\d+) \((.*)\)\n")
_PAIR = re.compile(
    r"To pair a computer, enter there the address [\d.]+:(\d+) and the code (\d{3} \d{3}) within 3 minutes\.\n"
)


class Attic:
    """The strong machine."""

    def __init__(self, running: Serving) -> None:
        self.running = running
        told = PEERS.fullmatch(self.line())
        assert told is not None
        self.port = int(told[1])
        invited = _PAIR.fullmatch(self.line())
        assert invited is not None
        self.pairing, self.code = f"127.0.0.1:{invited[1]}", invited[2]

    def line(self) -> str:
        assert self.running.process.stdout is not None
        return self.running.process.stdout.readline().decode()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attic")


@pytest.fixture(scope="module")
def attic(home: Path) -> Iterator[Attic]:
    model = make_repeating(home / "m.gguf")
    options = ("-m", model, "--peers-port", "0", "--pair", "--no-announce", "-t", "1")
    with serving(HearthProcess(home, qt=True), *options) as running:
        yield Attic(running)


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> OwnCertificate:
    return OwnCertificate.at(tmp_path_factory.mktemp("laptop") / "certificate.pem")


@pytest.fixture(scope="module")
def paired(attic: Attic, laptop: OwnCertificate) -> PairedHost:
    found = pair(laptop, "LAPTOP", attic.pairing, attic.code)
    assert attic.line() == "LAPTOP is paired, and may use this computer's model.\n"
    return found


def test_its_models_answer(paired: PairedHost) -> None:
    server = recognise(paired.address, "")
    assert server.kind is ServerKind.HEARTH
    (model,) = list_models(server)
    question = ChatRequest((Message(Role.USER, (TextPart("hello"),)),), Sampling(max_tokens=4, temperature=0.0))
    *_, last = RemoteEngine(server, model).reply(question, StopSignal())
    assert isinstance(last, Finished)
    assert last.timings.predicted_n == 4


def test_a_guests_stop_reaches_the_engine(paired: PairedHost) -> None:
    server, stop = recognise(paired.address, ""), StopSignal()
    (model,) = list_models(server)
    question = ChatRequest(
        (Message(Role.USER, (TextPart("hello"),)),), Sampling(temperature=0.0), conversation="stopped"
    )
    engine = RemoteEngine(server, model)
    answer = engine.reply(question, stop)
    while not isinstance(next(answer), TextDelta):
        pass
    stop.set()
    *_, last = answer
    assert isinstance(last, Finished)
    assert last.reason is FinishReason.CANCELLED
    link = StateLink(server, engine.session_of("stopped"), StopSignal())
    held = [link.held().n_entries for _ in range(3)]
    assert 0 < held[0] < 4000, "it would have gone on to the end of its 8,192"
    assert held == held[:1] * 3, "and it writes no more"


def test_a_stranger_is_not_let_in(paired: PairedHost, tmp_path: Path) -> None:
    assert paired.address.pin is not None
    stranger = OwnCertificate.at(tmp_path / "stranger.pem")
    address = ServerAddress(paired.address.base, Pin(paired.address.pin.certificate, str(stranger.path)))
    with pytest.raises(UserError, match="does not know this computer any more"):
        recognise(address, "")


def test_another_certificate_is_refused(paired: PairedHost, laptop: OwnCertificate, tmp_path: Path) -> None:
    other = OwnCertificate.at(tmp_path / "other.pem")
    address = ServerAddress(paired.address.base, Pin(other.pem, str(laptop.path)))
    with pytest.raises(UserError, match="shows another certificate than the one that it was paired with"):
        recognise(address, "")


def test_what_is_not_encrypted_gets_nothing(paired: PairedHost) -> None:
    with pytest.raises(UserError):
        recognise(ServerAddress(paired.address.base.replace("https", "http")), "")
    with pytest.raises(UserError, match="does not trust the certificate"):
        recognise(ServerAddress(paired.address.base), "")


def test_it_is_known_after_a_restart_and_not_when_it_is_revoked(
    attic: Attic, paired: PairedHost, home: Path, laptop: OwnCertificate
) -> None:
    attic.running.stop()
    model = home / "m.gguf"
    (peers,) = home.rglob("peers.json")
    for known in (True, False):
        with serving(HearthProcess(home, qt=True), "-m", model, "--peers-port", "0", "-t", "1") as running:
            assert running.process.stdout is not None
            told = PEERS.fullmatch(running.process.stdout.readline().decode())
            assert told is not None
            assert told[2] == ("LAPTOP" if known else "none yet")
            address = ServerAddress(f"https://127.0.0.1:{told[1]}", paired.address.pin)
            if known:
                assert recognise(address, "").kind is ServerKind.HEARTH
                # The list is changed by another Hearth of that home: who is removed is out at once.
                PeerFile(peers).remove(laptop.fingerprint)
                with pytest.raises(UserError, match="does not know this computer any more"):
                    recognise(address, "")
            else:
                with pytest.raises(UserError, match="does not know this computer any more"):
                    recognise(address, "")
