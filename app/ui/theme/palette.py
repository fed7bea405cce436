"""The colours of both themes, by what they are for. All are written as #rrggbb."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    dark: bool
    window: str
    sidebar: str
    raised: str
    """Composer, table heads, menus."""
    code: str
    border: str
    text: str
    muted: str
    bubble: str
    selected: str
    hover: str
    accent: str
    on_accent: str
    accent_hover: str
    link: str
    danger: str
    danger_soft: str
    danger_line: str
    """Around a sentence that says what went wrong: it speaks for itself."""
    warning: str
    """What is not wrong yet, such as a context that is nearly full."""
    part_weights: str
    """Parts of the memory that a model takes."""
    part_kv: str
    part_compute: str
    part_checkpoints: str
    scroll: str
    selection: str
    """Behind selected text."""
    found: str
    """Behind what was searched for."""
    found_now: str
    """Behind the hit that the search stands at."""
    on_found: str
    disabled: str
    code_keyword: str
    code_function: str
    code_string: str
    code_number: str
    code_comment: str
    code_type: str
    code_inserted: str
    """Lines that a diff adds."""
    code_deleted: str


LIGHT = Palette(
    dark=False,
    window="#ffffff",
    sidebar="#f7f7f9",
    raised="#f5f5f8",
    code="#f7f7fa",
    border="#e4e4ea",
    text="#1b1b1f",
    muted="#62626c",
    bubble="#eef0fb",
    selected="#e6e8fa",
    hover="#ececf1",
    accent="#4f5bd5",
    on_accent="#ffffff",
    accent_hover="#424dc2",
    link="#3f4ac4",
    danger="#b3261e",
    danger_soft="#fdf0ef",
    danger_line="#f0c6c2",
    warning="#8f5300",
    part_weights="#4f5bd5",
    part_kv="#1d8a8a",
    part_compute="#b9770e",
    part_checkpoints="#a5488f",
    scroll="#d3d3dc",
    selection="#cdd2f8",
    found="#fbeaa8",
    found_now="#f2b632",
    on_found="#1b1b1f",
    disabled="#a6a6b0",
    code_keyword="#9c1a94",
    code_function="#4a3fc0",
    code_string="#b02a1c",
    code_number="#0b57b5",
    code_comment="#3b7524",
    code_type="#0a6a73",
    code_inserted="#1a6b2b",
    code_deleted="#b02a1c",
)

DARK = Palette(
    dark=True,
    window="#17171a",
    sidebar="#111113",
    raised="#1f1f24",
    code="#1c1c21",
    border="#2d2d34",
    text="#ececf1",
    muted="#9d9da9",
    bubble="#2a2c3d",
    selected="#2a2c3d",
    hover="#25252b",
    accent="#7c87f0",
    on_accent="#0f0f14",
    accent_hover="#929bf5",
    link="#9aa3ff",
    danger="#ff9188",
    danger_soft="#2c1c1d",
    danger_line="#5f3433",
    warning="#f0b35c",
    part_weights="#7c87f0",
    part_kv="#3fb5b0",
    part_compute="#d99a3d",
    part_checkpoints="#d07fbe",
    scroll="#3a3a43",
    selection="#3c4585",
    found="#57491c",
    found_now="#f0b94a",
    on_found="#17171a",
    disabled="#5c5c66",
    code_keyword="#ff7b72",
    code_function="#d2a8ff",
    code_string="#a5d6ff",
    code_number="#79c0ff",
    code_comment="#9198a4",
    code_type="#ffb77c",
    code_inserted="#7ee787",
    code_deleted="#ffa198",
)
