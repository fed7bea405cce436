import argparse
import subprocess
import sys
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

import app
from app.cli.arguments import build_parser, parse, section_from_arguments
from app.core.loading import CacheType, FlashAttention, Loading, LoadMode
from app.core.sampling import Sampling
from app.core.setting import Declaration, declaration
from app.core.speculation import Speculation

MODEL_COMMANDS = ["ask x", "serve", "selftest"]
CONTRACT_LOADING = (
    *("-m", "--model", "-c", "--ctx-size", "-ngl", "--gpu-layers", "-t", "--threads", "-b", "--batch-size"),
    *("-ub", "--ubatch-size", "-fa", "--flash-attn", "-ctk", "--cache-type-k", "-ctv", "--cache-type-v"),
)
CONTRACT_SAMPLING = ("--seed", "--temp", "--top-k", "--top-p", "--min-p")


def subparser(name: str) -> argparse.ArgumentParser:
    [commands] = [each for each in build_parser()._actions if isinstance(each, argparse._SubParsersAction)]
    found = commands.choices[name]
    assert isinstance(found, argparse.ArgumentParser)
    return found


def refused(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as caught:
        parse(line.split())
    assert caught.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def test_without_a_command_the_window_opens() -> None:
    assert parse([]).command == "window"


def test_nothing_given_changes_nothing() -> None:
    loading, sampling = Loading(threads=3, swa_full=True), Sampling(temperature=0.1)
    given = parse(["ask", "hi"])
    assert section_from_arguments(given, loading) == loading
    assert section_from_arguments(given, sampling) == sampling
    assert given.model is None
    assert given.prompt == "hi"
    assert not given.json


def test_what_is_given_wins_over_the_settings() -> None:
    line = "ask hi -m m.gguf -c 4096 -ngl -1 -fa on -ctk q8_0 --swa-full --seed 7 --temp 0 --top-p 0.5 -n 20"
    given = parse(line.split())
    assert given.model == Path("m.gguf")
    assert section_from_arguments(given, Loading(threads=3)) == Loading(
        ctx_size=4096,
        gpu_layers=-1,
        flash_attn=FlashAttention.ON,
        cache_type_k=CacheType.Q8_0,
        swa_full=True,
        threads=3,
    )
    assert section_from_arguments(given, Sampling()) == Sampling(seed=7, temperature=0.0, top_p=0.5, max_tokens=20)


@pytest.mark.parametrize("command", MODEL_COMMANDS)
def test_each_command_has_the_model_options_of_the_contract(command: str) -> None:
    options = set(subparser(command.split()[0])._option_string_actions)
    assert set(CONTRACT_LOADING) <= options


@pytest.mark.parametrize("command", ["ask", "serve"])
def test_each_command_that_answers_has_the_sampling_options(command: str) -> None:
    options = set(subparser(command)._option_string_actions)
    assert set(CONTRACT_SAMPLING) <= options
    assert {flag for each in fields(Sampling) for flag in declaration(each).flags} <= options


@pytest.mark.parametrize("section", [Loading(), Sampling()])
def test_every_option_reaches_its_setting(section: Any) -> None:
    for each in fields(section):
        told = declaration(each)
        other = another(getattr(section, each.name), told)
        words = [] if other is True else [str(other)]
        for flag in told.flags:
            given = section_from_arguments(parse(["serve", flag, *words]), section)
            assert given == replace(section, **{each.name: other})


def test_what_means_nothing_to_a_command_that_ends_is_no_option_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """A model that nobody uses for a while is freed: neither `ask` nor `selftest` waits so long."""
    for command in ("ask x", "selftest"):
        assert "unrecognized arguments: --idle-unload 5" in refused(f"{command} --idle-unload 5", capsys)
    assert section_from_arguments(parse(["serve", "--idle-unload", "5"]), Loading()) == Loading(idle_unload=5)
    assert section_from_arguments(parse(["ask", "x"]), Loading(idle_unload=5)) == Loading(idle_unload=5)


@pytest.mark.parametrize(("flag", "mode"), [("--mlock", "mmap+mlock"), ("--no-mmap", "none"), ("--direct-io", "dio")])
def test_older_names_of_llama_cpp_mean_the_same(flag: str, mode: str) -> None:
    assert section_from_arguments(parse(["ask", "x", flag]), Loading()) == Loading(load_mode=LoadMode(mode))


def another(value: object, told: Declaration) -> object:
    match value:
        case False:
            return True
        case StrEnum():
            return list(type(value))[-1]
        case int() | float():
            bound = told.minimum if told.minimum != value else told.maximum
            assert bound is not None
            return type(value)(bound)
    return value


@pytest.mark.parametrize("command", MODEL_COMMANDS)
@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("-c 99999999", "argument -c/--ctx-size: Context size: 99999999 is above the largest value, 16777216."),
        ("-t -1", "argument -t/--threads: Threads: -1 is below the smallest value, 0."),
        ("-b 1.5", "argument -b/--batch-size: '1.5' is not a whole number"),
        ("-ctk q9", "argument -ctk/--cache-type-k: invalid choice: 'q9'"),
        ("--no-such-option", "unrecognized arguments: --no-such-option"),
        ("--ctx 4096", "unrecognized arguments: --ctx"),
    ],
)
def test_wrong_usage(command: str, option: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = refused(f"{command} {option}", capsys)
    assert line.startswith("hearth")
    assert told in line


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ask x --temp 9", "Temperature: 9.0 is above the largest value, 5."),
        ("ask x --temp nan", "Temperature: write a finite number."),
        ("ask x --temp warm", "'warm' is not a number"),
        ("ask x --seed 4294967295", "Seed: 4294967295 is above the largest value, 4294967294."),
        ("ask x --temperature 1", "unrecognized arguments: --temperature 1"),
        ("ask", "the following arguments are required: PROMPT"),
        ("ask x y", "unrecognized arguments: y"),
        ("serve --port 65536", "argument --port: 65536 is not between 0 and 65535"),
        ("serve --port -1", "argument --port: -1 is not between 0 and 65535"),
        ("serve --port http", "argument --port: 'http' is not a whole number"),
        ("dance", "invalid choice: 'dance'"),
    ],
)
def test_wrong_usage_of_one_command(line: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert told in refused(line, capsys)


def test_serve_listens_on_this_computer_alone_by_default() -> None:
    given = parse(["serve"])
    assert (given.command, given.host, given.port, given.api_key) == ("serve", "127.0.0.1", 8080, "")
    given = parse(["serve", "--host", "0.0.0.0", "--port", "0", "--api-key", "s"])
    assert (given.host, given.port, given.api_key) == ("0.0.0.0", 0, "s")


def test_serve_sleeps_after_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    assert (parse(["serve"]).sleep_idle_seconds, parse(["serve"]).no_slots) == (0, False)
    given = parse(["serve", "--no-metrics", "--tell-prompts", "--continue-answers"])
    assert (given.no_slots, given.no_metrics, given.tell_prompts, given.continue_answers) == (False, True, True, True)
    assert [parse(["serve", "--sleep-idle-seconds", each]).sleep_idle_seconds for each in ("-1", "30")] == [0, 30]
    assert "not between" in refused("serve --sleep-idle-seconds -2", capsys)


def test_serve_keeps_conversations_on_disk_within_a_quota(capsys: pytest.CaptureFixture[str]) -> None:
    assert [parse(["serve", *more]).keep_on_disk for more in ([], ["--keep-on-disk", "64"])] == [0, 64]
    assert "not between" in refused("serve --keep-on-disk -1", capsys)


def test_serve_lets_in_pages_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse(["serve"]).cors_origins == ()
    given = parse(["serve", "--cors-origins", "localhost, https://chat.example/"])
    assert given.cors_origins == ("localhost", "https://chat.example")
    assert "name those that may use it" in refused("serve --cors-origins *", capsys)


def test_a_prompt_may_look_like_an_option() -> None:
    assert parse(["ask", "-5 + 3?"]).prompt == "-5 + 3?"
    assert parse(["ask", "--", "-x"]).prompt == "-x"
    assert parse(["ask", "-"]).prompt == "-"


@pytest.mark.parametrize("command", [None, "ask", "serve", "selftest"])
def test_help_is_there(command: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(["--help"] if command is None else [command, "--help"])
    assert caught.value.code == 0
    assert "usage: hearth" in capsys.readouterr().out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"hearth {app.__version__}\n"


def test_parsing_loads_neither_qt_nor_the_engine() -> None:
    """Every start pays for what is imported, `hearth --help` too."""
    script = "import app.__main__, app.cli.arguments, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"llama_cpp", "numpy", "PySide6", "aiohttp", "asyncio"} & set(done.stdout.split())


def test_drafting_is_asked_for_as_of_llama_cpp() -> None:
    parsed = parse(["ask", "x", "--no-spec-ngram", "-md", "/a/b c.gguf", "--spec-draft-n-max", "7", "-ctkd", "q8_0"])
    speculation = section_from_arguments(parsed, Speculation())
    assert speculation == Speculation(
        ngram=False, draft_model="/a/b c.gguf", draft_max=7, cache_type_k_draft=CacheType.Q8_0
    )
    assert section_from_arguments(parse(["ask", "x"]), Speculation(ngram=False)) == Speculation(ngram=False)
    assert section_from_arguments(parse(["ask", "x", "--spec-ngram"]), Speculation(ngram=False)) == Speculation()


@pytest.mark.parametrize("command", ["ask", "serve", "selftest"])
def test_defaults_are_told_in_words(command: str) -> None:
    for action in subparser(command)._actions:
        _, _, default = (action.help or "").partition("Default: ")
        assert default not in (".", "-1.", "-1.0.", "True.", "False."), action.option_strings


@pytest.mark.parametrize("flag", ["-sys", "--system-prompt", "--system"])
def test_a_system_prompt_has_llama_cpps_names(flag: str) -> None:
    assert parse(["ask", "hi", flag, "Be brief."]).system == "Be brief."
