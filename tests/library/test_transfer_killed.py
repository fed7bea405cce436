"""The end of the process costs little of what came."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hearth_process import REPOSITORY
from tests.library.hub_fixtures import SMALL_BLOCK
from tests.library.hub_server import FakeHub, Fault
from tests.library.test_transfer import is_whole, transfer

_CHILD = """
import sys
from pathlib import Path
import app.library.part_file as part_file
url, size, sha256, target, sync = sys.argv[1:]
part_file.SYNC = int(sync)
from app.library.transfer import RemoteFile, Transfer
from app.library.retry_policy import RetryPolicy
remote, policy = RemoteFile(url, int(size), sha256), RetryPolicy(spare=0)
Transfer(remote, Path(target), name="x", policy=policy, report=lambda done: print(done, flush=True)).run()
"""


@pytest.mark.parametrize("there", [3 * SMALL_BLOCK + 777, 500])
def test_a_process_that_is_killed_loses_nothing_that_the_disk_surely_has(
    hub: FakeHub, tmp_path: Path, there: int
) -> None:
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
    kept = there // SMALL_BLOCK * SMALL_BLOCK
    assert seen[0] == kept
    assert hub.requests[0][1].startswith(f"bytes={kept}-")
