"""States of conversations from outside, tried in a child process before llama.cpp reads them in this one."""

import time
from dataclasses import replace
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import ModelInfo
from app.core.loading import FlashAttention
from app.services.engine.plans import PreflightPlan


class StateTrial:
    """Any thread but the GUI's; `seconds` may be read there, too."""

    def __init__(self, plan: PreflightPlan) -> None:
        self._plan = plan
        self.seconds = 0.0
        """That the last one took; 0 before the first."""

    def ensure(self, info: ModelInfo, state: Path, cancel: CancelFlag | None = None) -> None:
        """Let a child hold `state` as the loaded model would. Blocks for as long as that model takes to load. Raises
        UserError where it must not be held, and where it was cancelled.
        """
        # Imported here: the window's start need not wait for it.
        from app.engine.preflight.preflight import Preflight

        # Where Hearth chooses, the context may be made anew with the other kind.
        chosen = FlashAttention.AUTO in (info.flash_attn, info.loading.flash_attn)
        flash = info.loading.flash_attn if chosen else info.flash_attn
        loading = replace(
            info.loading, flash_attn=flash, cache_type_k=info.cache_type_k, cache_type_v=info.cache_type_v
        )
        began = time.monotonic()
        preflight = Preflight(self._plan.record, self._plan.command)
        if not preflight.try_state(info.ref.file, loading, state, cancel or CancelFlag()):
            raise UserError("It was stopped before its end.")
        self.seconds = time.monotonic() - began
