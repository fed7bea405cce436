"""Texts and files that are handed to the guide: whatever they hold, they are too much for it, and it says so.

What stands in a text must not be taken for a question, so texts are made of all kinds of sentences, those about Hearth
among them.
"""

import random
from collections.abc import Callable, Iterator, Sequence

from guide.conversations import begin, by_name, clear_intents
from guide.dialogue import Dialogue, Turn
from guide.intents import load_intents
from guide.names import HELD_OUT, Pool
from guide.threads import Conversation, Exchange, choose, intent_exchange, reply, typed

LONGEST = 1250
"""Characters of a text for training: about 450 tokens, a row's length less what the template adds."""
_SUMMARISE = (
    "(summarise|summarize|sum up|shorten|tl;dr|tldr|summary|condense|correct|proofread|rewrite|improve|rephrase)",
    "(please |pls |)(summarise|summarize|sum up|shorten|correct)( please|)",
    "(please |pls |)(summarise|summarize|sum up|shorten|correct|proofread|rewrite|improve|explain|check|read) "
    "(this|the following|this text|the text below|this article|this letter|it|this for me|my text)",
    "(can|could) you (summarise|summarize|sum up|shorten|correct|proofread|explain|check|read) (this|it|this text)",
    "(what|tell me what) (is|are) (this text about|the main points|the gist|wrong with this text)",
    "(give|write) (me |)(a|the) (summary|short version|headline|title|conclusion) (of|for) (this|this text|that)",
    "(who|what|when|where) (is meant here|happens in this|was this written|does this take place)",
    "(turn|make) this into (a list|three sentences|bullet points|an email|simple words)",
    "(fix|check|improve) (my |the |)(grammar|spelling|english|commas|wording|style)",
    "(is|are) (this|these|the following|my) (sentence|sentences|text) (correct|right|good english)",
    "(summarise|summarize|sum up|shorten) (this |it |)in (one line|one sentence|a few words|two words)",
    "(summary|gist|short version|key points) of( this|)",
    "(make|write) (a title|a headline|a short version) (for|of) (this|it)",
    "make (this|it) (shorter|simpler|nicer)",
    "(paraphrase|polish|abridge|edit|simplify)( this|)( sentence|)( please|)",
)
_TRANSLATE = (
    "translate", "translation please", "(translate|put|turn) (this|the following|it|this text) (to|into) "
    "(german|french|spanish|english|italian|polish|dutch)", "(to|into|in) (german|french|spanish|english)",
    "(can|could) you translate this( for me| to english| into french|)", "what does this mean in (english|german)",
)  # fmt: skip
_CODE = (
    "fix this",
    "(fix|debug|explain|improve|check|review|refactor|test|run) (this|my|the) (code|function|script|program)",
    "what does this (code|function|script|program|) do", "why does this (code |)not work", "find the bug",
    "(rewrite|translate) this (in|to|into) (python|rust|java|c)", "what is wrong (here|with this code)",
)  # fmt: skip
_FILE = (
    "", "",
    "(summarise|summarize|sum up|read|explain|translate|correct|check|look at|analyse|describe|open) "
    "(this|this file|the file|it|the attached file|this document|my file|the pdf|the attachment)( please| for me|)",
    "what (is|stands) in (this|the|my) (file|document|pdf|attachment)", "what does (it|the file|this) say",
    "what (is it|is this|is the file) about",
    "(who|what|when|where|how much) (is meant|is it about|is named in it|was it)",
    "(find|tell me) (the date|the names|the most important|the total|all numbers) (in it|in this file|in the document)",
    "(is|are) there (a mistake|mistakes|a date|an address) in it", "tell me about this( file|)", "can you read this",
    "(make|write) (a summary|an email|a table|a list) (of|from|out of) (it|this|the file)", "here", "look",
    "(compare|merge) these( files|)", "answer the questions in the file", "any thoughts", "summary", "tl;dr",
)  # fmt: skip
_HELD_OUT_ASKS = {
    "summarise": ("boil this down to one line", "could u make the text below shorter", "what's the upshot of this"),
    "translate": ("i need the german of this", "render this in spanish"),
    "write_code": ("my function is broken, see", "speed this code up"),
    "file": (
        "go through this file and tell me what matters",
        "whats written in there",
        "give me the essence of my pdf",
    ),
}
_HELD_OUT_BRIEF = ("summarise this sentence:", "tl;dr of:", "Shorten this a bit:", "summarise briefly:")
_SUBJECTS = (
    "the committee", "my neighbour", "a young doctor", "the old mill", "our team", "the report", "every second child",
    "the mayor", "a small firm", "the river", "the contract", "nobody in the village", "this method", "the engine",
    "the author", "a group of students", "the winter", "our customer", "the museum", "the new law", "half of the money",
    "heavy rain", "the storm", "a cold wind", "the snow", "bright sunshine", "the fog", "the forecast", "the train",
    "my landlord", "the hospital", "our manager", "the flight", "a police officer", "the harvest", "the database",
    "your application", "this recipe", "the baby", "a lost dog", "the football club", "the newspaper", "the king",
)  # fmt: skip
_VERBS = (
    "decided to leave", "has changed", "was built beside", "will not pay for", "described", "forgot about", "needs",
    "grew faster than", "stopped", "cannot explain", "was older than", "lost", "wrote to", "sold", "is based on",
    "opened", "reached", "looks like", "sent back", "agreed with", "waited for", "measured", "is expected in",
    "was moved to", "fell on", "damaged", "delayed", "will bring", "has confirmed", "rose above", "ran through",
    "should be added to", "thanked", "replaced", "was rejected by", "surprised", "spread across", "comes from",
)  # fmt: skip
_OBJECTS = (
    "the second house", "a letter from the bank", "the long road", "three of the machines", "a different plan",
    "the garden", "all earlier results", "the meeting on Monday", "the price of bread", "its own history",
    "the harbour",
    "two large boxes", "the school", "a question of time", "what was left", "the last chapter", "most of the visitors",
    "a loud noise", "the temperature", "the second quarter", "her brother's car", "the north of the country",
    "the whole coast", "most of the roads", "all afternoon trains", "the opening of the fair", "two spoons of sugar",
    "the final score", "a cup of tea", "the server", "every guest", "next Friday", "the fields", "the lower floors",
)  # fmt: skip
_ENDS = (
    "", "", "in the spring of {n}", "after {n} days", "because of the weather", "without any reason", "near {place}",
    "although {name} was against it", "as {name} said", "for about {n} euros", "since the year {n}", "in {place}",
    "and nobody knew why", "before the sun came up", "at a cost of {n} percent",
)  # fmt: skip
_FILES = (
    "notes.txt", "report.pdf", "letter.md", "contract.pdf", "chapter1.txt", "readme.md", "data.csv", "minutes.txt",
    "invoice.pdf", "todo.txt", "essay.md", "list.txt", "article.pdf", "main.py", "index.html", "thesis.pdf", "log.txt",
)  # fmt: skip
_HELD_OUT_SENTENCES = (
    "The lighthouse keeper counted eleven ships before noon.", "Her recipe asks for two cups of flour and some milk.",
    "Sales fell by nine percent, while costs stayed the same.", "Please find enclosed the signed copies of our deed.",
    "The committee will vote on the proposal next Thursday.", "Bees can see colours that people cannot.",
    "Grandmother kept the letters in a tin under the stairs.", "The bridge was closed for repairs until July.",
    "All passengers must show their tickets to the inspector.", "The experiment was repeated with cold water.",
    "We regret to inform you that your order is delayed.", "A fox crossed the yard and vanished behind the barn.",
    "Chapter two deals with the harvest of the year before.", "The tenant agrees to pay the rent on the first.",
    "Nobody expected the orchestra to play on in the rain.", "The village lies between a forest and a lake.",
)  # fmt: skip


def pasted_dialogue(rng: random.Random) -> Dialogue:
    """A text with what is wanted of it, some with another question before or after."""
    talk = begin(rng)
    if rng.random() < 0.2:
        intent_exchange(talk, rng.choice(clear_intents()))
    wanted, text = _pasted(rng, talk.pool, LONGEST)
    _hand_over(talk, wanted, text)
    if rng.random() < 0.25:
        intent_exchange(talk, rng.choice(clear_intents()))
    return Dialogue(talk.turns(), kind="pasted")


def held_out_pasted() -> Iterator[Dialogue]:
    """32 texts and files of other sentences, with what is wanted of them in other words; some far longer. Then 16
    texts of a sentence or two behind a word and a colon."""
    rng = random.Random(25)
    for at in range(32):
        wanted = ("file", "summarise", "file", "translate", "file", "summarise", "write_code", "file")[at % 8]
        ask = _HELD_OUT_ASKS[wanted][at % len(_HELD_OUT_ASKS[wanted])]
        n = (1, 3, 8, 40)[at // 8]
        text = _code(rng, HELD_OUT) if wanted == "write_code" else " ".join(rng.choices(_HELD_OUT_SENTENCES, k=n))
        whole = _in_file("summary of may.txt", text, ask) if wanted == "file" else f"{ask}: {text}"
        check = by_name()["summarise" if wanted == "file" else wanted].check()
        yield Dialogue((Turn("user", whole),), check=check, kind="pasted")
    for at in range(16):
        text = " ".join(_HELD_OUT_SENTENCES[at : at + 1 + at % 2])
        whole = f"{_HELD_OUT_BRIEF[at % 4]} {text}"
        yield Dialogue((Turn("user", whole),), check=by_name()["summarise"].check(), kind="brief")


def _hand_over(talk: Conversation, wanted: str, text: str) -> None:
    intent = by_name()[wanted]
    thought = "The user gives me a text. That is too much for me."
    talk.add(Exchange(text, reply(talk, intent), thought, intent.check(), offers=wanted))


def _pasted(rng: random.Random, pool: Pool, longest: int) -> tuple[str, str]:
    """The intent that answers, and the message."""
    text = _brief(rng, pool) if rng.random() < 0.4 else _text(rng, pool, int(2 ** rng.uniform(4.7, 9.7)))[:longest]
    drawn = rng.random()
    if drawn < 0.42:
        if rng.random() < 0.2:
            text = _code(rng, pool)
        message = _in_file(rng.choice(_FILES), text, typed(choose(_FILE, rng), rng))
        return "summarise", message
    if drawn < 0.72:
        return "summarise", _asked(rng, _SUMMARISE, text)
    if drawn < 0.82:
        return "translate", _asked(rng, _TRANSLATE, text)
    if drawn < 0.93:
        return "write_code", _asked(rng, _CODE, _code(rng, pool))
    return "summarise", _text(rng, pool, rng.randrange(500, longest))


def _asked(rng: random.Random, wordings: Sequence[str], text: str) -> str:
    ask = typed(choose(wordings, rng), rng).rstrip()
    if rng.random() < 0.2:
        return f"{text}\n\n{ask}"
    return ask + rng.choice((": ", ":\n", ":\n\n", "\n\n", " - ", ': "')) + text


def _in_file(name: str, text: str, ask: str) -> str:
    """As Hearth hands a file over (`document_form`)."""
    return f"File: {name}\n```\n{text}\n```\n\n{ask}"


def _text(rng: random.Random, pool: Pool, characters: int) -> str:
    sentences: list[str] = []
    kinds: tuple[Callable[[], str], ...] = (
        lambda: _sentence(rng, pool), lambda: _sentence(rng, pool), lambda: _sentence(rng, pool),
        lambda: rng.choice(load_intents()).reply(rng), lambda: rng.choice(load_intents()).phrase(rng),
        lambda: " ".join(pool.word(rng) for _ in range(rng.randint(2, 8))), lambda: f"Dear {pool.name(rng)},",
        lambda: f"{pool.name(rng)};{rng.randrange(1000)};{pool.place(rng)};{rng.randrange(100)}",
        lambda: "".join(rng.choices("abcdefghijklmnopqrstuvwxyz 0123456789", k=rng.randint(5, 40))),
    )  # fmt: skip
    chosen = rng.choices(kinds, k=rng.choice((1, 1, 2, 3)))
    between = rng.choice((" ", " ", "\n", "\n- ", "\n\n"))
    while sum(map(len, sentences)) < characters:
        sentences.append(rng.choice(chosen)().strip())
    return between.join(sentences)


def _brief(rng: random.Random, pool: Pool) -> str:
    """A sentence or two: what people try first. Some are about Hearth, or what they would say to it."""
    if rng.random() < 0.25:
        return rng.choice(load_intents()).phrase(rng)
    text = " ".join(_sentence(rng, pool) for _ in range(rng.choice((1, 1, 1, 2, 2, 3))))
    return text.lower() if rng.random() < 0.2 else text


def _sentence(rng: random.Random, pool: Pool) -> str:
    end = rng.choice(_ENDS).format(n=rng.randrange(2, 2030), place=pool.place(rng), name=pool.name(rng))
    said = " ".join(each for each in (rng.choice(_SUBJECTS), rng.choice(_VERBS), rng.choice(_OBJECTS), end) if each)
    return said[:1].upper() + said[1:] + rng.choice((".", ".", ".", "!", "?", ";"))


def _code(rng: random.Random, pool: Pool) -> str:
    a, b, f = (pool.word(rng).lower() for _ in range(3))
    n = rng.randrange(1, 100)
    forms = (
        f"def {f}({a}, {b}):\n    return {a} + {n}", f"for (int {a} = 0; {a} < {n}; {a}++) {{\n  {f}({a});\n}}",
        f"let {a} = {f}({n});\nconsole.log({a});", f"SELECT {a} FROM {b} WHERE {f} = {n};",
        f"def {f}({a}) return {a}", f"if {a} > {n}:\n    print({b})\nelse:\n    {f}()",
        f"import {a}\n\n{b} = {a}.{f}({n})\nprint({b})", f"<div class=\"{a}\"><p>{b} {n}</p></div>",
        f"class {f.title()}:\n    def __init__(self, {a}):\n        self.{b} = {a}",
        f"fn {f}({a}: i32) -> i32 {{ {a} * {n} }}",
    )  # fmt: skip
    return "\n\n".join(rng.sample(forms, rng.choice((1, 1, 2))))
