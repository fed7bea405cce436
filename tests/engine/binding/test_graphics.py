"""A build for graphics cards that finds none says so, and computes all the same."""

import pytest

from app.engine.binding import graphics, library

CPU = ("libggml.so", "libggml-base.so", "libggml-cpu-haswell.so", "libllama.so", "libmtmd.so")


@pytest.mark.parametrize(
    ("files", "way"),
    [
        (("libggml-vulkan.so",), "Vulkan"),
        (("ggml-cuda.dll",), "NVIDIA's CUDA"),
        (("libggml-metal.dylib",), "Metal"),
        (("libggml-hip.so.0", "libggml-vulkan.so.0"), "AMD's ROCm or Vulkan"),
    ],
)
def test_a_card_that_is_not_there_is_told(files: tuple[str, ...], way: str) -> None:
    told = graphics.sentence((*CPU, *files), found=False)
    assert told.startswith(f"No graphics card was found that can be used through {way}, so the processor")


def test_nothing_is_told_where_a_card_is_there_or_none_was_ever_wanted() -> None:
    assert graphics.sentence((*CPU, "libggml-vulkan.so"), found=True) == ""
    assert graphics.sentence(CPU, found=False) == ""


def test_this_build_knows_its_devices() -> None:
    if not library.graphics_devices():
        assert library.device_memory() == 0
