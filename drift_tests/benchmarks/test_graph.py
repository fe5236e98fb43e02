from benchmarks.graph import differences, dump
from drift_assets.graph.address import Address
from drift_tests.database import SmallIndex, query

INDEX = SmallIndex(
    entities={"LAMP": ("A lamp.", [0.12345, 0.0]), "REEVE": ("A keeper.", [1.0, 0.0])},
    chunks={"c1": ("a.txt", "Reeve lit the lamp.", ["LAMP", "REEVE"], [1.0, 0.0])},
    relationships=[("LAMP", "REEVE", 1.0)],
)


def changed(address: Address, statement: str) -> list[str]:
    """How the small index differs after the statement, by the first words of each line."""
    INDEX.write(address)
    before = dump(address)
    query(address, statement)
    return differences(before, dump(address))


def test_equal_indexes_do_not_differ(clean_address: Address) -> None:
    INDEX.write(clean_address)
    before = dump(clean_address)
    INDEX.write(clean_address)

    assert len(before) == 9
    assert differences(before, dump(clean_address)) == []


def test_a_search_is_no_difference(clean_address: Address) -> None:
    assert changed(clean_address, "CREATE (:__Search__ {id: 's'})-[:ASKED]->(:__Question__ {id: 'q'})") == []


def test_a_property_is_a_difference(clean_address: Address) -> None:
    before, after = changed(clean_address, "MATCH (e {name: 'LAMP'}) SET e.summary = 'A light.'")

    assert before.startswith("- ")
    assert "A lamp." in before
    assert after.startswith("+ ")
    assert "A light." in after


def test_the_last_digits_of_a_vector_are_none(clean_address: Address) -> None:
    assert changed(clean_address, "MATCH (e {name: 'LAMP'}) SET e.embedding = [0.123451, 0.0]") == []


def test_a_relationship_too_many_is_a_difference(clean_address: Address) -> None:
    (more,) = changed(clean_address, "MATCH (c:__Chunk__), (e {name: 'LAMP'}) CREATE (c)-[:MENTIONS]->(e)")

    assert more.startswith("+ ")
    assert "MENTIONS" in more
