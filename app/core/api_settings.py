"""Who else may use the model that the window uses, as one typed value."""

from dataclasses import dataclass
from enum import StrEnum

from app.core.setting import setting

PEERS_PORT = 8470
"""Where computers that are paired are served, unless told otherwise."""


class LoadModels(StrEnum):
    """Whether programs may have other models loaded than the one that is there."""

    NEVER = "never"
    ASK = "ask"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """The local API, in OpenAI's manner."""

    enabled: bool = setting(
        False,
        "Let other programs on this computer use the model",
        "They ask the model that is loaded here, in OpenAI's manner, and wait while it answers you.",
        words="server http endpoint localhost integration",
    )
    port: int = setting(
        8080,
        "Port",
        "Where the programs find it. Choose another one where this is in use.",
        within=(1024, 65535),
    )
    api_key: str = setting(
        "", "Key", "What a program has to send as its API key. Empty asks for none.", words="password token secret"
    )
    other_computers: bool = setting(
        False,
        "Other computers in the network too",
        "Anybody in your network who has the key can use the model. Needs a key.",
        advanced=True,
        words="lan share remote",
    )
    paired_computers: bool = setting(
        False,
        "Computers that you paired",
        "Another Hearth in your network, to which you showed this one's code, uses the model: encrypted, and without a "
        "key.",
        words="lan share remote",
    )
    peers_port: int = setting(
        PEERS_PORT,
        "Port for paired computers",
        "Where they find this one.",
        within=(1024, 65535),
        advanced=True,
    )
    allowed_origin: str = setting(
        "",
        "Web page that may use it",
        "The origin of a page, such as https://example.org, whose scripts may ask the model. Empty allows none.",
        advanced=True,
        words="cors browser",
    )

    strict_model: bool = setting(
        False,
        "Only by the model's own name",
        "A program that asks for another model than the loaded one is refused. Otherwise the loaded one answers to "
        "any name.",
        advanced=True,
    )

    load_models: LoadModels = setting(
        LoadModels.NEVER,
        "Programs may load other models",
        "A program that names another model of this computer gets it: at once, or after you were asked. Otherwise the "
        "loaded one answers.",
        advanced=True,
    )

    keep_on_disk: int = setting(
        0,
        "Room on disk for programs' conversations",
        "What the model has read of them is kept for the next start, in files that hold what was said. What was used "
        "longest ago goes first. 0 keeps nothing.",
        within=(0, 16_777_216),
        unit="MiB",
        advanced=True,
    )

    @property
    def host(self) -> str:
        return "0.0.0.0" if self.other_computers else "127.0.0.1"
