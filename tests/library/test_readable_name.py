import pytest

from app.library.catalogue import readable_name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("Llama-3.2-1B-Instruct-Q4_K_M", "Llama 3.2 1B Instruct (Q4_K_M)"),
        ("stories260K", "stories260K"),
        ("qwen2.5-0.5b-instruct-q8_0", "qwen2.5 0.5b instruct (Q8_0)"),
        ("tinyllama_v1.1.IQ3_XXS", "tinyllama v1.1 (IQ3_XXS)"),
        ("Phi-4-bf16", "Phi 4 (BF16)"),
        ("---", "---"),
        ("Q4_0", "Q4 0"),
    ],
)
def test_names_are_readable(file: str, name: str) -> None:
    assert readable_name(file) == name
