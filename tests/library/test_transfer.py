"""Downloads that break in every way: they end with the right file, or go on from where they were."""

import errno
import hashlib
import json
import os
import random
import socket
import ssl
import threading
import time
from collections import namedtuple
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.library.hub_errors import BusyError, GatedError, OfflineError
from app.library.retry_policy import RetryPolicy
from app.library.transfer import PausedError, RemoteFile, Transfer
from tests.library.hub_fixtures import SMALL_BLOCK
from tests.library.hub_server import FakeHub, Fault

DATA = random.Random(5).randbytes(10 * SMALL_BLOCK + 777)
QUICK = RetryPolicy(first_wait=0.001, tries=4, endurance=0.0, patience=5.0, spare=0)


_ENDLESS = (
    json.dumps({"size": len(DATA), "sha256": hashlib.sha256(DATA).hexdigest(), "url": "", "etag": "", "there": [0]})
    .replace("[0]", "1e999")
    .encode()
)
"""A number that has become too large for one."""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "models" / "a.gguf"


def transfer(hub: FakeHub, target: Path, data: bytes = DATA, sha256: str | None = None, **more: object) -> Transfer:
    hub.add("org/repo", "a.gguf", data)
    hashed = hashlib.sha256(data).hexdigest() if sha256 is None else sha256
    remote = RemoteFile(hub.file_url("org/repo", "a.gguf"), len(data), hashed)
    return Transfer(remote, target, name="org/repo", **{"policy": QUICK, **more})  # type: ignore[arg-type]


def is_whole(target: Path) -> bool:
    """The file is right, and nothing is left beside it."""
    return target.read_bytes() == DATA and [each.name for each in target.parent.iterdir()] == [target.name]


def arrives(hub: FakeHub, target: Path, **more: object) -> None:
    transfer(hub, target, **more).run()  # type: ignore[arg-type]  # each test names its own
    assert is_whole(target)


def test_a_file_arrives_with_progress(hub: FakeHub, target: Path) -> None:
    told: list[int] = []
    arrives(hub, target, report=told.append)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, len(DATA))


def test_an_empty_file_arrives(hub: FakeHub, target: Path) -> None:
    transfer(hub, target, b"").run()
    assert target.read_bytes() == b""


def test_redirects_are_followed_without_the_token(hub: FakeHub, target: Path) -> None:
    hub.redirects = True
    arrives(hub, target)
    assert all(path.startswith("/cdn/") for path, _ in hub.requests)


def test_a_hundred_downloads_that_break_anywhere_all_arrive(hub: FakeHub, tmp_path: Path) -> None:
    dice = random.Random(23)

    def fault() -> Fault | None:
        match dice.randrange(6):
            case 0:
                return Fault(status=dice.choice((500, 502, 503, 429)), retry_after="0")
            case 1:
                return Fault(no_ranges=True, break_after=dice.randrange(len(DATA)))
            case 2 | 3:
                return Fault(break_after=dice.randrange(len(DATA)))
        return None

    hub.fault = fault
    n_states = 0
    for number in range(100):
        target = tmp_path / str(number) / "a.gguf"
        for _ in range(50):
            # Each try is a new run of the program; now and then the user pauses, or the disk loses a byte.
            one = transfer(hub, target)
            if dice.random() < 0.2:
                one._report = lambda done, one=one: one.stop.set() if done > len(DATA) // 2 else None  # type: ignore[misc]
            try:
                one.run()
                break
            except (PausedError, UserError) as error:
                n_states += 1
                assert not isinstance(error, UserError) or isinstance(error, OfflineError | BusyError)
                part = target.with_name("a.gguf.part")
                if dice.random() < 0.2 and part.exists():
                    with part.open("r+b") as file:
                        file.seek(dice.randrange(part.stat().st_size + 1))
                        file.write(b"?")
        assert is_whole(target)
    assert n_states > 10, "the faults did happen"


def test_a_broken_connection_costs_nothing_that_arrived(hub: FakeHub, target: Path) -> None:
    hub.faults.append(Fault(break_after=5 * SMALL_BLOCK + 100))
    arrives(hub, target)
    assert hub.requests[1][1].startswith(f"bytes={5 * SMALL_BLOCK + 100}-")
    assert hub.sent <= len(DATA)


def test_a_link_that_never_lasts_for_a_block_gets_there(hub: FakeHub, target: Path) -> None:
    hub.fault = lambda: Fault(break_after=SMALL_BLOCK * 2 // 3)
    arrives(hub, target)


def test_a_link_that_gives_a_byte_now_and_then_is_given_up(hub: FakeHub, target: Path) -> None:
    hub.fault = lambda: Fault(break_after=1)
    with pytest.raises(OfflineError):
        transfer(hub, target).run()
    assert len(hub.requests) == QUICK.tries


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([Fault(corrupt_at=1234)], id="it arrives wrong"),
        pytest.param(
            [Fault(corrupt_at=9), Fault(break_after=SMALL_BLOCK + 7), Fault(break_after=99)],
            id="it arrives wrong, and breaks off the next time",
        ),
        *([Fault(status=status)] * 2 for status in (500, 502, 503, 504, 429, 408)),
    ],
)
def test_troubles_are_waited_out(hub: FakeHub, target: Path, faults: list[Fault]) -> None:
    hub.faults.extend(faults)
    arrives(hub, target)


def test_nothing_is_noted_while_a_file_comes(hub: FakeHub, target: Path) -> None:
    """A watched folder would notice each time."""
    notes: set[int] = set()
    note = target.with_name("a.gguf.part.json")
    # Written anew it is another file each time.
    arrives(hub, target, report=lambda _: notes.add(note.stat().st_ino))
    assert len(notes) == 1


def test_what_is_there_is_read_with_progress_and_a_pause_is_heard(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes minutes where the file is large; what is there stays."""
    monkeypatch.setattr("app.library.part_file._READ", SMALL_BLOCK)
    hub.faults.extend([Fault(break_after=5 * SMALL_BLOCK), Fault(status=403)])
    with pytest.raises(GatedError):
        transfer(hub, target).run()
    hub.requests.clear()
    one = transfer(hub, target)
    told: list[int] = []

    def check(checked: int) -> None:
        told.append(checked)
        one.stop.set()

    one._check = check
    with pytest.raises(PausedError):
        one.run()
    assert (told, hub.requests) == ([SMALL_BLOCK], [])
    arrives(hub, target, check=told.append)
    assert [wanted for _, wanted in hub.requests] == [f"bytes={5 * SMALL_BLOCK}-{len(DATA) - 1}"]
    assert told[1:] == [n * SMALL_BLOCK for n in range(1, 6)]


def test_whatever_a_connection_that_was_shut_raises_is_a_pause(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python's TLS raises ValueError where a socket is shut between two looks at it."""
    import httpx2

    one = transfer(hub, target)

    def fail(_answer: object) -> None:
        one.stop.set()
        raise ValueError("Read on closed or unwrapped SSL socket.")

    monkeypatch.setattr(httpx2.Response, "iter_raw", fail)
    with pytest.raises(PausedError):
        one.run()


def test_a_halt_leaves_the_layers_of_a_connection_alone(hub: FakeHub, target: Path) -> None:
    class Layered(socket.socket):
        def shutdown(self, how: int) -> None:
            raise AssertionError("takes itself to pieces under the thread that reads")

    class Stream:
        def get_extra_info(self, _name: str) -> socket.socket:
            return here

    here, there = Layered(), socket.socket()
    with here, there, socket.create_server(("127.0.0.1", 0)) as server:
        here.connect(server.getsockname())
        other, _ = server.accept()
        one = transfer(hub, target)
        one._stream._connection = Stream()
        one.halt()
        assert other.recv(1) == b"", "it was shut all the same"
        other.close()


def test_a_file_reaches_the_disk_before_its_name_does(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bool] = []
    fsync = os.fsync

    def note(handle: int) -> None:
        synced.append(os.fstat(handle).st_size == len(DATA) and not target.exists())
        fsync(handle)

    monkeypatch.setattr("os.fsync", note)
    transfer(hub, target).run()
    assert any(synced)


def test_an_answer_that_begins_elsewhere_is_not_taken(hub: FakeHub, target: Path) -> None:
    one = transfer(hub, target, sha256="")
    hub.faults.append(Fault(shifted=SMALL_BLOCK))
    one.run()
    assert is_whole(target)
    assert len(hub.requests) == 2


@pytest.mark.parametrize("told", ["huggingface.co", "http://x:y"])
def test_an_endpoint_that_is_no_address_is_told(hub: FakeHub, target: Path, told: str) -> None:
    with pytest.raises(UserError, match="HF_ENDPOINT names no address"):
        Transfer(RemoteFile(f"{told}/a.gguf", 9), target, name="x", policy=QUICK).run()


def test_it_goes_on_after_a_restart(hub: FakeHub, target: Path) -> None:
    hub.faults.extend([Fault(break_after=3 * SMALL_BLOCK), *[Fault(status=503)] * 10])
    with pytest.raises(BusyError):
        transfer(hub, target).run()
    hub.faults.clear()
    hub.requests.clear()
    arrives(hub, target)
    assert [wanted for _, wanted in hub.requests] == [f"bytes={3 * SMALL_BLOCK}-{len(DATA) - 1}"]


def test_a_pause_keeps_what_is_there(hub: FakeHub, target: Path) -> None:
    one = transfer(hub, target)
    one._report = lambda done: one.stop.set() if done >= 4 * SMALL_BLOCK else None
    with pytest.raises(PausedError):
        one.run()
    assert not target.exists()
    assert one._part.there >= 3 * SMALL_BLOCK
    before = len(hub.requests)
    arrives(hub, target)
    asked = [asked for _, asked in hub.requests[before:]]
    # Not what the hub has sent: it may still be writing to the connection that was left.
    assert all(int(each.removeprefix("bytes=").split("-")[0]) >= 3 * SMALL_BLOCK for each in asked), asked
    assert asked


def test_a_pause_ends_a_wait(hub: FakeHub, target: Path) -> None:
    hub.faults.append(Fault(status=429, retry_after="200"))
    one: Transfer = transfer(hub, target, rest=lambda *_: one.stop.set())
    with pytest.raises(PausedError):
        one.run()


def test_servers_without_ranges_are_read_from_the_beginning(hub: FakeHub, target: Path) -> None:
    hub.fault = lambda: Fault(no_ranges=True)
    hub.faults.append(Fault(break_after=4 * SMALL_BLOCK))
    arrives(hub, target)
    assert len(hub.requests) == 2, "what was there already is passed over, and right at once"


@pytest.mark.parametrize("fault", [Fault(lie=5), Fault(lie=5, no_ranges=True), Fault(status=416)])
def test_another_size_is_told(hub: FakeHub, target: Path, fault: Fault) -> None:
    hub.faults.append(fault)
    with pytest.raises(UserError, match="another size"):
        transfer(hub, target).run()
    assert not target.exists()


def test_what_was_damaged_on_the_disk_is_fetched_anew(hub: FakeHub, target: Path) -> None:
    hub.faults.extend([Fault(break_after=3 * SMALL_BLOCK), Fault(status=403)])
    with pytest.raises(GatedError):
        transfer(hub, target).run()
    with target.with_name("a.gguf.part").open("r+b") as file:
        file.seek(SMALL_BLOCK + 9)
        file.write(b"??")
    hub.requests.clear()
    arrives(hub, target)
    assert [wanted.partition("-")[0] for _, wanted in hub.requests] == [f"bytes={3 * SMALL_BLOCK}", "bytes=0"]


def test_a_file_that_stays_wrong_is_refused(hub: FakeHub, target: Path) -> None:
    with pytest.raises(UserError, match="arrives differently"):
        transfer(hub, target, sha256="0" * 64).run()
    assert list(target.parent.iterdir()) == []
    assert len(hub.requests) == 2, "once more, and not for ever"


def test_retry_after_is_obeyed(hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.faults.append(Fault(status=429, retry_after="17"))
    one = transfer(hub, target)
    waited: list[float] = []

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        return False

    monkeypatch.setattr(one.stop, "wait", wait)
    one.run()
    assert sum(waited) == 17.0


def test_a_gated_file_without_a_token_is_told(hub: FakeHub, target: Path) -> None:
    one = transfer(hub, target)
    hub.repos["org/repo"].gated = True
    with pytest.raises(GatedError, match="wants to know who asks"):
        one.run()
    with pytest.raises(GatedError, match=r"Accept its terms at huggingface\.co/org/repo"):
        transfer(hub, target, token="hf_wrong").run()
    arrives(hub, target, token="hf_right")


def test_a_file_that_is_gone_is_told(hub: FakeHub, target: Path) -> None:
    one = transfer(hub, target)
    hub.repos.clear()
    with pytest.raises(UserError, match="is not on Hugging Face"):
        one.run()


def test_no_network_is_told(target: Path, hub: FakeHub) -> None:
    remote = RemoteFile("http://127.0.0.1:9/a.gguf", len(DATA), "0" * 64)
    with pytest.raises(OfflineError, match="can't be reached"):
        Transfer(remote, target, name="org/repo", policy=QUICK).run()


def test_too_little_room_is_told_before_anything_is_fetched(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(1, 1, len(DATA) - 1))
    with pytest.raises(UserError, match="not enough room"):
        transfer(hub, target).run()
    assert hub.requests == []


def test_a_disk_that_fills_up_is_told_and_goes_on(hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def fill(handle: int) -> None:
        if os.fstat(handle).st_size >= 4 * SMALL_BLOCK:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    with monkeypatch.context() as full, pytest.raises(UserError, match="The disk is full"):
        full.setattr("os.fsync", fill)
        transfer(hub, target).run()
    hub.requests.clear()
    arrives(hub, target)
    assert [wanted for _, wanted in hub.requests] == [f"bytes={3 * SMALL_BLOCK}-{len(DATA) - 1}"], "as far as it was"


def test_a_disk_whose_files_are_smaller_is_told_at_once(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr("app.library.part_file._LARGE", len(DATA) - 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(DATA) - 1, hard))
    try:
        with pytest.raises(UserError, match=r"This disk can't hold a file as large as a\.gguf"):
            transfer(hub, target).run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert hub.requests == []


def test_a_file_that_a_scanner_holds_gets_its_name_later(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows nothing that is open elsewhere can be renamed."""
    one, waits, replace = transfer(hub, target), list[float](), Path.replace

    def hold(path: Path, other: Path) -> Path:
        if path.name.endswith(".part") and len(waits) < 3:
            raise PermissionError(13, "used by another process")
        return replace(path, other)

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return False

    monkeypatch.setattr(Path, "replace", hold)
    monkeypatch.setattr(one.stop, "wait", wait)
    one.run()
    assert is_whole(target)
    assert waits == sorted(waits)


def test_a_folder_that_may_not_be_written_is_told(hub: FakeHub, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="can't be written"):
        transfer(hub, tmp_path / "file" / "a.gguf").run()


@pytest.mark.parametrize("left", [b"", b"{", b'{"size": 3}', b"[]", b'{"blocks": []}', _ENDLESS])
def test_a_damaged_state_begins_anew(hub: FakeHub, target: Path, left: bytes) -> None:
    target.parent.mkdir()
    target.with_name("a.gguf.part").write_bytes(b"?" * len(DATA))
    target.with_name("a.gguf.part.json").write_bytes(left)
    arrives(hub, target)
    assert [wanted for _, wanted in hub.requests] == [f"bytes=0-{len(DATA) - 1}"]


def test_what_belongs_to_another_version_begins_anew(hub: FakeHub, target: Path) -> None:
    hub.faults.extend([Fault(break_after=3 * SMALL_BLOCK), *[Fault(status=503)] * 10])
    with pytest.raises(BusyError):
        transfer(hub, target, bytes(reversed(DATA))).run()
    hub.faults.clear()
    hub.requests.clear()
    arrives(hub, target)
    assert [wanted for _, wanted in hub.requests] == [f"bytes=0-{len(DATA) - 1}"]


def test_a_proxy_is_used(hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import close_session

    monkeypatch.setenv("HTTP_PROXY", hub.url)
    close_session()
    hub.add("org/repo", "a.gguf", DATA)
    url = hub.file_url("org/repo", "a.gguf").replace(hub.url, "http://hub.invalid")
    Transfer(RemoteFile(url, len(DATA), hashlib.sha256(DATA).hexdigest()), target, name="x", policy=QUICK).run()
    assert is_whole(target)


def test_offline_mode_is_told_as_such(hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(OfflineError, match="can't be reached"):
        transfer(hub, target).run()


def test_the_token_stays_with_the_hub(hub: FakeHub, target: Path) -> None:
    """What the hub sends on to is another server."""
    hub.redirects, hub.elsewhere = True, hub.url.replace("127.0.0.1", "localhost")
    arrives(hub, target, token="hf_right")
    assert hub.tokens == {"127.0.0.1"}


SLOW = RetryPolicy(first_wait=0.001, patience=60.0, spare=0)


def halted(one: Transfer, when: threading.Event) -> bool:
    """Whether `one` pauses at once when it is halted after `when`, whatever it waits for."""
    ended: list[Exception] = []

    def run() -> None:
        try:
            one.run()
        except PausedError as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert when.wait(30)
    began = time.monotonic()
    one.halt()
    thread.join(30)
    return bool(ended) and time.monotonic() - began < 25


def test_a_network_that_gives_nothing_is_not_waited_for(hub: FakeHub, target: Path) -> None:
    there = 3 * SMALL_BLOCK + 77
    hub.faults.append(Fault(stall_after=there))
    arrived = threading.Event()
    one = transfer(hub, target, policy=SLOW, report=lambda done: arrived.set() if done >= there else None)
    assert halted(one, arrived)
    told: list[int] = []
    arrives(hub, target, report=told.append)
    assert hub.requests[-1][1].startswith(f"bytes={there}-"), "to the byte"
    assert told[0] == there


def test_a_hub_that_says_nothing_is_not_waited_for(hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.faults.append(Fault(silent=True))
    asked = threading.Event()

    class Told(list[tuple[str, str]]):
        def append(self, told: tuple[str, str]) -> None:
            asked.set()

    monkeypatch.setattr(hub, "requests", Told())
    assert halted(transfer(hub, target, policy=SLOW), asked)


def test_what_came_is_kept_over_several_runs(hub: FakeHub, target: Path) -> None:
    for there in (SMALL_BLOCK + 500, SMALL_BLOCK + 900):
        hub.faults.extend([Fault(break_after=there - (SMALL_BLOCK + 500 if hub.requests else 0)), Fault(status=403)])
        with pytest.raises(GatedError):
            transfer(hub, target).run()
    hub.requests.clear()
    arrives(hub, target)
    assert hub.requests[0][1].startswith(f"bytes={SMALL_BLOCK + 900}-")


@pytest.mark.parametrize(("fault", "is_away"), [(Fault(break_after=0), True), (Fault(status=503), False)])
def test_a_network_or_a_hub_that_comes_back_is_waited_for(
    hub: FakeHub, target: Path, fault: Fault, is_away: bool
) -> None:
    hub.faults.extend([fault] * 12)
    told: list[tuple[float, bool]] = []
    policy = RetryPolicy(first_wait=1e-6, tries=2, endurance=600.0, patience=5.0, spare=0)
    arrives(hub, target, policy=policy, rest=lambda _, wait, away: told.append((wait, away)))
    assert {away for _, away in told} == {is_away}
    assert told[-1][0] == 0, "it says when it tries again"
    assert max(wait for wait, _ in told) < 1


def test_rests_are_told_by_the_second_and_do_not_grow_for_ever(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.faults.extend([Fault(break_after=0)] * 30)
    told: list[float] = []
    one = transfer(hub, target, policy=RetryPolicy(spare=0), rest=lambda _, wait, _away: told.append(wait))
    monkeypatch.setattr(one.stop, "wait", lambda _: False)
    one.run()
    assert max(told) == 30.0
    assert {29.0, 28.0, 27.0} <= set(told)


def test_a_certificate_that_nobody_trusts_is_told(hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting would mend nothing."""
    import httpx2

    def refuse(*_: object, **__: object) -> None:
        raise httpx2.ConnectError("no") from ssl.SSLCertVerificationError("self-signed certificate")

    monkeypatch.setattr(httpx2.Client, "send", refuse)
    policy = RetryPolicy(first_wait=0.001, tries=2, patience=5.0, spare=0)
    with pytest.raises(UserError, match="does not trust the certificate"):
        transfer(hub, target, policy=policy).run()


@pytest.mark.parametrize(("journal", "there"), [("", 1), ("\n1 {0}\n2 {0} 50\n4 {0}\n2 {1}", 2)])
def test_what_an_earlier_version_left_is_gone_on_with(hub: FakeHub, target: Path, journal: str, there: int) -> None:
    """It noted blocks of a file that was as long as in the end; the last line may be torn."""
    one, note = transfer(hub, target), target.with_name("a.gguf.part.json")
    note.parent.mkdir()
    told = {
        "url": one._remote.url, "size": len(DATA), "sha256": one._remote.sha256, "block": SMALL_BLOCK,
        "blocks": {"0": "0" * 64},
    }  # fmt: skip
    note.write_text(json.dumps(told) + journal.format("0" * 64, "0" * 60))
    target.with_name("a.gguf.part").write_bytes(DATA[: there * SMALL_BLOCK].ljust(len(DATA), b"\0"))
    arrives(hub, target)
    assert [wanted for _, wanted in hub.requests] == [f"bytes={there * SMALL_BLOCK}-{len(DATA) - 1}"]
