"""What a server is and what its models can do, as far as it tells."""

from dataclasses import dataclass, field
from enum import StrEnum

from app.remote.address import ServerAddress


class ServerKind(StrEnum):
    """Told apart by the shapes of what they answer, never by versions."""

    HEARTH = "hearth"
    LLAMA_SERVER = "llama-server"
    LLAMA_CPP_PYTHON = "llama-cpp-python"
    TRANSFORMERS = "transformers"
    VLLM = "vllm"
    SGLANG = "sglang"
    OLLAMA = "ollama"
    LM_STUDIO = "lm-studio"
    OTHER = "other"
    """It speaks OpenAI's chat completions, and nothing else is known of it."""

    @property
    def maker(self) -> str:
        """What people call such a server."""
        return _MAKERS.get(self, self.value)


_MAKERS = {
    ServerKind.HEARTH: "Hearth",
    ServerKind.TRANSFORMERS: "Transformers",
    ServerKind.VLLM: "vLLM",
    ServerKind.SGLANG: "SGLang",
    ServerKind.OLLAMA: "Ollama",
    ServerKind.LM_STUDIO: "LM Studio",
    ServerKind.OTHER: "OpenAI-compatible server",
}


class Verdict(StrEnum):
    YES = "yes"
    NO = "no"
    NOT_TOLD = "not_told"


@dataclass(frozen=True, slots=True)
class Ability:
    verdict: Verdict = Verdict.NOT_TOLD
    why: str = ""
    """One sentence, where it is not a plain yes."""

    @property
    def may_be_tried(self) -> bool:
        return self.verdict is not Verdict.NO


YES = Ability(Verdict.YES)


def no(why: str) -> Ability:
    return Ability(Verdict.NO, why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What can be asked of one model of a server."""

    pictures: Ability = Ability()
    recordings: Ability = Ability()
    tools: Ability = Ability()
    forced_tools: Ability = Ability()
    """It can be made to call one."""
    grammar: Ability = Ability()
    """Its answers can be held to a grammar in llama.cpp's notation."""
    schema: Ability = Ability()
    """Its answers can be held to a JSON Schema."""
    continues: Ability = Ability()
    """It goes on from the middle of an answer."""
    reasons: Ability = Ability()
    """It tells its reasoning apart from the answer."""


@dataclass(frozen=True, slots=True)
class Server:
    """One that was recognised. Its address and kind can be kept for the next start; the key lies elsewhere."""

    address: ServerAddress
    kind: ServerKind = ServerKind.OTHER
    key: str = field(default="", repr=False)
    version: str = ""
    """As it tells it, for people; empty where it does not."""

    @property
    def title(self) -> str:
        """For people: what it is, and where."""
        return f"{self.kind.maker}, {self.address.shown}"


@dataclass(frozen=True, slots=True)
class ServerModel:
    id: str
    """As requests name it."""
    title: str = ""
    """As people know it; empty where that is the id."""
    context: int | None = None
    """Tokens that a conversation may have; None where it is not told."""
    abilities: Abilities = field(default_factory=Abilities)
    is_loaded: bool | None = None
    """False where the first question will make it load; None where it is not told."""
    is_cloud: bool = False
    """The server hands questions on to a service that its maker runs."""

    @property
    def name(self) -> str:
        return self.title or self.id
