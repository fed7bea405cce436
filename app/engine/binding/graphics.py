"""What a build of llama.cpp that can use graphics cards says where it finds none."""

from collections.abc import Iterable

from app.core.sentence import Sentence
from app.engine.binding import library

_BACKENDS = {
    "cuda": "NVIDIA's CUDA",
    "hip": "AMD's ROCm",
    "metal": "Metal",
    "musa": "MUSA",
    "opencl": "OpenCL",
    "sycl": "SYCL",
    "vulkan": "Vulkan",
}
"""By the name of ggml's library."""


def missing_card() -> str:
    """A sentence when this build has a backend for graphics cards and no card was found; else "".

    llama.cpp then computes with the processor, by itself and silently.
    """
    return sentence((file.name for file in library.library_folder().iterdir()), found=bool(library.graphics_devices()))


def sentence(files: Iterable[str], *, found: bool) -> str:
    """`files` are the names of the libraries beside llama.cpp's; `found` says that there is a card."""
    names = {name.partition(".")[0].removeprefix("lib") for name in files}
    ways = [told for name, told in _BACKENDS.items() if f"ggml-{name}" in names]
    if found or not ways:
        return ""
    return Sentence(
        "No graphics card was found that can be used through {ways}, so the processor does all the work: "
        "install the card's driver, or set GPU layers to 0 and this is not said again.",
        ways=" or ".join(ways),
    )
