"""What the local OpenAI server answers by itself: plain, valid, and the same for the same request."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drift_tests.openai_server import Request

_DATA = re.compile(r"<data>\n(.*?)\n</data>", re.DOTALL)
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w’'-]+(?:[ ][A-ZÀ-Þ][\w’'-]+)*")
_SMALL = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by can did do does for from had has have he her him his how i if in into is it "
        "its me my no not now of on one or our she so some such than that the their them then there these they this to "
        "upon up very was we were what when where which who why will with would you your all oh well yes come just let "
        "after",
    )
)


def words(text: str) -> list[str]:
    """The words of `text` that carry meaning, in lower case."""
    return [word for word in re.findall(r"\w+", text.lower()) if word not in _SMALL]


def task_name(body: Mapping[str, Any]) -> str:
    """Name of the task: of the schema that was sent, else of the prompt that the instructions are."""
    text, form = body.get("text") or {}, body.get("response_format") or {}
    name = (text.get("format") or {}).get("name") or (form.get("json_schema") or {}).get("name")
    if name:
        return str(name)
    from drift_assets.language import tasks
    from drift_assets.language.prompts import load_template

    messages = body.get("messages") or [{"content": ""}]
    for kind in tasks.all_tasks():
        if load_template(kind).instructions == messages[0]["content"]:
            return kind.name()
    return ""


def default_output(request: Request) -> dict[str, Any]:
    """A valid output of the request's task, made from what its prompt holds."""
    return _MAKERS[request.task](request.input)


def _blocks(text: str) -> list[str]:
    return _DATA.findall(text)


def _line(text: str, start: str) -> str:
    found = re.search(rf"^{re.escape(start)}(.*)$", text, re.MULTILINE)
    return found.group(1).strip() if found else ""


def _draw(text: str, count: int) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") % count


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n{2,}", text) if part.strip()]


def _names(sentence: str) -> list[str]:
    found = []
    for match in _NAME.finditer(sentence):
        parts = match.group().split(" ")
        while parts and parts[0].lower() in _SMALL:
            parts.pop(0)
        name = re.sub(r"['’]s$", "", " ".join(parts))
        if len(name) > 2 and name.lower() not in _SMALL:
            found.append(name)
    return list(dict.fromkeys(found))


def _extract(text: str) -> dict[str, Any]:
    types = [part.strip() for part in _line(text, "Types: ").split(",")]
    entities: dict[str, dict[str, Any]] = {}
    ties = []
    for sentence in _sentences("\n\n".join(_blocks(text))):
        said = " ".join(sentence.split())
        names = _names(sentence)
        for name in names:
            kind = types[_draw(name.upper(), len(types))]
            entities.setdefault(name, {"name": name, "type": kind, "description": said})
        for source, target in itertools.pairwise(names):
            strength = 1 + _draw(said, 10)
            ties.append({"source": source, "target": target, "description": said, "strength": strength})
    return {"entities": list(entities.values()), "relationships": ties}


def _resolve(text: str) -> dict[str, Any]:
    """Names with the same last word are of one thing, unless something else may be meant."""
    verdicts = []
    for number, said in _evidence(text):
        lines = [line for line in said.split("\n") if not line.startswith("- ")]
        first, second = (line.rpartition(" (")[0] for line in lines[:2])
        same = first.split()[-1].upper() == second.split()[-1].upper() and len(lines) == 2
        verdicts.append({"number": number, "same": same, "reason": f"{first}, {second}"})
    return {"verdicts": verdicts}


def _summarise(text: str) -> dict[str, Any]:
    statements = [line.removeprefix("- ") for block in _blocks(text) for line in block.split("\n")]
    return {"summary": " ".join(dict.fromkeys(statements))[:800] or "Nothing is said."}


def _report(text: str) -> dict[str, Any]:
    lines = [line.removeprefix("- ") for block in _blocks(text) for line in block.split("\n") if line.startswith("- ")]
    heads = [re.split(r" \(|: ", line)[0] for line in lines] or ["A group"]
    return {
        "title": " and ".join(heads[:2]),
        "summary": " ".join(lines[:4])[:600] or "A group without members.",
        "rating": 4 + _draw(text, 6),
        "rating_explanation": f"It has {len(lines)} members and ties.",
        "findings": [{"summary": head, "explanation": line} for head, line in list(zip(heads, lines, strict=True))[:3]],
    }


def _hyde(text: str) -> dict[str, Any]:
    return {"answer": f"This report tells of {_line(text, 'Question: ').rstrip('?')}."}


def _evidence(text: str) -> list[tuple[int, str]]:
    """Number and text of each piece of evidence; its first line, kind and title, stays out."""
    pieces = re.split(r"^\[(\d+)\] ", "\n".join(_blocks(text)[:1]), flags=re.MULTILINE)[1:]
    return [
        (int(number), body.partition("\n")[2].strip()) for number, body in zip(pieces[::2], pieces[1::2], strict=True)
    ]


def _scored(text: str, question: str, count: int) -> dict[str, Any]:
    """The pieces that share words with the question, cited; the score is the share of its words that they hold."""
    asked = set(words(question))
    hits = [(number, body) for number, body in _evidence(text) if asked & set(words(body))]
    hits.sort(key=lambda hit: (-len(asked & set(words(hit[1]))), hit[0]))
    held = asked & {word for _, body in hits[:3] for word in words(body)}
    names = [name for _, body in _evidence(text) for name in _names(body)]
    asked_of = [name for name in dict.fromkeys(names) if name.lower() not in question.lower()]
    return {
        "answer": " ".join(f"{' '.join(body.split())[:160]} [{number}]." for number, body in hits[:3])
        or "The evidence does not tell.",
        "score": round(100 * len(held) / max(1, len(asked))) if hits else 0,
        "follow_ups": [f"What is told of {name}?" for name in asked_of[:count]],
    }


def _prime(text: str) -> dict[str, Any]:
    question, least = _line(text, "Question: "), int(_line(text, "Follow-up questions: at least "))
    output = _scored(text, question, least)
    missing = least - len(output["follow_ups"])
    output["follow_ups"] += [f"What else is told, number {n + 1}: {question}" for n in range(missing)]
    return output


def _answer(text: str) -> dict[str, Any]:
    local = _blocks(text)[-1]
    return _scored(text, local, int(_line(text, "Follow-up questions: at most ")))


def _reduce(text: str) -> dict[str, Any]:
    pieces = "\n".join(_blocks(text)).split("Question: ")[1:]
    told = []
    for piece in pieces:
        found = re.search(r"Score: ([\d.]+)\nAnswer: (.*)", piece, re.DOTALL)
        if found and float(found.group(1)) > 0:
            told.append(found.group(2).strip())
    return {"answer": "\n\n".join(told) or "The documents do not tell.", "found": bool(told)}


def _rephrase(text: str) -> dict[str, Any]:
    about = _line(_blocks(text)[0], "User: ").rstrip("?") if _blocks(text) else ""
    question = _line(text, "User's question: ")
    return {"question": f"{question} ({about})"}


def _refine(text: str) -> dict[str, Any]:
    candidates = re.findall(r"^(\d+)\. (.*) \(asked by", _blocks(text)[-1], re.MULTILINE)
    keep = int(_line(text, "Keep at most: "))
    return {
        "questions": [{"question": question, "sources": [int(number)]} for number, question in candidates[:keep]],
        "dropped": [{"number": int(number), "reason": "helps less"} for number, _ in candidates[keep:]],
    }


def _support(text: str) -> dict[str, Any]:
    numbers = re.findall(r"^(\d+)\. .*\nSources:$", _blocks(text)[0], re.MULTILINE)
    return {"verdicts": [{"number": int(number), "supported": True, "reason": "It says so."} for number in numbers]}


def _judge(text: str) -> dict[str, Any]:
    """The longer answer covers more and is less direct; equal ones do not differ."""
    first, second = (len(block) for block in _blocks(text)[:2])
    longer = "neither" if first == second else "first" if first > second else "second"
    shorter = {"first": "second", "second": "first", "neither": "neither"}[longer]
    return {"reason": "By length.", "comprehensiveness": longer, "diversity": "neither", "directness": shorter}


_MAKERS = {
    "extract": _extract,
    "resolve": _resolve,
    "glean": lambda text: {"entities": [], "relationships": []},
    "summarise": _summarise,
    "report": _report,
    "hyde": _hyde,
    "prime": _prime,
    "answer": _answer,
    "rephrase": _rephrase,
    "refine": _refine,
    "reduce": _reduce,
    "judge": _judge,
    "support": _support,
}
