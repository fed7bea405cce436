"""Downloads with real threads, from a small hub on loopback."""

import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import pytest
from pytestqt.qtbot import QtBot

from app.core.errors import UserError
from app.library.hub import HubChoice, repository
from app.library.hub_choice import with_projector
from app.library.retry_policy import RetryPolicy
from app.services.models.download_file import read_downloads
from app.services.models.download_states import Download, DownloadStage
from app.services.models.downloads import Downloads
from app.ui.models.hub_text import progress_line
from tests.library.hub_fixtures import SMALL_BLOCK, our_hub
from tests.library.hub_server import FakeHub, Fault
from tests.waits import WAIT

QUICK = RetryPolicy(first_wait=0.001, tries=3, endurance=0.0, patience=5.0, spare=0)
DATA = random.Random(9).randbytes(6 * SMALL_BLOCK + 5)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with our_hub(monkeypatch) as served:
        for name in ("M-Q4_0.gguf", "N-F16-00001-of-00002.gguf", "N-F16-00002-of-00002.gguf"):
            served.add("org/M", name, DATA)
        yield served


Make = Callable[[], Downloads]


@pytest.fixture
def make(tmp_path: Path, qapp: object) -> Iterator[Make]:
    """A run of the program; all of one test share the disk."""
    made: list[Downloads] = []

    def one() -> Downloads:
        made.append(Downloads(tmp_path / "downloads.json", tmp_path / "hub", policy=QUICK))
        return made[-1]

    yield one
    for each in made:
        each.close()


def choice(number: int = 0) -> HubChoice:
    return repository("org/M").choices[number]


def reached(qtbot: QtBot, downloads: Downloads, stage: DownloadStage) -> Download:
    qtbot.waitUntil(lambda: [each.stage for each in downloads.downloads] == [stage], timeout=WAIT)
    return downloads.downloads[0]


def resting(hub: FakeHub, downloads: Downloads, qtbot: QtBot, folder: Path | None = None) -> Download:
    """One that has come to its third block, and waits until the hub wants to be asked again."""
    hub.faults.extend([Fault(break_after=2 * SMALL_BLOCK), Fault(status=429, retry_after="250")])
    one = downloads.fetch(choice(), folder)
    qtbot.waitUntil(lambda: len(hub.requests) == 2, timeout=WAIT)
    return one


def most_at_once(downloads: Downloads, choices: Sequence[HubChoice], qtbot: QtBot) -> int:
    """Of those that run, while all of them are fetched."""
    running: list[int] = []
    downloads.changed.connect(
        lambda _: running.append(sum(each.stage is DownloadStage.RUNNING for each in downloads.downloads))
    )
    for each in choices:
        downloads.fetch(each)
    qtbot.waitUntil(lambda: all(each.stage is DownloadStage.DONE for each in downloads.downloads), timeout=WAIT)
    return max(running)


def test_a_model_arrives_in_the_shared_cache(hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot) -> None:
    downloads = make()
    with qtbot.waitSignal(downloads.finished, timeout=WAIT) as heard:
        downloads.fetch(choice())
    done = heard.args[0]
    assert (done.stage, done.done, done.problem) == (DownloadStage.DONE, len(DATA), "")
    assert done.path.read_bytes() == DATA
    assert done.path.is_relative_to(tmp_path / "hub" / "models--org--M" / "snapshots")
    assert read_downloads(tmp_path / "downloads.json") == []


def test_all_parts_arrive_in_a_folder(hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot) -> None:
    downloads = make()
    with qtbot.waitSignal(downloads.finished, timeout=WAIT) as heard:
        downloads.fetch(choice(1), tmp_path / "mine")
    assert heard.args[0].size == 2 * len(DATA)
    names = sorted(each.name for each in (tmp_path / "mine" / "org" / "M").iterdir())
    assert names == ["N-F16-00001-of-00002.gguf", "N-F16-00002-of-00002.gguf"]


def test_progress_is_told(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    downloads = make()
    seen: list[Download] = []
    downloads.changed.connect(seen.append)
    with qtbot.waitSignal(downloads.finished, timeout=WAIT):
        downloads.fetch(choice(1))
    assert [each.stage for each in seen][:2] == [DownloadStage.WAITING, DownloadStage.RUNNING]
    done = [each.done for each in seen]
    assert done == sorted(done)
    assert Download("", "", seen[0].files, None, done=len(DATA), speed=len(DATA)).left == 1.0
    assert seen[0].left is None


def test_a_failure_says_why_and_can_go_on(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    hub.faults.extend([Fault(break_after=3 * SMALL_BLOCK), *[Fault(status=503)] * 3])
    downloads = make()
    downloads.fetch(choice())
    failed = reached(qtbot, downloads, DownloadStage.FAILED)
    assert "a problem of its own (503)" in failed.problem
    hub.faults.clear()
    hub.requests.clear()
    downloads.resume(failed.id)
    assert reached(qtbot, downloads, DownloadStage.DONE).problem == ""
    assert hub.requests[0][1].startswith(f"bytes={3 * SMALL_BLOCK}-")


def test_a_failure_in_the_shared_cache_calls_the_file_by_its_name(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    hub.faults.append(Fault(lie=5))
    downloads = make()
    downloads.fetch(choice())
    failed = reached(qtbot, downloads, DownloadStage.FAILED)
    assert failed.problem.startswith(f"{PurePosixPath(failed.files[0].path).name} is not as"), "a blob's name is a hash"


def test_a_pause_holds_over_a_restart_and_the_rest_goes_on(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    first = make()
    one = resting(hub, first, qtbot)
    first.pause(one.id)
    assert reached(qtbot, first, DownloadStage.PAUSED).id == one.id
    first.close()
    second = make()
    second.start()
    assert reached(qtbot, second, DownloadStage.PAUSED).id == one.id
    hub.requests.clear()
    checked: list[Download] = []
    second.changed.connect(lambda each: checked.append(each) if each.checking else None)
    second.resume(one.id)
    reached(qtbot, second, DownloadStage.DONE)
    assert checked
    assert {each.speed for each in checked} == {0.0}, "of the disk, and not of the network"
    assert progress_line(checked[0]).endswith("checking")
    assert [wanted for _, wanted in hub.requests] == [f"bytes={2 * SMALL_BLOCK}-{len(DATA) - 1}"]


def test_what_ran_at_the_end_goes_on_by_itself(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    hub.faults.append(Fault(status=429, retry_after="250"))
    first = make()
    first.fetch(choice())
    qtbot.waitUntil(lambda: len(hub.requests) == 1, timeout=WAIT)
    first.close()
    second = make()
    second.start()
    path = reached(qtbot, second, DownloadStage.DONE).path
    assert path
    assert path.read_bytes() == DATA


def test_no_more_than_three_run_at_once(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    for number in range(6):
        hub.add("org/Many", f"M{number}-Q4_0.gguf", DATA + bytes([number]))
    assert most_at_once(make(), repository("org/Many").choices, qtbot) == 3


def test_the_same_choice_twice_is_one_download(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    downloads = make()
    assert downloads.fetch(choice()).id == downloads.fetch(choice()).id
    reached(qtbot, downloads, DownloadStage.DONE)


def test_what_is_there_already_is_not_fetched_again(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    first = make()
    first.fetch(choice())
    reached(qtbot, first, DownloadStage.DONE)
    hub.requests.clear()
    second = make()
    second.fetch(choice())
    reached(qtbot, second, DownloadStage.DONE)
    assert hub.requests == []


def test_another_version_of_the_same_length_takes_the_place_of_the_old(
    hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot
) -> None:
    first = make()
    first.fetch(choice(), tmp_path / "mine")
    reached(qtbot, first, DownloadStage.DONE)
    other = bytes(reversed(DATA))
    hub.add("org/M", "M-Q4_0.gguf", other)
    second = make()
    second.fetch(choice(), tmp_path / "mine")
    path = reached(qtbot, second, DownloadStage.DONE).path
    assert path
    assert path.read_bytes() == other


def test_a_network_that_is_away_is_waited_for_and_a_pause_ends_that(
    hub: FakeHub, tmp_path: Path, qapp: object, qtbot: QtBot
) -> None:
    wanted = choice()
    hub.fault = lambda: Fault(break_after=0)
    policy = RetryPolicy(first_wait=40.0, tries=1, endurance=600.0, patience=5.0, spare=0)
    downloads = Downloads(tmp_path / "downloads.json", tmp_path / "hub", policy=policy)
    one = downloads.fetch(wanted)
    qtbot.waitUntil(lambda: downloads.downloads[0].away, timeout=WAIT)
    waiting = downloads.downloads[0]
    assert (waiting.stage, waiting.speed, waiting.problem) == (DownloadStage.RUNNING, 0.0, "")
    assert waiting.wait > 20
    assert "Waiting for the network" in progress_line(waiting)
    assert "tries again in" in progress_line(waiting)
    downloads.pause(one.id)
    assert not reached(qtbot, downloads, DownloadStage.PAUSED).away
    downloads.close()


def test_removing_leaves_nothing_behind(hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot) -> None:
    downloads = make()
    one = resting(hub, downloads, qtbot, tmp_path / "mine")
    with qtbot.waitSignal(downloads.removed, timeout=WAIT):
        downloads.remove(one.id)
    assert downloads.downloads == ()
    assert [each for each in (tmp_path / "mine").rglob("*") if each.is_file()] == []


def test_what_is_removed_at_the_very_end_does_not_come_back(
    hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot
) -> None:
    downloads = make()
    one = resting(hub, downloads, qtbot, tmp_path / "mine")
    downloads.remove(one.id)
    downloads.close()
    assert read_downloads(tmp_path / "downloads.json") == []
    assert [each for each in (tmp_path / "mine").rglob("*") if each.is_file()] == []


def test_what_is_fetched_again_while_it_is_removed_arrives(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    downloads = make()
    one = resting(hub, downloads, qtbot)
    downloads.remove(one.id)
    again = downloads.fetch(choice())
    assert again.id != one.id
    assert reached(qtbot, downloads, DownloadStage.DONE).id == again.id


def test_two_names_that_are_one_on_some_disks_are_not_written_at_once(
    hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot
) -> None:
    for name in ("Größe-Q4_0.gguf", "gro\u0308ße-q4_0.GGUF"):
        hub.add("org/Names", name, DATA)
    hub.fault = lambda: Fault(status=429, retry_after="250")
    downloads = make()
    for each in repository("org/Names").choices:
        downloads.fetch(each, tmp_path / "mine")
    stages = [each.stage for each in downloads.downloads]
    assert stages == [DownloadStage.RUNNING, DownloadStage.WAITING]


def test_the_list_is_not_written_while_downloads_run(hub: FakeHub, make: Make, tmp_path: Path) -> None:
    """The window would wait for a disk that is busy with them."""
    hub.fault = lambda: Fault(status=429, retry_after="250")
    downloads = make()
    downloads.fetch(choice())
    kept = (tmp_path / "downloads.json").stat()
    downloads._look()
    assert (tmp_path / "downloads.json").stat().st_mtime_ns == kept.st_mtime_ns


@pytest.mark.parametrize("left", [b"", b"{", b'{"format": 1, "downloads": [3]}', b'{"format": 9}'])
def test_a_damaged_list_costs_the_list_only(make: Make, tmp_path: Path, left: bytes) -> None:
    (tmp_path / "downloads.json").write_bytes(left)
    downloads = make()
    downloads.start()
    assert downloads.downloads == ()


def test_two_that_share_a_file_do_not_write_it_at_once(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    hub.add("org/M", "mmproj-M.gguf", b"eyes")
    first, second, eyes = (choice(number) for number in (0, 1, 2))
    assert eyes.is_projector
    assert most_at_once(make(), [with_projector(each, eyes) for each in (first, second)], qtbot) == 1
    assert sum("mmproj" in path for path, _ in hub.requests) == 1


def test_a_part_that_another_still_needs_stays(hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot) -> None:
    hub.faults.extend([Fault(break_after=2 * SMALL_BLOCK), Fault(status=429, retry_after="250")])
    downloads = make()
    one = downloads.fetch(choice())
    other = downloads.fetch(with_projector(choice(), choice(1)))
    downloads.pause(other.id)
    qtbot.waitUntil(lambda: len(hub.requests) == 2, timeout=WAIT)
    with qtbot.waitSignal(downloads.removed, timeout=WAIT):
        downloads.remove(one.id)
    assert len(list((tmp_path / "hub").rglob("*.part"))) == 1
    downloads.remove(other.id)
    assert list((tmp_path / "hub").rglob("*.part")) == []


def test_a_kept_part_is_gone_on_with(hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot) -> None:
    downloads = make()
    one = resting(hub, downloads, qtbot)
    with qtbot.waitSignal(downloads.removed, timeout=WAIT):
        downloads.remove(one.id, keep_part=True)
    assert read_downloads(tmp_path / "downloads.json") == []
    hub.requests.clear()
    downloads.fetch(choice())
    reached(qtbot, downloads, DownloadStage.DONE)
    assert hub.requests[0][1].startswith(f"bytes={2 * SMALL_BLOCK}-")


def test_a_rest_is_told_with_what_is_there(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    hub.faults.extend([Fault(break_after=2 * SMALL_BLOCK), Fault(status=429, retry_after="250")])
    downloads = make()
    downloads.fetch(choice())
    qtbot.waitUntil(lambda: downloads.downloads[0].wait > 200, timeout=WAIT)
    assert downloads.downloads[0].done == 2 * SMALL_BLOCK
    downloads.pause(downloads.downloads[0].id)
    assert reached(qtbot, downloads, DownloadStage.PAUSED).wait == 0


def test_what_a_token_would_mend_is_known_after_a_restart(hub: FakeHub, make: Make, qtbot: QtBot) -> None:
    wanted = choice()
    hub.repos["org/M"].gated = True
    first = make()
    first.fetch(wanted)
    assert reached(qtbot, first, DownloadStage.FAILED).gated
    first.close()
    second = make()
    second.start()
    assert reached(qtbot, second, DownloadStage.FAILED).gated


def test_room_counts_all_that_is_to_come(
    hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    downloads = make()
    downloads.room_check(choice(), mine)()
    monkeypatch.setattr("app.library.disk_room._disk", lambda _: (1, 2 * len(DATA)))
    downloads.room_check(choice(), mine)()
    hub.fault = lambda: Fault(status=429, retry_after="250")
    one = downloads.fetch(choice(), mine)
    with pytest.raises(UserError, match="not enough room for N-F16"):
        downloads.room_check(choice(1), mine)()
    downloads.room_check(choice(), mine)()
    downloads.remove(one.id)
    qtbot.waitUntil(lambda: not downloads.downloads, timeout=WAIT)
    downloads.room_check(choice(1), mine)()


def test_closing_waits_for_no_keyring_and_no_name_server(hub: FakeHub, tmp_path: Path, qapp: object) -> None:
    asked, answer = threading.Event(), threading.Event()

    def token() -> str | None:
        asked.set()
        answer.wait()
        return None

    downloads = Downloads(tmp_path / "downloads.json", tmp_path / "hub", token, QUICK)
    downloads.fetch(choice())
    assert asked.wait(WAIT)
    (run,) = downloads._runs.values()
    began = time.monotonic()
    downloads.close()
    assert time.monotonic() - began < 30
    assert run.thread.is_alive()
    assert run.thread.daemon, "or the process would wait for it"
    answer.set()
    run.thread.join()
    assert [each.stage for each in read_downloads(tmp_path / "downloads.json")] == [DownloadStage.WAITING]


def test_a_name_that_the_disk_refuses_is_told(hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot) -> None:
    downloads = make()
    downloads.fetch(choice(), tmp_path / ("x" * 300))
    assert "can't be" in reached(qtbot, downloads, DownloadStage.FAILED).problem


@pytest.mark.parametrize(("what", "damage"), [("files", [{"size": "many"}]), ("done", float("inf"))])
def test_a_damaged_entry_costs_itself_only(
    hub: FakeHub, make: Make, tmp_path: Path, qtbot: QtBot, what: str, damage: object
) -> None:
    hub.fault = lambda: Fault(status=429, retry_after="250")
    first = make()
    first.fetch(choice())
    first.fetch(choice(1))
    first.close()
    path = tmp_path / "downloads.json"
    told = json.loads(path.read_bytes())
    told["downloads"][0][what] = damage
    path.write_text(json.dumps(told))
    assert [each.name for each in read_downloads(path)] == ["N-F16"]


def test_going_on_with_what_is_gone_is_nothing(make: Make) -> None:
    make().resume("gone")
