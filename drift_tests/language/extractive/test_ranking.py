"""Sentences that answer come first, and those chosen together do not say the same twice."""

from __future__ import annotations

from dataclasses import replace

from drift_assets.language.extractive.candidates import Candidate, of_evidence, weights
from drift_assets.language.extractive.questions import Asked, read_question
from drift_assets.language.extractive.ranking import Ranked, choose, likeness, overlap, rank, shortlist
from drift_assets.language.tasks import Evidence

TEXT = """Mira Solano keeps the lighthouse. She is paid by the Harbour Trust. Bread is cheap on Mondays.
Tobias Reed broke the lamp in March. Tobias Reed broke the old lamp in March again. The market opens at six."""
WHO = read_question("Who broke the lamp?")


def listed(text: str = TEXT) -> list[Candidate]:
    return of_evidence([Evidence(number=1, kind="chunk", title="", text=text)])


def ranked(*aspects: Asked, cosine: float = 0.3) -> list[Ranked]:
    found = listed()
    return rank(aspects, found, [[cosine] * len(found)] * len(aspects), found)


def test_the_sentence_with_the_question_s_words_comes_first() -> None:
    assert ranked(WHO)[0].candidate.text.startswith("Tobias Reed broke the")


def test_likeness_of_meaning_decides_where_no_word_is_shared() -> None:
    found = listed()
    cosines = [[0.7 if "market" in candidate.text else 0.1 for candidate in found]]
    assert rank([read_question("At what hour are goods sold?")], found, cosines, found)[0].candidate.text.startswith(
        "The market"
    )


def test_the_shortlist_holds_the_best_for_each_aspect() -> None:
    short = shortlist([read_question("What of bread?"), read_question("Who is paid?")], listed(), 2)
    assert {candidate.text.split()[0] for candidate in short} == {"Bread", "She"}


def test_what_is_chosen_does_not_repeat_itself() -> None:
    chosen = choose(ranked(WHO), weights(WHO, listed()), 3, 0.2)
    texts = [item.candidate.text for item in chosen]
    assert sum("broke" in text for text in texts) == 1


def test_each_aspect_has_its_sentence() -> None:
    whole = read_question("Who broke the lamp, and who keeps the lighthouse?")
    chosen = choose(ranked(whole, WHO, read_question("Who keeps the lighthouse?")), weights(whole, listed()), 2, 0.2)
    texts = " ".join(item.candidate.text for item in chosen)
    assert "broke" in texts
    assert "keeps" in texts


def test_each_part_has_as_many_sentences_as_it_is_sure_of() -> None:
    text = "Reed broke the lamp. Its glass broke at night. Solano keeps the lighthouse. The lighthouse is white."
    whole = read_question("Who broke the lamp, and who keeps the lighthouse?")
    aspects = [whole, read_question("Who broke the lamp?"), read_question("Who keeps the lighthouse?")]
    found = listed(text)
    order = rank(aspects, found, [[0.3, 0.3, 0.3, 0.3]] * 3, found)

    chosen = choose(order, weights(whole, found), 4, 0.0, each=2)

    assert [item.candidate.text.split()[0] for item in chosen[:2]] == ["Reed", "Solano"]
    assert {"lighthous" in item.candidate.words for item in chosen[2:]} == {True, False}


def test_a_sentence_that_holds_nothing_but_a_name_of_the_question_stands_back() -> None:
    found = listed("Reed sat at the window. Someone sold the boat.")
    asked = read_question("What of the boat of Reed?")
    [named, told] = sorted(rank([asked], found, [[0.3, 0.3]], found), key=lambda item: item.candidate.place)
    plain = rank([replace(asked, words=("reed",))], found, [[0.3, 0.3]], found)

    assert told.relevance > named.relevance
    assert named.relevance < max(item.relevance for item in plain)


def test_what_is_told_goes_before_names_that_are_nearer_in_meaning() -> None:
    found = listed("The boat of Reed was there. Someone sold it in March.")
    asked = read_question("Who sold Reed his ship?")
    first, _ = rank([asked], found, [[0.5, 0.3]], found)
    assert first.candidate.text.startswith("Someone")


def test_a_sentence_that_asks_or_lacks_its_beginning_stands_behind_one_that_tells() -> None:
    texts = ["and at once broke the lamp.", "Did anybody see who broke the lamp?", "Everybody saw who broke the lamp."]
    found = [replace(listed(text)[0], place=(place, 0)) for place, text in enumerate(texts)]
    order = rank([WHO], found, [[0.4] * 3], found)
    assert [item.candidate.text for item in order] == texts[::-1]


def test_other_sources_go_first_among_equals() -> None:
    def one(number: int, text: str) -> Candidate:
        return of_evidence([Evidence(number=number, kind="chunk", title="", text=text)])[0]

    found = [one(1, "A lamp burned red."), one(1, "That lamp shone green."), one(2, "Some lamp glowed blue.")]
    asked = read_question("What of the lamp?")
    chosen = choose([Ranked(item, 0.5, (0.5,), 0.3) for item in found], weights(asked, found), 2, 0.0)

    assert [item.candidate.numbers for item in chosen] == [(1,), (2,)]


def test_what_a_relevant_sentence_goes_on_from_is_relevant_in_part() -> None:
    asked = read_question("Who gave the medal to the museum?")
    lifted = listed("Friends collected 120 pounds. They gave the medal to the museum.")
    alone = listed("Friends collected 120 pounds. Reed gave the medal to the museum.")

    first, second = ({i.candidate.text: i for i in rank([asked], one, [[0.3, 0.3]], one)} for one in (lifted, alone))

    sentence = "Friends collected 120 pounds."
    assert first[sentence].relevance > second[sentence].relevance


def test_a_caption_stands_behind_a_sentence_with_the_same_words() -> None:
    found = listed("The lamp that Tobias Reed broke\n\nIn March Tobias Reed broke the lamp.")
    assert rank([WHO], found, [[0.7, 0.7]], found)[0].candidate.text.startswith("In March")


def test_sentences_of_an_answer_that_serves_the_question_go_first() -> None:
    found = [replace(one, score=80.0 if one.text.startswith("Bread") else 0.0) for one in listed()]
    asked = read_question("What of goods?")
    assert rank([asked], found, [[0.3] * len(found)], found)[0].candidate.text.startswith("Bread")


def test_nothing_is_chosen_from_nothing() -> None:
    assert choose([], {}, 3, 0.5) == []


def test_measures_stay_between_0_and_1() -> None:
    assert [likeness(cosine) for cosine in (-1.0, 0.1, 0.75, 1.0)] == [0, 0, 1, 1]
    assert overlap(frozenset("ab"), frozenset("bc")) == 0.5
    assert overlap(frozenset(), frozenset("a")) == 0
