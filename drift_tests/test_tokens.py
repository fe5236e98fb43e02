"""Token counts are those of the library, of which only the compiled part is loaded."""

import subprocess
import sys

import bpe_openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift_assets.tokens import count_tokens, token_runs


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize(
    "text", ["", "Two  blanks.\r\n", "L’École ne ferme pas.", "第一章 開始", "🦋\u200b" * 40, "<|endoftext|>"]
)
def test_a_count_is_that_of_the_library(encoding: str, text: str) -> None:
    assert count_tokens(text, encoding) == len(bpe_openai.get_encoding(encoding).encode_ordinary(text))


def test_a_text_that_the_library_refuses_is_counted_in_blocks() -> None:
    assert count_tokens("word " * 400_000) == pytest.approx(400_000, abs=20)


def test_half_a_surrogate_pair_is_counted() -> None:
    assert count_tokens("a \ud83e b") > 2


def test_the_python_around_the_compiled_part_is_not_imported() -> None:
    program = (
        "import sys; from drift_assets.tokens import count_tokens; count_tokens('a'); "
        "print('bpe_openai' in sys.modules)"
    )
    seen = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "False"


@given(st.lists(st.integers(0, 30), max_size=30), st.integers(1, 40))
def test_runs_keep_all_items_in_order_and_exceed_the_limit_only_alone(sizes: list[int], limit: int) -> None:
    runs = token_runs(sizes, lambda size: size, limit)
    assert [size for run in runs for size in run] == sizes
    assert all(sum(run) <= limit or len(run) == 1 for run in runs)
