"""A code makes two Hearths sure of each other's certificates, and nobody else."""

import json
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.files import create_atomic
from app.remote.pairing import certificate, lines
from app.remote.pairing import host as pairing_host
from app.remote.pairing.certificate import OwnCertificate, fingerprint_of, is_certificate, unverified
from app.remote.pairing.guest import pair
from app.remote.pairing.handshake import Guest, Host, Sides, WrongCodeError, new_code, plain_code
from app.remote.pairing.host import PairingHost, serve_one
from app.remote.pairing.lines import Lines, TalkError, data
from app.remote.pairing.peers import Peer, PeerFile
from tests.waits import WAIT


class Waiting:
    """A host that waits in a thread."""

    def __init__(self, own: OwnCertificate, lifetime: float = 60.0, host: str = "127.0.0.1") -> None:
        self.host = PairingHost(own, "ATTIC", 4711, host, lifetime)
        self.heard: list[Peer | UserError | None] = []
        self.thread = serve_one(self.host, self.heard.append)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.host.port}"

    def end(self) -> Peer | UserError | None:
        self.thread.join(WAIT / 1000)
        (found,) = self.heard
        return found

    def close(self) -> None:
        self.host.stop()
        self.thread.join(WAIT / 1000)


@pytest.fixture
def attic(tmp_path: Path) -> OwnCertificate:
    return OwnCertificate.at(tmp_path / "attic.pem")


@pytest.fixture
def laptop(tmp_path: Path) -> OwnCertificate:
    return OwnCertificate.at(tmp_path / "laptop.pem")


@pytest.fixture
def waiting(attic: OwnCertificate) -> Iterator[Waiting]:
    with closing(Waiting(attic)) as made:
        yield made


def other_than(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06d}"


def test_both_know_the_other_ones_certificate(waiting: Waiting, attic: OwnCertificate, laptop: OwnCertificate) -> None:
    code = waiting.host.code
    found = pair(laptop, "LAPTOP", waiting.address, f"{code[:3]} {code[3:]}")
    peer = waiting.end()
    assert isinstance(peer, Peer)
    assert (peer.name, peer.fingerprint) == ("LAPTOP", laptop.fingerprint)
    assert (found.name, found.address.base) == ("ATTIC", "https://127.0.0.1:4711")
    assert found.address.pin is not None
    assert fingerprint_of(found.address.pin.certificate) == attic.fingerprint


def test_names_can_stand_in_a_window(waiting: Waiting, laptop: OwnCertificate) -> None:
    pair(laptop, "LAP\x1b[31m\nTOP\u202e" + "x" * 200, waiting.address, waiting.host.code)
    peer = waiting.end()
    assert isinstance(peer, Peer)
    assert peer.name.startswith("LAP[31mTOPxxx") and len(peer.name) == 60


def test_a_wrong_code_is_the_only_guess(waiting: Waiting, laptop: OwnCertificate) -> None:
    with pytest.raises(UserError, match=r"The code is not the one that 127\.0\.0\.1 shows"):
        pair(laptop, "LAPTOP", waiting.address, other_than(waiting.host.code))
    error = waiting.end()
    assert isinstance(error, UserError)
    assert error.sentence.startswith("Somebody tried another code")
    with pytest.raises(UserError, match="can't be reached"):
        pair(laptop, "LAPTOP", waiting.address, waiting.host.code)


def test_what_is_no_hearth_costs_no_guess(waiting: Waiting, laptop: OwnCertificate) -> None:
    address = ("127.0.0.1", waiting.host.port)
    for said in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01" + b"\0" * 100):
        with socket.create_connection(address) as connection:
            connection.sendall(said)
    for line in (b"[]\n", b"{}\n", b'{"certificate": "x", "name": "y", "start": "eg=="}\n', b"x" * 9000):
        with socket.create_connection(address) as plain, unverified().wrap_socket(plain) as encrypted:
            encrypted.sendall(line)
    for pem, name in ((laptop.pem, "\ud800"), (f"text before{laptop.pem}", "x")):
        with socket.create_connection(address) as plain, unverified().wrap_socket(plain) as encrypted:
            start = b64encode(Guest("000000").start).decode()
            asked = json.dumps({"certificate": pem, "name": name, "start": start})
            encrypted.sendall(asked.encode() + b'\n{"proof": "eg=="}\n')
            while encrypted.recv(1000):
                pass
    assert pair(laptop, "LAPTOP", waiting.address, waiting.host.code).name == "ATTIC"


def test_a_talk_that_goes_on_ends_with_the_code(waiting: Waiting) -> None:
    with (
        socket.create_connection(("127.0.0.1", waiting.host.port)) as plain,
        unverified().wrap_socket(plain) as encrypted,
    ):
        assert encrypted.version()
        waiting.host.stop()
        waiting.thread.join(lines.SECONDS / 2)
        assert waiting.heard == [None]


def test_who_stands_between_gets_one_guess_and_no_certificate(
    attic: OwnCertificate, laptop: OwnCertificate, tmp_path: Path
) -> None:
    """He shows both sides a certificate of his own, and hands on all else."""
    thief = OwnCertificate.at(tmp_path / "thief.pem")
    with closing(Waiting(attic)) as waiting, socket.create_server(("127.0.0.1", 0)) as between:

        def hand_on() -> None:
            plain, _ = between.accept()
            there = socket.create_connection(("127.0.0.1", waiting.host.port))
            with (
                thief.shown_to_all().wrap_socket(plain, server_side=True) as guest,
                unverified().wrap_socket(there) as host,
            ):
                from_guest, from_host = Lines(guest), Lines(host)
                asked = from_guest.hear()
                from_host.say(certificate=thief.pem, name=str(asked["name"]), start=data(asked, "start"))
                from_guest.say(start=data(from_host.hear(), "start"))
                from_host.say(proof=data(from_guest.hear(), "proof"))
                from_guest.say(**{name: str(value) for name, value in from_host.hear().items()})

        threading.Thread(target=hand_on, daemon=True).start()
        with pytest.raises(UserError, match="somebody stands between"):
            pair(laptop, "LAPTOP", f"127.0.0.1:{between.getsockname()[1]}", waiting.host.code)
        assert isinstance(waiting.end(), UserError)


def test_a_host_that_does_not_know_the_code_is_not_trusted(laptop: OwnCertificate, attic: OwnCertificate) -> None:
    with closing(Waiting(attic)) as waiting, pytest.raises(UserError, match="The code is not the one"):
        pair(laptop, "LAPTOP", waiting.address, other_than(waiting.host.code))
    sides = Sides("guest", "host")
    guest = Guest("123456")
    guest.confirm(Host("654321").start, sides, "LAPTOP")
    with pytest.raises(WrongCodeError):
        guest.check(b"\0" * 32, sides, "told")


@pytest.mark.parametrize("changed", ["guest", "host", "name", "told"])
def test_all_that_is_told_is_covered_by_the_proofs(changed: str) -> None:
    seen = Sides("a", "b")
    guest, host = Guest("123456"), Host("123456")
    proof = guest.confirm(host.start, seen, "LAPTOP")
    theirs = Sides("x" if changed == "guest" else "a", "x" if changed == "host" else "b")
    if changed == "told":
        answer = host.confirm(guest.start, proof, seen, "LAPTOP", "told")
        with pytest.raises(WrongCodeError):
            guest.check(answer, seen, "other")
    else:
        with pytest.raises(WrongCodeError):
            host.confirm(guest.start, proof, theirs, "x" if changed == "name" else "LAPTOP", "told")


@pytest.mark.parametrize("start", [b"", b"A", b"B" * 33, b"\0" * 32, b"B" + b"\xff" * 32, b"A" + b"\1" * 40])
def test_a_damaged_start_is_a_wrong_code(start: bytes) -> None:
    with pytest.raises(WrongCodeError):
        Guest("123456").confirm(start, Sides("a", "b"), "")
    with pytest.raises(WrongCodeError):
        Host("123456").confirm(start, b"", Sides("a", "b"), "", "")


def test_a_code_grows_old_and_can_be_taken_back(attic: OwnCertificate) -> None:
    old = Waiting(attic, lifetime=0.0)
    error = old.end()
    assert isinstance(error, UserError)
    assert error.sentence == "The code is too old now. Make a new one."
    stopped = Waiting(attic)
    stopped.close()
    assert stopped.end() is None


def test_slow_strangers_and_noise_hold_up_nobody(waiting: Waiting, laptop: OwnCertificate) -> None:
    """They say nothing, or half of something, for as long as they are let."""
    with ExitStack() as open_ones:
        for number in range(30):
            plain = open_ones.enter_context(socket.create_connection(("127.0.0.1", waiting.host.port)))
            if number % 3 == 1:
                plain.sendall(b"\x16\x03\x01")
            elif number % 3 == 2:
                plain.close()
        began = time.monotonic()
        assert pair(laptop, "LAPTOP", waiting.address, waiting.host.code).name == "ATTIC"
        assert time.monotonic() - began < 5 * pairing_host.FIRST, "none of them was waited for"
    assert isinstance(waiting.end(), Peer)


def test_of_many_from_one_address_the_oldest_goes(waiting: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before its time is up."""
    monkeypatch.setattr(pairing_host, "FIRST", 10 * WAIT / 1000)
    monkeypatch.setattr(lines, "SECONDS", 10 * WAIT / 1000)
    monkeypatch.setattr(lines.Lines._limit, "__defaults__", (10 * WAIT / 1000,))
    with ExitStack() as open_ones:
        strangers = []
        for _ in range(6):
            plain = open_ones.enter_context(socket.create_connection(("127.0.0.1", waiting.host.port)))
            strangers.append(open_ones.enter_context(unverified().wrap_socket(plain)))
        for each in strangers[:2]:
            each.settimeout(WAIT / 1000)
            assert each.recv(1) == b"", "cut, also where it speaks TLS"


def test_two_at_once_have_one_guess(waiting: Waiting, laptop: OwnCertificate, tmp_path: Path) -> None:
    address = ("127.0.0.1", waiting.host.port)
    with socket.create_connection(address) as plain, unverified().wrap_socket(plain) as encrypted:
        first = Lines(encrypted)
        guest = Guest(waiting.host.code)
        first.say(certificate=laptop.pem, name="LAPTOP", start=guest.start)
        start = data(first.hear(), "start")
        other = OwnCertificate.at(tmp_path / "other.pem")
        with pytest.raises(UserError, match="The code is not the one"):
            pair(other, "OTHER", waiting.address, other_than(waiting.host.code))
        assert isinstance(waiting.end(), UserError)
        with pytest.raises((OSError, TalkError)):
            first.say(proof=guest.confirm(start, Sides(laptop.fingerprint, fingerprint_of(first.seen)), "LAPTOP"))
            first.hear()


def test_it_is_reached_by_ipv6_too(attic: OwnCertificate, laptop: OwnCertificate) -> None:
    if not socket.has_dualstack_ipv6():
        pytest.skip("This machine has no IPv6.")
    waiting = Waiting(attic, host="")
    with closing(waiting):
        found = pair(laptop, "LAPTOP", f"[::1]:{waiting.host.port}", waiting.host.code)
    assert found.address.base == "https://[::1]:4711"


def test_two_first_starts_make_one_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, path, quicker = certificate._made, tmp_path / "own.pem", list[OwnCertificate]()

    def slow() -> bytes:
        if not path.exists():
            monkeypatch.setattr(certificate, "_made", made)
            quicker.append(OwnCertificate.at(path))
        return made()

    monkeypatch.setattr(certificate, "_made", slow)
    assert [OwnCertificate.at(path)] == quicker
    assert [each.name for each in tmp_path.iterdir()] == ["own.pem"]
    first = path.read_bytes()
    create_atomic(path, b"another")
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("address", "code", "told"),
    [
        ("192.168.1.5", "123456", "Enter the address with its port"),
        ("192.168.1.5:0", "123456", "Enter the address with its port"),
        ("127.0.0.1:9", "12345", "The code has 6 digits"),
        ("127.0.0.1:9", "12345x", "The code has 6 digits"),
    ],
)
def test_what_is_typed_wrong_is_said(laptop: OwnCertificate, address: str, code: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        pair(laptop, "LAPTOP", address, code)


def test_codes_and_certificates(tmp_path: Path) -> None:
    assert plain_code(" 123-456 ") == "123456"
    assert len(new_code()) == 6
    own = OwnCertificate.at(tmp_path / "own.pem")
    assert OwnCertificate.at(tmp_path / "own.pem") == own
    assert (tmp_path / "own.pem").stat().st_mode & 0o077 == 0
    assert is_certificate(own.pem)
    for wrong in ("", "x", own.pem + own.pem, own.pem.replace("M", "N", 3)):
        assert not is_certificate(wrong)


def test_peers_are_kept_and_taken_away(tmp_path: Path, laptop: OwnCertificate, attic: OwnCertificate) -> None:
    file = PeerFile(tmp_path / "peers.json")
    file.add(Peer(laptop.pem, "LAPTOP", 1.0))
    file.add(Peer(attic.pem, "ATTIC", 2.0))
    file.add(Peer(laptop.pem, "OTHER NAME", 3.0))
    assert [each.name for each in file.read()] == ["ATTIC", "OTHER NAME"]
    file.remove(attic.fingerprint)
    assert [each.name for each in PeerFile(tmp_path / "peers.json").read()] == ["OTHER NAME"]
    (tmp_path / "peers.json").write_text(json.dumps([{"certificate": "x", "name": "y", "since": 1}]))
    assert file.read() == ()
    rows = [{"certificate": laptop.pem, "name": "LAPTOP", "since": 1}, None, {"certificate": "x"}]
    (tmp_path / "peers.json").write_text(json.dumps(rows))
    file.add(Peer(attic.pem, "ATTIC", 2.0))
    assert [each.name for each in file.read()] == ["LAPTOP", "ATTIC"]


def test_the_talk_is_bounded() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"x" * 10_000)
        with pytest.raises(TalkError):
            Lines(ours).hear()  # type: ignore[arg-type] # what it is said over does not matter
