"""What llama-server tells of itself: `/props`, `/slots`, `/metrics`. Nothing of what is said, and no paths."""

from dataclasses import asdict
from itertools import repeat

import app
from app.api.errors import Json
from app.api.figures import Figures, Progress
from app.core.capabilities import capabilities_json
from app.core.events import ModelInfo
from app.core.sampling import Sampling
from app.services.engine.states import ModelPlace


def props(model: ModelInfo, place: ModelPlace | None, defaults: Sampling) -> Json:
    """`place`: where the model is; None while it is on its way."""
    template = model.template
    return {
        "default_generation_settings": {"params": asdict(defaults), "n_ctx": model.n_ctx},
        "total_slots": model.n_parallel,
        "model_alias": model.name,
        "model_path": model.ref.name,
        "modalities": {"vision": model.sees, "video": False, "audio": model.capabilities.hears},
        "capabilities": capabilities_json(model.capabilities),
        "endpoint_props": False,
        "chat_template": template.source,
        "chat_template_caps": {
            "supports_tools": template.tools,
            "supports_tool_calls": template.tool_calls,
            "supports_parallel_tool_calls": template.tool_calls,
            "supports_system_role": template.system,
            "supports_string_content": not template.typed_content,
            "supports_typed_content": template.typed_content,
        },
        "bos_token": template.bos_token,
        "eos_token": template.eos_token,
        "build_info": f"hearth-{app.__version__}",
        "is_sleeping": place is not ModelPlace.ACTIVE,
        "state": place or "loading",
        "load_ms": round(model.load_ms, 3),
        "activate_ms": round(model.activate_ms, 3),
    }


def slots(model: ModelInfo, figures: Figures) -> list[Json]:
    """As many as answers are written at once; those of this API's clients are in the first of them."""
    running = [*figures.running, *repeat(None, model.n_parallel)]
    n_slots = max(model.n_parallel, len(figures.running))
    return [_slot(number, model, each, figures.n_answers) for number, each in enumerate(running[:n_slots])]


def _slot(number: int, model: ModelInfo, running: Progress | None, n_answers: int) -> Json:
    progress = running or Progress()
    return {
        "id": number,
        "n_ctx": model.n_ctx,
        "speculative": bool(model.drafting.ready),
        "is_processing": running is not None,
        "id_task": n_answers + number if running is not None else -1,
        "n_prompt_tokens": progress.prompt.total,
        "n_prompt_tokens_processed": progress.prompt.read,
        "n_prompt_tokens_cache": progress.prompt.reused,
        "next_token": [{"has_next_token": running is not None, "n_remain": -1, "n_decoded": progress.n_written}],
    }


def metrics(figures: Figures, *, n_answered: int, n_waiting: int, kept_bytes: int) -> str:
    """In Prometheus' text format, by llama-server's names; what it doesn't tell comes last."""
    total = figures.total
    counters = (
        ("prompt_tokens_total", "Prompt tokens that were read.", total.prompt_n),
        ("prompt_tokens_cached_total", "Prompt tokens that were warm.", total.cache_n),
        ("prompt_seconds_total", "Seconds of reading.", total.prompt_ms / 1000),
        ("tokens_predicted_total", "Tokens that were written.", total.predicted_n),
        ("tokens_predicted_seconds_total", "Seconds of writing.", total.predicted_ms / 1000),
        ("n_decode_total", "Batches that were evaluated.", figures.n_batches),
        ("n_tokens_max", "Entries that the context held at most.", figures.longest),
        ("spec_decode_num_drafts_total", "Drafts that were checked.", figures.n_drafts),
        ("spec_decode_num_draft_tokens_total", "Tokens that were guessed.", total.draft_n),
        ("spec_decode_num_accepted_tokens_total", "Guesses that were right.", total.draft_n_accepted),
    )
    gauges = (
        ("prompt_tokens_seconds", "Prompt tokens read in a second, on average.", total.prompt_per_second),
        ("predicted_tokens_seconds", "Tokens written in a second, on average.", total.predicted_per_second),
        ("requests_processing", "Requests that are being answered.", n_answered),
        ("requests_deferred", "Requests that wait.", n_waiting),
        ("n_busy_slots_per_decode", "Each answer counts its own batches.", float(figures.n_batches > 0)),
        ("conversations_kept_bytes", "Memory for conversations that were left.", kept_bytes),
    )
    lines = [_metric("counter", *each) for each in counters] + [_metric("gauge", *each) for each in gauges]
    return "".join(lines)


def _metric(kind: str, name: str, told: str, value: float) -> str:
    return f"# HELP llamacpp:{name} {told}\n# TYPE llamacpp:{name} {kind}\nllamacpp:{name} {round(value, 6)}\n"
