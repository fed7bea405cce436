"""Asking the Hugging Face hub: search, a repository's files, its card. Everything here blocks: call it in a thread."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from app.core.errors import UserError
from app.library.found_file import PART
from app.library.hub_client import get
from app.library.hub_layout import HubFile
from app.library.quantisation import quantisation_in

_SUFFIX = ".gguf"
_LONGEST_CARD = 1 << 20
_LONGEST_ANSWER = 32 << 20
"""Bytes; of a repository with some thousand files."""
_LIST = "the list of models"
_REPO = re.compile(r"[A-Za-z0-9_.-]{1,96}(?:/[A-Za-z0-9_.-]{1,96})?")
_MORE = 4
"""Times as many are asked for where some are left out here."""
_PUBLIC = "https://huggingface.co"


class Sort(StrEnum):
    """By the hub's names."""

    TRENDING = "trendingScore"
    DOWNLOADS = "downloads"
    LIKES = "likes"
    NEWEST = "createdAt"
    UPDATED = "lastModified"


class Task(StrEnum):
    ANY = ""
    TEXT = "text-generation"
    VISION = "image-text-to-text"


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
        "sort": wanted.sort.value,
        "limit": str(wanted.limit * (_MORE if leaves_out else 1)),
        "expand": ["downloads", "likes", "tags", "gated", "lastModified", "pipeline_tag", "gguf"],
    }
    with _understood():
        # Not by `HfApi`: it waits as long as the hub likes, and tells the hub more than what is asked for.
        import huggingface_hub

        info: Any = huggingface_hub.ModelInfo
        parameters = {name: value for name, value in told.items() if value}
        found = json.loads(get(f"{endpoint()}/api/models", _LIST, token, parameters, longest=_LONGEST_ANSWER))
        models = (_model(info(**{"siblings": None, **each})) for each in found)
        return tuple(model for model in models if _suits(model, wanted))[: wanted.limit]


def repository(repo: str, token: str | None = None) -> HubRepo:
    """What is in a repository. Raises UserError with a sentence."""
    with _understood():
        import huggingface_hub

        if not _REPO.fullmatch(repo) or ".." in repo:
            raise UserError("“{repo}” is no name of a repository.", repo=repo)
        url = f"{endpoint()}/api/models/{quote(repo)}"
        told = json.loads(get(url, repo, token, {"blobs": "true"}, longest=_LONGEST_ANSWER))
        read: Any = huggingface_hub.ModelInfo
        info = read(**told)
        siblings = info.siblings or []
        commit = str(info.sha or "main")
        files = [_file(repo, commit, each) for each in siblings if each.rfilename.lower().endswith(_SUFFIX)]
        has_card = any(each.rfilename == "README.md" for each in siblings)
        return HubRepo(_model(info), commit, _choices(files), has_card)


def card(repo: HubRepo, token: str | None = None) -> str:
    """The model card's Markdown, without its head of YAML. Written by anybody: render it as untrusted."""
    url = file_url(HubFile(repo.model.repo, repo.commit, "README.md", 0))
    found = get(url, repo.model.repo, token, longest=_LONGEST_CARD, cut=True)
    return _without_head(found.decode("utf-8", "replace"))


@contextmanager
def _understood() -> Iterator[None]:
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError("Hugging Face answers in a way that Hearth does not understand.", detail=repr(error)) from error


def _model(info: Any) -> HubModel:
    tags = [tag for tag in (info.tags or []) if isinstance(tag, str)]
    told = getattr(info, "gguf", None)
    gguf = told if isinstance(told, dict) else {}
    updated = getattr(info, "last_modified", None)
    return HubModel(
        str(info.id),
        _number(info.downloads),
        _number(info.likes),
        next((tag.partition(":")[2] for tag in tags if tag.startswith("license:")), ""),
        str(info.pipeline_tag or ""),
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
