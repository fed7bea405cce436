"""`hearth ask -i`: pictures and recordings from the command line."""

import json
from pathlib import Path

import pytest
from PIL import Image

from tests.audio_files import noise, sound_file
from tests.hearth_process import HearthProcess

Pairs = dict[str, tuple[Path, Path]]


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "red.png"
    Image.new("RGB", (64, 48), "red").save(path)
    return path


def test_a_picture_is_read_with_the_prompt(hearth: HearthProcess, seeing_models: Pairs, picture: Path) -> None:
    model, mmproj = seeing_models["llava"]
    options = ("-m", model, "-t", "1", "-n", "4", "--temp", "0", "--json", "hello")
    alone = hearth.run("ask", *options)
    seen = hearth.run("ask", "-i", picture, "-i", picture, "--mmproj", mmproj, *options)
    assert (seen.returncode, seen.stderr) == (0, b"")
    more = [json.loads(done.stdout)["timings"]["prompt_n"] for done in (alone, seen)]
    assert more[1] - more[0] == 32, "16 entries each"


def test_a_model_that_sees_nothing_says_so(hearth: HearthProcess, tiny_models: dict[str, Path], picture: Path) -> None:
    done = hearth.run("ask", "-m", tiny_models["llama"], "-t", "1", "-i", picture, "what is it?")
    assert done.returncode == 1
    assert b"can't see pictures" in done.stderr
    assert b"--mmproj" in done.stderr


def test_it_answers_the_text_alone_where_that_is_wanted(
    hearth: HearthProcess, tiny_models: dict[str, Path], picture: Path
) -> None:
    options = ("-m", tiny_models["llama"], "-t", "1", "-n", "4", "--strip-images", "--json")
    done = hearth.run("ask", *options, "-i", picture, "what is it?")
    told = "The pictures were left out: this model can't see them."
    assert (done.returncode, done.stderr.decode().strip()) == (0, f"hearth: {told}")
    assert json.loads(done.stdout)["notes"] == [told]
    assert "notes" not in json.loads(hearth.run("ask", *options, "what is it?").stdout)


@pytest.mark.parametrize("content", [None, b"no picture", b""])
def test_a_file_that_is_no_picture_is_one_sentence(
    content: bytes | None, hearth: HearthProcess, seeing_models: Pairs, tmp_path: Path
) -> None:
    path = tmp_path / "cat.png"
    if content is not None:
        path.write_bytes(content)
    done = hearth.run("ask", "-m", seeing_models["llava"][0], "-t", "1", "-i", path, "what is it?")
    assert done.returncode == 1
    assert done.stderr.decode().strip().endswith(".")
    assert b"cat.png" in done.stderr


@pytest.mark.parametrize("shown", [False, True])
def test_what_is_wrong_with_a_projector_is_told_once(
    shown: bool, hearth: HearthProcess, seeing_models: Pairs, picture: Path
) -> None:
    model, _ = seeing_models["llava"]
    pictures = ("-i", picture) if shown else ()
    done = hearth.run("ask", "-m", model, "-t", "1", "-n", "2", "--mmproj", model, *pictures, "what is it?")
    assert done.returncode == (1 if shown else 0)
    [line] = done.stderr.decode().splitlines()
    assert "is a language model, not an encoder for pictures" in line
    assert ("-m" in line) == shown
    assert "()" not in line + hearth.log, "of a failure without details"


def test_a_recording_is_heard_with_the_prompt(hearth: HearthProcess, hearing_models: Pairs, tmp_path: Path) -> None:
    """Whatever its name says; the child that tries the projector hears a second of sound first."""
    model, mmproj = hearing_models["qwen3a"]
    options = ("-m", model, "-t", "1", "-n", "4", "--temp", "0", "--json", "hello")
    recording = tmp_path / "what.bin"
    recording.write_bytes(sound_file(noise(1), 16_000, "FLAC"))
    alone = hearth.run("ask", *options)
    heard = hearth.run("ask", "-i", recording, "--mmproj", mmproj, *options)
    assert (heard.returncode, heard.stderr) == (0, b"")
    more = [json.loads(done.stdout)["timings"]["prompt_n"] for done in (alone, heard)]
    assert more[1] - more[0] == 2 + 26, "a begin and an end, and 13 entries for each second that was begun"


def test_what_can_not_be_heard_is_one_sentence(
    hearth: HearthProcess, tiny_models: dict[str, Path], hearing_models: Pairs, tmp_path: Path
) -> None:
    recording = tmp_path / "voice.wav"
    recording.write_bytes(sound_file(noise(1), 16_000))
    deaf = hearth.run("ask", "-m", tiny_models["llama"], "-t", "1", "-i", recording, "what is it?")
    assert deaf.returncode == 1
    assert b"can't hear" in deaf.stderr and b"--mmproj" in deaf.stderr
    recording.rename(tmp_path / "voice.m4a")
    (tmp_path / "voice.m4a").write_bytes(b"\0\0\0 ftypM4A " + bytes(100))
    other = hearth.run("ask", "-m", hearing_models["qwen3a"][0], "-i", tmp_path / "voice.m4a", "what is it?")
    assert other.returncode == 1
    [line] = other.stderr.decode().splitlines()
    assert "voice.m4a is an M4A or MP4 file" in line and "FLAC" in line
