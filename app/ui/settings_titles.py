"""What the pages of the settings are called, in the order in which they are listed."""

from dataclasses import dataclass, fields

from PySide6.QtCore import QCoreApplication

from app.core.settings import Settings


@dataclass(frozen=True, slots=True)
class PageTitle:
    section: str
    """The name of the section in `Settings`."""
    title: str
    sentence: str = ""
    """What the page is about; empty where the title says it."""


def page_titles() -> list[PageTitle]:
    """One for each section; what has no words of its own here is called by its name."""
    known = [
        PageTitle("interface", _tr("General")),
        PageTitle("loading", _tr("Model"), _tr("How a model is loaded, and what it may take.")),
        PageTitle(
            "checkpoints",
            _tr("Checkpoints"),
            _tr(
                "Some models cannot simply go back in a conversation (sliding windows, recurrent layers). "
                "For these, places to return to are kept."
            ),
        ),
        PageTitle(
            "snapshots",
            _tr("Warm conversations"),
            _tr("What a model has read of a conversation is kept, so that coming back to it costs nothing."),
        ),
        PageTitle(
            "pictures",
            _tr("Pictures"),
            _tr("For models that see. A picture is looked at once, and what came of it is kept."),
        ),
        PageTitle("sampling", _tr("Sampling"), _tr("How the next word is chosen.")),
        PageTitle(
            "speculation",
            _tr("Speculative decoding"),
            _tr(
                "Several tokens are guessed cheaply (drafted) and checked at once. Each one is still the model's "
                "own choice; where drafts would not make it faster, there are none."
            ),
        ),
        PageTitle(
            "library",
            _tr("Library"),
            _tr("Where models are found, beside the folders of the programs that Hearth knows."),
        ),
        PageTitle(
            "local_api",
            _tr("Local API"),
            _tr("Other programs can use the model that is loaded here, as they would use OpenAI's."),
        ),
    ]
    named = {each.section for each in known}
    return known + [PageTitle(each.name, each.name.capitalize()) for each in fields(Settings) if each.name not in named]


def _tr(text: str) -> str:
    return QCoreApplication.translate("settings_titles", text)
