"""Where things may stand: what docs/architecture.md calls the rules of the house, checked on the source itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drift_assets.settings import Settings

PACKAGE = Path(__file__).parent.parent / "drift_assets"
SOURCES = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(text) for name, text in SOURCES.items()}

# A clause of Cypher with what follows it in a query: a pattern, a list, a procedure or a thing of the schema.
CYPHER = re.compile(
    r"\b(MATCH|MERGE)\s*\(|\bUNWIND\s+[$\[\w]|\bDETACH\s+DELETE\b|\bCALL\s+(db|dbms)\.|\bRETURN\s+\w+\s*(,|\.|AS\b)"
    r"|\b(CREATE|DROP|SHOW|ALTER)\s+(CURRENT\s+USER|CONSTRAINT|(VECTOR |FULLTEXT )?INDEX)"
)
PROMPT_LENGTH = 300
HEAVY = {
    "bpe_openai",
    "graspologic_native",
    "jpype",
    "markitdown",
    "numpy",
    "onnxruntime",
    "openai",
    "pandas",
    "pyarrow",
    "pypdf",
    "scipy",
    "semantic_text_splitter",
    "spacy",
    "tokenizers",
}


def strings(tree: ast.AST) -> Iterator[str]:
    """Every string of a module that is not a docstring, the fixed parts of an f-string one by one."""
    docstrings = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.value


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def offences(found: Callable[[ast.Module], list[str]], *, allowed: str = "nowhere") -> dict[str, list[str]]:
    """What `found` finds, by module, in all modules whose path does not begin with `allowed`."""
    pairs = {name: found(tree) for name, tree in TREES.items() if not name.startswith(allowed)}
    return {name: texts for name, texts in pairs.items() if texts}


def loaded_by(statement: str) -> set[str]:
    """The modules that a fresh interpreter, without any setting, holds after the statement."""
    command = [sys.executable, "-I", "-c", f"{statement}; import sys; print(*sys.modules)"]
    done = subprocess.run(command, env={}, capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


def queries(tree: ast.Module) -> list[str]:
    return [text for text in strings(tree) if CYPHER.search(text)]


def test_cypher_stands_in_graph_only() -> None:
    assert offences(queries, allowed="graph/") == {}
    assert {"graph/schema.py", "graph/entities.py", "graph/searches.py"} <= set(offences(queries))


def test_the_driver_is_imported_in_graph_only() -> None:
    assert (
        offences(lambda tree: [name for name in imports(tree) if name.split(".")[0] == "neo4j"], allowed="graph/") == {}
    )


def test_the_environment_is_read_in_settings_only() -> None:
    def reads(tree: ast.Module) -> list[str]:
        written = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del)
        }
        found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node not in written]
        names = [node.attr for node in found] + [node.name for node in ast.walk(tree) if isinstance(node, ast.alias)]
        return [name for name in names if name in ("environ", "environb", "getenv")]

    assert offences(reads, allowed="settings.py") == {}
    assert "settings.py" in offences(reads)


def test_prose_as_long_as_a_prompt_is_a_file() -> None:
    def prose(tree: ast.Module) -> list[str]:
        return [text for text in strings(tree) if len(text) > PROMPT_LENGTH and re.search(r"\w[.?!]\s", text)]

    assert offences(prose) == {}


def test_markdown_in_the_package_is_a_prompt_or_belongs_to_the_demo() -> None:
    found = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.md")}

    assert {name for name in found if not name.startswith(("language/prompts/", "demo/corpus/"))} == set()
    assert any(name.startswith("language/prompts/") for name in found)


def test_modules_and_functions_can_be_read_in_one_go() -> None:
    def long(tree: ast.Module) -> list[str]:
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        return [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= 60]

    assert {name: text.count("\n") for name, text in SOURCES.items() if text.count("\n") > 400} == {}
    assert offences(long) == {}


def test_modules_of_the_index_need_each_other_in_no_circle() -> None:
    """At the top a circle fails by itself; an import further in would hide it."""
    hidden = [
        f"{name}:{node.lineno}"
        for name, tree in TREES.items()
        if name.startswith("assets/")
        for node in set(ast.walk(tree)) - set(tree.body)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("drift_assets.assets")
    ]
    assert hidden == []


def test_every_module_says_what_it_is() -> None:
    assert [name for name, tree in TREES.items() if not ast.get_docstring(tree)] == []


def test_every_setting_has_a_reader() -> None:
    def attributes(tree: ast.AST, owner: str) -> set[str]:
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        return {node.attr for node in nodes if re.search(owner, ast.unparse(node.value))}

    read = attributes(TREES["settings.py"], "^self$")
    for name, tree in TREES.items():
        read |= attributes(tree, r"settings$") if name != "settings.py" else set()

    assert set(Settings.model_fields) - read == set()


@pytest.mark.parametrize("module", ["drift_assets.settings", "drift_assets.language.tasks", "drift_assets.reconcile"])
def test_the_plain_modules_load_neither_dagster_nor_the_heavy_libraries(module: str) -> None:
    assert loaded_by(f"import {module}") & {*HEAVY, "dagster"} == set()


def test_definitions_put_together_and_compute_nothing() -> None:
    assert SOURCES["definitions.py"].count("\n") < 80
    assert loaded_by("import drift_assets.definitions") & HEAVY == set()
