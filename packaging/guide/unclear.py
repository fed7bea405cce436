"""Questions nobody could answer without asking back; for evaluation alone.

Against them stand the held-out questions of all intents: those the guide must not be unsure about.
"""

UNSURE = "not sure what you mean"
"""What the guide says of such a question."""
UNCLEAR = (
    "can you do the one from earlier",
    "what would happen to those",
    "that is not how we did it last summer",
    "and if they are not there?",
    "please put them together again",
    "how come the others were first",
    "he took both of mine",
    "which way round does it go",
    "something between the two perhaps",
    "a bit more to the left",
    "why were there three of them",
    "take the other side",
    "the postman left it by the gate",
    "our roof has a hole and the goat is in the attic",
    "may a teapot join a choir",
    "would a carrot win against a sock",
    "six umbrellas and half a bridge",
    "paint the moon for my uncle",
    "water my plants while i am out",
    "close the blinds in the kitchen",
    "book a table for four at eight",
    "ring the bell twice",
    "fill up the car",
    "pick up my sister from the station",
    "how tall was the one you had",
    "does hers fit in there as well",
    "do they both come in blue",
    "whose is that",
    "i would like half of it",
    "is it the same as the last time we met",
    "it was louder in the other room",
    "then why did she not come",
    "what colour should the second be",
    "the spoon is heavier than the stairs",
    "my grandfather never liked mondays",
    "it smells of oranges here",
    "he said it would be over by now",
    "can that be turned inside out",
    "keep the change",
    "as long as nobody sees us",
)
