"""Search, repositories and cards, asked of a small hub on loopback."""

import hashlib
import logging
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import NoKeyringError, PasswordDeleteError

from app.core.errors import UserError
from app.library.hub import Sort, Wanted, card, repository, search
from app.library.hub_errors import BusyError, GatedError, OfflineError
from app.library.hub_layout import HubFile, finish, land_in_cache, land_in_folder
from app.library.hub_token import HubToken
from tests.library.hub_server import FakeHub


def test_models_are_found_with_what_is_known_of_them(hub: FakeHub) -> None:
    tags = ["gguf", "license:mit"]
    gguf = {"total": 4_000_000_000, "context_length": 32768, "architecture": "qwen3"}
    hub.add(
        "org/Small-4B-GGUF", "a.gguf", b"x", likes=7, downloads=9, tags=tags, gguf=gguf, pipeline_tag="text-generation"
    )
    hub.add("org/Other-GGUF", "a.gguf", b"x")
    (model,) = search(Wanted("small"))
    assert (model.repo, model.likes, model.downloads, model.licence) == ("org/Small-4B-GGUF", 7, 9, "mit")
    assert (model.n_params, model.n_ctx, model.architecture) == (4_000_000_000, 32768, "qwen3")
    assert model.updated.startswith("2025-06-01")


def test_search_filters(hub: FakeHub) -> None:
    for number, licence in ((1, "mit"), (8, "mit"), (70, "apache-2.0")):
        hub.add(
            f"org/M-{number}B", "a.gguf", b"x", likes=number, downloads=100 - number,
            tags=["gguf", f"license:{licence}"], gguf={"total": number * 10**9},
        )  # fmt: skip

    def names(wanted: Wanted) -> list[str]:
        return [model.repo for model in search(wanted)]

    assert names(Wanted(licence="mit")) == ["org/M-1B", "org/M-8B"] or names(Wanted(licence="mit")) == [
        "org/M-8B", "org/M-1B",
    ]  # fmt: skip
    assert names(Wanted(smallest=2 * 10**9, largest=10 * 10**9)) == ["org/M-8B"]
    assert names(Wanted(fewest_likes=50)) == ["org/M-70B"]
    assert names(Wanted(sort=Sort.LIKES))[0] == "org/M-70B"
    assert names(Wanted(sort=Sort.DOWNLOADS))[0] == "org/M-1B"
    assert len(names(Wanted(limit=2))) == 2


def test_the_files_of_a_repository_are_choices(hub: FakeHub) -> None:
    for name, size in (
        ("M-Q8_0.gguf", 80), ("M-Q4_K_M.gguf", 40), ("big/M-F16-00001-of-00002.gguf", 90),
        ("big/M-F16-00002-of-00002.gguf", 70), ("mmproj-M-F16.gguf", 10), ("README.md", 5),
    ):  # fmt: skip
        hub.add("org/M", name, bytes(size))
    repo = repository("org/M")
    assert [(each.name, each.quantisation, each.size, len(each.files)) for each in repo.choices] == [
        ("M-Q4_K_M", "Q4_K_M", 40, 1),
        ("M-Q8_0", "Q8_0", 80, 1),
        ("M-F16", "F16", 160, 2),
        ("mmproj-M-F16", "F16", 10, 1),
    ]
    assert repo.choices[-1].is_projector
    assert repo.choices[0].files[0].sha256 == hashlib.sha256(bytes(40)).hexdigest()
    assert repo.has_card


def test_the_card_comes_without_its_head(hub: FakeHub) -> None:
    hub.add("org/M", "README.md", b"---\nlicense: mit\n---\n# Model\n\ntext")
    assert card(repository("org/M")) == "# Model\n\ntext"


def test_no_network_is_told(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
    with pytest.raises(OfflineError, match="can't be reached"):
        search(Wanted("x"))
    with pytest.raises(OfflineError):
        repository("org/M")


@pytest.mark.parametrize(("status", "kind"), [(401, GatedError), (403, GatedError), (429, BusyError), (503, BusyError)])
def test_refusals_are_told(
    hub: FakeHub, status: int, kind: type[UserError], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
    caplog.set_level(logging.CRITICAL, "huggingface_hub")
    hub.add("org/M", "a.gguf", b"x")
    hub.api_status = status
    with pytest.raises(kind):
        repository("org/M")


def test_a_repository_that_is_not_there_is_told(hub: FakeHub) -> None:
    with pytest.raises(UserError, match="is not on Hugging Face"):
        repository("org/nothing")


@pytest.mark.parametrize("name", ["", "a/b/c", "../x", "org/with space"])
def test_names_that_are_none_are_told(hub: FakeHub, name: str) -> None:
    with pytest.raises(UserError, match=r"is no name of a repository|is not on Hugging Face"):
        repository(name)


HASH = "a" * 64
FILE = HubFile("org/repo", "c" * 40, "sub/a-Q4_K_M.gguf", 4, HASH)


def test_the_shared_cache_is_laid_out_as_the_hubs_library_does(tmp_path: Path) -> None:
    from huggingface_hub import scan_cache_dir, try_to_load_from_cache

    landing = land_in_cache(FILE, tmp_path)
    assert not landing.is_there
    landing.target.parent.mkdir(parents=True)
    landing.target.write_bytes(b"data")
    finish(landing, FILE, tmp_path)
    found = try_to_load_from_cache("org/repo", "sub/a-Q4_K_M.gguf", cache_dir=tmp_path)
    assert found == str(landing.path)
    assert landing.path.read_bytes() == b"data"
    (repo,) = scan_cache_dir(tmp_path).repos
    assert (repo.repo_id, repo.size_on_disk) == ("org/repo", 4)


def test_in_a_folder_repositories_stay_apart(tmp_path: Path) -> None:
    assert land_in_folder(FILE, tmp_path).path == tmp_path / "org" / "repo" / "sub" / "a-Q4_K_M.gguf"


@pytest.mark.parametrize("path", ["../a.gguf", "a/../../b.gguf", "/etc/a.gguf", "a\\b.gguf", "c:a.gguf", "", "a//b"])
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(UserError, match="no name that a file can have"):
        land_in_folder(HubFile("org/repo", "c" * 40, path, 1), tmp_path)


class MemoryKeyring(KeyringBackend):
    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class NoKeyring(MemoryKeyring):
    def set_password(self, service: str, username: str, password: str) -> None:
        raise NoKeyringError("none")

    def get_password(self, service: str, username: str) -> str | None:
        raise NoKeyringError("none")


def test_a_token_is_kept_in_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(keyring.core, "_keyring_backend", MemoryKeyring())
    HubToken().set("hf_abc")
    assert HubToken().get() == "hf_abc"
    HubToken().forget()
    assert HubToken().get() is None


def test_without_a_keyring_the_token_lasts_as_long_as_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(keyring.core, "_keyring_backend", NoKeyring())
    token = HubToken()
    with pytest.raises(UserError, match="no keyring"):
        token.set("hf_abc")
    assert token.get() == "hf_abc"
    assert HubToken().get() is None
    monkeypatch.setenv("HF_TOKEN", "hf_env")
    assert HubToken().get() == "hf_env"


@pytest.mark.parametrize("told", ["", "abc", "hf_a b", "hf_\u00e9", "hf_a\nX: y"])
def test_what_is_no_token_is_refused(told: str) -> None:
    with pytest.raises(UserError, match="no token"):
        HubToken().set(told)


@pytest.mark.parametrize(
    "path",
    ["CON.gguf", "nul", "aux.x.gguf", "COM1.gguf", "a/lpt9.gguf", "a.gguf.", "a.gguf ", " a.gguf", "a\nb.gguf",
     "a\x00.gguf", "a?.gguf", "a*.gguf", "<b>.gguf", 'a".gguf', "a|b.gguf", "x" * 231, "é" * 120,
     "a\ud800.gguf"],
)  # fmt: skip
def test_names_that_some_system_has_not_are_refused(tmp_path: Path, path: str) -> None:
    for land in (land_in_folder, land_in_cache):
        with pytest.raises(UserError, match="no name that a file can have") as refused:
            land(HubFile("org/repo", "c" * 40, path, 1), tmp_path)
        assert len(refused.value.sentence) < 300


@pytest.mark.parametrize(
    "path", ["Model (1).gguf", "M[Q4],v=2@x'~#&!.gguf", "Größe-模型.gguf", "console.gguf", "...a.gguf", "-rf.gguf"]
)
def test_names_that_every_system_has_are_taken(tmp_path: Path, path: str) -> None:
    landing = land_in_folder(HubFile("org/repo", "c" * 40, path, 1), tmp_path)
    assert landing.path == tmp_path / "org" / "repo" / path
    landing.path.parent.mkdir(parents=True)
    landing.path.write_bytes(b"")


def test_a_repository_without_a_maker_lands_as_well(tmp_path: Path) -> None:
    assert land_in_folder(HubFile("gpt2", "c" * 40, "a.gguf", 1), tmp_path).path == tmp_path / "gpt2" / "a.gguf"


def test_a_card_without_end_is_cut(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.library.hub._LONGEST_CARD", 5000)
    hub.add("org/M", "README.md", b"x" * 40_000_000)
    assert card(repository("org/M")) == "x" * 5000
    assert hub.sent < 30_000_000, "the rest is not even fetched"


def test_answers_without_end_are_refused(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.library.hub._LONGEST_ANSWER", 10_000)
    hub.add("org/M", "a.gguf", b"x", more="x" * 20_000)
    for ask in (lambda: search(Wanted("M")), lambda: repository("org/M")):
        with pytest.raises(UserError, match="far more than"):
            ask()


def test_an_answer_that_drips_ends(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.library.hub_client._LONGEST_TIME", -1.0)
    hub.add("org/M", "README.md", bytes(100_000))
    with pytest.raises(OfflineError):
        search(Wanted("M"))


def test_nothing_else_is_asked_of_the_hub(hub: FakeHub) -> None:
    """A library that adds questions of its own would tell the hub more than people do."""
    hub.add("org/M", "a.gguf", b"x")
    repository("org/M")
    search(Wanted("M"))
    assert hub.asked == ["/api/models/org/M", "/api/models"]


@pytest.mark.parametrize("told", ["huggingface.co", "http://x:y"])
def test_an_endpoint_that_is_no_address_is_told(hub: FakeHub, monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", told)
    for ask in (lambda: search(Wanted("M")), lambda: repository("org/M")):
        with pytest.raises(UserError, match="HF_ENDPOINT names no address"):
            ask()


def test_what_a_mirror_tells_wrongly_is_left_out(hub: FakeHub) -> None:
    hub.add("org/M", "a.gguf", b"x", downloads="many", likes=None, pipeline_tag=["a"], gguf=[1], tags=[1, "gguf"])
    (model,) = search(Wanted("M"))
    assert (model.downloads, model.likes, model.n_params) == (0, 0, 0)
    assert isinstance(model.task, str)


def test_the_keyring_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some ask the user each time, who has said no."""
    asked: list[str] = []

    class Locked(MemoryKeyring):
        def get_password(self, service: str, username: str) -> str | None:
            asked.append(service)
            raise LookupError("a keyring of another maker raises what it likes")

    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(keyring.core, "_keyring_backend", Locked())
    token = HubToken()
    assert [token.get(), token.get(), token.get()] == [None] * 3
    assert len(asked) == 1


def test_a_keyring_that_keeps_the_token_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Keeping(MemoryKeyring):
        def delete_password(self, service: str, username: str) -> None:
            raise PasswordDeleteError("locked")

    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(keyring.core, "_keyring_backend", Keeping())
    token = HubToken()
    token.forget()
    token.set("hf_abc")
    with pytest.raises(UserError, match="did not let the token go"):
        token.forget()


@pytest.mark.parametrize("told", ["hf_a\r\nX-Evil: 1", "hf_é", "hf_" + "a" * 300])
def test_what_can_not_stand_in_a_header_is_no_token(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring.core, "_keyring_backend", MemoryKeyring())
    monkeypatch.setenv("HF_TOKEN", told)
    assert HubToken().get() is None
