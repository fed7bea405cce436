"""Words that mean the same in a question about Hearth, so that what is learnt with one is learnt with all."""

import random
import re
from collections.abc import Iterable

_GROUPS = """
delete remove erase wipe trash bin discard scrap
deleted removed erased wiped trashed binned discarded
deleting removing erasing wiping discarding
picture image photo pic photograph snapshot
pictures images photos pics photographs
chat conversation discussion thread
chats conversations discussions threads talks
computer pc laptop machine desktop notebook
program app application software tool
programs apps applications tools
begin start commence
hide conceal
hidden concealed
see view look at
find locate discover track down
search look through hunt through
change alter modify adjust tweak switch
changed altered modified adjusted
changing altering modifying adjusting
setting option preference
settings options preferences configuration
write type compose
writing typing composing
wrote typed
written typed
ask question query
stop halt abort interrupt cancel end
stopping halting aborting
quick fast speedy rapid
slow sluggish laggy crawling
faster quicker speedier
slower laggier
big large huge enormous
bigger larger
biggest largest
small tiny little
smaller tinier littler
good decent nice
great wonderful fantastic awesome excellent
bad poor terrible awful
wrong incorrect false mistaken
broken damaged corrupt faulty busted
mistake error slip blunder
mistakes errors blunders
problem issue trouble difficulty
help assist aid
explain clarify spell out
meaning sense definition
mean stand for signify
purpose point use aim
kept stored saved held
keep store save retain
keeps stores saves
stored saved kept
location place spot whereabouts
folder directory
file document
safe secure
secret private confidential
privacy confidentiality
internet web net online
offline without internet without a network disconnected
send transmit pass
sent transmitted passed
share pass on hand over
company firm corporation business
maker creator author developer
made created built developed
make create build produce
free free of charge gratis without cost
cost price
pay be charged
buy purchase
download fetch grab
downloaded fetched grabbed
install set up
need require
needs requires
needed required necessary
enough sufficient
full used up exhausted
empty blank bare
screen display monitor
button knob
click press hit tap
double-click click twice on
theme appearance look colours
text words writing
size bigness
rename retitle call differently
called named
answer reply response
answers replies responses
answering replying responding
again once more another time anew
repeat redo say again
continue go on carry on proceed
longer more extensive
short brief concise
shorter briefer
clever smart intelligent bright
stupid dumb silly
strange odd weird funny
weather forecast
joke gag funny story
story tale
poem verse rhyme
song tune
essay article paper
homework schoolwork assignment
recipe cooking instructions
language tongue
colour color hue shade tint
old previous earlier former past
older earlier
new fresh
newest latest most recent
next following
today right now at present
now at the moment currently these days
always every time all the time
never at no time
often frequently many times
sometimes now and then occasionally
happens occurs goes on
happened occurred went on
work function operate
works functions operates
working functioning running
run operate execute
choose pick select
chosen picked selected
use employ work with
used employed
try test attempt
want wish would like
hello hi hey greetings good day
bye goodbye farewell see you
thanks thank you cheers
friend pal mate buddy
boss chief manager
kids children
school class
person human somebody someone
people persons folks
everybody everyone
everything all of it the lot
nothing not a thing
something some thing
different other distinct
same identical equal
difference distinction contrast
many lots of plenty of numerous
much a lot of
more additional extra further
less fewer
without lacking minus
only solely merely just
also too as well
maybe perhaps possibly
really truly actually honestly
very extremely awfully
important vital essential
easy simple straightforward
simple plain easy
hard difficult tough
possible doable feasible
impossible not possible
supported accepted allowed
allowed permitted
information info details data
data information
details particulars specifics
reason cause
way method manner
kind sort
kinds sorts
example sample instance
quality precision accuracy
speed pace velocity
crash break down fall over
crashed broke down went down died
lost gone missing vanished disappeared
disappear vanish go away
recover restore get back bring back rescue
restored recovered brought back
undo reverse take back revert
copy duplicate
copied duplicated
move transfer shift
load open bring in
loaded opened
loading opening
unload close let go of
close shut
closed shut
quit exit leave
update upgrade renew
upgrade update
version edition release
limit maximum ceiling
maximum most upper limit
minimum least
default standard usual
normal usual ordinary
advanced expert
beginner novice newcomer newbie
remember recall recollect keep in mind
forget lose track of
forgotten lost
think reason ponder
thinking reasoning pondering
understand grasp get comprehend
know be aware of
learn study get to know
talk speak chat
talking speaking chatting
speak talk
read go through
reads goes through
listen hear
voice speech spoken words
microphone mic
printer printing device
print put on paper
phone smartphone mobile cell phone
mobile phone smartphone
tablet ipad
graphics card gpu video card
processor cpu chip
disk drive hard drive ssd
space room
room space
backup safety copy
link address
website web site web page
password passcode
account login sign-up profile
licence license terms of use
cat kitty
dog puppy hound
happy glad pleased
sad unhappy down
tired sleepy exhausted
bored with nothing to do
sorry pardon apologies
lonely alone
beautiful pretty lovely
""".strip()
_ALIKE: dict[str, tuple[str, ...]] = {}
_MANY_WORDS = {
    "look at", "track down", "look through", "hunt through", "spell out", "stand for", "free of charge",
    "without cost", "without internet", "without a network", "pass on", "hand over", "be charged", "set up",
    "used up", "click twice on", "call differently", "once more", "another time", "say again", "go on", "carry on",
    "more extensive", "funny story", "cooking instructions", "right now", "at present", "at the moment",
    "these days", "every time", "all the time", "at no time", "many times", "now and then", "goes on", "went on",
    "work with", "would like", "good day", "see you", "thank you", "all of it", "the lot", "not a thing",
    "some thing", "lots of", "plenty of", "a lot of", "as well", "not possible", "break down", "fall over",
    "broke down", "went down", "go away", "get back", "bring back", "brought back", "take back", "bring in",
    "let go of", "upper limit", "keep in mind", "lose track of", "be aware of", "get to know", "go through",
    "goes through", "spoken words", "printing device", "put on paper", "cell phone", "graphics card", "video card",
    "hard drive", "safety copy", "web site", "web page", "terms of use", "with nothing to do", "most recent",
}  # fmt: skip


def _read(lines: Iterable[str]) -> None:
    """Each line is a group; blanks part its members, but for those of `_MANY_WORDS`."""
    joined = sorted(_MANY_WORDS, key=len, reverse=True)
    member = re.compile("|".join(map(re.escape, joined)) + r"|\S+")
    for line in lines:
        members = [found.group() for found in member.finditer(line)]
        for each in members:
            others = tuple(other for other in members if other != each)
            _ALIKE[each] = tuple(dict.fromkeys((*_ALIKE.get(each, ()), *others)))


_read(_GROUPS.splitlines())
_KNOWN = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(_ALIKE, key=len, reverse=True))) + r")\b")


def reworded(text: str, rng: random.Random) -> str:
    """The text with one or two of its words said by others, where any are known. In lower case as it came."""
    places = list(_KNOWN.finditer(text))
    for found in sorted(rng.sample(places, min(len(places), rng.choice((1, 1, 2)))), key=lambda each: -each.start()):
        text = text[: found.start()] + rng.choice(_ALIKE[found.group()]) + text[found.end() :]
    return text
