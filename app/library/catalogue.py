"""All models that this machine has, whoever fetched them: found, described, paired, each once."""

import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import UserError
from app.core.files import fingerprint
from app.core.model_ref import ModelRef
from app.core.sentence import Sentence
from app.library.catalogue_cache import CatalogueCache, Key, Known
from app.library.companions import Described, pair_drafts, pair_projectors
from app.library.found_file import PART, FoundFile, identity
from app.library.model_facts import ModelFacts, ModelKind, read_facts
from app.library.model_scanners import find_in
from app.library.model_sources import Place, Source

_log = logging.getLogger(__name__)

Stop = Callable[[], bool]
Report = Callable[[int, int], None]
"""Told how many of how many files have been looked at."""


@dataclass(frozen=True, slots=True)
class LibraryModel:
    """A model, or what was meant to be one."""

    path: Path
    """The file to load: the only one, or the first."""
    name: str
    """For people: what the program that keeps it calls it, or its file's name made readable."""
    source: Source
    size: int
    """Bytes of all its files."""
    parts: tuple[Path, ...]
    modified: int
    """Nanoseconds; the newest of its files."""
    facts: ModelFacts | None
    """None where its header can't be read."""
    problem: str = ""
    """A sentence that says why it can't be used; empty where nothing is known against it."""
    also: tuple[Path, ...] = ()
    """Where else the same file lies."""
    projectors: tuple[Path, ...] = ()
    """Best first."""
    drafts: tuple[Path, ...] = ()
    sha256: str = ""
    """Of its first file, as the name of a file that holds it says; nobody has checked it."""

    @property
    def ref(self) -> ModelRef:
        return ModelRef.of_file(self.path)

    @property
    def refs(self) -> tuple[ModelRef, ...]:
        """All that stand for it: any of its files, wherever they lie."""
        return tuple(map(ModelRef.of_file, (self.path, *self.also, *self.parts)))

    @property
    def is_usable(self) -> bool:
        return not self.problem and self.facts is not None and self.facts.kind is ModelKind.MODEL


@dataclass(frozen=True, slots=True)
class _Group:
    """A model's files, in order; with what is wrong with them as files."""

    files: tuple[FoundFile, ...]
    problem: str = ""

    @property
    def first(self) -> FoundFile:
        return self.files[0]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def key(self) -> Key:
        return str(self.first.path), self.size, max(file.modified for file in self.files)


class Catalogue:
    """Reads what it has not read before. Blocks, a second or two for a full disk the first time: call it in a thread,
    one call at a time."""

    def __init__(self, cache: Path) -> None:
        self._cache = CatalogueCache(cache)

    def scan(
        self, places: Iterable[Place], stop: Stop = lambda: False, report: Report = lambda _done, _all: None
    ) -> tuple[LibraryModel, ...]:
        """The models in `places`, by name. Companions stand at their models and by themselves. Where a file lies in
        several places, the one that comes first is told. Stopped, it gives nothing."""
        groups = _grouped([file for place in places for file in find_in(place, stop)])
        known: list[tuple[_Group, Known]] = []
        for number, group in enumerate(groups):
            if stop():
                return ()
            report(number, len(groups))
            known.append((group, self._known(group)))
        found = _paired(self._once(known))
        self._cache.keep_only(group.key for group in groups)
        self._cache.save()
        return tuple(sorted(found, key=lambda model: (model.name.casefold(), model.path)))

    def _known(self, group: _Group) -> Known:
        if group.problem:
            return Known(None, group.problem)
        found = self._cache.get(group.key)
        if found is None:
            try:
                found = Known(read_facts([file.path for file in group.files]))
            except UserError as error:
                found = Known(None, error.sentence)
            except Exception:  # noqa: BLE001 - one damaged file must not cost the whole list
                _log.exception("The header of %s can't be understood", group.first.path)
                told = "{name} is damaged in a way that nobody thought of."
                found = Known(None, Sentence(told, name=group.first.path.name))
            self._cache.put(group.key, found)
        return found

    def _once(self, known: Sequence[tuple[_Group, Known]]) -> list[LibraryModel]:
        """Each file one time: links to the same file, and copies of it."""
        sizes: dict[int, int] = defaultdict(int)
        for group, _ in known:
            sizes[group.size] += 1
        models: list[LibraryModel] = []
        seen: dict[object, int] = {}
        for group, facts in known:
            # What is damaged stands for itself: it must not hide a copy that is whole, whatever its name says.
            marks = list(_identities(group, is_whole=not facts.problem))
            if sizes[group.size] > 1 and group.size and not group.problem:
                marks.append(self._print(group, facts))
            at = next((seen[mark] for mark in marks if mark in seen), None)
            if at is None:
                at = len(models)
                models.append(_model(group, facts))
            elif group.first.path not in (models[at].path, *models[at].also):
                models[at] = _with_place(models[at], group)
            for mark in marks:
                seen.setdefault(mark, at)
        return models

    def _print(self, group: _Group, known: Known) -> object:
        if not known.print:
            try:
                told = " ".join(fingerprint(file.path) for file in group.files)
            except OSError:
                return group.first.path
            known = replace(known, print=told)
            self._cache.put(group.key, known)
        return known.print


def _identities(group: _Group, *, is_whole: bool) -> Iterable[object]:
    if group.first.sha256 and is_whole:
        yield group.first.sha256
    try:
        status = group.first.path.stat()
    except OSError:
        yield group.first.path
    else:
        yield identity(status, group.first.path)


def _with_place(model: LibraryModel, group: _Group) -> LibraryModel:
    projectors = tuple(dict.fromkeys((*model.projectors, *group.first.projectors)))
    return replace(
        model,
        also=(*model.also, group.first.path),
        projectors=projectors,
        sha256=model.sha256 or group.first.sha256,
    )


def _model(group: _Group, known: Known) -> LibraryModel:
    first = group.first
    return LibraryModel(
        first.path,
        first.name or readable_name(_stem(first.path)),
        first.source,
        group.size,
        tuple(file.path for file in group.files),
        max(file.modified for file in group.files),
        known.facts,
        known.problem,
        projectors=first.projectors,
        sha256=first.sha256,
    )


def _stem(path: Path) -> str:
    match = PART.fullmatch(path.stem)
    return match["stem"] if match else path.stem


def _grouped(files: Iterable[FoundFile]) -> list[_Group]:
    groups: list[_Group] = []
    split: dict[tuple[Path, str, int], dict[int, FoundFile]] = {}
    for file in files:
        match = PART.fullmatch(file.path.stem)
        if match is None:
            groups.append(_Group((file,), file.problem or _short(file)))
        else:
            split.setdefault((file.path.parent, match["stem"], int(match["count"])), {})[int(match["number"])] = file
    groups.extend(_parts(count, parts) for (_, _, count), parts in split.items())
    return groups


def _parts(count: int, parts: dict[int, FoundFile]) -> _Group:
    files = tuple(parts[number] for number in sorted(parts))
    missing = [number for number in range(1, min(count, 1000) + 1) if number not in parts]
    unfinished = next((file.problem or _short(file) for file in files if file.problem or _short(file)), "")
    if missing:
        which = ", ".join(str(number) for number in missing[:5]) + (" and more" if len(missing) > 5 else "")
        one, several = (
            "Part {which} of {count} of this model is missing.",
            "Parts {which} of {count} of this model are missing.",
        )
        return _Group(files, Sentence(one if len(missing) == 1 else several, which=which, count=count))
    return _Group(files, unfinished)


def _short(file: FoundFile) -> str:
    if file.expected and file.size != file.expected:
        return Sentence(
            "It has {size} of {expected} bytes: {source} has not finished fetching it.",
            size=file.size,
            expected=file.expected,
            source=file.source,
        )
    return ""


def _paired(models: list[LibraryModel]) -> list[LibraryModel]:
    described = {
        model.path: Described(model.path, model.facts) for model in models if model.facts and not model.problem
    }
    of_kind: dict[ModelKind, list[Described]] = defaultdict(list)
    for each in described.values():
        of_kind[each.facts.kind].append(each)
    chat = of_kind[ModelKind.MODEL]
    projectors = pair_projectors(chat, of_kind[ModelKind.PROJECTOR])
    drafts = pair_drafts(chat, of_kind[ModelKind.DRAFT])
    return [
        replace(
            model,
            projectors=model.projectors or projectors.get(model.path, ()),
            drafts=drafts.get(model.path, ()),
        )
        for model in models
    ]


_QUANTISATION = re.compile(r"[-_. ](?P<type>I?Q\d\w*|TQ\d\w*|MXFP4\w*|BF16|F16|F32)$", re.IGNORECASE)


def readable_name(stem: str) -> str:
    """What a file's name without its suffix tells people: "Llama 3.2 1B Instruct (Q4_K_M)"."""
    quantisation = _QUANTISATION.search(stem)
    words = stem[: quantisation.start()] if quantisation else stem
    name = re.sub(r"[-_\s]+", " ", words).strip() or stem
    return f"{name} ({quantisation['type'].upper()})" if quantisation else name
