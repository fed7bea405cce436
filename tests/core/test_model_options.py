"""What is set for one model alone: kept as JSON, checked when it is read, laid over what holds for all."""

import json
from pathlib import Path

import pytest

from app.core.adapters import Adapter, in_force
from app.core.loading import CacheType, Loading, differs
from app.core.model_options import MODEL_SECTIONS, ModelOptions, key_of, options_from, options_to
from app.core.model_ref import ModelRef
from app.core.resources import GUIDE, GUIDE_NAME
from app.core.sampling import Sampling
from app.core.settings import Settings
from app.core.speculation import Speculation

FULL = ModelOptions(
    {Loading: {"ctx_size": 4096, "cache_type_k": CacheType.Q8_0}, Sampling: {"dry_sequence_breakers": ("\n",)}},
    (Adapter(Path("/a/style.gguf"), 0.5), Adapter(Path("/a/other.gguf"), -1.0)),
    favourite=True,
    notes="good at poems",
    used=1_700_000_000,
)


def test_what_is_kept_comes_back_as_it_was() -> None:
    assert options_from(json.loads(json.dumps(options_to(FULL)))) == FULL
    assert options_to(ModelOptions()) == {}
    assert options_from({}) == ModelOptions()


@pytest.mark.parametrize(
    "wrong",
    [
        {"loading": {"ctx_size": -1, "nonsense": 3, "threads": "many"}},
        {"loading": [1], "sampling": 7, "interface": {"text_size": 200}},
        {"adapters": [{"path": ""}, {"path": 3, "scale": 1}, {"path": "/a"}, {"path": "/a", "scale": True}, 9]},
        {"adapters": [{"path": "/a", "scale": float("nan")}, {"path": "/b", "scale": float("inf")}]},
        {"adapters": [{"path": "/a", "scale": 11}], "favourite": 1, "notes": 5, "used": -3},
        {"adapters": "all", "used": True},
    ],
)
def test_what_is_wrong_or_unknown_is_left_out(wrong: dict[str, object]) -> None:
    assert options_from(wrong) == ModelOptions()


def test_it_lies_over_what_holds_for_all_but_for_the_sampling() -> None:
    general = Settings(loading=Loading(threads=3, ctx_size=1024), sampling=Sampling(top_k=5))
    applied = FULL.with_section(Sampling, {"top_k": 9}).applied(general)
    assert applied.loading == Loading(threads=3, ctx_size=4096, cache_type_k=CacheType.Q8_0)
    assert applied.sampling == general.sampling, "advice of the file comes between the two"
    assert applied.interface is general.interface


def test_a_section_is_replaced_whole_and_cleared_by_nothing() -> None:
    changed = FULL.with_section(Loading, {"threads": 2, "ctx_size": "much"})
    assert changed.of(Loading) == {"threads": 2}
    assert changed.of(Sampling) == FULL.of(Sampling)
    assert Loading not in changed.with_section(Loading, {}).overrides
    assert (FULL.n_set, changed.n_set) == (3, 2)
    cleared = FULL.without_settings()
    assert cleared.overrides == {}
    assert (cleared.notes, cleared.adapters) == (FULL.notes, FULL.adapters)


def test_the_sections_are_those_that_differ_from_model_to_model() -> None:
    assert set(MODEL_SECTIONS) == {Loading, Sampling, Speculation}


@pytest.mark.parametrize(
    ("path", "key"),
    [
        (Path("/models/Qwen3-8B-Q4_K_M.gguf"), "Qwen3-8B-Q4_K_M"),
        (Path("/models/Big-00001-of-00003.gguf"), "Big"),
        (GUIDE, GUIDE_NAME),
    ],
)
def test_options_outlive_a_move_to_another_folder(path: Path, key: str) -> None:
    assert key_of(ModelRef.of_file(path)) == key


def test_the_guide_is_known_by_its_place_alone() -> None:
    assert key_of(ModelRef.of_file(Path("/elsewhere") / GUIDE.name)) == "guide"


def test_adapters_that_change_nothing_are_not_in_force() -> None:
    a, b, c = Path("/a"), Path("/b"), Path("/c")
    assert in_force((Adapter(b, 1.0), Adapter(a, 0.5), Adapter(c, 0.0))) == (Adapter(a, 0.5), Adapter(b, 1.0))
    assert in_force((Adapter(a, 0.5), Adapter(a, 2.0))) == (Adapter(a, 2.0),)
    assert in_force((Adapter(a, 1.0), Adapter(b))) == in_force((Adapter(b), Adapter(a, 1.0)))


def test_only_what_llama_cpp_fixes_at_load_asks_for_another_load() -> None:
    assert not differs(Loading(idle_unload=5), Loading())
    assert differs(Loading(idle_unload=5, ctx_size=512), Loading())


def test_files_that_are_all_called_the_same_go_by_their_folder() -> None:
    one, two, whole, parts = (
        ModelRef.of_file(Path(each))
        for each in (
            "/jan/models/Qwen3-8B/model.gguf",
            "/jan/models/Gemma-3/model.gguf",
            "/elsewhere/Qwen3-8B.gguf",
            "/here/Qwen3-8B-00001-of-00003.gguf",
        )
    )
    assert key_of(one) == "Qwen3-8B/model" != key_of(two)
    assert key_of(whole) == key_of(parts) == "Qwen3-8B"


def test_options_of_a_servers_model_are_those_of_no_other() -> None:
    there = ModelRef.of_server("a1", "Rain-8B")
    keys = {key_of(there), key_of(ModelRef.of_server("b2", "Rain-8B")), key_of(ModelRef.of_file(Path("Rain-8B.gguf")))}
    assert len(keys) == 3
