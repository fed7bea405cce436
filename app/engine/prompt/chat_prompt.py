"""A chat's way into the slot: template, then tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.core.errors import ModelError
from app.core.messages import Message
from app.core.requests import TemplateFacts
from app.engine.binding.model import Model
from app.engine.binding.vocab import Vocab
from app.engine.output.detect import detect
from app.engine.output.format import OutputFormat
from app.engine.output.parser import parse
from app.engine.prompt.prompt import LaidOutMedia, Prompt, PromptTokenizer
from app.engine.prompt.prompt_tokens import PromptTokens
from app.engine.template.chat_template import CHATML_STOP, ChatTemplate, select_template
from app.engine.template.marked_text import MESSAGE, MarkedText, concat, plain

TEMPLATE_KEY = "tokenizer.chat_template"
_TAIL = 200
"""Characters at the end of a prompt that tell whether it has opened the reasoning."""


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """One template of a model, and what belongs to it."""

    template: ChatTemplate
    tokenizer: PromptTokenizer
    format: OutputFormat
    """How the model writes its answers."""
    stops: tuple[str, ...]
    """Strings that end an answer, where no token does."""
    reasons: bool = False
    """The template writes the marks of a reasoning."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A conversation as a chat template writes it; see `Prompt`."""

    text: MarkedText
    tokenizer: PromptTokenizer
    thinks: bool
    begun: str = ""


class ChatPrompt:
    """The chat templates of one model, with their tokenizers."""

    def __init__(self, model: Model, vocab: Vocab | None = None) -> None:
        """Raises ModelError when the model's template is broken. A `vocab` of its own is for another thread."""
        named = {
            key.removeprefix(TEMPLATE_KEY).removeprefix("."): model.metadata(key) or ""
            for key in model.metadata_keys()
            if key == TEMPLATE_KEY or key.startswith(TEMPLATE_KEY + ".")
        }
        named = {name: source for name, source in named.items() if source.strip()}
        self.is_own = bool(named)
        """False where ChatML stands in for a template that the model lacks."""
        self.vocab = vocab or model.vocab
        main, for_tools = (select_template(named, tools=tools) for tools in (False, True))
        self._chat_format = self._make_chat_format(main)
        self._chat_format_for_tools = self._chat_format if for_tools == main else self._make_chat_format(for_tools)

    def _make_chat_format(self, source: str) -> ChatFormat:
        vocab = self.vocab
        template = ChatTemplate(source, bos_token=vocab.text(vocab.bos), eos_token=vocab.text(vocab.eos))
        written = detect(source)
        known = self.is_own or any(each.text == CHATML_STOP for each in vocab.specials)
        stops = () if known else (CHATML_STOP,)
        marks = (*written.reasoning.starts, *written.reasoning.ends)
        reasons = written.channels or bool(written.heads) or any(mark.strip() in source for mark in marks)
        return ChatFormat(template, PromptTokenizer(vocab, source, written.preserved), written, stops, reasons)

    def chat_format(self, *, tools: bool = False) -> ChatFormat:
        """The one that is used where tools are offered, and where none are."""
        return self._chat_format_for_tools if tools else self._chat_format

    def facts(self) -> TemplateFacts:
        vocab = self.vocab
        template, for_tools = (self.chat_format(tools=tools).template for tools in (False, True))
        return TemplateFacts(
            template.source,
            vocab.text(vocab.bos),
            vocab.text(vocab.eos),
            tools=for_tools.supports_tools,
            tool_calls=for_tools.supports_tool_calls,
            system=template.supports_system,
            typed_content=template.typed_content,
        )

    def prompt(
        self,
        messages: tuple[Message, ...],
        template_args: Mapping[str, object],
        media: Sequence[LaidOutMedia] = (),
        *,
        tools: Sequence[Mapping[str, object]] = (),
        continues: bool = False,
    ) -> Prompt:
        """The prompt that ends where the assistant begins to speak. Raises a UserError when the template refuses.

        `media` are those of the messages, in order; see `app.engine.media.media.show`. With `continues` it ends
        after what the model wrote of the last message, an answer, as if it had just been written: what templates make
        of answers in a history may be something else.
        """
        rendered = self.rendered(messages, template_args, tools=tools, continues=continues)
        return self.tokenized(rendered, messages, media)

    def rendered(
        self,
        messages: tuple[Message, ...],
        template_args: Mapping[str, object],
        *,
        tools: Sequence[Mapping[str, object]] = (),
        continues: bool = False,
    ) -> Rendered:
        """What `prompt` makes tokens of. Raises a UserError when the template refuses."""
        chat_format = self.chat_format(tools=bool(tools))
        told = messages[:-1] if continues else messages
        offered = {"tools": tools} if tools else {}
        # A request may want nothing said in front of the answer.
        text = chat_format.template.render(told, **{"add_generation_prompt": True, **template_args, **offered})  # type: ignore[arg-type]  # its own parameters are among them
        thinks = chat_format.format.reasoning.open_in(plain(text)[-_TAIL:])
        if not continues:
            return Rendered(text, chat_format.tokenizer, thinks)
        begun = _written(messages[-1], chat_format, thinks=thinks)
        return Rendered(concat((text, MarkedText(begun, MESSAGE + len(told)))), chat_format.tokenizer, thinks, begun)

    def tokenized(
        self, rendered: Rendered, messages: tuple[Message, ...], media: Sequence[LaidOutMedia] = ()
    ) -> Prompt:
        """The second half of `prompt`."""
        made = rendered.tokenizer.tokenize(rendered.text, messages, media)
        return replace(made, thinks=rendered.thinks, begun=rendered.begun)

    def plain(self, prompt: str | tuple[int, ...], suffix: str = "") -> Prompt:
        """A text, in which control tokens are recognised, or tokens, without any template; empty where they are. With a
        `suffix` it is the beginning of a gap. Raises ModelError where the model fills none.
        """
        vocab = self.vocab
        tokens = vocab.tokenize(prompt, parse_special=True) if isinstance(prompt, str) else list(prompt)
        if suffix:
            tokens = self._gap(tokens, vocab.tokenize_on(suffix))
        if isinstance(prompt, str) and vocab.add_bos and tokens[:1] != [vocab.bos]:
            tokens.insert(0, vocab.bos)
        return Prompt(PromptTokens(tokens), ())

    def _gap(self, before: list[int], after: list[int]) -> list[int]:
        """As llama-server lays it out."""
        marks = self.vocab.fill_marks
        if marks is None:
            raise ModelError("This model was not made to fill a gap in a text. Leave out the suffix.")
        begins, ends, fills = marks
        return [begins, *before, ends, *after, fills]


def _written(message: Message, chat_format: ChatFormat, *, thinks: bool) -> str:
    """What the model wrote of an answer, with all its marks, as far as that is known or can be told."""
    if not (message.reasoning or message.tool_calls or thinks):
        return message.text
    raw = chat_format.tokenizer.text_of(message.generation)
    if raw:
        _, content, _ = parse(chat_format.format, raw, thinking_open=thinks)
        # A stop string may have cut the last token in two.
        return raw + message.text.removeprefix(content) if message.text.startswith(content) else raw
    if not thinks:
        return message.text
    end = chat_format.format.reasoning.ends[0] if chat_format.format.reasoning.ends else ""
    if not message.text:
        return message.reasoning
    return f"{message.reasoning}\n{end}\n\n{message.text}" if message.reasoning else f"{end}\n\n{message.text}"
