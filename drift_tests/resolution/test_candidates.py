"""Which pairs of names are looked at."""

from __future__ import annotations

import math
import random
import string
import time
from collections.abc import Iterable

from drift_assets.resolution.candidates import MOST_FITTING, MOST_NEAR, Candidate, candidates, near


def found(names: Iterable[str], twice: Iterable[str] = ()) -> list[Candidate]:
    return candidates({name: 2 if name in twice else 1 for name in names})


def pairs(names: Iterable[str]) -> dict[tuple[str, str], str]:
    return {(one.first, one.second): one.why for one in found(names)}


def test_alike_names_are_paired_and_others_are_not() -> None:
    names = ["ADA QUILL", "QUILL", "FOG ORGAN", "FOG-ORGAN", "PORT MERRIN", "PORT MERRINS", "TOBIAS LUND"]
    assert pairs(names) == {
        ("ADA QUILL", "QUILL"): "last",
        ("FOG ORGAN", "FOG-ORGAN"): "form",
        ("PORT MERRIN", "PORT MERRINS"): "plural",
    }


def test_a_part_names_what_else_it_may_stand_for() -> None:
    names = ["QUILL", "ADA QUILL", "BEN QUILL", "CAPTAIN ADA QUILL"]
    others = {(one.first, one.second): one.others for one in found(names)}
    assert others["ADA QUILL", "QUILL"] == ("BEN QUILL",)
    assert others["BEN QUILL", "QUILL"] == ("ADA QUILL", "CAPTAIN ADA QUILL")


def test_a_style_may_tell_another_bearer_of_the_name() -> None:
    others = {(one.first, one.second): one.others for one in found(["WARD", "KING WARD", "EZRA WARD"])}
    assert others["EZRA WARD", "WARD"] == ("KING WARD",)


def test_one_odd_name_takes_no_title_from_its_bearer() -> None:
    names = ["AHAB", "CAPTAIN AHAB", "TIS AHAB"]
    assert found(names)[0] == Candidate("AHAB", "CAPTAIN AHAB", "title", ())
    assert found(names, twice=["TIS AHAB"])[0] == Candidate("AHAB", "CAPTAIN AHAB", "title", ("TIS AHAB",))


def test_a_kind_of_thing_is_no_part_of_its_kinds() -> None:
    kinds = [f"{letters} WHALE" for letters in ("BLUE", "GREY", "PILOT", "RIGHT", "SPERM", "HUMP")]
    assert len(pairs(["WHALE", *kinds])) == MOST_FITTING
    assert pairs(["WHALE", *kinds, "FIN WHALE"]) == {}


def test_the_pairs_do_not_depend_on_the_order_of_names() -> None:
    names = [
        "QUILL",
        "ADA QUILL",
        "CAPTAIN QUILL",
        "QUILLS",
        "LUND",
        "LUNDE",
        "TOBIAS LUND",
        "T. LUND",
        "USA",
        "U.S.A.",
    ]
    expected = found(names)
    for seed in range(5):
        shuffled = random.Random(seed).sample(names, len(names))
        assert found(shuffled) == expected


def test_ten_thousand_names_take_seconds_and_not_the_square_of_it() -> None:
    chance = random.Random(1)
    words = ["".join(chance.choices(string.ascii_uppercase, k=chance.randint(4, 9))) for _ in range(3_000)]
    names = {" ".join(chance.choices(words, k=chance.randint(1, 3))) for _ in range(10_000)}
    started = time.process_time()
    candidates(dict.fromkeys(names, 1))
    assert time.process_time() - started < 20


def at(*degrees: float) -> list[list[float]]:
    return [[math.cos(math.radians(degree)), math.sin(math.radians(degree))] for degree in degrees]


def test_names_near_by_their_vectors_are_paired_unless_they_contradict_each_other() -> None:
    names = ["FOE", "ENEMY", "LAMP", "KING OF HEARTS", "QUEEN OF HEARTS", "ADVERSARY"]
    vectors = dict(zip(names, at(0, 10, 90, 180, 181, 12), strict=True))
    assert [(one.first, one.second, one.why) for one in near(vectors, [("ADVERSARY", "ENEMY")])] == [
        ("ADVERSARY", "FOE", "vector"),
        ("ENEMY", "FOE", "vector"),
    ]
    assert near({}, []) == near({"FOE": [1.0, 0.0]}, []) == []


def test_a_name_has_few_near_ones() -> None:
    names = [f"{letter}{letter.lower()}x" for letter in string.ascii_uppercase]
    counted = near(dict(zip(names, at(*range(len(names))), strict=True)), [])
    assert len(counted) <= MOST_NEAR * len(names)
