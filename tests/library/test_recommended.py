"""The short list of good models."""

import json
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.resources import RESOURCES
from app.library.recommended import MachineSize, read_short_list, update_short_list

SHIPPED = RESOURCES / "models.json"


def newer(name: str, date: str = "2030-01-01") -> bytes:
    told = json.loads(SHIPPED.read_bytes())
    told["date"] = date
    told["models"] = [{**told["models"][0], "name": name}]
    return json.dumps(told).encode()


def test_the_list_that_ships_has_something_for_every_machine() -> None:
    found = read_short_list([SHIPPED])
    assert {each.machine for each in found} == set(MachineSize)
    assert len({each.repo for each in found}) == len(found)
    for machine, largest in ((MachineSize.SMALL, 4e9), (MachineSize.MIDDLE, 13e9)):
        assert all(each.size <= largest for each in found if each.machine is machine)
    assert any("pictures" in each.good_for for each in found if each.machine is MachineSize.SMALL)


def test_the_newest_list_counts(tmp_path: Path) -> None:
    update_short_list(tmp_path / "new.json", newer("New"))
    (tmp_path / "old.json").write_bytes(newer("Old", "2001-01-01"))
    found = read_short_list([SHIPPED, tmp_path / "new.json", tmp_path / "old.json", tmp_path / "none.json"])
    assert [each.name for each in found] == ["New"]


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b'{"format": 2}', newer("x").replace(b"Qwen/", b"../../"), newer("x").replace(b"small", b"s")],
)
def test_what_is_no_list_changes_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "list.json"
    update_short_list(path, newer("Kept"))
    with pytest.raises(UserError, match="the old one stays"):
        update_short_list(path, data)
    assert [each.name for each in read_short_list([path])] == ["Kept"]
    path.write_bytes(data)
    assert read_short_list([SHIPPED, path]) == read_short_list([SHIPPED])
