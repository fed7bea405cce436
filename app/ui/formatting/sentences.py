"""What the layers below the window say, in the window's language."""

from PySide6.QtCore import QCoreApplication

from app.core.sentence import Sentence


def translated(sentence: str) -> str:
    """`sentence` as the window says it; as it came where nobody translated it."""
    if not isinstance(sentence, Sentence):
        return QCoreApplication.translate("sentences", sentence) if sentence else ""
    wording = QCoreApplication.translate("sentences", sentence.template)
    values = {name: translated(each) if isinstance(each, str) else each for name, each in sentence.values.items()}
    return wording.format_map(values)
