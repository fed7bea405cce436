"""What is asked, as an expression for FTS5: any of its words, without those that stand in every text."""

import re
from collections.abc import Iterable

from app.storage.search_words import cut

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_MOST = 40
"""Words of a question that are looked for; a pasted page has hundreds."""
_WORDS = """
a about above after again against all also am an and any are aren't as at be because been before being below between
both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from
further get gets give given had has hasn't have haven't having he her here hers him his how how's i i'm if in into
is isn't it it's its itself just let me more most my no nor not of off on once only or other our out over own please
same shall she should shouldn't so some such tell than that that's the their them then there there's these they this
those through to too under until up us very was wasn't we were what what's when where which while who whom whose why
will with won't would you your
aber als am an auch auf aus bei beim bin bis bist da damit das dass dein dem den der des dich die dies diese dieser
dieses dir doch du durch ein eine einem einen einer eines er es etwas euch für hat hatte hier ich ihm ihn ihr im in
ist ja kann kein keine können man mein mich mir mit muss nach nicht noch nun nur ob oder ohne sehr sein sich sie
sind so über um und uns unter vom von vor war warum was wenn wer werden wie wieder wir wird wo zu zum zur
au aux avec ce ces cette comment dans de des du elle en est et être il ils je la le les leur lui ma mais me mes moi
mon ne nos notre nous ou où par pas pour pourquoi quand que quel quelle quels qui sa se ses son sont sur ta te tes
ton tu un une vos votre vous
al como con cual cuando del desde donde el ella ellos eso esta este esto hay la las lo los más muy nos para pero por
porque qué se sin sobre su sus una uno y ya che chi ci come cosa cui da dei del della delle di dove e gli il io loro
nel nella non per perché più quale quando questo sono sul ao aos as com da das do dos ele em entre era essa esse eu
foi isso mas mesmo na nas não no nos o os ou pela pelo quem são sem seu sua também um uma
"""
"""Of English, German, French, and of Spanish, Italian and Portuguese."""
STOP_WORDS = frozenset(_WORDS.split())


def words_of(question: str) -> tuple[str, ...]:
    """Each once, in small letters, in order; stop words only where there are no others."""
    found = tuple(dict.fromkeys(each[0].lower().replace("’", "'") for each in _WORD.finditer(question)))
    telling = tuple(each for each in found if each not in STOP_WORDS)
    return (telling or found)[:_MOST]


def any_of(words: Iterable[str]) -> str:
    """For MATCH over texts that `cut` prepared; empty where there is no word, and then nothing may be asked."""
    return " OR ".join('"{}"'.format(cut(each).replace('"', '""')) for each in words)
