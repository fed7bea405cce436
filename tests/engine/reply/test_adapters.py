"""LoRA adapters: what they change, that taking them off leaves nothing behind, and what is said of wrong ones."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.adapters import Adapter
from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.events import Finished
from app.core.gguf_header import read_header
from app.core.program import own_command
from app.engine.memory.snapshot_disk import SnapshotDisk
from app.engine.preflight.preflight import Preflight
from app.engine.reply.adapters import check_adapter, try_adapters
from app.engine.reply.session import Session
from tests.engine.conftest import EXACT, OpenTiny, session_on
from tests.engine.reply.test_session import answered, ask, user
from tests.tiny_adapters import LLAMA, make_adapter
from tests.tiny_models import HEAD, N_HEAD

LONG = "the river runs through the valley and over the stones, and nobody asks it why. " * 3
TOKENS = [5, 6, 7, 8, 9]


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    return make_adapter(tmp_path / "style.gguf")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return make_adapter(tmp_path / "other.gguf", seed=1)


def logits(session: Session) -> NDArray[np.float32]:
    """After the same few tokens, read anew."""
    session.slot.forget()
    session.slot.evaluate(TOKENS)
    return session.slot.logits()


def test_what_it_changes_grows_with_the_scale_and_zero_is_none(open_tiny: OpenTiny, adapter: Path) -> None:
    session = open_tiny("llama")
    plain = logits(session)
    changes = []
    for scale in (0.0, 0.1, 1.0):
        assert session.change_adapters([Adapter(adapter, scale)]) == ()
        changes.append(float(np.abs(logits(session) - plain).max()))
    assert changes[0] == 0.0
    assert 0.01 < changes[1] < changes[2]
    session.change_adapters([Adapter(adapter, -1.0)])
    assert np.abs(logits(session) - plain).max() > 0.01


def test_it_works_as_the_weights_that_it_stands_for(open_tiny: OpenTiny, tmp_path: Path) -> None:
    """W x + scale alpha / rank B A x, reckoned by merging it into the file."""
    import gguf

    from tests import tiny_models

    adapter, merged = make_adapter(tmp_path / "a.gguf"), tmp_path / "merged.gguf"
    parts = {each.name: np.array(each.data) for each in gguf.GGUFReader(adapter).tensors}
    original = tiny_models.Writer.tensor

    def merging(writer: tiny_models.Writer, name: str, data: NDArray[np.float32]) -> None:
        if f"{name}.lora_a" in parts:
            data = data + np.float32(0.5) * (parts[f"{name}.lora_b"] @ parts[f"{name}.lora_a"])
        original(writer, name, data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny_models.Writer, "tensor", merging)
        tiny_models.llama(merged)
    session = open_tiny("llama")
    session.change_adapters([Adapter(adapter, 0.5)])
    np.testing.assert_allclose(logits(session), logits(open_tiny(str(merged))), atol=2e-4)


def test_taken_off_it_was_never_there(open_tiny: OpenTiny, adapter: Path, other: Path) -> None:
    session = open_tiny("llama")
    plain = logits(session)
    session.change_adapters([Adapter(adapter), Adapter(other)])
    both = logits(session)
    session.change_adapters([Adapter(adapter)])
    one = logits(session)
    assert np.abs(both - one).max() > 0.01
    session.change_adapters([])
    assert session.info.adapters == ()
    np.testing.assert_array_equal(logits(session), plain)


def test_what_was_read_without_it_is_not_used_with_it(open_tiny: OpenTiny, adapter: Path) -> None:
    session = open_tiny("llama")
    first = ask(session, user(LONG))
    session.change_adapters([Adapter(adapter)])
    assert len(session.slot) == 0
    with_it = ask(session, user(LONG))
    assert with_it.timings.cache_n == 0, with_it.reuse
    assert with_it.text != first.text
    fresh = open_tiny("llama")
    fresh.change_adapters([Adapter(adapter)])
    assert ask(fresh, user(LONG)).generation == with_it.generation
    warm = ask(session, user(LONG), answered(with_it), user("go on"))
    assert warm.timings.cache_n == with_it.n_past
    assert ask(fresh, user(LONG), answered(with_it), user("go on")).text == warm.text


@pytest.mark.parametrize("wanted", [[1.0], [1.0, 0.0], [1.0, 1.0]])
def test_the_same_once_more_keeps_what_is_held(open_tiny: OpenTiny, adapter: Path, wanted: list[float]) -> None:
    session = open_tiny("llama")
    session.change_adapters([Adapter(adapter, 1.0)])
    first = ask(session, user(LONG))
    extra = adapter.parent / "off.gguf"
    extra.write_bytes(adapter.read_bytes())
    again = [Adapter(adapter, wanted[0]), *(Adapter(adapter if scale else extra, scale) for scale in wanted[1:])]
    session.change_adapters(again)
    assert len(session.slot) == first.n_past


def test_another_scale_or_another_file_is_another_model(open_tiny: OpenTiny, adapter: Path, other: Path) -> None:
    session = open_tiny("llama")
    for wanted in ([Adapter(adapter, 1.0)], [Adapter(adapter, 0.9)], [Adapter(other, 0.9)], []):
        session.change_adapters(wanted)
        assert len(session.slot) == 0
        ask(session, user(LONG))
        assert len(session.slot) > 0


def test_a_file_that_was_written_anew_is_read_anew(open_tiny: OpenTiny, adapter: Path) -> None:
    session = open_tiny("llama")
    session.change_adapters([Adapter(adapter)])
    before = logits(session)
    make_adapter(adapter, seed=3)
    session.change_adapters([Adapter(adapter)])
    assert np.abs(logits(session) - before).max() > 0.01


def test_each_way_of_working_has_its_own_conversations_on_disk(
    tiny_models: dict[str, Path], adapter: Path, tmp_path: Path
) -> None:
    disk = SnapshotDisk(tmp_path / "snapshots", 1 << 30)

    def say(session: Session) -> Finished:
        return ask(session, user(LONG), conversation="7")

    with closing(disk), session_on(tiny_models["llama"], snapshots=disk) as (session, _):
        plain = say(session)
        session.change_adapters([Adapter(adapter)])
        assert not session.slot.bring_back("7"), "what was kept belongs to the model without it"
        changed = say(session)
        assert changed.timings.cache_n == 0
        session.change_adapters([])
        assert session.slot.bring_back("7")
        again = say(session)
        assert again.timings.prompt_n == 1
        assert again.generation == plain.generation
        session.change_adapters([Adapter(adapter)])
        assert session.slot.bring_back("7")
        assert say(session).generation == changed.generation


@pytest.mark.parametrize("family", ["gemma3", "qwen35", "lfm2", "mamba"])
def test_on_every_memory_it_leaves_nothing_behind(family: str, open_tiny: OpenTiny, tmp_path: Path) -> None:
    names = {
        "gemma3": ["blk.1.attn_q.weight"],
        "qwen35": ["blk.1.attn_output.weight", "blk.0.ssm_out.weight"],
        "lfm2": ["blk.0.shortconv.out_proj.weight"],
        "mamba": ["blk.0.ssm_in.weight"],
    }[family]
    session = open_tiny(family)
    tensors = {name: _shape_of(session.info.ref.file, name) for name in names}
    path = make_adapter(tmp_path / "a.gguf", arch=session.info.architecture, tensors=tensors)
    plain = ask(session, user(LONG))
    assert session.change_adapters([Adapter(path, 2.0)]) == ()
    assert ask(session, user(LONG)).timings.cache_n == 0
    session.change_adapters([])
    assert ask(session, user(LONG)).generation == plain.generation


def _shape_of(model: Path, name: str) -> tuple[int, int]:
    n_in, n_out = read_header(model).tensors[name].shape
    return n_out, n_in


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "of another architecture": (lambda path: make_adapter(path, arch="gemma3"), "of the kind “gemma3”"),
    "of another base": (
        lambda path: make_adapter(path, tensors={"blk.0.attn_q.weight": (N_HEAD * HEAD, 32)}),
        "trained on another model",
    ),
    "of a deeper base": (
        lambda path: make_adapter(path, tensors={"blk.9.attn_q.weight": LLAMA["blk.0.attn_q.weight"]}),
        "trained on another model",
    ),
    "of no kind that we know": (lambda path: make_adapter(path, kind="cvec"), "is no LoRA adapter"),
    "an activated one": (lambda path: make_adapter(path, invocation=(4, 5)), "aLoRA"),
    "empty": (lambda path: make_adapter(path, tensors={}), "there is no adapter in it"),
    "cut off": (lambda path: path.write_bytes(make_adapter(path).read_bytes()[:-100]), "cut off or damaged"),
    "no GGUF": (lambda path: path.write_text("hello, hello, hello, hello"), "not a GGUF file"),
    "gone": (lambda path: None, "is not there any more"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_one_costs_a_sentence_and_nothing_else(wrong: str, open_tiny: OpenTiny, tmp_path: Path) -> None:
    make, told = WRONG[wrong]
    path = tmp_path / "wrong.gguf"
    make(path)
    session = open_tiny("llama")
    first = ask(session, user(LONG))
    (sentence,) = session.change_adapters([Adapter(path)])
    assert told in sentence
    assert "wrong.gguf" in sentence
    assert session.info.adapters == ()
    assert len(session.slot) == first.n_past, "what is held is as good as before"


def test_a_model_is_no_adapter(tiny_models: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match="is no LoRA adapter"):
        check_adapter(tiny_models["llama"], "llama", "llama")


def test_the_good_ones_work_beside_a_wrong_one(open_tiny: OpenTiny, adapter: Path, tmp_path: Path) -> None:
    session = open_tiny("llama")
    problems = session.change_adapters([Adapter(tmp_path / "gone.gguf"), Adapter(adapter, 0.5)])
    assert len(problems) == 1
    assert session.info.adapters == (Adapter(adapter, 0.5),)


def test_a_child_tries_each_file_once(tiny_models: dict[str, Path], adapter: Path, tmp_path: Path) -> None:
    preflight = Preflight(tmp_path / "tried.json", own_command())
    wrong = make_adapter(tmp_path / "wrong.gguf", tensors={"blk.0.attn_q.weight": (N_HEAD * HEAD, 32)})
    wanted = (Adapter(adapter, 0.5), Adapter(wrong), Adapter(tmp_path / "unused.gguf", 0.0))
    usable, problems = try_adapters(preflight, tiny_models["llama"], wanted, EXACT, cancel=CancelFlag())
    assert usable == (Adapter(adapter, 0.5),)
    (sentence,) = problems
    assert "trained on another model" in sentence
    nobody = Preflight(tmp_path / "tried.json", ("false",))
    again = try_adapters(nobody, tiny_models["llama"], (Adapter(adapter, 2.0),), EXACT, cancel=CancelFlag())
    assert again == ((Adapter(adapter, 2.0),), ())


def test_one_that_ends_the_process_ends_the_child(tiny_models: dict[str, Path], adapter: Path, tmp_path: Path) -> None:
    child = tmp_path / "child.sh"
    child.write_text("#!/bin/sh\necho GGML_ASSERT >&2\nkill -ABRT $$\n")
    child.chmod(0o755)
    preflight = Preflight(tmp_path / "tried.json", (str(child),))
    usable, (sentence,) = try_adapters(preflight, tiny_models["llama"], (Adapter(adapter),), EXACT, cancel=CancelFlag())
    assert usable == ()
    assert "style.gguf makes llama.cpp crash" in sentence
