"""What is still to do in a checkout, as a list of steps; and doing it."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from devtools.console import duration, say
from devtools.engine import (
    FETCH_SECONDS,
    INSTALL_SECONDS,
    Engine,
    fetch_engine,
    install_engine,
    kept_wheel,
    remember_choice,
    wanted_engine,
)
from devtools.engine_build import build_engine, build_seconds, compilers_at_once
from devtools.environment import environment_key, expected_seconds, install, make_environment
from devtools.exclusive import exclusive
from devtools.layout import Layout
from devtools.stamps import Stamps
from devtools.system import prepare_system
from devtools.tool_servers import INSTALL_SECONDS as SERVER_SECONDS
from devtools.tool_servers import are_wanted, install_tool_servers

RUN, TEST = "run", "test"
"""Lock files. The one for tests holds all that the program needs, too."""


@dataclass(frozen=True, slots=True)
class Step:
    title: str
    expected: float
    """Seconds."""
    act: Callable[[], None]
    name: str = ""
    key: str = ""
    """What to stamp it with; empty for a step that changes nothing in `.venv` and is known by its result."""


def set_up(layout: Layout, lock_name: str, wheels: str | None) -> None:
    """Brings `.venv` to the state that `lock_name` and `wheels` ask for; quick and without network if it is so.

    Raises `SetUpError`. An interruption at any point leaves a state that the next call repairs.
    """
    engine = wanted_engine(layout, wheels)
    if not unfinished_steps(layout, lock_name, engine):
        remember_choice(layout, wheels)
        return
    with exclusive(layout.build / "set-up.lock"):
        steps = unfinished_steps(layout, lock_name, engine)  # another process may just have finished them
        if not steps:
            return
        builds = engine.is_built and kept_wheel(layout, engine) is None
        prepare_system(layout.root, layout.logs, builds=builds)
        total = sum(step.expected for step in steps)
        say(f"Setting up Hearth in {layout.root}: {len(steps)} steps, about {duration(total)}.")
        carry_out(steps, Stamps(layout.stamps))
        remember_choice(layout, wheels)


def unfinished_steps(layout: Layout, lock_name: str, engine: Engine) -> list[Step]:
    """Only what is missing, in order; looks at files, changes nothing."""
    stamps = Stamps(layout.stamps)
    lock = layout.requirements / f"{lock_name}.lock"
    environment = environment_key(layout)
    spoilt = stamps.unfinished
    sound = not spoilt and stamps.matches("environment", environment) and layout.python.exists()
    steps: list[Step] = []
    if not sound:
        # One that was made by hand may stay; ours was interrupted, was moved, or has lost its Python.
        afresh = spoilt or stamps.knows("environment")
        title = f"the virtual environment .venv{', afresh' if afresh else ''}"
        act = partial(make_environment, layout, afresh=afresh)
        steps.append(Step(title, 5.0, act, "environment", environment))
    if not (sound and _has_packages(layout, stamps, lock_name)):
        log = layout.logs / "packages.log"
        steps.append(
            Step(
                f"the Python packages of {lock.name}",
                expected_seconds(lock),
                lambda: install(layout.python, lock, log),
                lock_name,
                _packages_key(lock),
            )
        )
    if not (sound and stamps.matches("engine", engine.key)):
        steps += _engine_steps(layout, engine)
    if lock_name == TEST and are_wanted(layout):
        steps.append(Step("the servers of tools that tests ask", SERVER_SECONDS, lambda: install_tool_servers(layout)))
    return steps


def carry_out(steps: Sequence[Step], stamps: Stamps) -> None:
    """One after the other. A step is stamped only after it succeeded."""
    for number, step in enumerate(steps, 1):
        say(f"[{number}/{len(steps)}] {step.title} (about {duration(step.expected)})")
        start = time.monotonic()
        if step.key:
            stamps.begin(step.name)
        step.act()
        if step.key:
            stamps.finish(step.name, step.key)
        say(f"    done in {duration(time.monotonic() - start)}")


def _has_packages(layout: Layout, stamps: Stamps, lock_name: str) -> bool:
    enough = (RUN, TEST) if lock_name == RUN else (lock_name,)
    return any(stamps.matches(name, _packages_key(layout.requirements / f"{name}.lock")) for name in enough)


def _packages_key(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes()).hexdigest()


def _engine_steps(layout: Layout, engine: Engine) -> list[Step]:
    steps: list[Step] = []
    title = f"the engine, llama-cpp-python {engine.version}"
    if kept_wheel(layout, engine) is None:
        if engine.is_built:
            jobs = compilers_at_once()
            how = f"built for this processor with {jobs} compiler{'' if jobs == 1 else 's'} at once"
            steps.append(Step(f"{title}, {how}", build_seconds(jobs), lambda: build_engine(layout, engine)))
        else:
            how = f"upstream's wheel for {engine.variant}"
            steps.append(Step(f"{title}, {how}", FETCH_SECONDS, lambda: fetch_engine(layout, engine)))
    put_in = Step(f"{title}, into .venv", INSTALL_SECONDS, lambda: install_engine(layout, engine), "engine", engine.key)
    return [*steps, put_in]
