"""What is said of drafters when a model is loaded."""

from app.core.speculation import DrafterKind, DraftingInfo, Speculation


def test_each_that_was_wanted_is_told_with_what_to_do() -> None:
    problems = tuple((kind, f"No {kind}.") for kind in DrafterKind)
    asked = Speculation(mtp=True, draft_model="/small.gguf")
    head, model = DraftingInfo(asked, problems=problems).notes
    assert head.startswith("No mtp. ")
    assert "switched off" in head
    assert model.startswith("No draft-model. ")
    assert "choose another draft model" in model


def test_a_head_in_a_file_of_its_own_is_a_draft_model_to_people() -> None:
    [note] = DraftingInfo(Speculation(draft_model="/head.gguf"), problems=((DrafterKind.MTP, "No."),)).notes
    assert "choose another draft model" in note


def test_where_all_is_ready_nothing_is_said() -> None:
    assert DraftingInfo(Speculation(mtp=True), (DrafterKind.MTP,)).notes == ()
