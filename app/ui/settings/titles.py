"""What the pages of the settings are called, in the order in which they are listed."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.core.api_settings import ApiSettings
from app.core.checkpointing import Checkpointing
from app.core.library_settings import LibrarySettings
from app.core.loading import Loading
from app.core.picture_settings import PictureSettings
from app.core.sampling import Sampling
from app.core.settings import SECTIONS, Interface, ToolSettings
from app.core.snapshot_settings import SnapshotSettings
from app.core.speculation import Speculation


@dataclass(frozen=True, slots=True)
class PageTitle:
    section: type
    """Of `Settings`."""
    title: str
    sentence: str = ""
    """What the page is about; empty where the title says it."""
    folded: bool = False
    """It is for those who know what it is, and shows its title alone."""


@dataclass(frozen=True, slots=True)
class PageGroup:
    """One entry in the list."""

    title: str
    sentence: str
    pages: tuple[PageTitle, ...]


def page_groups() -> list[PageGroup]:
    """All sections; what has no words of its own here is called by its name."""
    known = [
        _alone(Interface, _tr("General")),
        _alone(Loading, _tr("Model"), _tr("How a model is loaded, and what it may take.")),
        PageGroup(
            _tr("Speed and memory"),
            _tr("What is kept so that nothing is read twice, and what makes answers faster."),
            (_warm_conversations(), _speculative_decoding(), _checkpoints()),
        ),
        _alone(
            PictureSettings,
            _tr("Pictures"),
            _tr("For models that see. A picture is looked at once, and what came of it is kept."),
        ),
        _alone(Sampling, _tr("Sampling"), _tr("How the next word is chosen.")),
        _alone(
            LibrarySettings,
            _tr("Library"),
            _tr("Where models are found, beside the folders of the programs that Hearth knows."),
        ),
        _alone(
            ToolSettings,
            _tr("Tools"),
            _tr("What a model may ask for while it answers, and what it is allowed to do."),
        ),
        _alone(
            ApiSettings,
            _tr("Local API"),
            _tr("Other programs can use the model that is loaded here, as they would use OpenAI's."),
        ),
    ]
    named = {page.section for group in known for page in group.pages}
    return known + [_alone(section, name.capitalize()) for section, name in SECTIONS.items() if section not in named]


def _alone(section: type, title: str, sentence: str = "") -> PageGroup:
    return PageGroup(title, sentence, (PageTitle(section, title),))


def _warm_conversations() -> PageTitle:
    return PageTitle(
        SnapshotSettings,
        _tr("Warm conversations"),
        _tr("What a model has read of a conversation is kept, so that coming back to it costs nothing."),
    )


def _speculative_decoding() -> PageTitle:
    return PageTitle(
        Speculation,
        _tr("Speculative decoding"),
        _tr(
            "Several tokens are guessed cheaply (drafted) and checked at once. Each one is still the model's "
            "own choice; where drafts would not make it faster, there are none."
        ),
        folded=True,
    )


def _checkpoints() -> PageTitle:
    return PageTitle(
        Checkpointing,
        _tr("Checkpoints"),
        _tr(
            "Some models cannot simply go back in a conversation (sliding windows, recurrent layers). "
            "For these, places to return to are kept."
        ),
        folded=True,
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("settings_titles", text)
