"""What can be wrong with a model file, in sentences."""

import glob
from pathlib import Path

from app.core.errors import ModelError
from app.core.gguf_header import GgufHeader, HeaderError, read_header

_MAGIC = b"GGUF"
_SMALLEST = 24
"""Bytes of the fixed part of a GGUF header."""


def check_file(path: Path) -> None:
    """Refuse what is plainly no model before llama.cpp sees it. Raises ModelError with a sentence."""
    try:
        with path.open("rb") as file:
            head = file.read(_SMALLEST)
    except FileNotFoundError:
        raise ModelError("{path} is not there any more. Choose another file.", path=path) from None
    except OSError as error:
        if path.is_dir():
            raise ModelError("{path} is a folder. Choose the .gguf file in it.", path=path) from None
        raise unreadable(path, error) from error
    if head[:4] != _MAGIC:
        if not head:
            raise ModelError("{name} is empty. Hearth runs models in the GGUF format (*.gguf).", name=path.name)
        raise ModelError("{name} is not a GGUF file. Hearth runs models in the GGUF format (*.gguf).", name=path.name)
    if len(head) < _SMALLEST:
        raise truncated(path)


def header_of(path: Path) -> GgufHeader:
    """Of a file that llama.cpp has not seen yet. Raises ModelError with a sentence."""
    check_file(path)
    try:
        return read_header(path)
    except HeaderError as error:
        raise truncated(path, error) from None
    except OSError as error:
        raise unreadable(path, error) from error


def parts(path: Path) -> list[Path]:
    """All files of a split model, or the one."""
    stem, marker, count = path.stem.rpartition("-of-")
    if not marker or not count.isdigit():
        return [path]
    pattern = f"{glob.escape(stem[:-5])}?????-of-{count}{glob.escape(path.suffix)}"
    return sorted(path.parent.glob(pattern)) or [path]


def explain(path: Path, lines: list[str]) -> ModelError:
    """The sentence for a load that llama.cpp refused, from its own last words."""
    detail = "\n".join(lines)
    told = detail.lower()
    # A damaged header has none.
    if architecture := detail.partition("unknown model architecture:")[2].split("\n")[0].strip(" '\""):
        return ModelError(
            "{name} has the architecture “{architecture}”, which this build of llama.cpp does not know. "
            "A newer version of Hearth may.",
            name=path.name,
            architecture=architecture,
            detail=detail,
        )
    if any(sign in told for sign in _TRUNCATED):
        return truncated(path, detail)
    if any(sign in told for sign in _NO_MEMORY):
        return ModelError(
            "There is not enough free memory for {name}. Close other programs, or choose a smaller model.",
            name=path.name,
            detail=detail,
        )
    return ModelError("{name} can't be loaded: llama.cpp refuses it. It may be damaged.", name=path.name, detail=detail)


def crashed(path: Path, last_words: str) -> ModelError:
    """The sentence for a file that made llama.cpp abort while it was tried in a child process."""
    return ModelError(
        "{name} makes llama.cpp crash, so it was not loaded. It is damaged, or made for another version.",
        name=path.name,
        detail=last_words,
    )


def unreadable(path: Path, error: OSError) -> ModelError:
    if isinstance(error, PermissionError):
        return ModelError("You are not allowed to read {path}. Change its permissions, or copy it.", path=path)
    return ModelError("{path} can't be read: {reason}.", path=path, reason=error.strerror or error)


def truncated(path: Path, detail: object = "") -> ModelError:
    return ModelError("{name} is cut off or damaged. Download or copy it again.", name=path.name, detail=str(detail))


_TRUNCATED = (
    "is not within the file bounds",
    "corrupted or incomplete",
    "unexpectedly reached end of file",
    "failed to read",
    "invalid magic",
    "tensor data is not",
    "read error",
)
_NO_MEMORY = ("unable to allocate", "failed to allocate", "out of memory", "cannot allocate", "alloc_tensor_range")
