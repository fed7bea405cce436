"""What is still to do, what an interruption leaves, and how it heals."""

import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from devtools.engine import wanted_engine
from devtools.environment import make_environment
from devtools.errors import SetUpError
from devtools.exclusive import exclusive
from devtools.layout import Layout
from devtools.plan import RUN, TEST, Step, carry_out, unfinished_steps
from devtools.stamps import Stamps

ENVIRONMENT, PACKAGES, BUILD = "the virtual", "the Python packages", "built for this"
FETCH, INSTALL = "upstream's wheel", "into .venv"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A checkout with lock files and nothing else."""
    made = Layout(tmp_path / "hearth")
    made.requirements.mkdir(parents=True)
    for name in (RUN, TEST):
        (made.requirements / f"{name}.lock").write_text(f"# {name}\nnumpy==2.4.6\n", encoding="utf-8")
    (made.requirements / "engine.lock").write_text("llama-cpp-python==0.3.36\n", encoding="utf-8")
    return made


def to_do(layout: Layout, lock: str, *, wheels: str | None = None) -> list[str]:
    found = []
    for step in unfinished_steps(layout, lock, wanted_engine(layout, wheels)):
        found += [word for word in (ENVIRONMENT, PACKAGES, BUILD, FETCH, INSTALL) if word in step.title]
    return found


def is_made_afresh(layout: Layout) -> bool:
    first = unfinished_steps(layout, RUN, wanted_engine(layout, None))[0]
    return ENVIRONMENT in first.title and "afresh" in first.title


def pretend_to_set_up(layout: Layout, lock: str) -> None:
    """Stamps everything that is unfinished, without doing it."""
    layout.python.parent.mkdir(parents=True, exist_ok=True)
    layout.python.touch()
    steps = unfinished_steps(layout, lock, wanted_engine(layout, None))
    carry_out([Step(step.title, 0, lambda: None, step.name, step.key) for step in steps], Stamps(layout.stamps))


def test_a_fresh_clone_needs_everything_and_a_finished_one_nothing(layout: Layout) -> None:
    assert to_do(layout, TEST) == [ENVIRONMENT, PACKAGES, BUILD, INSTALL]
    pretend_to_set_up(layout, TEST)
    assert to_do(layout, TEST) == []


def test_the_packages_for_tests_are_enough_to_run_but_not_the_other_way_round(layout: Layout) -> None:
    pretend_to_set_up(layout, RUN)
    assert to_do(layout, RUN) == []
    assert to_do(layout, TEST) == [PACKAGES]
    pretend_to_set_up(layout, TEST)
    assert to_do(layout, RUN) == []


def test_only_what_changed_is_done_again(layout: Layout) -> None:
    pretend_to_set_up(layout, TEST)
    (layout.requirements / "test.lock").write_text("numpy==2.4.7\n", encoding="utf-8")
    assert to_do(layout, TEST) == [PACKAGES]
    (layout.requirements / "engine.lock").write_text("llama-cpp-python==0.3.37\n", encoding="utf-8")
    assert to_do(layout, TEST) == [PACKAGES, BUILD, INSTALL]


def test_a_wheel_that_was_built_is_not_built_again(layout: Layout) -> None:
    shelf = layout.wheels / wanted_engine(layout, None).key
    shelf.mkdir(parents=True)
    (shelf / "llama_cpp_python-0.3.36-py3-none-any.whl").touch()
    assert to_do(layout, TEST) == [ENVIRONMENT, PACKAGES, INSTALL]


def test_a_ready_made_wheel_replaces_the_build(layout: Layout) -> None:
    pretend_to_set_up(layout, TEST)
    assert to_do(layout, TEST, wheels="cpu") == [FETCH, INSTALL]


def test_a_moved_checkout_needs_a_new_environment(layout: Layout) -> None:
    pretend_to_set_up(layout, RUN)
    moved = Layout(layout.root.rename(layout.root.with_name("elsewhere")))
    assert is_made_afresh(moved)


def test_an_environment_whose_python_is_gone_is_made_again(layout: Layout) -> None:
    pretend_to_set_up(layout, RUN)
    layout.python.unlink()
    assert is_made_afresh(layout)


@pytest.mark.parametrize("end", [KeyboardInterrupt, SetUpError("The network is gone.")])
def test_a_step_that_does_not_end_well_spoils_the_environment(
    layout: Layout, end: type[BaseException] | BaseException
) -> None:
    pretend_to_set_up(layout, RUN)

    def stop() -> None:
        raise end

    with pytest.raises((KeyboardInterrupt, SetUpError)):
        carry_out([Step("packages", 0, stop, "test", "key")], Stamps(layout.stamps))
    assert Stamps(layout.stamps).unfinished
    assert to_do(layout, RUN)[:2] == [ENVIRONMENT, PACKAGES]
    assert is_made_afresh(layout)


def test_an_interrupted_build_spoils_nothing(layout: Layout) -> None:
    pretend_to_set_up(layout, RUN)

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out([Step("build", 0, stop)], Stamps(layout.stamps))
    assert to_do(layout, RUN) == []


def test_a_step_that_is_done_anew_has_no_stamp_until_it_succeeds(layout: Layout) -> None:
    stamps = Stamps(layout.stamps)
    seen: list[bool] = []
    act: Callable[[], None] = lambda: seen.append(stamps.matches("engine", "old"))  # noqa: E731
    stamps.begin("engine")
    stamps.finish("engine", "old")
    carry_out([Step("engine", 0, act, "engine", "new")], stamps)
    assert seen == [False]
    assert stamps.matches("engine", "new")
    assert not stamps.unfinished


def site_packages(layout: Layout) -> Path:
    return next(layout.venv.glob("lib/python*/site-packages"), layout.venv / "Lib" / "site-packages")


def test_an_environment_that_works_is_kept(layout: Layout) -> None:
    """Somebody may have made it by hand."""
    assert not is_made_afresh(layout)
    venv.create(layout.venv, symlinks=os.name != "nt")
    (site_packages(layout) / "pip.py").touch()
    Stamps(layout.stamps).begin("environment")
    make_environment(layout, afresh=False)
    assert (site_packages(layout) / "pip.py").exists()


@pytest.mark.slow
def test_a_spoilt_environment_is_replaced_even_where_its_python_works(layout: Layout) -> None:
    """The real thing, with Python's own `venv`; nothing is downloaded."""
    venv.create(layout.venv, symlinks=os.name != "nt")
    (site_packages(layout) / "pip.py").touch()
    (site_packages(layout) / "half_a_package.py").touch()
    stamps = Stamps(layout.stamps)
    stamps.begin("environment")
    make_environment(layout, afresh=True)
    assert stamps.unfinished
    assert not (site_packages(layout) / "half_a_package.py").exists()
    (layout.root / "app").mkdir()
    (layout.root / "app" / "__init__.py").touch()
    code = "import app, pip; print(app.__file__)"
    told = subprocess.run([layout.python, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert Path(told.stdout.strip()).is_relative_to(layout.root)


def test_only_one_set_up_runs_at_a_time(tmp_path: Path) -> None:
    lock = tmp_path / "build" / "set-up.lock"
    code = (
        "import sys; from pathlib import Path; from devtools.exclusive import exclusive\n"
        f"with exclusive(Path({str(lock)!r})): print('mine', flush=True); sys.stdin.read()"
    )
    packaging = Path(__file__).parents[2] / "packaging"
    other = subprocess.Popen([sys.executable, "-c", code], cwd=packaging, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"mine"
        with pytest.raises(SetUpError, match="Another set-up"), exclusive(lock):
            pass
        other.kill()
    with exclusive(lock):  # nobody has to clean up after a process that was killed
        pass


def test_the_servers_of_tools_are_installed_for_tests_where_there_is_npm(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wants(lock: str) -> bool:
        steps = unfinished_steps(layout, lock, wanted_engine(layout, None))
        return any("servers of tools" in step.title for step in steps)

    source = layout.requirements / "tool-servers"
    source.mkdir()
    (source / "package-lock.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert wants(TEST) and not wants(RUN)
    modules = layout.tool_servers / "node_modules"
    modules.mkdir(parents=True)
    (layout.tool_servers / "package-lock.json").write_text("{}", encoding="utf-8")
    assert wants(TEST), "npm has not come to its end"
    (modules / ".package-lock.json").touch()
    assert not wants(TEST)
    (source / "package-lock.json").write_text("{ }", encoding="utf-8")
    assert wants(TEST)
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert not wants(TEST)
