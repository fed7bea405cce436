"""How a model's own advice and people's settings go together."""

from app.core.sampling import Sampling, advice_from, advised, summary

ADVICE = {"general.sampling.temp": "0.6", "general.sampling.top_k": "20", "general.sampling.min_p": "0"}


def test_advice_is_read_by_llama_cpps_keys() -> None:
    assert advice_from(ADVICE.get) == {"temperature": 0.6, "top_k": 20, "min_p": 0.0}


def test_advice_out_of_bounds_or_of_another_kind_is_left_out() -> None:
    wrong = {"general.sampling.temp": "hot", "general.sampling.top_p": "7", "general.sampling.top_k": "1.5"}
    assert advice_from(wrong.get) == {}


def test_what_people_set_wins_over_advice_and_advice_over_defaults() -> None:
    made = advised(Sampling(temperature=0.1), advice_from(ADVICE.get))
    assert made == Sampling(temperature=0.1, top_k=20, min_p=0.0)
    assert advised(Sampling(), {}) == Sampling()


def test_a_line_says_how_an_answer_was_sampled() -> None:
    assert summary(Sampling()) == "temperature 0.8, top-k 40, top-p 0.95, min-p 0.05"
    assert summary(Sampling(temperature=0.0)) == "greedy"
    assert summary(Sampling(top_k=0, top_p=1.0, min_p=0.0, seed=3)) == "temperature 0.8"
    told = summary(Sampling(penalty_repeat=1.1, dry_sequence_breakers=("\n",)))
    assert told == "temperature 0.8, top-k 40, top-p 0.95, min-p 0.05, penalty_repeat 1.1, dry_sequence_breakers '\\n'"
