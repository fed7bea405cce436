"""One list of what a model can do: found out by trying and from its file, on every kind of memory."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.capabilities import Capabilities, MemoryKind, capabilities_json
from app.core.speculation import DrafterKind, Speculation
from app.engine.drafting.opening import DraftPlan
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from tests import tiny_models, tiny_mtp
from tests.engine.conftest import EXACT, OpenPath, OpenTiny

MEMORIES = {
    "llama": MemoryKind.ATTENTION,
    "moe": MemoryKind.ATTENTION,
    "deepseek2": MemoryKind.ATTENTION,
    "gemma3": MemoryKind.SLIDING_WINDOW,
    "qwen35": MemoryKind.HYBRID,
    "lfm2": MemoryKind.HYBRID,
    "mamba": MemoryKind.RECURRENT,
}
TOOLS = tiny_models.CHATML + "{%- for t in tools or [] -%}{{- '<tool_call>' + t.function.name -}}{%- endfor -%}"


@pytest.mark.parametrize(("family", "memory"), MEMORIES.items())
def test_the_memory_of_each_family(family: str, memory: MemoryKind, open_tiny: OpenTiny) -> None:
    info = open_tiny(family).info
    assert info.capabilities.memory is memory
    assert info.needs_checkpoints is (memory is not MemoryKind.ATTENTION)
    assert not (info.sees or info.capabilities.hears or info.capabilities.embeddings)


def test_a_window_that_keeps_all_cells_goes_back_to_any_place(open_tiny: OpenTiny) -> None:
    assert open_tiny("gemma3", replace(EXACT, swa_full=True)).info.capabilities.memory is MemoryKind.ATTENTION


@pytest.mark.parametrize(
    ("template", "reasons", "tools", "tool_format"),
    [
        (tiny_models.CHATML, False, False, "plain"),
        (tiny_models.THINKING, True, False, "plain"),
        (TOOLS, False, True, "hermes"),
    ],
)
def test_what_the_template_can(
    template: str, reasons: bool, tools: bool, tool_format: str, tmp_path: Path, open_path: OpenPath
) -> None:
    tiny_models.llama(tmp_path / "model.gguf", template=template)
    can = open_path(tmp_path / "model.gguf").info.capabilities
    assert (can.reasons, can.tools, can.tool_format) == (reasons, tools, tool_format)


def test_a_projector_lets_it_see(seeing_models: dict[str, tuple[Path, Path]], open_path: OpenPath) -> None:
    path, mmproj = seeing_models["llava"]
    stores = MediaStores(NoMedia(), EmbeddingCache(1 << 20, None, 0))
    assert open_path(path, projector=Projector(mmproj, stores, 0)).info.capabilities.sees
    assert not open_path(path).info.capabilities.sees


@pytest.mark.parametrize("mtp", [True, False])
def test_a_head_is_known_whether_or_not_it_was_asked_for(mtp: bool, tmp_path: Path, open_path: OpenPath) -> None:
    path = tmp_path / "head.gguf"
    tiny_mtp.qwen35(path)
    can = open_path(path, drafts=DraftPlan(Speculation(mtp=mtp))).info.capabilities
    assert can.own_head
    assert (DrafterKind.MTP in can.drafters) is mtp
    tiny_models.llama(tmp_path / "none.gguf")
    without = open_path(tmp_path / "none.gguf", drafts=DraftPlan(Speculation(mtp=mtp, ngram=False))).info.capabilities
    assert (without.own_head, without.drafters) == (False, ())


def test_programs_are_told_all_of_it() -> None:
    told = capabilities_json(Capabilities(drafters=(DrafterKind.NGRAM,), memory=MemoryKind.HYBRID))
    assert told.keys() == set(Capabilities.__dataclass_fields__)
    assert (told["drafters"], told["memory"], told["grammar"]) == (["ngram"], "hybrid", True)
