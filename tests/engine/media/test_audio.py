"""Sound files of every form become the same samples, and no file does more than become samples or a sentence."""

import math
import re
import subprocess
import sys
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from app.engine.media.audio import read_audio, waveform
from app.engine.media.audio_limits import AudioError, is_audio, is_length, padded
from tests.audio_files import FORMS, hostile, noise, sound_file, tone, wav
from tests.work import assert_quick

SECONDS = 3.0
"""Of work for one file."""


def level(samples: NDArray[np.float32], hertz: float, rate: int = 16_000) -> float:
    """Decibels of one tone, a full-scale one being 0."""
    at = np.arange(len(samples)) / rate
    found = np.abs(np.mean(samples * np.exp(-2j * np.pi * hertz * at)))
    return 20 * math.log10(max(float(found) * 2, 1e-12))


@pytest.mark.parametrize(("form", "subtype"), FORMS)
def test_every_form_is_heard_at_the_encoders_rate(form: str, subtype: str) -> None:
    rate = 48_000 if subtype == "OPUS" else 44_100
    heard = read_audio(sound_file(tone(1.5, rate), rate, form, subtype))
    assert heard.rate == 16_000 and heard.seconds == pytest.approx(1.5, abs=0.03)
    assert level(heard.samples[2000:-2000], 440) == pytest.approx(-6, abs=1)
    assert heard.samples.dtype == np.float32 and np.abs(heard.samples).max() <= 1


def test_lossless_forms_and_containers_are_one_sound() -> None:
    samples = (tone() * 32_767).astype(np.int16)
    forms = ("WAV", "RF64", "FLAC", "AIFF")
    assert len({read_audio(sound_file(samples, 44_100, form)).digest for form in forms}) == 1
    assert read_audio(sound_file(tone(hertz=441), 44_100)).digest != read_audio(sound_file(tone(), 44_100)).digest


def test_what_speech_does_not_reach_is_not_folded_into_it() -> None:
    """A tone of 10 kHz is above what 16,000 samples a second hold: it goes, and does not come back at 6 kHz."""
    heard = read_audio(sound_file(tone(1.0, hertz=10_000), 44_100, "WAV", "FLOAT"))
    assert level(heard.samples[2000:-2000], 6_000) < -100
    heard = read_audio(sound_file(tone(1.0, hertz=3_000), 44_100, "WAV", "FLOAT"))
    assert level(heard.samples[2000:-2000], 3_000) == pytest.approx(-6.02, abs=0.05)


def test_another_rate_is_another_identity() -> None:
    data = sound_file(noise(1), 16_000)
    plain, faster = read_audio(data), read_audio(data, rate=24_000)
    assert (len(plain.samples), len(faster.samples)) == (16_000, 24_000)
    assert plain.digest != faster.digest


def test_channels_are_heard_as_their_mean() -> None:
    both = np.concatenate([tone(channels=1), -tone(channels=1)], axis=1)
    assert np.abs(read_audio(sound_file(both, 44_100)).samples).max() < 1e-3


@pytest.mark.parametrize(
    ("n", "made"), [(1, 1600), (1600, 1600), (1601, 1601), (480_000, 480_000), (480_001, 480_160), (480_200, 480_200)]
)
def test_what_is_too_short_for_an_encoder_ends_in_silence(n: int, made: int) -> None:
    heard = read_audio(wav(body=b"\0\x20" * n)).samples
    assert len(heard) == made == padded(made, 16_000) and is_length(made, 16_000)
    assert heard[n - 1] > 0 and not heard[n:].any()
    assert made == n or not is_length(n, 16_000)


def test_ten_minutes_are_the_most() -> None:
    body = b"\0\x20" * 8000 * 600
    assert read_audio(wav(8000, body=body)).seconds == 600
    with pytest.raises(AudioError, match=r"long.wav lasts longer than 600 seconds"):
        read_audio(wav(8000, body=body + b"\0\0"), "long.wav")


def test_a_waveform_is_the_loudest_of_each_stretch() -> None:
    samples = np.array([0, 0.1, 0, 0, 0, -0.2, 0, 0], np.float32)
    assert waveform(samples, 4) == pytest.approx((0.5, 0, 1, 0))
    assert waveform(np.zeros(1600, np.float32), 3) == (0, 0, 0)


@pytest.mark.parametrize(
    ("name", "told"),
    [("voice.m4a", "M4A"), ("raw.aac", "AAC"), ("call.webm", "WebM"), ("old.wma", "WMA"), ("picture.png", "is no rec")],
)
def test_other_forms_are_named(name: str, told: str) -> None:
    data = dict(hostile())[name]
    with pytest.raises(AudioError, match=told) as caught:
        read_audio(data, name)
    assert "FLAC" in caught.value.sentence and not is_audio(data)


def test_each_file_becomes_samples_or_a_sentence_and_quickly() -> None:
    files = hostile()
    assert len(files) >= 550 and len({data for _, data in files}) >= 500
    refused = set()

    def read(name: str, data: bytes) -> None:
        try:
            heard = read_audio(data, name)
        except AudioError as error:
            refused.add(name)
            assert re.fullmatch(r"[^\n]{10,240}\.", error.sentence), error.sentence
        else:
            assert is_length(len(heard.samples), heard.rate), name
            assert np.isfinite(heard.samples).all() and np.abs(heard.samples).max() <= 1, name

    for name, data in files:
        assert_quick(SECONDS, partial(read, name, data), name)
    assert 150 < len(refused) < len(files) - 150


def test_a_header_that_lies_takes_no_memory() -> None:
    resource = pytest.importorskip("resource")
    files = [each for each in hostile() if each[0].startswith(("bytes", "frames", "silence", "rate"))]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name, data in files:
        with suppress(AudioError):
            read_audio(data, name)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10, "KiB"


def test_no_library_is_loaded_before_a_recording_is_read() -> None:
    code = "import sys, app.engine.media.audio; print({'soundfile', 'soxr', 'numpy.testing'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
