"""What extractions amount to: mentions of a chunk, descriptions of entities and pairs."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from drift_assets.extraction import describe_entities, describe_pairs, extraction_row
from drift_assets.graph.entities import ExtractionRow, MentionRow, StatementRow, StoredMention, StoredStatement
from drift_assets.language.tasks import ExtractedEntity, ExtractedRelationship, Extraction

TYPES = ("PERSON", "LOCATION")


def entity(name: str, type_: str = "PERSON", description: str = "") -> ExtractedEntity:
    return ExtractedEntity(name=name, type=type_, description=description)


def tie(source: str, target: str, description: str = "", strength: float = 5) -> ExtractedRelationship:
    return ExtractedRelationship(source=source, target=target, description=description, strength=strength)


def row(*said: ExtractedEntity | ExtractedRelationship) -> ExtractionRow:
    found = Extraction(
        entities=[one for one in said if isinstance(one, ExtractedEntity)],
        relationships=[one for one in said if isinstance(one, ExtractedRelationship)],
    )
    return extraction_row("hash", found, TYPES, "scripted")


def mention(
    name: str, text_hash: str = "1", spelling: str = "", type_: str = "", description: str = ""
) -> StoredMention:
    return StoredMention(name, text_hash, spelling or name.title(), type_, description)


def test_a_mention_keeps_the_spelling_and_has_the_key() -> None:
    assert row(entity("  the\nReeve ", description="A  reeve.\n")).mentions == (
        MentionRow("THE REEVE", "the Reeve", "PERSON", "A reeve."),
    )


def test_spellings_of_one_name_are_one_mention_that_says_all() -> None:
    said = row(
        entity("Martha", "", "Keeps the books."),
        entity("MARTHA", "LOCATION", "Lives on the quay."),
        entity("martha", "PERSON", "Keeps the books."),
    )
    assert said.mentions == (MentionRow("MARTHA", "Martha", "LOCATION", "Keeps the books. Lives on the quay."),)


def test_a_longer_description_that_begins_with_the_known_one_replaces_it() -> None:
    said = row(entity("Tom", description="Tom is"), entity("Tom", description="Tom is a pilot"))
    assert said.mentions[0].description == "Tom is a pilot"


def test_a_type_outside_the_list_is_no_type() -> None:
    hostile = "PERSON`) DETACH DELETE (n"
    assert [m.type for m in row(entity("A", "person "), entity("B", "DEITY"), entity("C", hostile)).mentions] == [
        "PERSON",
        "",
        "",
    ]


def test_what_is_no_name_is_dropped_with_its_relationships() -> None:
    said = row(entity("…"), entity("x" * 201), entity("Tom"), tie("Tom", "—", "meets"), tie("y" * 201, "Tom", "sees"))
    assert [m.name for m in said.mentions] == ["TOM"]
    assert said.statements == ()


def test_a_name_of_200_characters_is_kept() -> None:
    assert [m.name for m in row(entity("x" * 200)).mentions] == ["X" * 200]


def test_an_entity_named_only_as_an_end_is_described_by_the_relationship() -> None:
    said = row(entity("Tom", description="A pilot."), tie("Tom", "the Harbour", "Tom keeps the harbour.", 7))
    assert said.mentions == (
        MentionRow("THE HARBOUR", "the Harbour", "", "Tom keeps the harbour."),
        MentionRow("TOM", "Tom", "PERSON", "A pilot."),
    )
    assert said.statements == (StatementRow("TOM", "THE HARBOUR", "Tom keeps the harbour.", 7),)


def test_a_statement_keeps_its_direction_and_repeats_count_once_with_the_greater_strength() -> None:
    said = row(tie("B", "A", "b helps a", 2), tie("b", "a", "b  helps a", 9), tie("A", "B", "b helps a", 1))
    assert said.statements == (StatementRow("A", "B", "b helps a", 1), StatementRow("B", "A", "b helps a", 9))


def test_nothing_is_related_to_itself() -> None:
    assert row(entity("Tom"), tie("Tom", "TOM", "knows himself")).statements == ()


def test_spellings_come_commonest_first_and_equally_common_ones_by_the_alphabet() -> None:
    mentions = [mention("TOM", str(n), spelling) for n, spelling in enumerate(["tom", "Tom", "TOM", "Tom", "tom"])]
    assert describe_entities(mentions)[0].aliases == ("Tom", "tom", "TOM")


def test_the_type_is_voted_and_a_tie_goes_by_the_alphabet() -> None:
    def voted(*types: str) -> str | None:
        return describe_entities([mention("TOM", str(n), type_=type_) for n, type_ in enumerate(types)])[0].type

    assert voted("PERSON", "LOCATION", "PERSON") == "PERSON"
    assert voted("PERSON", "LOCATION") == "LOCATION"
    assert voted("", "", "PERSON") == "PERSON"
    assert voted("", "") is None


def test_each_distinct_description_stands_once_in_the_order_of_the_texts_that_say_it() -> None:
    said = [
        mention("TOM", "c", description="Third."),
        mention("TOM", "a", description="First."),
        mention("TOM", "b", description="First."),
        mention("TOM", "b", description=""),
        mention("ANN", "z", description="Other."),
    ]
    assert [(one.name, one.description) for one in describe_entities(said)] == [
        ("ANN", ("Other.",)),
        ("TOM", ("First.", "Third.")),
    ]


def test_a_pair_sums_up_both_directions_lesser_name_first() -> None:
    pairs = describe_pairs(
        [
            StoredStatement("B", "A", "2", "b helps a", 3.0),
            StoredStatement("A", "B", "1", "a pays b", 4.5),
            StoredStatement("A", "B", "3", "a pays b", 1.0),
            StoredStatement("A", "C", "1", "a sees c", 1.0),
        ]
    )
    assert [(p.source, p.target, p.description, p.weight) for p in pairs] == [
        ("A", "B", ("a pays b", "b helps a"), 8.5),
        ("A", "C", ("a sees c",), 1.0),
    ]
    assert len({p.id for p in pairs}) == 2


def test_a_description_changes_its_hash_and_a_repetition_does_not() -> None:
    def hashed(*descriptions: str) -> str:
        mentions = [mention("TOM", str(n), description=text) for n, text in enumerate(descriptions)]
        return describe_entities(mentions)[0].description_hash

    assert hashed("a", "b") == hashed("a", "b", "a")
    assert len({hashed("a", "b"), hashed("b", "a"), hashed("ab"), hashed("a"), hashed("")}) == 5


_some = st.sampled_from("abc")


@given(
    st.lists(st.builds(StoredMention, st.sampled_from(["A", "B"]), _some, _some, _some, _some)),
    st.lists(st.builds(StoredStatement, st.just("A"), st.sampled_from(["B", "C"]), _some, _some, st.floats(1, 10))),
    st.randoms(use_true_random=False),
)
def test_the_order_of_what_is_stored_changes_nothing(
    mentions: list[StoredMention], statements: list[StoredStatement], chance: random.Random
) -> None:
    shuffled, restated = list(mentions), list(statements)
    chance.shuffle(shuffled)
    chance.shuffle(restated)
    assert describe_entities(shuffled) == describe_entities(mentions)
    assert describe_pairs(restated) == describe_pairs(statements)
