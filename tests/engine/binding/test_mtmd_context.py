"""Pictures in and entries out, on each family: exactly what mtmd's own evaluation gives."""

import ctypes
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from llama_cpp import mtmd_cpp as mtmd
from numpy.typing import NDArray

from app.core.cancel import CancelFlag
from app.core.gguf_header import read_header
from app.core.loading import CacheType, FlashAttention
from app.engine.binding.context import Context, DecodeOutcome
from app.engine.binding.context_params import ContextParams
from app.engine.binding.model import LoadCancelledError, Model
from app.engine.binding.mtmd_chunks import Bitmap, Picture, tokenized
from app.engine.binding.mtmd_context import (
    EncodeFailedError,
    Encoding,
    MediaChunk,
    MtmdContext,
    MtmdParams,
    MtmdRefusedError,
    TextChunk,
)
from app.engine.binding.vision_rows import read_row_end, repair_row_ends
from tests.tiny_vision import VISION_MAKERS, deepseek4v, hunyuanvl, idefics3, mlp, qwen2vl

EXACT = MtmdParams(n_threads=1, use_gpu=False, image_max_tokens=64, flash_attn=FlashAttention.OFF)
TOLERANCE = 1e-4
SIZES = [(64, 48), (48, 64), (200, 60)]
TILED = {"llava16", "idefics3", "internvl"}


class StopAt(CancelFlag):
    """Is set from its `n`th look on; counts the looks."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0
        self.n: int | None = None

    def is_set(self) -> bool:
        self.looks += 1
        return super().is_set() or (self.n is not None and self.looks >= self.n)


def picture(seed: int, width: int = 64, height: int = 48) -> Picture:
    rgb = np.random.default_rng(seed).integers(0, 256, width * height * 3, dtype=np.uint8).tobytes()
    return Picture(width, height, hashlib.sha256(f"{width} {height} ".encode() + rgb).hexdigest(), rgb)


@dataclass
class Setup:
    """A model with its encoder, and as many contexts as a test asks for."""

    model: Model
    mtmd: MtmdContext
    projector: Path
    cancel: StopAt
    contexts: list[Context] = field(default_factory=list)
    end: int = 0
    """Position after the last `reference`."""

    def context(self, n_ctx: int = 512, n_batch: int = 128, n_ubatch: int = 128) -> Context:
        params = ContextParams(n_ctx, n_batch, n_ubatch, 1, FlashAttention.OFF, CacheType.F32, CacheType.F32)
        self.contexts.append(Context(self.model, params, self.cancel))
        return self.contexts[-1]

    def chunks(self, image: Bitmap) -> tuple[TextChunk | MediaChunk, ...]:
        return self.mtmd.chunks(image)

    def slices(self, image: Bitmap) -> list[MediaChunk]:
        return [each for each in self.chunks(image) if isinstance(each, MediaChunk)]

    def encode(self, image: Bitmap) -> list[tuple[MediaChunk, NDArray[np.float32]]]:
        """All that is made before the flag is set."""
        run = self.begin(image)
        while not run.wait(0.01) and not CancelFlag.is_set(self.cancel):
            pass
        return list(run.found())

    def begin(self, image: Bitmap, wanted: Callable[[MediaChunk], bool] = lambda _: True) -> Encoding:
        return self.mtmd.begin(image, lambda: image, wanted=wanted, stopped=self.cancel)

    def evaluate(self, context: Context, parts: Sequence[str | Bitmap], *, last: bool = False) -> int:
        """Our way through a prompt; the position after it."""
        position = 0
        for part in parts:
            if isinstance(part, str):
                position = self.text(context, self.model.vocab.tokenize(part, parse_special=True), position)
                continue
            embeddings = {chunk.key: embedding for chunk, embedding in self.encode(part)}
            chunks = self.chunks(part)
            for index, chunk in enumerate(chunks):
                if isinstance(chunk, TextChunk):
                    position = self.text(context, chunk.tokens, position)
                    continue
                ends = last and part is parts[-1] and index == len(chunks) - 1
                outcome = self.mtmd.decode(context, chunk, embeddings[chunk.key], position, last=ends)
                assert outcome is DecodeOutcome.DONE
                position += chunk.n_pos
        return position

    def text(self, context: Context, tokens: Sequence[int], position: int) -> int:
        assert context.decode(tokens, position) is DecodeOutcome.DONE
        return position + len(tokens)

    def reference(self, parts: Sequence[str | Bitmap]) -> NDArray[np.float32]:
        """mtmd's own way through the same prompt, in a fresh context; the logits after it."""
        context = self.context()
        end = ctypes.c_int32()
        with tokenized(self.mtmd.handle, parts) as pointers:
            for pointer in pointers:
                if mtmd.mtmd_input_chunk_get_type(pointer) == mtmd.MTMD_INPUT_CHUNK_TYPE_TEXT:
                    code = mtmd.mtmd_helper_eval_chunk_single(
                        self.mtmd.handle, context.handle, pointer, end.value, 0, 128, True, ctypes.byref(end)
                    )
                else:
                    code = self.reference_slice(context, pointer, end)
                assert code == 0
        self.end = end.value
        return context.logits()

    def reference_slice(self, context: Context, pointer: int, end: ctypes.c_int32) -> int:
        """What mtmd_helper_eval_chunk_single does for a slice, but for Pixtral's row ends."""
        assert mtmd.mtmd_encode_chunk(self.mtmd.handle, pointer) == 0
        found = mtmd.mtmd_get_output_embd(self.mtmd.handle)
        n_tokens = mtmd.mtmd_input_chunk_get_n_tokens(pointer)
        repair_row_ends(np.ctypeslib.as_array(found, (n_tokens, self.mtmd.n_embd)), read_row_end(self.projector))
        return int(
            mtmd.mtmd_helper_decode_image_chunk(
                self.mtmd.handle,
                context.handle,
                pointer,
                found,
                end.value,
                0,
                128,
                ctypes.byref(end),
                mtmd.mtmd_helper_post_decode_callback(),
                None,
            )
        )


Open = Callable[..., Setup]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    folder = tmp_path_factory.mktemp("pairs")
    return {name: make(folder / name) for name, make in VISION_MAKERS.items()}


@pytest.fixture
def open_pair(pairs: dict[str, tuple[Path, Path]]) -> Iterator[Open]:
    opened: list[Setup] = []

    def open_one(family: str, params: MtmdParams = EXACT) -> Setup:
        cancel = StopAt()
        model_path, projector = pairs[family]
        model = Model.load(model_path, gpu_layers=0, cancel=cancel)
        opened.append(Setup(model, MtmdContext(projector, model, params, cancel), projector, cancel))
        return opened[-1]

    yield open_one
    for setup in opened:
        for context in setup.contexts:
            context.close()
        setup.mtmd.close()
        setup.model.close()


@pytest.fixture(params=VISION_MAKERS)
def setup(request: pytest.FixtureRequest, open_pair: Open) -> Setup:
    return open_pair(request.param)


@pytest.fixture
def llama(tiny_models: dict[str, Path]) -> Iterator[Model]:
    model = Model.load(tiny_models["llama"], gpu_layers=0, cancel=CancelFlag())
    yield model
    model.close()


@pytest.mark.parametrize("size", SIZES)
def test_the_layout_without_pixels_is_the_one_with_them(setup: Setup, size: tuple[int, int]) -> None:
    image = picture(1, *size)
    with tokenized(setup.mtmd.handle, [image]) as pointers:
        kinds = [mtmd.mtmd_input_chunk_get_type(pointer) for pointer in pointers]
    assert [int(isinstance(each, MediaChunk)) for each in setup.chunks(image)] == kinds
    encoded = setup.encode(image)
    assert [chunk for chunk, _ in encoded] == setup.slices(image)
    assert [chunk.saved for chunk, _ in encoded] == [chunk.saved for chunk in setup.slices(image)]
    for chunk, embedding in encoded:
        assert embedding.shape == (chunk.n_tokens, setup.mtmd.n_embd)
        assert embedding.dtype == np.float32
        assert np.isfinite(embedding).all()


def test_families_differ_as_they_should(open_pair: Open) -> None:
    def layout(family: str) -> list[int]:
        """Tokens of text as negative numbers, entries of slices as positive ones."""
        chunks = open_pair(family).chunks(picture(1))
        return [each.n_tokens if isinstance(each, MediaChunk) else -len(each.tokens) for each in chunks]

    assert layout("llava") == [16]
    assert layout("llava16") == [16] * 5
    assert layout("idefics3") == [-2, 4, -2, 4, -3, 4, -2, 4, -3, 4, -1]
    assert layout("gemma3") == [-1, 16, -1]
    assert layout("qwen25vl") == layout("qwen3vl") == layout("qwen35") == [-1, 12, -1]
    assert layout("pixtral") == [53, -1]


def test_positions_of_mrope_families_are_fewer_than_entries(setup: Setup) -> None:
    for chunk in setup.slices(picture(1)):
        mrope = setup.model.metadata("general.architecture") in ("qwen2vl", "qwen3vl", "qwen35")
        assert (chunk.n_tokens, chunk.n_pos) == (12, 4) if mrope else chunk.n_pos == chunk.n_tokens


def test_keys_tell_pictures_and_slices_apart(setup: Setup) -> None:
    images = [picture(1), picture(2), picture(1, 48, 64)]
    keys = [chunk.key for image in images for chunk in setup.slices(image)]
    assert len(set(keys)) == len(keys)
    assert {len(key) for key in keys} == {32}
    repeated = [chunk.key for image in map(picture, (1, 2)) for chunk in setup.slices(image)]
    assert repeated == keys[: len(repeated)]


def test_slices_are_numbered_and_named(open_pair: Open) -> None:
    for family in TILED:
        image = picture(1)
        slices = open_pair(family).slices(image)
        assert [each.ordinal for each in slices] == list(range(5))
        assert {each.media_id for each in slices} == {image.id}


def test_the_encoder_runs_once_for_each_slice_that_is_wanted(setup: Setup) -> None:
    image = picture(1)
    slices = setup.slices(image)
    assert setup.mtmd.encodes == 0
    every = setup.encode(image)
    assert setup.mtmd.encodes == len(slices)
    wanted = slices[-1].key
    run = setup.begin(image, lambda chunk: chunk.key == wanted)
    run.close()
    some = list(run.found())
    assert [chunk.key for chunk, _ in some] == [wanted]
    assert setup.mtmd.encodes == len(slices) + 1
    np.testing.assert_array_equal(some[0][1], every[-1][1])


def test_another_picture_gives_another_embedding(setup: Setup) -> None:
    first, second = setup.encode(picture(1)), setup.encode(picture(2))
    assert all(not np.allclose(a, b, atol=1e-3) for (_, a), (_, b) in zip(first, second, strict=True))


@pytest.mark.parametrize(
    "parts",
    [
        ["Look: ", 1, " what is it?"],
        ["a", 1, "b", 2, "c"],
        ["same ", 1, 1, " twice"],
        [2, " at the start"],
    ],
)
def test_logits_are_those_of_mtmd(setup: Setup, parts: list[str | int]) -> None:
    prompt = [picture(part) if isinstance(part, int) else part for part in parts]
    expected = setup.reference(prompt)
    context = setup.context()
    assert setup.evaluate(context, prompt) == setup.end
    assert np.abs(context.logits() - expected).max() < TOLERANCE
    other = setup.context()
    setup.evaluate(other, [picture(9) if isinstance(part, Picture) else part for part in prompt])
    assert np.abs(other.logits() - expected).max() > 10 * TOLERANCE, "the picture must matter"


def test_small_batches_give_the_same(setup: Setup) -> None:
    longest = max(chunk.n_tokens for chunk in setup.slices(picture(1)))
    prompt: list[str | Picture] = ["Look: ", picture(1), " what?"]
    n_batch = max(longest, 16) if setup.mtmd.non_causal_tokens else max(longest - 1, 7) // 2 + 3
    context = setup.context(n_batch=n_batch, n_ubatch=n_batch)
    setup.evaluate(context, prompt)
    assert np.abs(context.logits() - setup.reference(prompt)).max() < TOLERANCE


def test_a_picture_may_be_the_very_last_entry(setup: Setup) -> None:
    """The same entry, asked for its logits as part of the slice, and alone in a batch of its own."""
    image = picture(3)
    (chunk, embedding), *_ = setup.encode(image)
    context = setup.context()
    position = setup.text(context, setup.model.vocab.tokenize("Look: ", parse_special=True), 0)
    assert setup.mtmd.decode(context, chunk, embedding, position, last=True) is DecodeOutcome.DONE
    logits = context.logits()
    assert logits.shape == (setup.model.vocab.n_tokens,)
    if not chunk.non_causal:
        halves = setup.context(n_batch=chunk.n_tokens - 1, n_ubatch=chunk.n_tokens - 1)
        for start in range(0, position, halves.n_batch):
            tokens = setup.model.vocab.tokenize("Look: ", parse_special=True)[start : start + halves.n_batch]
            setup.text(halves, tokens, start)
        setup.mtmd.decode(halves, chunk, embedding, position, last=True)
        assert np.abs(halves.logits() - logits).max() < TOLERANCE
    silent = setup.context()
    setup.text(silent, setup.model.vocab.tokenize("Look: ", parse_special=True), 0)
    setup.mtmd.decode(silent, chunk, embedding, position)
    with pytest.raises(ValueError, match="NULL"):
        silent.logits()
    for each in (context, silent):
        setup.text(each, [70], position + chunk.n_pos)
    assert np.abs(context.logits() - silent.logits()).max() < TOLERANCE, "asking for logits must change nothing"


def test_the_last_entrys_logits_depend_on_the_picture(setup: Setup) -> None:
    rows = []
    for seed in (3, 4):
        (chunk, embedding), *_ = setup.encode(picture(seed))
        context = setup.context()
        setup.mtmd.decode(context, chunk, embedding, 0, last=True)
        rows.append(context.logits())
    assert np.abs(rows[0] - rows[1]).max() > 10 * TOLERANCE


def test_a_cancelled_encode_gives_nothing_and_the_next_one_is_exact(setup: Setup) -> None:
    image = picture(1)
    setup.encode(image)
    setup.cancel.looks = 0
    whole = setup.encode(image)
    looks = setup.cancel.looks
    assert looks > 6, "the flag must be looked at inside a run"
    setup.cancel.looks, setup.cancel.n = 0, 3
    assert setup.encode(image) == []
    assert setup.cancel.looks <= 4, "the run must stop where it is"
    setup.cancel.n = None
    for (_, again), (_, before) in zip(setup.encode(image), whole, strict=True):
        np.testing.assert_array_equal(again, before)


def test_a_flag_that_is_set_before_starts_no_run(setup: Setup) -> None:
    setup.cancel.set()
    assert setup.encode(picture(1)) == []
    assert setup.mtmd.encodes == 0


def test_slices_before_the_cancel_are_kept(open_pair: Open) -> None:
    opened = open_pair("idefics3")
    image = picture(1)
    whole = opened.encode(image)
    looks, opened.cancel.looks = opened.cancel.looks, 0
    opened.cancel.n = looks // 2
    kept = opened.encode(image)
    assert 0 < len(kept) < len(whole)
    for (_, again), (_, before) in zip(kept, whole, strict=False):
        np.testing.assert_array_equal(again, before)


def test_an_embedding_outlives_the_next_run(setup: Setup) -> None:
    (_, first), *_ = setup.encode(picture(1))
    before = first.copy()
    setup.encode(picture(2))
    np.testing.assert_array_equal(first, before)


def test_values_that_are_no_numbers_never_reach_the_memory(pairs: dict[str, tuple[Path, Path]], tmp_path: Path) -> None:
    model_path, projector = pairs["llava"]
    header, data = read_header(projector), bytearray(projector.read_bytes())
    bias = header.data + header.tensors["mm.2.bias"].offset
    data[bias : bias + 4] = np.float32(np.nan).tobytes()
    spoilt = tmp_path / "mm.gguf"
    spoilt.write_bytes(data)
    model = Model.load(model_path, gpu_layers=0, cancel=CancelFlag())
    mtmd_context = MtmdContext(spoilt, model, EXACT, CancelFlag())
    image = picture(1)
    run = mtmd_context.begin(image, lambda: image)
    run.close()
    with pytest.raises(EncodeFailedError, match="no numbers"):
        list(run.found())
    mtmd_context.close()
    model.close()


def test_a_cancelled_decode_says_so(setup: Setup) -> None:
    (chunk, embedding), *_ = setup.encode(picture(1))
    context = setup.context()
    setup.cancel.set()
    assert setup.mtmd.decode(context, chunk, embedding, 0) is DecodeOutcome.ABORTED
    setup.cancel.clear()
    context.clear()
    assert setup.mtmd.decode(context, chunk, embedding, 0, last=True) is DecodeOutcome.DONE
    fresh = setup.context()
    setup.mtmd.decode(fresh, chunk, embedding, 0, last=True)
    np.testing.assert_array_equal(context.logits(), fresh.logits())


def test_a_full_context_says_so(open_pair: Open) -> None:
    opened = open_pair("llava")
    (chunk, embedding), *_ = opened.encode(picture(1))
    context = opened.context(n_ctx=256, n_batch=16, n_ubatch=16)
    for position in range(0, context.n_ctx - 8, 16):
        outcome = opened.mtmd.decode(context, chunk, embedding, position)
        assert outcome is DecodeOutcome.DONE
    assert opened.mtmd.decode(context, chunk, embedding, context.n_ctx) is DecodeOutcome.FULL


def test_a_non_causal_slice_must_fit_a_micro_batch(open_pair: Open) -> None:
    opened = open_pair("gemma3")
    assert opened.mtmd.non_causal_tokens == 16
    (chunk, embedding), *_ = opened.encode(picture(1))
    assert chunk.non_causal
    context = opened.context(n_batch=64, n_ubatch=15)
    with pytest.raises(ValueError, match="micro-batch"):
        opened.mtmd.decode(context, chunk, embedding, 0)


def test_text_after_a_non_causal_slice_is_causal_again(open_pair: Open) -> None:
    """Two tokens in one batch, and one after the other, give the same only when the first cannot see the second."""
    opened = open_pair("gemma3")
    (chunk, embedding), *_ = opened.encode(picture(1))
    rows = []
    for batches in ([[70, 71, 72]], [[70], [71], [72]]):
        context = opened.context()
        opened.mtmd.decode(context, chunk, embedding, 0)
        position = chunk.n_pos
        for tokens in batches:
            position = opened.text(context, tokens, position)
        rows.append(context.logits())
    assert np.abs(rows[0] - rows[1]).max() < TOLERANCE


def test_causal_families_need_no_micro_batch(setup: Setup) -> None:
    causal = not any(chunk.non_causal for chunk in setup.slices(picture(1)))
    assert (setup.mtmd.non_causal_tokens == 0) is causal


def test_an_embedding_of_another_shape_is_refused(open_pair: Open) -> None:
    opened = open_pair("llava")
    (chunk, embedding), *_ = opened.encode(picture(1))
    with pytest.raises(ValueError, match="embedding"):
        opened.mtmd.decode(opened.context(), chunk, embedding[:-1], 0)


def test_token_limits_reach_the_encoder(open_pair: Open) -> None:
    image = picture(1, 256, 256)
    few = open_pair("qwen25vl", MtmdParams(1, use_gpu=False, image_max_tokens=16)).slices(image)
    many = open_pair("qwen25vl", MtmdParams(1, use_gpu=False)).slices(image)
    assert sum(each.n_tokens for each in few) <= 16
    assert sum(each.n_tokens for each in many) == 256


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (4097, 4097), (4096, 10)])
def test_sizes_that_mtmd_cannot_take_never_reach_it(open_pair: Open, size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="size"):
        open_pair("llava16").mtmd.chunks(Picture(*size, "id"))


def test_pixels_must_be_as_many_as_the_size_says(open_pair: Open) -> None:
    with pytest.raises(ValueError, match="RGB"):
        open_pair("llava").encode(Picture(8, 8, "id", b"x" * 191))


def test_text_that_looks_like_mtmds_marker_is_text(open_pair: Open) -> None:
    opened = open_pair("llava")
    marker = (mtmd.mtmd_get_marker(opened.mtmd.handle) or b"").decode()
    assert marker != (mtmd.mtmd_default_marker() or b"").decode()
    with tokenized(opened.mtmd.handle, [marker, mtmd.mtmd_default_marker().decode()]) as pointers:
        assert [mtmd.mtmd_input_chunk_get_type(each) for each in pointers] == [mtmd.MTMD_INPUT_CHUNK_TYPE_TEXT]


def test_markers_are_never_the_same(open_pair: Open) -> None:
    markers = [mtmd.mtmd_get_marker(open_pair("llava").mtmd.handle) for _ in range(2)]
    assert markers[0] != markers[1]


def test_a_file_of_another_width_is_refused(llama: Model, tmp_path: Path) -> None:
    with pytest.raises(MtmdRefusedError, match="mismatch"):
        MtmdContext(mlp(tmp_path / "mm.gguf", n_out=48), llama, EXACT, CancelFlag())


def test_a_model_is_no_encoder(llama: Model) -> None:
    with pytest.raises(MtmdRefusedError) as caught:
        MtmdContext(llama.path, llama, EXACT, CancelFlag())
    assert caught.value.lines


def test_a_model_without_the_familys_tokens_is_refused(llama: Model, tmp_path: Path) -> None:
    with pytest.raises(MtmdRefusedError, match="lacks a token"):
        MtmdContext(idefics3(tmp_path / "mm.gguf"), llama, EXACT, CancelFlag())


def test_fewer_tokens_than_a_family_wants_are_possible(open_pair: Open) -> None:
    """LFM2 asks for 64 at least, and its loader refuses any smaller maximum."""
    opened = open_pair("lfm2", MtmdParams(1, use_gpu=False, image_max_tokens=16))
    assert max(chunk.n_tokens for chunk in opened.slices(picture(1))) <= 20


@pytest.mark.parametrize("make", [hunyuanvl, deepseek4v])
def test_families_that_look_at_their_place_are_refused(make: Callable[[Path], Path], tmp_path: Path) -> None:
    model = Model.load(qwen2vl(tmp_path / "model.gguf"), gpu_layers=0, cancel=CancelFlag())
    with pytest.raises(MtmdRefusedError, match="depend"):
        MtmdContext(make(tmp_path / "mm.gguf"), model, EXACT, CancelFlag())
    model.close()


def test_loading_can_be_cancelled(llama: Model, tmp_path: Path) -> None:
    cancel = CancelFlag()
    cancel.set()
    with pytest.raises(LoadCancelledError):
        MtmdContext(mlp(tmp_path / "mm.gguf"), llama, EXACT, cancel)


def test_closing_twice_is_no_harm_and_using_after_is_an_error(open_pair: Open) -> None:
    opened = open_pair("llava")
    opened.mtmd.close()
    opened.mtmd.close()
    with pytest.raises(ValueError, match="closed"):
        opened.chunks(picture(1))
