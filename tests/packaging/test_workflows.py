"""The workflows can't run here; what can be said of them without a runner is checked here."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from devtools.bundle_contents import MINIMUM_MACOS
from devtools.bundle_engine import FLAVOURS

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
_PINNED = re.compile(r"^[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


def workflow(path: Path) -> dict[str, Any]:
    # YAML takes `on` for a truth value.
    return {str(name): value for name, value in yaml.safe_load(path.read_text()).items()}


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in workflow(path)["jobs"].values() for step in job["steps"]]


def test_there_are_workflows() -> None:
    assert [path.name for path in WORKFLOWS] == ["checks.yml", "release.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
class TestWorkflow:
    def test_every_action_is_pinned_by_its_commit(self, path: Path) -> None:
        used = re.findall(r"uses: (.*)", path.read_text())
        assert used
        assert [each for each in used if not _PINNED.match(each)] == []

    def test_nothing_is_permitted_but_what_a_job_names(self, path: Path) -> None:
        told = workflow(path)
        assert told["permissions"] == {}
        for name, job in told["jobs"].items():
            writes = {what for what, how in job["permissions"].items() if how == "write"}
            assert not writes or name == "release", name
            assert job["timeout-minutes"] <= 120
        assert "group" in told["concurrency"]

    def test_no_checkout_keeps_the_token(self, path: Path) -> None:
        for step in steps(path):
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False

    def test_no_expression_stands_in_a_script(self, path: Path) -> None:
        assert [step["run"] for step in steps(path) if "${{" in step.get("run", "")] == []

    def test_what_it_runs_is_there(self, path: Path) -> None:
        for file in re.findall(r"packaging/[\w/.-]+", path.read_text()):
            if "*" not in file and not file.endswith("/"):
                assert (ROOT / file).exists(), file


def test_each_flavour_that_is_released_is_one_that_can_be_made() -> None:
    jobs = workflow(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    bundles = jobs["bundle"]["strategy"]["matrix"]["include"]
    assert len({each["system"] for each in bundles}) == len(bundles) == 5
    for each in bundles:
        match each["options"].split():
            case ["--flavour", flavour]:
                assert flavour in FLAVOURS
                assert each["flavour"] == flavour, "what the file names and the certificates' step go by"
            case options:
                assert "flavour" not in each
                assert options in ([], ["--folder-only"])


def test_runners_are_those_that_are_still_there() -> None:
    """GitHub took macos-14 away in November 2026; nothing that moves by itself, as macos-latest does."""
    told = re.findall(r"runner: (.*)|runs-on: ([a-z].*)", "".join(path.read_text() for path in WORKFLOWS))
    runners = {first or second for first, second in told}
    assert runners == {"ubuntu-22.04", "windows-2022", "macos-15"}
    assert float(MINIMUM_MACOS) <= 15, "what is built there must run there"


def test_a_release_offers_the_source_of_qt_as_its_notice_promises() -> None:
    notice = (ROOT / "resources" / "licences" / "Qt.txt").read_text(encoding="utf-8")
    promised = re.findall(r"https://download\.qt\.io/\S+", notice)
    *_, published = workflow(ROOT / ".github" / "workflows" / "release.yml")["jobs"]["release"]["steps"]
    assert len(promised) == 2
    assert [each for each in promised if each not in published["env"]["NOTES"]] == []
    assert '--notes "$NOTES"' in published["run"]


def test_keys_for_signing_are_given_to_tags_alone() -> None:
    for name, job in workflow(ROOT / ".github" / "workflows" / "release.yml")["jobs"].items():
        has_secrets = "secrets." in str(job)
        assert has_secrets is (name == "bundle"), name
        if has_secrets:
            assert job["environment"] == "${{ github.ref_type == 'tag' && 'signing' || 'unsigned' }}"


def test_all_packed_forms_are_uploaded() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    packed = ("hearth-1-linux-x86_64.tar.gz", "hearth_1_amd64.deb", "hearth-1-macos-arm64.dmg", "hearth-1-windows.zip",
              "hearth-1-windows-setup.exe", "hearth-1+vulkan-linux-x86_64.tar.gz")  # fmt: skip
    patterns = re.findall(r"^ +dist/(\S+)$", text, re.MULTILINE)
    assert [name for name in packed if not any(Path(name).match(pattern) for pattern in patterns)] == []
    assert "--draft" in text
