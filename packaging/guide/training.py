"""Training: first the eye on drawn scenes, then everything by next-token loss. Within a time budget, resumable."""

import ctypes
import math
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import torch
import torch.distributed
from torch import Tensor, nn
from torch.nn import functional

from guide.batches import ENTRIES, LENGTHS, NO_TOPIC, BatchComposer, Rows, lay_out, pack
from guide.intents import load_intents
from guide.network import LanguageConfig, LanguageNetwork
from guide.pictures.counted_batches import N_CELLS, N_COUNTS, CountedBatch, CountedComposer
from guide.pictures.vision_batches import N_COLOURS, N_SHAPES
from guide.pictures.vision_network import VisionConfig, VisionNetwork
from guide.rendering import PICTURE, sample
from guide.talk import question_dialogue
from guide.tokenizer import Vocabulary
from guide.worker import Composes, composed

T = TypeVar("T")
Told = tuple[dict[str, float], int]
"""What a step has to tell: figures by name, and how many units it took in."""

SAVE_EVERY = 300.0
"""Seconds between checkpoints."""
_SCENES, _SCENES_ALONG = 24, 10
_ALONG_WEIGHT = 0.4
_COUNT_WEIGHT, _PLACE_WEIGHT, _CELL_WEIGHT, _LIGHT_WEIGHT = 0.5, 1.0, 1.0, 2.0
"""Of a patch's count and of its place, of its object's place and of its picture's light, beside its shape and its
colour."""
_TOPIC_WEIGHT = 4.0
"""Of one answer's topic, beside one of its tokens."""
_TOPIC_SMOOTHING = 0.05
_ASKED_FIRST, _ASKED_AT_ONCE, _HEAD_STEPS = 6400, 64, 100
"""Questions from which a head that is lost is learnt anew, how many are read at once, and for how many steps."""
N_TOPICS = 256
"""Room for the intents that there may once be, so that a run goes on when some are added."""
_CLIP = 1.0
_SHORT = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
_NUMBERS = torch.bfloat16 if _SHORT else torch.float32
"""bfloat16 where the processor computes with it; where it is imitated it takes many times longer than float32."""


@dataclass(frozen=True)
class Plan:
    """What a run is given; one that goes on after a break is given the same again."""

    minutes: float
    vision_minutes: float
    seed: int = 1
    rate: float = 2.5e-3
    vision_rate: float = 2e-3
    weight_decay: float = 0.05
    muon: bool = True
    eye_learns: bool = True
    """Without, only the language network learns: what teaches the eye is in no shipped file."""
    entries: int = ENTRIES
    """Of a batch of one process."""
    processes: int = 2
    """One thread each: they meet once a step, where threads would meet at each operation and wait for the slowest."""


class Heads(nn.Module):  # type: ignore[misc]  # mypy runs without PyTorch
    """Say for each entry of a picture what its patch shows, how many of it there are, where it is, where the patch
    lies and how light the picture is.

    Needed for training alone. Without them, all this reaches the entries late: few answers depend on it.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self._shape = (width,)
        self.shapes = nn.Linear(width, N_SHAPES)
        self.colours = nn.Linear(width, N_COLOURS)
        self.counts = nn.Linear(width, N_COUNTS)
        self.places = nn.Linear(width, 2)
        self.cells = nn.Linear(width, N_CELLS)
        self.light = nn.Linear(width, 1)

    def loss(self, entries: Tensor, batch: CountedBatch) -> tuple[Tensor, float, float]:
        """The loss, and the shares of patches whose shape (among objects) and colour are right."""
        # Normed, so that the heads cannot make entries grow.
        entries = functional.rms_norm(entries.float(), self._shape).flatten(0, 1)
        shapes, colours = (torch.from_numpy(ids).reshape(-1) for ids in (batch.shapes, batch.colours))
        told_shapes, told_colours = self.shapes(entries), self.colours(entries)
        weights = 0.3 + 0.7 * (shapes > 0).float()
        each = functional.cross_entropy(told_shapes, shapes, reduction="none")
        each = each + functional.cross_entropy(told_colours, colours, reduction="none")
        counts = torch.from_numpy(batch.counts).reshape(-1)
        each = each + _COUNT_WEIGHT * functional.cross_entropy(self.counts(entries), counts, reduction="none")
        where, inside = places(torch.from_numpy(batch.colours) > 0)
        apart = (self.places(entries) - where.flatten(0, 1)).square().sum(-1)
        each = each + _PLACE_WEIGHT * apart * inside.flatten()
        cells = torch.from_numpy(batch.cells).reshape(-1)
        each = each + _CELL_WEIGHT * functional.cross_entropy(self.cells(entries), cells, reduction="none")
        light = torch.from_numpy(batch.light).repeat_interleave(batch.shapes.shape[1])
        each = each + _LIGHT_WEIGHT * (self.light(entries).squeeze(-1) - light).square()
        objects = shapes > 0
        right = (told_shapes.argmax(-1) == shapes)[objects].float().mean().item()
        return (each * weights).sum() / weights.sum(), right, (told_colours.argmax(-1) == colours).float().mean().item()


def places(inside: Tensor) -> tuple[Tensor, Tensor]:
    """Where the centre of each patch lies in its picture, shape (n, patches, 2): across and down, from -1 to 1.

    `inside`, shape (n, patches), tells the patches that are no padding; it comes back as numbers.
    """
    side = math.isqrt(inside.shape[1])
    grid = inside.view(-1, side, side)
    steps = torch.arange(side, dtype=torch.float32) + 0.5
    found = []
    for used in (grid.any(1), grid.any(2)):
        length = used.sum(1, keepdim=True).clamp(min=1)
        first = used.float().argmax(1, keepdim=True)
        found.append((steps - first) / length * 2 - 1)
    across, down = found
    where = torch.stack((across[:, None].expand(-1, side, -1), down[:, :, None].expand(-1, -1, side)), dim=-1)
    return where.flatten(1, 2), inside.float()


class Topics(nn.Module):  # type: ignore[misc]  # mypy runs without PyTorch
    """Say at the end of a question which intent it is.

    Needed for training alone. Without it this is learnt from the first words of answers only, many of which are alike.
    """

    def __init__(self, width: int, names: Sequence[str]) -> None:
        super().__init__()
        self.names = tuple(names)
        self.intents = nn.Linear(width, N_TOPICS)
        # A head that knows nothing yet tells the network nothing, where one made at random would tell it wrong.
        nn.init.zeros_(self.intents.weight)

    def loss(self, hidden: Tensor, topics: Tensor) -> tuple[Tensor, int, int]:
        """Sum over the entries that have a topic, how many of them are told right, and how many there are.

        `hidden` has shape (rows, length, width), `topics` (rows, length).
        """
        having = (topics != NO_TOPIC).flatten().nonzero().squeeze(1)
        told = self.intents(hidden.flatten(0, 1)[having].float())[:, : len(self.names)]
        wanted = topics.flatten()[having]
        loss = functional.cross_entropy(told, wanted, reduction="sum", label_smoothing=_TOPIC_SMOOTHING)
        return loss, int((told.argmax(-1) == wanted).sum()), len(having)

    @staticmethod
    def named(known: Sequence[str]) -> tuple[str, ...]:
        """The names of a run that goes on, and behind them those of intents that have come since."""
        return (*known, *(intent.name for intent in load_intents() if intent.name not in known))


class Trainer:
    """Owns the networks, the optimizers and the clock of one run."""

    def __init__(self, folder: Path, plan: Plan, rank: int = 0) -> None:
        """`rank` numbers the processes; the first one speaks and saves for all."""
        _keep_memory()
        torch.set_num_threads(1)
        self._rank = rank
        torch.manual_seed(plan.seed)
        self.plan = plan
        self._folder = folder
        self._vocabulary = folder / "vocabulary.json"
        self.language = LanguageNetwork(LanguageConfig(len(Vocabulary.load(self._vocabulary))))
        self.vision = VisionNetwork(VisionConfig())
        self.heads = Heads(self.vision.config.projection_dim)
        self.topics = Topics(self.language.config.embedding_length, Topics.named(()))
        self._elapsed = {"vision": 0.0, "joint": 0.0}
        self._steps = {"vision": 0, "joint": 0}
        self._saved_at = time.monotonic()
        self._optimizers = self._vision_optimizers()
        self._resume()

    @property
    def checkpoint(self) -> Path:
        return self._folder / "checkpoint.pt"

    def run(self) -> None:
        """Train until the budget is spent."""
        if self._steps["joint"] == 0 and self._elapsed["vision"] < self.plan.vision_minutes * 60:
            self._learn_to_see()
            self.save()
        if self._steps["joint"] == 0:
            self._optimizers = self._joint_optimizers()
        if self._elapsed["joint"] == 0.0 and not self.plan.eye_learns:
            self._learn_topics()
        self._learn_to_speak()
        self.save()

    def _learn_to_see(self) -> None:
        composer = CountedComposer(self.plan.seed, _SCENES)
        with self._composed(composer, "vision") as batches:

            def step() -> Told:
                batch = next(batches)
                with torch.autocast("cpu", dtype=_NUMBERS, enabled=_SHORT):
                    entries = self.vision(torch.from_numpy(batch.pictures))
                loss, shapes, colours = self.heads.loss(entries, batch)
                return {"loss": _backward(loss), "shapes": shapes, "colours": colours}, len(batch.pictures)

            self._loop("vision", self.plan.vision_minutes * 60, step, "pictures")

    def _learn_topics(self) -> None:
        """The head alone, which no shipped file has: it says what the network knows before it may change it.

        All processes do the same, so that they go on alike.
        """
        rng = random.Random(self.plan.seed)
        vocabulary = Vocabulary.load(self._vocabulary)
        numbers = {name: number for number, name in enumerate(self.topics.names)}
        hidden: list[Tensor] = []
        wanted: list[Tensor] = []
        with torch.no_grad(), torch.autocast("cpu", dtype=_NUMBERS, enabled=_SHORT):
            for _ in range(_ASKED_FIRST // _ASKED_AT_ONCE):
                drawn = [sample(question_dialogue(rng), vocabulary) for _ in range(_ASKED_AT_ONCE)]
                fitting, _ = pack(
                    [each for each in drawn if len(each.tokens) <= LENGTHS[0]], LENGTHS[0], lambda _: True
                )
                rows = lay_out(fitting, LENGTHS[0], rng, numbers)
                topics = torch.from_numpy(rows.topics).flatten()
                having = (topics != NO_TOPIC).nonzero().squeeze(1)
                hidden.append(self._hidden(rows).flatten(0, 1)[having].float())
                wanted.append(topics[having])
        known, asked = torch.cat(hidden), torch.cat(wanted)
        optimizer = torch.optim.Adam(self.topics.parameters(), lr=0.02)
        for _ in range(_HEAD_STEPS):
            told = self.topics.intents(known)[:, : len(self.topics.names)]
            functional.cross_entropy(told, asked, label_smoothing=_TOPIC_SMOOTHING).backward()
            optimizer.step()
            optimizer.zero_grad()
        with torch.no_grad():
            told = self.topics.intents(known)[:, : len(self.topics.names)]
        right = (told.argmax(-1) == asked).float().mean().item()
        if self._rank == 0:
            print(f"The head names {right:.0%} of {len(asked)} questions' intents.", flush=True)

    def _learn_to_speak(self) -> None:
        composer = BatchComposer(self._vocabulary, self.plan.seed, self.topics.names, going_on=not self.plan.eye_learns)
        scenes = CountedComposer(self.plan.seed + 1, _SCENES_ALONG)
        with ExitStack() as stack:
            batches = stack.enter_context(self._composed(composer, "joint"))
            drawn = stack.enter_context(self._composed(scenes, "joint")) if self.plan.eye_learns else None

            def step() -> Told:
                batch = next(batches)
                total = float(sum(part.weights.sum() for part in batch))
                spoken, right, asked = 0.0, 0, 0
                for part in batch:
                    loss, n_right, n_asked = self._language_loss(part)
                    spoken += _backward(loss / total)
                    right, asked = right + n_right, asked + n_asked
                told = {"loss": spoken, "topics": right / max(asked, 1)}
                if drawn is not None:
                    told |= self._look_along(next(drawn))
                return told, sum(part.n_tokens for part in batch)

            self._loop("joint", self.plan.minutes * 60, step, "tokens")

    def _look_along(self, batch: CountedBatch) -> dict[str, float]:
        """What the eye learns while the language is learnt."""
        with torch.autocast("cpu", dtype=_NUMBERS, enabled=_SHORT):
            entries = self.vision(torch.from_numpy(batch.pictures))
        seen, shapes, _ = self.heads.loss(entries, batch)
        return {"eye": _backward(_ALONG_WEIGHT * seen) / _ALONG_WEIGHT, "shapes": shapes}

    def _language_loss(self, rows: Rows) -> tuple[Tensor, int, int]:
        """Sum of the weighted losses of all predictions, of topics too; topics that are right, and all."""
        with torch.autocast("cpu", dtype=_NUMBERS, enabled=_SHORT):
            hidden = self._hidden(rows)
            weights = torch.from_numpy(rows.weights).flatten()
            counts = weights.nonzero().squeeze(1)
            logits = self.language.logits(hidden.flatten(0, 1)[counts])
        targets = torch.from_numpy(rows.targets).flatten()[counts]
        each = functional.cross_entropy(logits.float(), targets, reduction="none")
        spoken: Tensor = (each * weights[counts]).sum()
        topics, right, asked = self.topics.loss(hidden, torch.from_numpy(rows.topics))
        return spoken + _TOPIC_WEIGHT * topics, right, asked

    def _hidden(self, rows: Rows) -> Tensor:
        """Shape (rows, length, width)."""
        with torch.set_grad_enabled(self.plan.eye_learns and torch.is_grad_enabled()):
            entries = self.vision(torch.from_numpy(rows.pictures)) if len(rows.pictures) else None
        found: Tensor = self.language(
            embeddings(self.language, torch.from_numpy(rows.tokens), entries),
            torch.from_numpy(rows.positions),
            mask(torch.from_numpy(rows.documents)),
        )
        return found

    def _loop(self, phase: str, budget: float, step: Callable[[], Told], unit: str) -> None:
        """Steps until `budget` seconds of this phase are spent; the learning rate follows the share that is spent."""
        began, spent = time.monotonic(), self._elapsed[phase]
        shown_at, since, sums = began, 0, defaultdict[str, float](float)
        shown_step = self._steps[phase]
        groups = [group for optimizer in self._optimizers for group in optimizer.param_groups]
        parameters = [weights for group in groups for weights in group["params"]]
        while self._elapsed[phase] < budget:
            rate = schedule(self._elapsed[phase] / budget)
            for group in groups:
                group["lr"] = group["peak"] * rate
            told, count = step()
            elapsed = self._meet(parameters, spent + time.monotonic() - began)
            nn.utils.clip_grad_norm_(parameters, _CLIP)
            for optimizer in self._optimizers:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
            now = time.monotonic()
            self._steps[phase] += 1
            self._elapsed[phase] = elapsed
            since += count * self.plan.processes
            # A batch without objects has no share of right shapes.
            for name, value in told.items():
                sums[name] += 0.0 if math.isnan(value) else value
            if now - shown_at > 10 and self._rank == 0:
                means = " ".join(f"{name} {sums[name] / (self._steps[phase] - shown_step):.3f}" for name in told)
                speed, left = since / (now - shown_at), (budget - elapsed) / 60
                print(
                    f"{phase} step {self._steps[phase]} {means} {speed:,.0f} {unit}/s {left:.1f} minutes left",
                    flush=True,
                )
                shown_at, since, sums, shown_step = now, 0, defaultdict(float), self._steps[phase]
            if now - self._saved_at > SAVE_EVERY:
                self.save()

    def _composed(self, composer: Composes[T], phase: str) -> AbstractContextManager[Iterator[T]]:
        """This process's batches, from where the phase stands."""
        return composed(composer, self._steps[phase] * self.plan.processes + self._rank, self.plan.processes)

    def _meet(self, parameters: list[nn.Parameter], elapsed: float) -> float:
        """Give all processes the mean of their gradients; returns the mean of their clocks too."""
        if self.plan.processes == 1:
            return elapsed
        gradients = [weights.grad for weights in parameters]
        flat = torch.cat([*(gradient.flatten() for gradient in gradients), torch.tensor([elapsed])])
        torch.distributed.all_reduce(flat)
        flat /= self.plan.processes
        start = 0
        for gradient in gradients:
            gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
            start += gradient.numel()
        return float(flat[-1])

    def _vision_optimizers(self) -> list[torch.optim.Optimizer]:
        return self._made(self.plan.vision_rate, self.vision, self.heads)

    def _joint_optimizers(self) -> list[torch.optim.Optimizer]:
        seeing = self._made(self.plan.vision_rate / 2, self.vision, self.heads) if self.plan.eye_learns else ()
        return [*seeing, *self._made(self.plan.rate, self.language, self.topics)]

    def _made(self, rate: float, *modules: nn.Module) -> list[torch.optim.Optimizer]:
        """Muon for the matrices inside and AdamW for the rest, or AdamW for all."""
        named = [pair for module in modules for pair in module.named_parameters()]
        # Muon computes in bfloat16, which takes longer than the step itself where it is imitated.
        if not (self.plan.muon and _SHORT):
            return [self._adam([weights for _, weights in named], rate)]
        inner = [weights for name, weights in named if _is_inner(name, weights)]
        muon = torch.optim.Muon(inner, lr=rate, weight_decay=self.plan.weight_decay, adjust_lr_fn="match_rms_adamw")
        for group in muon.param_groups:
            group["peak"] = rate
        return [muon, self._adam([weights for name, weights in named if not _is_inner(name, weights)], rate)]

    def _adam(self, weights: list[nn.Parameter], rate: float) -> torch.optim.Optimizer:
        groups = [
            {"params": [each for each in weights if each.dim() > 1], "weight_decay": self.plan.weight_decay},
            {"params": [each for each in weights if each.dim() <= 1], "weight_decay": 0.0},
        ]
        made = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=True)
        for group in made.param_groups:
            group["peak"] = rate
        return made

    def save(self) -> None:
        """Write the checkpoint; a run that is killed goes on from it."""
        self._saved_at = time.monotonic()
        if self._rank:
            return
        state = {
            "plan": asdict(self.plan),
            "language_config": asdict(self.language.config),
            "vision_config": asdict(self.vision.config),
            "language": self.language.state_dict(),
            "vision": self.vision.state_dict(),
            "heads": self.heads.state_dict(),
            "topics": self.topics.state_dict(),
            "topic_names": list(self.topics.names),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
            "elapsed": self._elapsed,
            "steps": self._steps,
        }
        partial = self.checkpoint.with_suffix(".part")
        torch.save(state, partial)
        partial.replace(self.checkpoint)

    def _resume(self) -> None:
        if not self.checkpoint.is_file():
            return
        state = torch.load(self.checkpoint, map_location="cpu", weights_only=True)
        if state["steps"]["joint"]:
            # Before, it holds nothing that was learnt, and its vocabulary may have been made anew.
            self.language.load_state_dict(state["language"])
        self.vision.load_state_dict(state["vision"])
        same_heads = state["heads"].keys() == self.heads.state_dict().keys()
        if same_heads:
            self.heads.load_state_dict(state["heads"])
        if "topics" in state:
            self.topics.names = Topics.named(state["topic_names"])
            self.topics.load_state_dict(state["topics"])
        self._elapsed, self._steps = state["elapsed"], state["steps"]
        if self._steps["joint"]:
            self._optimizers = self._joint_optimizers()
        # A checkpoint from before the heads were what they are is gone on from with heads and optimizers anew.
        if same_heads and "topics" in state and len(state["optimizers"]) == len(self._optimizers):
            for optimizer, saved in zip(self._optimizers, state["optimizers"], strict=True):
                optimizer.load_state_dict(saved)
        print(f"Going on from {self.checkpoint}: {self._steps['joint']} steps done.", flush=True)


def train(folder: Path, plan: Plan) -> None:
    """One run, in as many processes as planned. Raises RuntimeError where one of them dies."""
    if plan.processes == 1:
        Trainer(folder, plan).run()
        return
    with tempfile.TemporaryDirectory() as meeting:
        context = multiprocessing.get_context("spawn")
        others = [
            context.Process(target=_join, args=(folder, plan, rank, meeting)) for rank in range(1, plan.processes)
        ]
        for other in others:
            other.start()
        try:
            _join(folder, plan, 0, meeting)
        except BaseException:
            for other in others:
                other.terminate()
            raise
        finally:
            for other in others:
                other.join()


def _join(folder: Path, plan: Plan, rank: int, meeting: str) -> None:
    if sys.platform.startswith("linux"):
        # They meet on this machine alone, whatever its name resolves to.
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    place = (Path(meeting) / "meeting").as_uri()
    torch.distributed.init_process_group("gloo", init_method=place, rank=rank, world_size=plan.processes)
    try:
        Trainer(folder, plan, rank).run()
    finally:
        torch.distributed.destroy_process_group()


def _backward(loss: Tensor) -> float:
    loss.backward()
    value: float = loss.item()
    return value


def embeddings(network: LanguageNetwork, tokens: Tensor, entries: Tensor | None) -> Tensor:
    """Shape (rows, length, width): the table's rows, and where a token is PICTURE the next of `entries`, in order."""
    table: Tensor = network.token_embd(tokens.clamp(min=0))
    if entries is None:
        return table
    places = (tokens.flatten() == PICTURE).nonzero().squeeze(1)
    flat = table.flatten(0, 1).index_copy(0, places, entries.flatten(0, 1).to(table.dtype))
    return flat.view_as(table)


def mask(documents: Tensor) -> Tensor:
    """Shape (rows, 1, length, length), added to the scores: causal, and within a dialogue only."""
    length = documents.shape[1]
    same = documents[:, None, :, None] == documents[:, None, None, :]
    sees = same & torch.ones(length, length, dtype=torch.bool).tril()
    return torch.zeros(sees.shape, dtype=_NUMBERS).masked_fill_(~sees, float("-inf"))


def schedule(share: float) -> float:
    """Factor of the learning rate when `share` of the time is spent: up over 3 %, then a cosine down to 0."""
    warm = 0.03
    if share < warm:
        return 0.01 + share / warm
    return 0.5 + 0.5 * math.cos(math.pi * min(1.0, (share - warm) / (1 - warm)))


def _keep_memory() -> None:
    """Ask the C library to keep freed memory: fetching large blocks anew for each step costs a third of the time."""
    if not sys.platform.startswith("linux"):
        return
    most, trim_threshold, top_pad, mmap_max = 2**31 - 1, -1, -2, -4
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(mmap_max, 0)
        mallopt(trim_threshold, most)
        mallopt(top_pad, 1 << 28)


def _is_inner(name: str, weights: Tensor) -> bool:
    return name.startswith("blocks.") and weights.dim() == 2
