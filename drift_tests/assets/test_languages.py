"""Chinese and French documents, from the file to the names, and English alone where there is no language model."""

from __future__ import annotations

import pytest

from drift_assets.assets.checks import absent_names
from drift_assets.errors import CorpusError
from drift_assets.graph.checks import mentioned_names
from drift_assets.search.citations import cited_sentences
from drift_tests.assets.bench import HARBOUR, Bench
from drift_tests.assets.test_chunks import sync
from drift_tests.test_english import SAMPLES

CHINESE = "林海守护着港口的雾笛。" + SAMPLES["zh"]
FRENCH = "Élodie Garnier est née à l’Île-aux-Cerfs. « Qui a sonné ? » demanda-t-elle à M. Dupont. " + SAMPLES["fr"]
SAID = {
    "林海": [("林海", "PERSON", "守护雾笛的人。"), ("ＭＥＲＲＩＮ　港", "LOCATION", "雾笛立在那里。")],
    "Élodie": [("Élodie Garnier", "PERSON", "Elle est née sur une île."), ("l’Île-aux-Cerfs", "LOCATION", "Une île.")],
}


def extraction(text: str) -> dict[str, object]:
    """What a service makes of either text: two entities and what ties them."""
    found = next((said for word, said in SAID.items() if word in text), [])
    named = [{"name": name, "type": type_, "description": said} for name, type_, said in found]
    ties = [{"source": found[0][0], "target": found[1][0], "description": found[1][2], "strength": 5}] if found else []
    return {"entities": named, "relationships": ties}


def test_chunks_end_with_sentences_and_give_back_the_text(bench: Bench) -> None:
    bench.write({"zh.txt": CHINESE * 4, "fr.txt": FRENCH * 4})
    sync(bench)

    rows = bench.values(
        "MATCH (c:__Chunk__)-[:PART_OF]->(d) RETURN d.id, c.text, c.start, c.end ORDER BY d.id, c.position"
    )
    whole = {"zh.txt": CHINESE * 4, "fr.txt": (FRENCH * 4)}
    assert all(whole[id_][start:end] == text for id_, text, start, end in rows)
    assert len(rows) > 8
    ends = {text.rstrip()[-1] for _, text, _, _ in rows}
    assert ends <= set("。.»?")


def test_names_are_folded_without_case_or_width_and_keep_their_spelling_and_type(bench: Bench) -> None:
    bench.service.answer("extract", lambda request: extraction(request.input))
    bench.write({"zh.txt": CHINESE, "fr.txt": FRENCH, "decomposed.txt": FRENCH.replace("É", "E\u0301")})
    bench.index(until="entities", chunk_tokens=512)

    assert bench.values("MATCH (e:__Entity__) RETURN e.name, e.aliases[0], e.type ORDER BY e.name") == [
        ("L’ÎLE-AUX-CERFS", "l’Île-aux-Cerfs", "LOCATION"),
        ("MERRIN 港", "MERRIN 港", "LOCATION"),
        ("ÉLODIE GARNIER", "Élodie Garnier", "PERSON"),
        ("林海", "林海", "PERSON"),
    ]
    assert len(bench.values("MATCH (:__Entity__)-[r:RELATIONSHIP]->(:__Entity__) RETURN r.description")) >= 2


def test_a_name_without_blanks_around_it_is_found_in_its_chunk(bench: Bench) -> None:
    bench.service.answer("extract", lambda request: extraction(request.input))
    bench.write({"zh.txt": CHINESE, "fr.txt": FRENCH})
    bench.index(until="entities", chunk_tokens=512)

    mentions = bench.on_stage(lambda stage: mentioned_names(stage.graph, limit=100))
    assert absent_names(mentions).first == (
        next(f"MERRIN 港 (chunk {m.chunk})" for m in mentions if "港" in m.spelling),
    )


def test_citations_belong_to_their_sentence() -> None:
    chinese = cited_sentences("林海守护着雾笛[1]。雾笛立在梅林港。[2][3]")
    french = cited_sentences("Marthe garde l’orgue [1]. Il est à Merrin ! [2]")

    assert [(cited.sentence.strip("。"), cited.number) for cited in chinese] == [
        ("林海守护着雾笛", 1),
        ("雾笛立在梅林港", 2),
        ("雾笛立在梅林港", 3),
    ]
    assert [(cited.sentence, cited.number) for cited in french] == [
        ("Marthe garde l’orgue", 1),
        ("Il est à Merrin !", 2),
    ]


@pytest.mark.parametrize("language", SAMPLES)
def test_the_extractive_mode_refuses_a_corpus_whose_text_is_mostly_not_english(bench: Bench, language: str) -> None:
    bench.write({"a.txt": SAMPLES[language] * 3, "b.txt": HARBOUR})

    async def work(stage):  # type: ignore[no-untyped-def]
        return await bench.works()["chunks"](stage)

    with pytest.raises(
        CorpusError,
        match=r"^most of the text in .*, by its length, is not English \(1 document of 2: a.txt\), .* take these out ",
    ):
        bench.on_stage(work, language="extractive")
    assert bench.values("MATCH (c:__Chunk__) RETURN c.id") == []
    bench.on_stage(work)


def test_the_extractive_mode_names_what_it_cannot_read_in_an_english_corpus(bench: Bench) -> None:
    english = "Martha Reeve keeps the Fog Organ of Port Merrin, which had been built by her father. "
    bench.write({"a.txt": SAMPLES["fr"], "b.txt": english * 20})

    bench.on_stage(lambda stage: bench.works()["chunks"](stage), language="extractive")

    assert bench.notes.lines == ["the extractive mode reads English only and finds little in a.txt (1 document)"]
