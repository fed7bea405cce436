"""Damaged office files and letters are read or refused in a sentence; `tests.bench.documents.hostile_documents` tries
many more, PDF files among them, in children.
"""

import random

import pytest

from app.engine.documents.documents import DocumentError
from app.engine.documents.formats import is_office, read_office
from tests.damaged_documents import SOUND, damaged

_PACKED = tuple(name for name in SOUND if is_office(SOUND[name], name) and not name.startswith(("bomb", "deep")))


@pytest.mark.parametrize("name", _PACKED)
def test_damage_is_told_in_a_sentence(name: str) -> None:
    chance = random.Random(name)
    n_refused = 0
    for _ in range(60):
        data = damaged(SOUND[name], chance)
        if not is_office(data, name):
            continue
        try:
            assert read_office(data, name)
        except DocumentError as error:
            assert str(error.sentence).endswith(".")
            n_refused += 1
    # Letters are hardly ever beyond reading.
    assert n_refused or name == "a.eml"


@pytest.mark.parametrize("name", ["bomb.docx", "deep.docx"])
def test_what_is_made_to_hurt_is_refused(name: str) -> None:
    with pytest.raises(DocumentError, match="damaged, or not what its name says"):
        read_office(SOUND[name], name)
