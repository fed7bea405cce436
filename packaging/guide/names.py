"""Names and other words that people tell: for training, and others kept for evaluation, so that only copying helps."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

_NAMES = """
Aaron Abby Abel Ada Adam Adele Adil Agnes Ahmed Aida Aiko Alan Albert Alena Alex Alexa Alfred Ali Alice Alina Alma
Amara Amelia Amina Amir Amy Ana Andre Andrea Andrew Angela Anika Anita Anna Anne Anton Ari Arno Artur Asha Astrid
Aurora Axel Ayla Barbara Bea Ben Benno Bernd Beth Bianca Bill Birgit Bjorn Bob Boris Brian Brigitte Bruno Carl Carla
Carlos Carmen Carol Caspar Cecilia Celine Chen Chiara Chloe Chris Clara Claude Claudia Clemens Conor Cora Dagmar Dan
Dana Daniel Dario David Dean Deborah Denise Derek Diana Diego Dieter Dina Dmitri Dora Doris Dylan Edgar Edith Ed Ela
Elena Eli Elias Elif Elisa Ella Ellen Elsa Emil Emily Emma Eric Erik Erika Ernst Esther Ethan Eva Evan Eve Fabian
Farah Fatima Felix Fiona Flora Florian Frank Frida Fritz Gabriel Gemma Georg George Gerda Gina Giulia Grace Greta
Gustav Hal Hamid Hana Hannah Hans Harald Harry Hassan Heidi Helen Helga Henry Hilda Hugo Ian Ibrahim Ida Igor Ilse
Imran Ines Inga Ingrid Irene Iris Isa Isabel Ivan Ivy Jack Jacob Jade James Jan Jana Jane Jasmin Jason Jean Jenny Jens
Jill Joan Joe Johan John Jonas Jorge Josef Joy Juan Judith Jules Julia Julian Jun June Karen Karim Karin Karl Kate
Katja Keiko Ken Kevin Kim Kira Klaus Kofi Kurt Kyle Lara Lars Laura Lea Leila Lena Leo Leon Leonie Levi Lily Lina
Linda Lisa Liv Lola Lorenz Lotte Louis Lucas Lucia Lucy Luis Luisa Luke Luna Lydia Magnus Maja Malik Manuel Mara Marc
Marco Maria Marie Mario Marion Mark Marta Martin Mary Mateo Matt Maud Max Maya Megan Mei Mia Michael Miguel Mila Milan
Mina Mira Miriam Mohamed Molly Mona Moritz Nadia Nadja Naomi Natalie Ned Nell Nico Nicole Nils Nina Noah Noor Nora
Norbert Odette Olaf Oleg Olga Oliver Olivia Omar Oscar Otto Pablo Pam Pascal Pat Paul Paula Pavel Pedro Peggy Penny
Peter Petra Phil Pia Pierre Priya Quentin Rachel Rafael Raj Ralph Ravi Rebecca Regina Remo Renate Rene Rita Robert
Robin Rolf Roman Rosa Rose Ruben Rudi Ruth Ryan Sabine Salma Sam Samira Sandra Sara Sasha Sean Selma Sergio Silvia
Simon Sofia Sonja Stefan Stella Steve Sue Susan Sven Tamara Tanja Tara Ted Teresa Theo Thomas Tim Tina Tobias Tom Toni
Tracy Udo Ulla Ulrich Uma Ursula Uwe Vera Victor Viola Viktor Wanda Walter Will Wim Xavier Yann Yara Yasmin Yuki Yusuf
Yvonne Zara Zoe
"""
_HELD_OUT_NAMES = """
Alva Anselm Beatrix Casimir Corinna Dorothea Elvira Emeka Fergus Fenja Gideon Halina Hiroshi Ilaria Jarek Jolanda
Kaito Keziah Lennart Ludmila Malwina Marisol Ndidi Nestor Octavia Orla Pelle Philippa Quirin Rasmus Roswitha Saoirse
Severin Tadeus Tilda Ulf Valentina Wiebke Yorick Zelda
"""
_PLACES = """
Lyon Paris Berlin Hamburg Munich Vienna Graz Zurich Basel Rome Milan Turin Naples Madrid Seville Porto Lisbon London
Leeds York Dublin Cork Oslo Bergen Stockholm Malmo Helsinki Turku Riga Vilnius Warsaw Krakow Prague Brno Budapest
Zagreb Split Athens Ankara Cairo Tunis Lagos Accra Nairobi Delhi Mumbai Tokyo Kyoto Osaka Seoul Beijing Shanghai
Sydney Perth Boston Chicago Denver Dallas Toronto Montreal Lima Quito Bogota Havana Miami Cologne Dresden Leipzig Bonn
Ghent Bruges Brussels Geneva Bern Nice Lille Nantes Bath Oxford Cardiff Glasgow Hanoi Manila Jakarta Santiago Rio
"""
_HELD_OUT_PLACES = "Tallinn Utrecht Marseille Verona Salzburg Aarhus Bilbao Bristol Odessa Kampala Adelaide Seattle"
_COLOURS = """
red blue green yellow orange purple pink brown black white grey turquoise violet gold silver beige crimson teal cream
"""
_HELD_OUT_COLOURS = "lilac indigo olive scarlet navy"
_ANIMALS = "cat dog horse parrot hamster rabbit turtle goldfish pony mouse canary snake goat hen duck"
_HELD_OUT_ANIMALS = "ferret donkey lizard"
_JOBS = """
teacher nurse baker painter doctor gardener carpenter cook driver farmer lawyer student plumber tailor singer dentist
writer waiter librarian chemist pilot fisherman florist barber miner optician postman
"""
_HELD_OUT_JOBS = "beekeeper welder surgeon sculptor jeweller"
_FOODS = """
pizza pasta soup rice bread curry salad cheese sushi tofu lasagne pancakes potatoes beans cake noodles tacos fish
risotto stew
"""
_HELD_OUT_FOODS = "goulash paella dumplings hummus ravioli"
_HOBBIES = """
chess sailing knitting running football tennis painting cooking hiking reading swimming gardening fishing dancing
cycling skiing
"""
_HELD_OUT_HOBBIES = "archery pottery fencing rowing"
_WORDS = """
apple river candle window garden silver thunder pencil castle forest rocket button mirror ladder pepper saddle winter
basket hammer island marble needle orchid pillow ribbon spider tunnel violin wagon yellow zebra anchor bridge copper
dragon engine feather
"""
_HELD_OUT_WORDS = "lantern walnut compass velvet harbour pumpkin trumpet blanket"
_ONSETS = [
    "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p", "pr", "qu", "r",
    "s", "sh", "sk", "st", "t", "th", "tr", "v", "w", "x", "z",
]  # fmt: skip
_VOWELS = ["a", "e", "i", "o", "u", "a", "e", "i", "o", "ai", "ea", "ee", "ia", "io", "ou", "y"]
_ENDS = ["", "", "n", "l", "r", "s", "m", "k", "t", "nd", "x", "th"]


@dataclass(frozen=True)
class Pool:
    """Words to tell; the training's pool and that of the evaluation have none in common."""

    names: tuple[str, ...]
    places: tuple[str, ...]
    colours: tuple[str, ...]
    animals: tuple[str, ...]
    jobs: tuple[str, ...]
    foods: tuple[str, ...]
    hobbies: tuple[str, ...]
    words: tuple[str, ...]
    invents: float
    """Share of names, places and words that are invented."""

    def name(self, rng: random.Random) -> str:
        return self._or_invented(self.names, rng)

    def place(self, rng: random.Random) -> str:
        return self._or_invented(self.places, rng)

    def word(self, rng: random.Random) -> str:
        return self._or_invented(self.words, rng).lower()

    def _or_invented(self, known: Sequence[str], rng: random.Random) -> str:
        if rng.random() < self.invents:
            while (made := invented(rng)) in _KEPT_OUT:
                pass
            return made
        return rng.choice(known)


def invented(rng: random.Random) -> str:
    """A word of two or three syllables that means nothing, with a capital."""
    syllables = (
        rng.choice(_ONSETS) + rng.choice(_VOWELS) + (rng.choice(_ENDS) if rng.random() < 0.5 else "")
        for _ in range(rng.choice((2, 2, 3)))
    )
    return "".join(syllables).capitalize()


def _pool(texts: Sequence[str], invents: float) -> Pool:
    names, places, colours, animals, jobs, foods, hobbies, words = (tuple(text.split()) for text in texts)
    return Pool(names, places, colours, animals, jobs, foods, hobbies, words, invents)


TRAINING = _pool((_NAMES, _PLACES, _COLOURS, _ANIMALS, _JOBS, _FOODS, _HOBBIES, _WORDS), 0.35)
HELD_OUT = _pool(
    (
        _HELD_OUT_NAMES,
        _HELD_OUT_PLACES,
        _HELD_OUT_COLOURS,
        _HELD_OUT_ANIMALS,
        _HELD_OUT_JOBS,
        _HELD_OUT_FOODS,
        _HELD_OUT_HOBBIES,
        _HELD_OUT_WORDS,
    ),
    0.0,
)
_KEPT_OUT = frozenset(
    word.capitalize() for words in (HELD_OUT.names, HELD_OUT.places, HELD_OUT.words) for word in words
)
