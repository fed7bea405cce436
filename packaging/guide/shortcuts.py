"""Shortcuts that are asked for one after the other ("and for find?")."""

from functools import cache

from guide.intents import load_intents
from guide.phrasing import plain, vary
from guide.threads import Conversation, Exchange, choose
from guide.topics import topic_of

DEEDS = {
    "export_chat": "(export|exporting|exporting a chat|saving a chat as pdf|the export|exports)",
    "open_model": "(opening a model file|open a model file|open file|opening a file|opening a gguf file)",
    "choose_model": "(choosing a model|the model list|switching the model|the list of models|changing models)",
    "unload_model": "(unload|unloading|unloading the model|freeing the model)",
    "presets": "(presets|the presets|choosing a preset|a preset|the list of presets)",
    "new_chat": "(new chat|a new chat|starting a new chat|a fresh chat|a new conversation|new)",
    "delete_chat": "(delete|deleting a chat|delete chat|removing a chat|throwing a chat away)",
    "rename_chat": "(rename|renaming|renaming a chat|a new title|another title for the chat)",
    "search_chats": "(search|searching all chats|the search of all chats|searching my chats|the search field)",
    "toggle_sidebar": "(the sidebar|sidebar|hiding the sidebar|showing the sidebar)",
    "stop_answer": "(stop|stopping|stopping an answer|halting the answer|cancelling the answer)",
    "regenerate": "(answering again|answer again|regenerate|a new answer|another answer|redo the answer)",
    "copy_answer": "(copy|copying an answer|copy the answer|copying the last answer)",
    "edit_message": "(edit|editing|editing my question|edit the last question|changing my question)",
    "jump_to_end": "(jump to the end|the end|jumping to the end|going to the bottom|the bottom)",
    "open_settings": "(settings|the settings|opening the settings|options|preferences)",
    "all_shortcuts": "(the list of shortcuts|all shortcuts|the list of all keys|the shortcut list)",
    "open_menu": "(the menu|menu|opening the menu|the main menu)",
    "quit": "(quit|quitting|closing hearth|exit|leaving hearth)",
    "focus_message": "(writing a message|the message box|the input box|jumping to the message box)",
    "find_in_chat": "(find|finding a word|find in a chat|finding text here|find in this chat)",
    "command_palette": "(the command palette|command palette|the palette|finding a command)",
    "continue_answer": "(continue|continuing|continuing an answer|going on with an answer|continue the answer)",
    "get_model": "(the models window|models window|downloading a model|getting a model|discover)",
}
"""What a shortcut does, by the intent that answers for it."""
_FIRST = (
    "(what is|which is|tell me|i need|give me) the (shortcut|key|hotkey|keyboard shortcut) (for|of) DEED",
    "(shortcut|key|hotkey|keys) for DEED", "(what|which) (key|keys|shortcut|hotkey) (is for|is|do i press for) DEED",
    "is there a (shortcut|key|hotkey) for DEED", "DEED (shortcut|hotkey|key)", "DEED with the keyboard",
)  # fmt: skip
_NEXT = (
    "(and |)(the |a |)(shortcut|key|hotkey|keys) (for|of) DEED",
    "(and|what about|how about|and what about) (for |)DEED",
    "(and|ok and|now) for DEED", "for DEED(| too| then)", "and (what is |which is |)(the one|that) for DEED",
    "DEED", "and (to|with|by) (which|what) (key|keys) DEED", "same for DEED", "(and |)DEED, which (key|keys)",
)  # fmt: skip


def ask_shortcut(talk: Conversation) -> Exchange:
    """The shortcut of something that was not asked for yet; after another one in fewer words."""
    rng = talk.rng
    known = {intent.name: intent for intent in load_intents() if intent.name in DEEDS}
    asked = {exchange.offers for exchange in talk.exchanges}
    intent = known[rng.choice([name for name in known if name not in asked])]
    after = bool(talk.exchanges) and talk.exchanges[-1].offers in DEEDS
    lines = _NEXT if after else _FIRST
    while plain(ask := vary(choose((rng.choice(lines).replace("DEED", DEEDS[intent.name]),), rng), rng)) in _kept_out():
        pass
    thought = f"The user asks for a shortcut: {topic_of(intent.name)}."
    return talk.add(Exchange(ask, intent.reply(rng), thought, intent.check(), offers=intent.name))


@cache
def _kept_out() -> frozenset[str]:
    return frozenset(plain(text) for each in load_intents() for text in each.held_out)
