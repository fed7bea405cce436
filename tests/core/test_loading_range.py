"""What stands in for settings that a model or a machine can't have."""

import pytest

from app.core.loading import Loading
from app.core.loading_range import Bounds, in_range, out_of_range

BOUNDS = Bounds(n_ctx_train=4000, n_layer=36, threads=8)


@pytest.mark.parametrize(
    ("asked", "gets"),
    [
        (Loading(), {"ctx_size": 4096}),
        (Loading(ctx_size=4000), {}),
        (Loading(ctx_size=0), {}),
        (Loading(ctx_size=10, batch_size=32, ubatch_size=32), {"ctx_size": 256}),
        (Loading(ctx_size=1000), {"batch_size": 1000}),
        (Loading(ctx_size=256), {"batch_size": 256, "ubatch_size": 256}),
        (Loading(ctx_size=0, threads=8, gpu_layers=37), {}),
        (Loading(ctx_size=0, threads=9, gpu_layers=38), {"threads": 8, "gpu_layers": 37}),
        (Loading(ctx_size=0, gpu_layers=-1), {}),
    ],
)
def test_what_is_told_is_what_is_done(asked: Loading, gets: dict[str, int]) -> None:
    assert out_of_range(asked, BOUNDS) == gets
    made = in_range(asked, BOUNDS)
    assert all(getattr(made, name) == value for name, value in gets.items() if name != "ctx_size")
    assert made.ctx_size <= 4000


def test_what_is_not_known_bounds_nothing() -> None:
    huge = Loading(ctx_size=1_000_000, threads=500, gpu_layers=999)
    assert out_of_range(huge, Bounds()) == {}
    assert in_range(huge, Bounds()) == huge
