"""A chat's way into the slot: template, then tokens."""

from collections.abc import Mapping, Sequence

from app.core.messages import Message
from app.engine.binding.model import Model
from app.engine.marked_text import MESSAGE, MarkedText, concat
from app.engine.prompt import LaidOutPicture, Prompt, PromptTokenizer
from app.engine.template import CHATML, CHATML_STOP, ChatTemplate, select_template

TEMPLATE_KEY = "tokenizer.chat_template"


class ChatPrompt:
    """The chat template of one model, with its tokenizer."""

    def __init__(self, model: Model) -> None:
        """Raises ModelError when the model's template is broken."""
        named = {
            key.removeprefix(TEMPLATE_KEY).removeprefix("."): model.metadata(key) or ""
            for key in model.metadata_keys()
            if key == TEMPLATE_KEY or key.startswith(TEMPLATE_KEY + ".")
        }
        named = {name: source for name, source in named.items() if source.strip()}
        self.is_own = bool(named)
        """False where ChatML stands in for a template that the model lacks."""
        source = select_template(named, tools=False) if named else CHATML
        vocab = model.vocab
        self._template = ChatTemplate(source, bos_token=vocab.text(vocab.bos), eos_token=vocab.text(vocab.eos))
        self._tokenizer = PromptTokenizer(vocab, source)
        known = any(each.text == CHATML_STOP for each in vocab.specials)
        self.stops: tuple[str, ...] = () if self.is_own or known else (CHATML_STOP,)
        """Strings that end an answer, where no token does."""

    def prompt(
        self,
        messages: tuple[Message, ...],
        template_args: Mapping[str, object],
        pictures: Sequence[LaidOutPicture] = (),
        *,
        continues: bool = False,
    ) -> Prompt:
        """The prompt that ends where the assistant begins to speak. Raises a UserError when the template refuses.

        `pictures` are those of the messages, in order; see `app.engine.pictures.show`. With `continues` it ends after
        the text of the last message, an answer, as if the model had just written it: what templates make of answers
        in a history may be something else.
        """
        told = messages[:-1] if continues else messages
        rendered = self._template.render(told, add_generation_prompt=True, **template_args)  # type: ignore[arg-type]  # its own parameters are among them
        if continues:
            rendered = concat((rendered, MarkedText(messages[-1].text, MESSAGE + len(told))))
        return self._tokenizer.tokenize(rendered, messages, pictures)
