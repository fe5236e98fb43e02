import subprocess
import sys
from pathlib import Path

from benchmarks.watch import Sample, Watched, watch

WORK = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; held = bytes(range(256)) * 400_000; time.sleep(2)"])
began = time.process_time()
while time.process_time() - began < 0.5:
    pass
child.wait()
print("done")
"""


def test_a_process_is_watched_with_its_children(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", WORK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    output, errors, watched = watch(process, tmp_path)

    assert (output, errors) == ("done\n", "")
    assert watched.peak() > 100
    assert watched.computed() > 0.4
    assert watched.seconds > 2
    assert watched.server_seconds is None


def test_figures_of_a_span_are_those_of_its_samples() -> None:
    samples = [Sample(10.5, 2_000_000, 1.0), Sample(11.5, 9_000_000, 1.5), Sample(12.5, 3_000_000, 3.0)]
    watched = Watched(began=10, ended=13, samples=samples)

    assert [watched.peak(10, 11), watched.peak(11, 13), watched.peak(), watched.peak(10, 10.2)] == [2, 9, 9, 0]
    assert [watched.computed(10, 11), watched.computed(11, 13), watched.computed()] == [1.0, 2.0, 3.0]
