from dataclasses import asdict

import pytest

from app.ui.theme.palette import DARK, LIGHT, Palette
from tests.ui.contrast import GRAPHIC_PAIRS, TEXT_PAIRS, contrast


def test_contrast_follows_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#ffffff", "#777777") == contrast("#777777", "#ffffff")


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("letters", "ground"), TEXT_PAIRS)
def test_letters_can_be_read(tokens: Palette, letters: str, ground: str) -> None:
    values = asdict(tokens)
    assert contrast(values[letters], values[ground]) >= 4.5


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("shape", "ground"), GRAPHIC_PAIRS)
def test_shapes_can_be_seen(tokens: Palette, shape: str, ground: str) -> None:
    values = asdict(tokens)
    assert contrast(values[shape], values[ground]) >= 3.0
