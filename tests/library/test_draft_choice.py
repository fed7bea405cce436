from pathlib import Path

from app.library.catalogue import LibraryModel
from app.library.draft_choice import draft_choice
from app.library.model_facts import ModelFacts, ModelKind
from app.library.model_sources import Source

GIB = 1 << 30
QWEN = "gpt2 qwen2 151936"


def model(
    name: str,
    size: float,
    vocabulary: str = QWEN,
    kind: ModelKind = ModelKind.MODEL,
    *,
    architecture: str = "qwen3",
    drafts: tuple[Path, ...] = (),
    problem: str = "",
    tokens: str = "",
) -> LibraryModel:
    n = int(size * GIB)
    facts = ModelFacts(kind, architecture=architecture, size=n, vocabulary=vocabulary, tokens=tokens)
    path = Path(f"/models/{name}.gguf")
    return LibraryModel(path, name, Source.HEARTH, n, (path,), 0, facts, problem, drafts=drafts)


def names(target: LibraryModel, *others: LibraryModel) -> list[str]:
    return [each.name for each in draft_choice(target, (target, *others))]


def test_the_same_vocabulary_and_much_smaller() -> None:
    others = (
        model("fits", 0.6),
        model("padded", 0.6, "gpt2 qwen2 152064"),
        model("far larger vocabulary", 0.6, "gpt2 qwen2 152065"),
        model("cut up otherwise", 0.6, "gpt2 llama-bpe 151936"),
        model("another kind", 0.6, "llama qwen2 151936"),
        model("too large", 1.7),
        model("broken", 0.6, problem="It is damaged."),
        model("vectors", 0.6, kind=ModelKind.EMBEDDER),
    )
    assert names(model("target", 5.0), *others) == ["fits", "padded"]


def test_other_tokens_are_another_vocabulary() -> None:
    same, other = model("same", 0.6, tokens="aa"), model("other", 0.6, tokens="bb")
    padded = model("padded", 0.6, "gpt2 qwen2 152064", tokens="cc")
    assert names(model("target", 5.0, tokens="aa"), same, other, padded) == ["padded", "same"]
    assert names(model("target", 5.0, tokens="aa"), model("unknown", 0.6)) == ["unknown"]
    assert names(model("target", 5.0), other) == ["other"]


def test_the_size_that_serves_best_comes_first() -> None:
    others = (model("tiny", 0.05), model("third", 1.6), model("twelfth", 0.4), model("eighth", 0.6))
    assert names(model("target", 5.0), *others) == ["twelfth", "eighth", "third", "tiny"]


def test_a_draft_that_lies_beside_it_comes_before_all() -> None:
    beside = model("target draft", 1.6, kind=ModelKind.DRAFT)
    target = model("target", 5.0, drafts=(beside.path,))
    assert names(target, model("twelfth", 0.4), beside) == ["target draft", "twelfth"]


def test_a_drafter_without_a_vocabulary_is_one_for_its_own_kind() -> None:
    assistant = model("assistant", 0.4, "", ModelKind.DRAFT, architecture="gemma4-assistant")
    eagle = model("eagle", 0.4, "", ModelKind.DRAFT, architecture="eagle3")
    assert names(model("target", 5.0, architecture="gemma4"), assistant, eagle) == ["assistant"]
    assert names(model("target", 5.0), assistant, eagle) == []


def test_nothing_is_known_of_a_model_without_facts() -> None:
    path = Path("/models/odd.gguf")
    odd = LibraryModel(path, "odd", Source.HEARTH, GIB, (path,), 0, None)
    assert draft_choice(odd, (model("fits", 0.1),)) == ()
    assert names(model("target", 5.0), odd) == []
    assert names(model("target", 5.0, ""), model("silent", 0.1, "")) == []
