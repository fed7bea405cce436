"""Which of a repository's files to take."""

from app.core.fit import Verdict
from app.library.hub import HubChoice
from app.library.hub_choice import projector_for, recommended, shown_first, with_projector
from app.library.hub_layout import HubFile

GB = 10**9
FITS, TIGHT, LARGE = Verdict.FITS, Verdict.TIGHT, Verdict.TOO_LARGE


def choice(kind: str, size: float, folder: str = "", *, projector: bool = False) -> HubChoice:
    name = f"{'mmproj-' if projector else ''}M-{kind}"
    file = HubFile("org/M", "c", f"{folder}{name}.gguf", round(size * GB))
    return HubChoice(name, (file,), kind, projector)


def best(verdicts: dict[HubChoice, Verdict]) -> str:
    found = recommended(tuple(verdicts), verdicts)
    return found.quantisation if found is not None else ""


def test_small_models_are_taken_with_eight_bits_and_others_with_four() -> None:
    small = {choice(kind, size): FITS for kind, size in (("Q4_K_M", 0.4), ("Q8_0", 0.6), ("BF16", 1.2))}
    assert best(small) == "Q8_0"
    other = {choice(kind, size): FITS for kind, size in (("Q4_K_M", 5), ("Q4_K_S", 4.8), ("Q8_0", 8.5), ("BF16", 16))}
    assert best(other) == "Q4_K_M"


def test_what_does_not_fit_is_not_recommended() -> None:
    kinds = (("IQ2_M", 4.0), ("Q3_K_M", 6.0), ("Q4_K_M", 7.3), ("Q8_0", 12.5))
    made = [choice(*each) for each in kinds]
    assert best(dict(zip(made, (FITS, FITS, TIGHT, LARGE), strict=True))) == "Q3_K_M"
    assert best(dict(zip(made, (FITS, LARGE, LARGE, LARGE), strict=True))) == "IQ2_M"
    assert best(dict(zip(made, (TIGHT, TIGHT, LARGE, LARGE), strict=True))) == "Q3_K_M"
    assert best(dict(zip(made, (LARGE,) * 4, strict=True))) == ""
    assert recommended(made, {}) is None


def test_names_that_nobody_knows_are_taken_by_size() -> None:
    made = {choice("", 3): FITS, choice("", 5): FITS, choice("", 9): TIGHT}
    found = recommended(tuple(made), made)
    assert found is not None
    assert found.size == 5 * GB


def test_a_projector_is_never_recommended_by_itself() -> None:
    assert best({choice("F16", 0.8, projector=True): FITS}) == ""


def test_the_projector_that_comes_along() -> None:
    model = choice("Q4_K_M", 5)
    ours = [
        choice(kind, size, projector=True) for kind, size in (("F32", 1.6), ("BF16", 0.8), ("F16", 0.8), ("Q8_0", 0.4))
    ]
    found = projector_for(model, (model, *ours))
    assert found is not None
    assert found.quantisation == "F16"
    both = with_projector(model, found)
    assert [file.path for file in both.files] == ["M-Q4_K_M.gguf", "mmproj-M-F16.gguf"]
    assert with_projector(model, None) == model
    assert projector_for(ours[0], ours) is None


def test_the_projector_of_the_same_folder_is_nearer() -> None:
    model = choice("Q4_K_M", 5, "small/")
    near, far = choice("Q8_0", 1, "small/", projector=True), choice("F16", 1, "large/", projector=True)
    common = choice("F16", 1, projector=True)
    assert projector_for(model, (far, common, near)) == near
    assert projector_for(model, (far, common)) == common
    assert projector_for(model, (far,)) is None


def test_of_many_files_those_that_people_want_are_shown_first() -> None:
    kinds = ("Q2_K", "Q3_K_S", "Q3_K_M", "IQ4_XS", "Q4_K_S", "Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K", "Q8_0", "BF16")
    made = [choice(kind, number + 1) for number, kind in enumerate(kinds)]
    shown = [each.quantisation for each in shown_first(made, made[3])]
    assert shown == ["Q2_K", "Q3_K_M", "IQ4_XS", "Q4_K_M", "Q5_K_M", "Q6_K", "Q8_0"]
    assert list(shown_first(made[:5], None)) == made[:5]
    unknown = [choice("", number + 1) for number in range(20)]
    assert len(shown_first(unknown, None)) == 8
