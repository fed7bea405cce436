"""Sounds in and entries out, on each family: exactly what mtmd's own evaluation gives."""

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from llama_cpp import mtmd_cpp as mtmd

from app.core.cancel import CancelFlag
from app.engine.binding.model import Model
from app.engine.binding.mtmd_chunks import MIN_SAMPLES, Audio, MediaChunk, mrope_positions, tokenized
from app.engine.binding.mtmd_context import MtmdContext, TextChunk
from app.engine.media.audio_limits import padded
from tests.audio_files import noise
from tests.engine.binding.test_mtmd_context import EXACT, TOLERANCE, Setup, StopAt, picture

FAMILIES = ("qwen3a", "granite", "qwen35", "lfm2a", "gemma4a", "gemma4ua")
Open = Callable[[str], Setup]


def sound(seed: int, seconds: float = 0.5) -> Audio:
    samples = noise(seed, seconds)[:, 0].astype(np.float32)
    return Audio(len(samples), hashlib.sha256(samples.tobytes()).hexdigest(), samples)


@pytest.fixture
def open_pair(hearing_models: dict[str, tuple[Path, Path]]) -> Iterator[Open]:
    opened: list[Setup] = []

    def open_one(family: str) -> Setup:
        cancel = StopAt()
        model_path, projector = hearing_models[family]
        model = Model.load(model_path, gpu_layers=0, cancel=cancel)
        opened.append(Setup(model, MtmdContext(projector, model, EXACT, cancel), projector, cancel))
        return opened[-1]

    yield open_one
    for setup in opened:
        for context in setup.contexts:
            context.close()
        setup.mtmd.close()
        setup.model.close()


@pytest.fixture(params=FAMILIES)
def setup(request: pytest.FixtureRequest, open_pair: Open) -> Setup:
    return open_pair(request.param)


def test_logits_are_those_of_mtmd(setup: Setup) -> None:
    prompt: list[str | Audio] = ["Listen: ", sound(1), " and ", sound(2, 0.7), sound(1), " what is it?"]
    expected = setup.reference(prompt)
    context = setup.context()
    assert setup.evaluate(context, prompt) == setup.end
    assert np.abs(context.logits() - expected).max() < TOLERANCE
    other = setup.context()
    setup.evaluate(other, [sound(9) if part == prompt[1] else part for part in prompt])
    assert np.abs(other.logits() - expected).max() > 10 * TOLERANCE, "the sound must matter"


def test_the_layout_of_a_length_is_the_one_of_its_sounds(setup: Setup) -> None:
    assert (setup.mtmd.sees, setup.mtmd.hears, setup.mtmd.rate) == (False, True, 16_000)
    for seconds in (0.1, 1.01):
        one, other = sound(1, seconds), sound(2, seconds)
        with tokenized(setup.mtmd.handle, [one]) as pointers:
            kinds = [mtmd.mtmd_input_chunk_get_type(pointer) for pointer in pointers]
            sizes = [mtmd.mtmd_input_chunk_get_n_tokens(pointer) for pointer in pointers]
        chunks = setup.mtmd.chunks(Audio(one.n_samples, one.id))
        assert kinds == [2 if isinstance(each, MediaChunk) else 0 for each in chunks]
        assert sizes == [each.n_tokens if isinstance(each, MediaChunk) else len(each.tokens) for each in chunks]
        assert [chunk for chunk, _ in setup.encode(one)] == [each for each in chunks if isinstance(each, MediaChunk)]
        assert not {each.key for each in setup.slices(one)} & {each.key for each in setup.slices(other)}
        for chunk, embedding in setup.encode(one):
            assert (chunk.n_pos, chunk.non_causal, chunk.media_id) == (chunk.n_tokens, False, one.id)
            assert embedding.shape == (chunk.n_tokens, setup.mtmd.n_embd)


def test_a_layout_is_never_encoded(setup: Setup) -> None:
    """mtmd would give the embedding of silence, and success."""
    with pytest.raises(ValueError, match="nothing to encode"):
        setup.encode(Audio(MIN_SAMPLES, "a"))
    assert setup.mtmd.encodes == 0


def test_windows_with_equal_descriptions_are_told_apart(open_pair: Open) -> None:
    setup = open_pair("qwen3a")
    slices = setup.slices(sound(1, 20))
    assert [each.n_tokens for each in slices] == [104, 104, 65]
    assert slices[0].saved == slices[1].saved and slices[0].key != slices[1].key
    assert [each.ordinal for each in slices] == [0, 1, 2]


def test_every_section_of_mrope_counts_on(open_pair: Open) -> None:
    (chunk,) = open_pair("qwen35").slices(sound(1))
    np.testing.assert_array_equal(mrope_positions(chunk, 7), np.tile(np.arange(7, 7 + chunk.n_tokens), (4, 1)))


@pytest.mark.parametrize("n_batch", [5, 64])
def test_small_batches_give_the_same(n_batch: int, open_pair: Open) -> None:
    for family in ("qwen3a", "gemma4ua"):
        setup = open_pair(family)
        context = setup.context(n_batch=n_batch, n_ubatch=n_batch)
        prompt: list[str | Audio] = ["a ", sound(1, 1.3), " b"]
        setup.evaluate(context, prompt)
        assert np.abs(context.logits() - setup.reference(prompt)).max() < TOLERANCE


@pytest.mark.parametrize("rest", [1, 100, 159, 160, 161])
@pytest.mark.parametrize("family", ["gemma4a", "qwen3a", "granite"])
def test_no_rest_behind_a_window_ends_anything(family: str, rest: int, open_pair: Open) -> None:
    """As `padded` leaves it: mtmd refuses Gemma 4's window of less than ten milliseconds."""
    setup = open_pair(family)
    n_samples = padded(30 * 16_000 + rest, 16_000)
    heard = Audio(n_samples, "a", np.full(n_samples, 0.1, np.float32))
    assert sum(each.n_tokens for each in setup.slices(heard)) >= 300
    assert len(setup.encode(heard)) == len(setup.slices(heard))


def test_a_cancelled_encode_gives_nothing_and_the_next_one_is_exact(setup: Setup) -> None:
    heard = sound(1)
    (_, before), *_ = setup.encode(heard)
    # The first look is before the graph, the second in it or behind it: some projectors are one matrix.
    setup.cancel.looks, setup.cancel.n = 0, 2
    assert setup.encode(heard) == []
    setup.cancel.n = None
    (_, again), *_ = setup.encode(heard)
    np.testing.assert_array_equal(again, before)


@pytest.mark.parametrize(("family", "seconds"), [("granite", 100), ("ultravox", 45)])
def test_a_cancel_is_heard_within_50_ms_whatever_the_encoder_is_at(
    family: str, seconds: float, open_pair: Open
) -> None:
    """At the beginning it is at the spectrogram, which nothing can stop."""
    setup = open_pair(family)
    heard = sound(1, seconds)
    whole = setup.encode(heard)
    begun = time.process_time()
    setup.encode(heard)
    took = time.process_time() - begun

    def is_heard(share: float) -> bool:
        """All in this process's work, so that it does not matter how busy the machine is."""
        begun, ended = time.process_time(), [0.0]

        def stop() -> None:
            while time.process_time() - begun < took * share:
                time.sleep(0.001)
            ended[0] = time.process_time()
            setup.cancel.set()

        stopping = threading.Thread(target=stop)
        stopping.start()
        made = setup.encode(heard)
        waited = time.process_time() - ended[0]
        stopping.join()
        setup.cancel.clear()
        return len(made) < len(whole) and waited < 0.05

    for share in (0.05, 0.4, 0.6):
        # The thread that stops it may get its turn too late.
        assert any(is_heard(share) for _ in range(5))
    for (_, again), (_, before) in zip(setup.encode(heard), whole, strict=True):
        np.testing.assert_array_equal(again, before)


@pytest.mark.parametrize("n", [0, 1, MIN_SAMPLES - 1])
def test_lengths_that_would_end_the_process_reach_no_encoder(n: int) -> None:
    with pytest.raises(ValueError, match="no length"):
        Audio(n, "a")


def test_one_file_sees_and_hears(open_pair: Open) -> None:
    setup = open_pair("qwen25o")
    assert (setup.mtmd.sees, setup.mtmd.hears) == (True, True)
    heard = sound(1)
    chunks = [each for part in (picture(1), heard) for each in setup.chunks(part)]
    kinds = [type(each) for each in chunks]
    assert kinds == [TextChunk, MediaChunk, TextChunk] * 2
    assert [(each.n_tokens, each.n_pos) for each in chunks if isinstance(each, MediaChunk)] == [(12, 4), (750, 750)]


def test_the_warning_of_every_load_is_not_heard(
    hearing_models: dict[str, tuple[Path, Path]], caplog: pytest.LogCaptureFixture
) -> None:
    model_path, projector = hearing_models["qwen3a"]
    model = Model.load(model_path, gpu_layers=0, cancel=CancelFlag())
    MtmdContext(projector, model, EXACT, CancelFlag()).close()
    model.close()
    assert "experimental" not in caplog.text
