"""All settings of the program in one typed value."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

from app.core.api_settings import ApiSettings
from app.core.checkpointing import Checkpointing
from app.core.library_settings import LibrarySettings
from app.core.loading import Loading
from app.core.picture_settings import PictureSettings
from app.core.sampling import Sampling
from app.core.sentence import Sentence
from app.core.setting import Problem, plain, section_from, setting
from app.core.snapshot_settings import SnapshotRoom, SnapshotSettings
from app.core.speculation import Speculation

_MIB = 1 << 20


class Theme(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class SendKey(StrEnum):
    ENTER = "enter"
    CTRL_ENTER = "ctrl_enter"


class Motion(StrEnum):
    FULL = "full"
    REDUCED = "reduced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """The window."""

    theme: Theme = setting(
        Theme.SYSTEM,
        "Theme",
        "Light, dark, or as the system says.",
        words="mode night bright colours colors appearance look",
    )
    text_size: int = setting(
        100,
        "Text size",
        "Of everything in the window. Ctrl+Plus and Ctrl+Minus change it.",
        within=(80, 200),
        unit="%",
        words="font zoom scale bigger larger smaller letters",
    )
    motion: Motion = setting(
        Motion.FULL, "Motion", "Reduced: nothing on screen moves or blinks by itself.", words="animations effects"
    )
    system_prompt: str = setting(
        "",
        "System prompt",
        "What every conversation tells the model first. May be empty.",
        words="instructions persona role character personality behaviour behavior custom",
    )
    send_key: SendKey = setting(
        SendKey.ENTER,
        "Send with",
        "With Enter, Shift+Enter begins a new line; with Ctrl+Enter, Enter alone does.",
        words="return keyboard newline shortcut",
    )
    long_paste: int = setting(
        2500,
        "Long text becomes an attachment",
        "Pasted text of more characters than this, or of more than 60 lines, is attached as a file. 0 is off.",
        within=(0, 1_000_000),
        unit="characters",
        words="clipboard",
    )
    model_titles: bool = setting(
        True,
        "Let the model title chats",
        "When it has nothing else to do. A title that you typed is never replaced.",
        words="name rename",
    )
    tell_answers: bool = setting(
        True,
        "Tell when an answer is there",
        "In the window where another chat is open, and by the system's notifications while the window is not in use.",
        words="notify alert popup",
    )
    stop_repetition: bool = setting(
        True,
        "Stop answers that repeat themselves",
        "An answer that only writes the same again and again is stopped; it can go on anyway.",
        words="loop",
    )
    last_model: str = setting(
        "",
        "Last model",
        "The file that was loaded last; it is loaded again at the start.",
        words="startup autoload default",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """What is offered, and its limits."""

    # All are off at the start: what is on stands at the beginning of every new chat, has to be read, and is called by
    # small models without need. Those that only look, or compute where they can reach nothing, never ask.
    clock: bool = setting(
        False, "Date and time", "What a model can't know by itself. It never asks.", words="today calendar"
    )
    python: bool = setting(
        False,
        "Python",
        "The model computes with code that it writes. The code can reach no files and no network, and never asks. "
        "It is prepared once, in the background: that takes some seconds of a processor.",
        words="code interpreter calculator maths",
    )
    documents: bool = setting(
        False,
        "Documents of the chat",
        "The model searches and reads the documents and collections of the chat, also what was left out of a full "
        "context. It never asks.",
        words="rag pdf",
    )
    chats: bool = setting(
        False,
        "Other chats",
        "The model looks for what was said in your other chats. It asks first.",
        words="memory remember history",
    )
    files: bool = setting(
        False,
        "Files",
        "The model lists, reads and searches the folders below. Before it writes it asks, and shows the difference.",
        words="disk directory access",
    )
    folders: tuple[str, ...] = setting(
        (), "Folders for files", "What is hidden in them, and links that lead out of them, stay closed.", folder=True
    )
    web: bool = setting(
        False,
        "Web pages",
        "The model reads pages in the internet, and asks about each host. Pages in your own network stay closed.",
        words="internet search browse online",
    )
    rounds: int = setting(
        25,
        "Rounds in one answer",
        "How often a model may call tools before it has to ask you whether to go on.",
        within=(1, 1000),
        advanced=True,
    )
    seconds: int = setting(
        120,
        "Time for one call",
        "A tool that says nothing for so long is stopped. One that tells its progress may go on.",
        within=(1, 3600),
        unit="s",
        advanced=True,
    )
    result_chars: int = setting(
        24_000,
        "Length of a result",
        "What a tool gives beyond this is cut, and can be read on. It is never more than a quarter of the context.",
        within=(500, 1_000_000),
        unit="characters",
        advanced=True,
    )
    read_ahead: bool = setting(
        True,
        "Read ahead",
        "The model reads documents that you attach to a new chat, and after tools were used what your next question "
        "needs, before you ask it. It then answers at once, for a little more power.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    loading: Loading = field(default_factory=Loading)
    checkpoints: Checkpointing = field(default_factory=Checkpointing)
    snapshots: SnapshotSettings = field(default_factory=SnapshotSettings)
    sampling: Sampling = field(default_factory=Sampling)
    speculation: Speculation = field(default_factory=Speculation)
    pictures: PictureSettings = field(default_factory=PictureSettings)
    library: LibrarySettings = field(default_factory=LibrarySettings)
    tools: ToolSettings = field(default_factory=ToolSettings)
    local_api: ApiSettings = field(default_factory=ApiSettings)
    interface: Interface = field(default_factory=Interface)

    @property
    def snapshot_room(self) -> SnapshotRoom:
        programs = self.local_api.keep_on_disk * _MIB if self.snapshots.on_disk else 0
        return SnapshotRoom(self.snapshots.quota + programs, programs)


SECTIONS: Mapping[type, str] = {type(getattr(Settings(), each.name)): each.name for each in fields(Settings)}
"""By the types of the sections: what they are called in `Settings` and in files."""


def settings_from(values: Mapping[str, object]) -> tuple[Settings, list[Problem]]:
    """Settings from a parsed file. Whatever is wrong resets alone and is reported; nothing is raised."""
    problems: list[Problem] = []
    made: dict[str, Any] = {}
    sections: dict[str, Any] = {each.name: each.default_factory for each in fields(Settings)}
    for name, given in values.items():
        section = sections.get(name)
        if section is None:
            problems.append(Problem(name, Sentence("[{name}] is not a section of this version.", name=name)))
        elif not isinstance(given, Mapping):
            problems.append(Problem(name, Sentence("{name} should be a section, [{name}].", name=name)))
        else:
            made[name], found = section_from(section, given, name)
            problems += found
    return Settings(**made), problems


def settings_to(settings: Settings) -> dict[str, dict[str, object]]:
    """Plain values for a file; only what differs from the defaults, so that better defaults can arrive."""
    values: dict[str, dict[str, object]] = {}
    defaults = asdict(Settings())
    for section, content in asdict(settings).items():
        changed = {name: plain(value) for name, value in content.items() if value != defaults[section][name]}
        if changed:
            values[section] = changed
    return values
