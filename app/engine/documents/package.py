"""ZIP files of strangers, as office documents and books are, and the XML in them."""

import io
import zipfile
from collections.abc import Iterator
from xml.parsers import expat

MOST_PARTS = 20_000
MOST_BYTES = 128 << 20
"""Of one part, unpacked. What a header says is not believed."""
_END = b"PK\x05\x06"
_DEPTH = 2000
_SLICE = 1 << 20


class Package:
    """What is wrong with it raises one of zipfile's, zlib's or expat's errors, or ValueError."""

    def __init__(self, data: bytes) -> None:
        # By the record at the end: a list of a million names alone takes half a minute to read.
        end = data.rfind(_END)
        if end >= 0 and int.from_bytes(data[end + 10 : end + 12], "little") > MOST_PARTS:
            raise ValueError("too many parts")
        self._file = zipfile.ZipFile(io.BytesIO(data))
        self.names = frozenset(self._file.namelist())
        if len(self.names) > MOST_PARTS:
            raise ValueError("too many parts")

    def read(self, name: str) -> bytes:
        with self._file.open(name) as part:
            data = part.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"{name} unpacks to more than {MOST_BYTES:,} bytes")
        return data

    def parse(self, name: str, handler: "Elements") -> None:
        parse(self.read(name), handler)

    def links(self, name: str) -> dict[str, tuple[str, str]]:
        """The parts that an Office part names, by id: the last word of their kind, and their name."""
        folder, _, file = name.rpartition("/")
        path = f"{folder}/_rels/{file}.rels".lstrip("/")
        found = _Links()
        if path in self.names:
            self.parse(path, found)
        return {each: (kind, resolved(name, target)) for each, (kind, target) in found.links.items()}


def resolved(base: str, target: str) -> str:
    """The name of a part that another one, `base`, names by a relative address."""
    steps: list[str] = [] if target.startswith("/") else base.split("/")[:-1]
    for step in target.strip("/").split("/"):
        if step == "..":
            del steps[-1:]
        elif step != ".":
            steps.append(step)
    return "/".join(steps)


class Elements:
    """Is told what stands in a file of XML. Names come without their namespace, but for `r:`, that of links."""

    def start(self, tag: str, attributes: dict[str, str]) -> None: ...

    def text(self, text: str) -> None: ...

    def end(self, tag: str) -> None: ...


class _Links(Elements):
    def __init__(self) -> None:
        self.links: dict[str, tuple[str, str]] = {}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship" and attributes.get("TargetMode") != "External":
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.links[attributes.get("Id", "")] = (kind, attributes.get("Target", ""))


def parse(data: bytes, handler: Elements) -> None:
    """Entities of the file's own are refused: a few lines of them become gigabytes."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEPTH:
            raise ValueError("nested too deep")
        handler.start(_local(tag), {_attribute(name): value for name, value in attributes.items()})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(_local(tag))

    def refuse(*_: object) -> None:
        raise ValueError("declares entities")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = handler.text, refuse
    for slice_ in _slices(data):
        parser.Parse(slice_, False)
    parser.Parse(b"", True)


def _slices(data: bytes) -> Iterator[bytes]:
    return (data[place : place + _SLICE] for place in range(0, len(data), _SLICE))


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _attribute(name: str) -> str:
    """`r:id` is another one than `id`, and both can stand in one element."""
    space, _, local = name.rpartition(" ")
    return f"r:{local}" if space.endswith("/relationships") else local
