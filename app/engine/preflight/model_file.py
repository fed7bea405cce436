"""What can be wrong with a model file, in sentences."""

import glob
from pathlib import Path

from app.core.errors import ModelError

_MAGIC = b"GGUF"
_SMALLEST = 24
"""Bytes of the fixed part of a GGUF header."""


def check_file(path: Path) -> None:
    """Refuse what is plainly no model before llama.cpp sees it. Raises ModelError with a sentence."""
    try:
        with path.open("rb") as file:
            head = file.read(_SMALLEST)
    except FileNotFoundError:
        raise ModelError(f"{path} is not there any more. Choose another file.") from None
    except IsADirectoryError:
        raise ModelError(f"{path} is a folder. Choose the .gguf file in it.") from None
    except PermissionError:
        if path.is_dir():
            raise ModelError(f"{path} is a folder. Choose the .gguf file in it.") from None
        raise ModelError(f"You are not allowed to read {path}. Change its permissions, or copy it.") from None
    except OSError as error:
        raise ModelError(f"{path} can't be read: {error.strerror or error}.") from error
    if head[:4] != _MAGIC:
        what = "is empty" if not head else "is not a GGUF file"
        raise ModelError(f"{path.name} {what}. Hearth runs models in the GGUF format (*.gguf).")
    if len(head) < _SMALLEST:
        raise _truncated(path, [])


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
    if "unknown model architecture" in told:
        name = detail.partition("unknown model architecture:")[2].split("\n")[0].strip(" '\"")
        return ModelError(
            f"{path.name} has the architecture “{name}”, which this build of llama.cpp does not know. "
            "A newer version of Hearth may.",
            detail=detail,
        )
    if any(sign in told for sign in _TRUNCATED):
        return _truncated(path, lines)
    if any(sign in told for sign in _NO_MEMORY):
        return ModelError(
            f"There is not enough free memory for {path.name}. Close other programs, or choose a smaller model.",
            detail=detail,
        )
    return ModelError(f"{path.name} can't be loaded: llama.cpp refuses it. It may be damaged.", detail=detail)


def crashed(path: Path, last_words: str) -> ModelError:
    """The sentence for a file that made llama.cpp abort while it was tried in a child process."""
    return ModelError(
        f"{path.name} makes llama.cpp crash, so it was not loaded. It is damaged, or made for another version.",
        detail=last_words,
    )


def _truncated(path: Path, lines: list[str]) -> ModelError:
    return ModelError(f"{path.name} is cut off or damaged. Download or copy it again.", detail="\n".join(lines))


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
