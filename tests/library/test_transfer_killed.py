"""The end of the process costs next to nothing of what came."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.library.retry_policy import RetryPolicy
from tests.hearth_process import REPOSITORY
from tests.library.hub_fixtures import SMALL_BLOCK
from tests.library.hub_server import FakeHub, Fault
from tests.library.test_transfer import is_whole, transfer

_CHILD = """
import sys
from pathlib import Path
import app.library.transfer_state as state
url, size, sha256, target, block = sys.argv[1:]
state.BLOCK = int(block)
from app.library.transfer import RemoteFile, Transfer
from app.library.retry_policy import RetryPolicy
remote, manners = RemoteFile(url, int(size), sha256), RetryPolicy(spare=0, keep_every=0.0)
Transfer(remote, Path(target), name="x", manners=manners, report=lambda done: print(done, flush=True)).run()
"""


@pytest.mark.parametrize("there", [3 * SMALL_BLOCK + 777, 500])
def test_a_process_that_is_killed_loses_nothing_that_was_noted(hub: FakeHub, tmp_path: Path, there: int) -> None:
    target = tmp_path / "a.gguf"
    remote = transfer(hub, target)._remote
    hub.faults.append(Fault(stall_after=there))
    told = [remote.url, str(remote.size), remote.sha256, str(target), str(SMALL_BLOCK)]
    with subprocess.Popen(
        [sys.executable, "-c", _CHILD, *told], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=REPOSITORY
    ) as child:
        assert child.stdout is not None
        assert any(int(line) == there for line in child.stdout), "it stalls there"
        child.kill()
    hub.requests.clear()
    seen: list[int] = []
    transfer(hub, target, report=seen.append).run()
    assert is_whole(target)
    assert seen[0] == there
    assert hub.requests[0][1].startswith(f"bytes={there}-")


def test_no_more_than_a_second_goes_by_between_two_notes() -> None:
    assert 0 < RetryPolicy().keep_every <= 1
