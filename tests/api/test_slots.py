"""`/slots/0?action=…`, in llama-server's shapes."""

from pathlib import Path
from typing import Any

import pytest

from tests.api.test_server import FakeReplies, error, served, told


async def test_a_state_is_saved_brought_back_and_erased(tmp_path: Path) -> None:
    async with served(FakeReplies(), states=tmp_path) as client:
        saved = await told(await client.post("/slots/0?action=save", json={"filename": "talk.bin"}))
        assert saved.pop("timings").keys() == {"save_ms"}
        assert saved == {"id_slot": 0, "filename": "talk.bin", "n_saved": 40, "n_written": 5}
        assert (tmp_path / "talk.bin").read_bytes() == b"state"
        back = await told(await client.post("/slots/0?action=restore", json={"filename": "talk.bin"}))
        assert back.pop("timings").keys() == {"restore_ms"}
        assert back == {"id_slot": 0, "filename": "talk.bin", "n_restored": 40, "n_read": 5}
        missing = await error(await client.post("/slots/0?action=restore", json={"filename": "none"}), 400)
        assert (missing["message"], missing["code"]) == ("It can't be read.", "invalid_state")
        assert await told(await client.post("/slots/0?action=erase")) == {"id_slot": 0, "n_erased": 40}


@pytest.mark.parametrize("name", ["", "a/b", "../a", "..", ".hidden", "a\\b", "C:a", "a\0b", "a b", "x" * 200, 7])
@pytest.mark.parametrize("action", ["save", "restore"])
async def test_no_name_leads_out_of_the_folder(action: str, name: Any, tmp_path: Path) -> None:
    folder = tmp_path / "states"
    folder.mkdir()
    async with served(FakeReplies(), states=folder) as client:
        refused = await error(await client.post(f"/slots/0?action={action}", json={"filename": name}), 400)
        assert refused["param"] == "filename"
    assert not list(folder.iterdir())
    assert list(tmp_path.iterdir()) == [folder]


async def test_other_slots_other_actions_and_no_folder_are_refused(tmp_path: Path) -> None:
    async with served(FakeReplies(), states=tmp_path) as client:
        assert (await error(await client.post("/slots/1?action=erase"), 404))["param"] == "id_slot"
        assert (await error(await client.post("/slots/0?action=lose"), 400))["param"] == "action"
        assert (await error(await client.post("/slots/0"), 400))["param"] == "action"
    async with served(FakeReplies()) as client:
        refused = await error(await client.post("/slots/0?action=save", json={"filename": "a"}), 501)
        assert "--slot-save-path" in refused["message"]
