"""The files in which the interface is translated: `python3 packaging/translations.py [language …]`.

Collects every text of `app` into `resources/translations/hearth_<language>.ts`, keeping what is translated already, and
compiles the files. English comes always; of English only the plurals are kept, as the sources say the rest.
Needs PySide6's lupdate and lrelease.
"""

import ast
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from sentences import sentences

ROOT = Path(__file__).resolve().parents[1]
TRANSLATIONS = ROOT / "resources" / "translations"
_LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z]{2})?")
_GAP = re.compile(r"\{\w+")


def main(languages: list[str]) -> None:
    if strange := next((each for each in languages if not _LANGUAGE.fullmatch(each)), ""):
        sys.exit(f"{strange} is no language. Name it as Qt does, such as de or pt_BR.\n\n{__doc__}")
    TRANSLATIONS.mkdir(exist_ok=True)
    known = {path.stem.removeprefix("hearth_") for path in TRANSLATIONS.glob("hearth_*.ts")}
    for language in sorted({"en", *known, *languages}):
        update(TRANSLATIONS / f"hearth_{language}.ts", plural_only=language == "en")
        release(TRANSLATIONS / f"hearth_{language}.ts")


def update(path: Path, *, plural_only: bool = False) -> None:
    """Bring a file of translations up to date with the sources. Raises CalledProcessError."""
    sources = sorted((ROOT / "app").rglob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        declared = Path(folder) / "declared.py"
        declared.write_text("\n".join(_declared(sources)), "utf-8")
        listed = Path(folder) / "sources.txt"
        listed.write_text("\n".join(str(each) for each in (*sources, declared)), "utf-8")
        options = ["-locations", "none", "-no-obsolete", "-silent", *(["-pluralonly"] if plural_only else [])]
        language = path.stem.removeprefix("hearth_")
        subprocess.run(
            [
                _tool("lupdate"),
                f"@{listed}",
                *options,
                "-source-language",
                "en",
                "-target-language",
                language,
                "-ts",
                path,
            ],
            check=True,
        )


def release(path: Path) -> Path:
    """Compile a file of translations; the new file stands beside it. Raises CalledProcessError."""
    compiled = path.with_suffix(".qm")
    subprocess.run([_tool("lrelease"), "-silent", path, "-qm", compiled], check=True)
    return compiled


def other_gaps(path: Path) -> list[str]:
    """The translations in a file that don't have just the gaps of their source; to fill them would fail."""
    messages = (
        (each.findtext("source", ""), each.findtext("translation", "")) for each in ET.parse(path).iter("message")
    )
    return [said for source, said in messages if said.strip() and set(_GAP.findall(source)) != set(_GAP.findall(said))]


def _tool(name: str) -> Path:
    import PySide6

    folder = Path(PySide6.__file__).parent
    return next(path for path in (folder / name, folder / f"{name}.exe") if path.is_file())


def _declared(sources: list[Path]) -> Iterator[str]:
    """What lupdate doesn't find, as calls that it does: texts of settings, and those given to a module's own `tr`."""
    yield "from PySide6.QtCore import QCoreApplication"
    texts = {("settings", text) for text in setting_texts()}
    texts |= {("sentences", text) for text in sentences(ROOT / "app")}
    for path in sources:
        texts |= set(_through_functions(ast.parse(path.read_text("utf-8"))))
    for context, text in sorted(texts):
        counted = ", '', 1" if "%n" in text else ""
        yield f"QCoreApplication.translate({context!r}, {text!r}{counted})"


def setting_texts() -> Iterator[str]:
    """Labels, helps, units and other words of everything that is declared, and the names of its choices."""
    sys.path.insert(0, str(ROOT))
    from app.core.setting import declaration
    from app.core.settings import Settings

    for section in fields(Settings):
        for field in fields(section.default_factory):  # type: ignore[arg-type]
            told = declaration(field)
            yield from (text for text in (told.label, told.help, told.unit, told.words) if text)


def _through_functions(module: ast.Module) -> Iterator[tuple[str, str]]:
    contexts = dict(_own_functions(module))
    for node in ast.walk(module):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        texts = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        if node.func.id in contexts and texts:
            yield contexts[node.func.id], texts[0]
        elif node.func.id == "tr" and len(texts) > 1:
            yield texts[0], texts[1]


def _own_functions(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Functions of the module that pass their text on to `translate`, with the context that they name."""
    for function in (each for each in module.body if isinstance(each, ast.FunctionDef)):
        for node in ast.walk(function):
            match node:
                case ast.Call(func=ast.Attribute(attr="translate"), args=[ast.Constant(value=context), ast.Name(), *_]):
                    yield function.name, str(context)


if __name__ == "__main__":
    main(sys.argv[1:])
