"""Where models are looked for, and where new ones go, as one typed value."""

from dataclasses import dataclass

from app.core.setting import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySettings:
    """Beside Hearth's own folder, and those of the programs that it knows."""

    folders: tuple[str, ...] = setting(
        (),
        "Folders with models",
        "Folders of yours. Models are found in them and in whatever is below them.",
        folder=True,
        words="path directory gguf",
    )
    download_folder: str = setting(
        "",
        "Downloads go to",
        "A folder of yours. Empty is the folder of Hugging Face, which other programs use as well.",
        folder=True,
        words="path directory storage disk",
    )
    good_models: str = setting(
        "",
        "List of good models",
        "An https address where a newer list can be had, of whomever you trust. Empty is the list of this version.",
        advanced=True,
    )
