"""The files of translations, made from the sources with Qt's own tools."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import translations
from sentences import sentences


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> ET.Element:
    path = tmp_path_factory.mktemp("ts") / "hearth_de.ts"
    translations.update(path)
    return ET.parse(path).getroot()


def texts(root: ET.Element) -> set[tuple[str, str]]:
    return {
        (context.findtext("name", ""), message.findtext("source", ""))
        for context in root.iter("context")
        for message in context.iter("message")
    }


def test_texts_are_found_however_they_are_given_to_qt(collected: ET.Element) -> None:
    assert {
        ("Actions", "&New chat"),
        ("figures", "{size} GiB"),
        ("settings", "Theme"),
        ("settings", "Light, dark, or as the system says."),
        ("PalettePresenter", "Theme: {name}"),
        ("sentences", "{path} is not there any more. Choose another file."),
        ("sentences", "in {count} minutes"),
    } <= texts(collected)


def test_what_was_translated_is_kept_and_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "hearth_de.ts"
    translations.update(path)
    root = ET.parse(path)
    for message in root.iter("message"):
        if message.findtext("source") == "&New chat" and (said := message.find("translation")) is not None:
            said.text = "&Neues Gespräch"
            del said.attrib["type"]
    root.write(path, "utf-8", xml_declaration=True)
    translations.update(path)
    assert "Neues Gespräch" in path.read_text("utf-8")
    assert "Neues Gespräch".encode("utf-16-be") in translations.release(path).read_bytes()


def test_a_sentence_that_nobody_could_translate_is_refused(tmp_path: Path) -> None:
    module = tmp_path / "core" / "module.py"
    module.parent.mkdir()
    module.write_text('raise UserError("{name} is damaged, or empty.", name=name)\n')
    assert sentences(tmp_path) == ("{name} is damaged, or empty.",)
    module.write_text('raise UserError(f"{name} is damaged, or empty.")\n')
    with pytest.raises(ValueError, match="make it a Sentence"):
        sentences(tmp_path)


@pytest.mark.parametrize("path", sorted(translations.TRANSLATIONS.glob("*.ts")), ids=lambda path: path.stem)
def test_translations_keep_the_gaps(path: Path) -> None:
    assert not translations.other_gaps(path)


def test_a_translation_with_other_gaps_is_found(tmp_path: Path) -> None:
    path = tmp_path / "hearth_de.ts"
    said = "<message><source>{a} of {n:,}</source><translation>%s</translation></message>"
    kept, lost = said % "{n:,} {a}", said % "{a} {b}"
    path.write_text(f"<TS><context><name>sentences</name>{kept}{lost}</context></TS>")
    assert translations.other_gaps(path) == ["{a} {b}"]


def test_english_has_all_plurals(tmp_path: Path) -> None:
    """Fails where a text with a number is new: give its forms in resources/translations/hearth_en.ts."""
    kept = translations.TRANSLATIONS / "hearth_en.ts"
    path = tmp_path / "hearth_en.ts"
    path.write_bytes(kept.read_bytes())
    translations.update(path, plural_only=True)
    unfinished = [
        message.findtext("source")
        for message in ET.parse(path).iter("message")
        if any(not form.text for form in message.iter("numerusform"))
    ]
    assert not unfinished
    assert (translations.TRANSLATIONS / "hearth_en.qm").read_bytes() == translations.release(path).read_bytes()


@pytest.mark.parametrize("named", ["--help", "../de", "German"])
def test_what_is_no_language_makes_no_files(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translations, "TRANSLATIONS", tmp_path / "translations")
    with pytest.raises(SystemExit, match="is no language"):
        translations.main([named])
    assert not list(tmp_path.iterdir())
