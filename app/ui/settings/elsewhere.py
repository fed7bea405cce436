"""What people look for among the settings that is chosen, or found, elsewhere."""

from PySide6.QtCore import QCoreApplication

from app.ui.widgets.fuzzy_match import folded


def where_else(wanted: str) -> str:
    """Where that can be had; empty where nothing is known of it."""
    typed = folded(wanted).split()
    return " ".join(told for words, told in _places() if typed and all(_is_one(each, words) for each in typed))


def _is_one(typed: str, words: str) -> bool:
    """A word is known by its beginning, from three letters on."""
    return any(word == typed or (len(typed) > 2 and word.startswith(typed)) for word in folded(words).split())


def _places() -> tuple[tuple[str, str], ...]:
    """Words, and a sentence."""
    return (
        (
            _tr("reasoning thinking thoughts effort budget"),
            _tr("How long a model reasons is chosen at the message field, or in a preset, for models that can."),
        ),
        (
            _tr("language translation locale german spanish french chinese"),
            _tr("Hearth speaks your system's language where it is translated; models answer in yours."),
        ),
        (
            _tr("proxy network internet connection offline"),
            _tr("Hearth goes through the proxy that your system or HTTPS_PROXY names."),
        ),
        (
            _tr("voice speech microphone dictation sound audio speak recording"),
            _tr("Recordings are added with + at the message field, for models that hear. Hearth itself is silent."),
        ),
        (
            _tr("keyboard shortcuts hotkeys keybindings"),
            _tr("All keys are listed under Keyboard shortcuts in the menu (F1)."),
        ),
        (
            _tr("openai ollama url remote server connect cloud"),
            _tr("Models of other computers are added under Models, Servers (Ctrl+Shift+O)."),
        ),
        (
            _tr("account login token huggingface hugging face"),
            _tr("Hearth has no accounts; where Hugging Face wants a token, Models asks for it."),
        ),
        (
            _tr("export import backup restore save print"),
            _tr("Conversations are exported, printed and backed up from the menu, under Chat."),
        ),
        (
            _tr("mcp plugins extensions addons"),
            _tr("Servers of tools (MCP) are added on the page Tools."),
        ),
        (
            _tr("update upgrade version about licence license"),
            _tr("Hearth looks for no updates by itself; its version stands under About Hearth in the menu."),
        ),
        (
            _tr("telemetry privacy tracking analytics statistics"),
            _tr("Hearth sends nothing about you to anybody."),
        ),
        (
            _tr("presets profile persona"),
            _tr("Presets are chosen at the message field, and edited with Ctrl+Shift+K."),
        ),
    )  # fmt: skip


def _tr(text: str) -> str:
    return QCoreApplication.translate("settings_elsewhere", text)
