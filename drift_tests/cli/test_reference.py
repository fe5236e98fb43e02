import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/cli.md").read_text(encoding="utf-8")


def test_the_reference_is_what_the_commands_say() -> None:
    assert runpy.run_path(str(ROOT / "scripts/generate.py"))["commands_page"]() == PAGE, "run `make docs`"


def test_every_command_of_the_reference_says_what_it_does() -> None:
    sections = re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]
    assert len(sections) == 21
    for section in sections:
        usage, _, text = section.partition("\n\n")
        assert usage.startswith("`drift ")
        assert re.match(r"[A-Z].+\.", text), usage
        assert "|  |\n" not in text, usage
