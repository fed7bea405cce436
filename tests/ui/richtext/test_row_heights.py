from hypothesis import given
from hypothesis import strategies as st

from app.ui.richtext.row_heights import RowHeights

steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 50)),
        st.tuples(st.just("set"), st.integers(0, 1000)),
        st.tuples(st.just("cut"), st.integers(0, 1000)),
        st.tuples(st.just("reset"), st.integers(0, 40)),
    ),
    max_size=40,
)


@given(steps, st.integers(-10, 2000))
def test_sums_are_those_of_a_plain_list(steps: list[tuple[str, int]], y: int) -> None:
    heights, plain = RowHeights(), list[int]()
    for what, number in steps:
        if what == "append":
            heights.append(number)
            plain.append(number)
        elif what == "set" and plain:
            heights.set(number % len(plain), number // 7)
            plain[number % len(plain)] = number // 7
        elif what == "cut":
            heights.cut(number % (len(plain) + 1))
            del plain[number % (len(plain) + 1) :]
        elif what == "reset":
            plain = list(range(number))
            heights.reset(plain)
        assert len(heights) == len(plain)
        assert heights.total == sum(plain)
        assert [heights.offset(index) for index in range(len(plain))] == [sum(plain[:i]) for i in range(len(plain))]
    below = next((i for i in range(len(plain)) if sum(plain[: i + 1]) > y), max(0, len(plain) - 1))
    assert heights.index_at(y) == below
