from pathlib import Path

from app.core.paths import Paths


def test_everything_lies_below_its_folder() -> None:
    paths = Paths(data=Path("data"), config=Path("config"), logs_folder=Path("logs"))
    data = [paths.database, paths.attachments, paths.snapshots, paths.models, paths.trusted_models]
    assert {each.parent for each in data} == {Path("data")}
    assert len(set(data)) == len(data)
    assert paths.settings == Path("config/settings.toml")
    assert paths.logs == Path("logs")
    assert paths.crash_report == Path("logs/crash.txt")
