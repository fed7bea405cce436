"""Asking the Hugging Face hub: search, a repository's files, its card. Everything here blocks: call it in a thread."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from app.core.errors import UserError
from app.library.found_file import PART
from app.library.hub_errors import of_status, offline
from app.library.hub_layout import HubFile
from app.library.hub_wait import wait_told
from app.library.quantisation import quantisation_in

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_SUFFIX = ".gguf"
_PATIENCE = 15.0
_LONGEST_CARD = 1 << 20
_LIST = "the list of models"
_MORE = 4
"""Times as many are asked for where some are left out here."""
_PUBLIC = "https://huggingface.co"
Result = TypeVar("Result")


class Sort(StrEnum):
    TRENDING = "trending_score"
    DOWNLOADS = "downloads"
    LIKES = "likes"
    NEWEST = "created_at"
    UPDATED = "last_modified"


class Task(StrEnum):
    ANY = ""
    TEXT = "text-generation"
    VISION = "image-text-to-text"
    AUDIO = "audio-text-to-text"


_SORTS = {
    Sort.TRENDING: "trendingScore", Sort.DOWNLOADS: "downloads", Sort.LIKES: "likes", Sort.NEWEST: "createdAt",
    Sort.UPDATED: "lastModified",
}  # fmt: skip
"""The hub's names for them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What people look for."""

    text: str = ""
    sort: Sort = Sort.TRENDING
    task: Task = Task.ANY
    licence: str = ""
    """The hub's short name, such as apache-2.0; empty for any."""
    smallest: int = 0
    """Parameters."""
    largest: int = 0
    """Parameters; 0 for any."""
    fewest_likes: int = 0
    limit: int = 50


@dataclass(frozen=True, slots=True)
class HubModel:
    repo: str
    downloads: int = 0
    likes: int = 0
    licence: str = ""
    task: str = ""
    gated: bool = False
    updated: str = ""
    """ISO 8601; empty where it is not known."""
    n_params: int = 0
    n_ctx: int = 0
    architecture: str = ""


@dataclass(frozen=True, slots=True)
class HubChoice:
    """One thing to fetch: a quantisation, which may be split, or a projector."""

    name: str
    files: tuple[HubFile, ...]
    quantisation: str = ""
    is_projector: bool = False

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class HubRepo:
    model: HubModel
    commit: str
    choices: tuple[HubChoice, ...]
    """Smallest first, projectors last."""
    has_card: bool = False


def endpoint() -> str:
    """Where the hub is, as HF_ENDPOINT says it."""
    return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or _PUBLIC


def file_url(file: HubFile) -> str:
    return f"{endpoint()}/{quote(file.repo)}/resolve/{quote(file.commit, safe='')}/{quote(file.path)}"


def search(wanted: Wanted, token: str | None = None) -> tuple[HubModel, ...]:
    """Repositories with GGUF files. Raises UserError with a sentence, OfflineError where there is no network."""
    filters = ["gguf", *([f"license:{wanted.licence}"] if wanted.licence else [])]
    leaves_out = wanted.smallest or wanted.largest or wanted.fewest_likes
    told = {
        "filter": filters,
        "search": wanted.text.strip(),
        "pipeline_tag": wanted.task.value,
        "sort": _SORTS[wanted.sort],
        "limit": str(wanted.limit * (_MORE if leaves_out else 1)),
        "expand": ["downloads", "likes", "tags", "gated", "lastModified", "pipeline_tag", "gguf"],
    }

    def ask() -> tuple[HubModel, ...]:
        # Not by `HfApi.list_models`: it waits as long as the hub likes, several times, and nothing could stop it.
        import huggingface_hub

        info: Any = huggingface_hub.ModelInfo
        parameters = {name: value for name, value in told.items() if value}
        found = _get(f"{endpoint()}/api/models", _LIST, token, parameters).json()
        models = (_model(info(**{"siblings": None, **each})) for each in found)
        return tuple(model for model in models if _suits(model, wanted))[: wanted.limit]

    return _told(ask, _LIST, token)


def repository(repo: str, token: str | None = None) -> HubRepo:
    """What is in a repository. Raises UserError with a sentence."""

    def ask() -> HubRepo:
        info = _api(token).model_info(repo, files_metadata=True, timeout=_PATIENCE)
        siblings = info.siblings or []
        commit = info.sha or "main"
        files = [_file(repo, commit, each) for each in siblings if each.rfilename.lower().endswith(_SUFFIX)]
        has_card = any(each.rfilename == "README.md" for each in siblings)
        return HubRepo(_model(info), commit, _choices(files), has_card)

    return _told(ask, repo, token)


def card(repo: HubRepo, token: str | None = None) -> str:
    """The model card's Markdown, without its head of YAML. Written by anybody: render it as untrusted."""

    def ask() -> str:
        answer = _get(file_url(HubFile(repo.model.repo, repo.commit, "README.md", 0)), repo.model.repo, token)
        text: str = answer.content[:_LONGEST_CARD].decode("utf-8", "replace")
        return _without_head(text)

    return _told(ask, repo.model.repo, token)


def _api(token: str | None) -> "HfApi":
    from huggingface_hub import HfApi

    # False: a token of the user's other programs is not sent without being asked for.
    return HfApi(endpoint=endpoint(), token=token or False, library_name="hearth")


def _get(url: str, what: str, token: str | None, parameters: dict[str, Any] | None = None) -> Any:
    """One request, with no other tries. Raises UserError, and what the network raises."""
    from huggingface_hub import get_session

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = get_session().get(url, params=parameters, headers=headers, timeout=_PATIENCE, follow_redirects=True)
    if answer.status_code != 200:
        raise of_status(answer.status_code, what, has_token=bool(token), wait=wait_told(answer.headers))
    return answer


def _told(ask: Callable[[], Result], what: str, token: str | None) -> Result:
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled

    try:
        return ask()
    except UserError:
        raise
    except HFValidationError as error:
        raise UserError(f"“{what}” is no name of a repository.", detail=str(error)) from error
    except OfflineModeIsEnabled as error:
        raise offline("HF_HUB_OFFLINE is set") from error
    except HfHubHTTPError as error:
        answer = error.response
        raise of_status(
            answer.status_code, what, has_token=bool(token), detail=str(error), wait=wait_told(answer.headers)
        ) from error
    except (httpx2.HTTPError, OSError) as error:
        raise offline(repr(error)) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError("Hugging Face answers in a way that Hearth does not understand.", detail=repr(error)) from error


def _model(info: Any) -> HubModel:
    tags = [tag for tag in (info.tags or []) if isinstance(tag, str)]
    told = getattr(info, "gguf", None)
    gguf = told if isinstance(told, dict) else {}
    updated = getattr(info, "last_modified", None)
    return HubModel(
        info.id,
        info.downloads or 0,
        info.likes or 0,
        next((tag.partition(":")[2] for tag in tags if tag.startswith("license:")), ""),
        info.pipeline_tag or "",
        bool(info.gated),
        updated.isoformat() if updated is not None else "",
        _number(gguf.get("total")),
        _number(gguf.get("context_length")),
        str(gguf.get("architecture") or ""),
    )


def _number(told: object) -> int:
    return told if isinstance(told, int) and told > 0 else 0


def _suits(model: HubModel, wanted: Wanted) -> bool:
    # Where the hub does not say how large a model is, people decide.
    size = model.n_params
    if size and (size < wanted.smallest or (wanted.largest and size > wanted.largest)):
        return False
    return model.likes >= wanted.fewest_likes


def _file(repo: str, commit: str, sibling: Any) -> HubFile:
    lfs = sibling.lfs
    return HubFile(repo, commit, sibling.rfilename, int(sibling.size or 0), lfs.sha256 if lfs else "")


def _choices(files: Iterable[HubFile]) -> tuple[HubChoice, ...]:
    groups: dict[str, list[HubFile]] = {}
    for file in sorted(files, key=lambda file: file.path):
        stem = file.path[: -len(_SUFFIX)]
        match = PART.fullmatch(stem)
        groups.setdefault(match["stem"] if match else stem, []).append(file)
    found = []
    for stem, parts in groups.items():
        name = stem.rpartition("/")[2]
        is_projector = "mmproj" in name.lower()
        found.append(HubChoice(name, tuple(parts), quantisation_in(name), is_projector))
    return tuple(sorted(found, key=lambda each: (each.is_projector, each.size, each.name)))


def _without_head(text: str) -> str:
    if not text.startswith("---"):
        return text
    end = text.find("\n---", 3)
    return text[text.find("\n", end + 1) + 1 :] if end >= 0 and "\n" in text[end + 1 :] else text
