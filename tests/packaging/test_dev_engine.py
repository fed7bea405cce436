"""When a build can be used again, and what is asked of CMake."""

from pathlib import Path

import pytest
from devtools.engine import (
    BUILD,
    Engine,
    build_key,
    cmake_arguments,
    engine_version,
    kept_wheel,
    remember_choice,
    wanted_engine,
)
from devtools.engine_build import build_seconds, reading_of_ninja
from devtools.errors import SetUpError
from devtools.layout import Layout
from devtools.processor import from_cpuinfo

LOCK = "llama-cpp-python==0.3.36 \\\n    --hash=sha256:abc\n"
CORE = "processor\t: {n}\nvendor_id\t: {v}\ncpu family\t: 6\nmodel\t\t: 143\ncpu MHz\t\t: {m}\nflags\t\t: {f}\n"


def core(number: int, *, vendor: str = "GenuineIntel", mhz: str = "2000", flags: str = "fpu sse2 avx2 fma ibpb") -> str:
    return CORE.format(n=number, v=vendor, m=mhz, f=flags)


def key(processor: str = "p", where: str = "Linux", **environ: str) -> str:
    return build_key(LOCK, processor, where=where, environ=environ)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path)
    made.requirements.mkdir(parents=True)
    (made.requirements / "engine.lock").write_text(LOCK, encoding="utf-8")
    return made


def test_the_key_names_version_and_differs_with_whatever_the_build_depends_on() -> None:
    keys = [key(), key("q"), key(where="Darwin"), key(CMAKE_ARGS="-DGGML_CUDA=ON"), key(CXX="clang++")]
    assert len(set(keys)) == len(keys)
    assert all(each.startswith("0.3.36-") for each in keys)
    assert build_key(LOCK.replace("abc", "abd"), "p", where="Linux", environ={}) != key()


def test_the_key_stays_where_the_build_would_be_the_same() -> None:
    assert key() == key(HOME="/elsewhere", CMAKE_ARGS="")


def test_a_processor_is_its_model_and_the_flags_a_compiler_uses() -> None:
    alone = from_cpuinfo(core(0))
    assert alone == "GenuineIntel 6 143 avx2 fma sse2"
    assert from_cpuinfo(f"{core(0)}\n{core(1, mhz='3100')}\n") == alone
    assert from_cpuinfo(core(0, flags="fpu sse2 avx2 fma ibpb new_mitigation")) == alone
    assert from_cpuinfo(core(0, flags="fpu sse2 avx2 avx512f fma")) != alone
    assert from_cpuinfo(core(0, vendor="AuthenticAMD")) != alone


def test_big_and_little_cores_both_count() -> None:
    arm = "processor\t: 0\nFeatures\t: fp asimd dotprod\nCPU implementer\t: 0x41\nCPU part\t: {part}\n"
    both = from_cpuinfo(arm.format(part="0xd05") + "\n" + arm.format(part="0xd0b"))
    assert both == "0x41 0xd05 fp asimd dotprod | 0x41 0xd0b fp asimd dotprod"


def test_a_lock_without_the_engine_is_told() -> None:
    with pytest.raises(SetUpError, match=r"engine\.lock"):
        engine_version("numpy==2\n")


def test_own_cmake_arguments_come_last_and_win() -> None:
    words = cmake_arguments({"CMAKE_ARGS": "-DGGML_NATIVE=OFF"}).split()
    assert words.index("-DGGML_NATIVE=ON") < words.index("-DGGML_NATIVE=OFF")


def test_the_choice_of_a_wheel_is_remembered_until_a_build_is_asked_for(layout: Layout) -> None:
    assert wanted_engine(layout, None).variant == BUILD
    remember_choice(layout, "vulkan")
    assert wanted_engine(layout, None) == Engine("vulkan", "0.3.36", "0.3.36-vulkan")
    remember_choice(layout, None)
    assert wanted_engine(layout, None).variant == "vulkan"
    remember_choice(layout, BUILD)
    assert wanted_engine(layout, None).is_built


def test_only_the_wheel_of_this_very_build_is_used_again(layout: Layout) -> None:
    engine = wanted_engine(layout, None)
    (layout.wheels / "0.3.36-another").mkdir(parents=True)
    (layout.wheels / "0.3.36-another" / "llama_cpp_python-0.3.36-py3-none-any.whl").touch()
    assert kept_wheel(layout, engine) is None
    own = layout.wheels / engine.key / "llama_cpp_python-0.3.36-py3-none-any.whl"
    own.parent.mkdir()
    own.touch()
    assert kept_wheel(layout, engine) == own


def test_progress_is_read_from_ninja_in_both_ways_that_it_speaks() -> None:
    plain = "[34/136] Building CXX object src/CMakeFiles/llama.dir/llama-vocab.cpp.o"
    whole = "  [136/136] : && /usr/bin/c++ -O3 -shared -o libllama.so a.o b.o && :"
    assert reading_of_ninja(plain) == (0.25, "34/136 llama-vocab.cpp.o")
    told = reading_of_ninja(whole)
    assert told is not None
    assert told[0] == 1.0
    assert reading_of_ninja("-- Configuring done (1.4s)") is None
    assert reading_of_ninja("  [notice] A new release of pip is available") is None


def test_more_compilers_take_less_time() -> None:
    assert build_seconds(8) < build_seconds(2) / 2
