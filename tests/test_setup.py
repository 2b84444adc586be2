"""scripts/setup.sh: real shells, real pip, real environments, of a checkout that needs nothing from the network."""

import os
import runpy
import shutil
import signal
import subprocess
import sys

import pytest

from evaluation.crawling.kill import wait_until
from tests.sources import CHECKOUT

LEVELS = runpy.run_path(str(CHECKOUT / "scripts" / "environment.py"))["LEVELS"]
PYPROJECT = f"""
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "thing"
version = "1"
[project.optional-dependencies]
{chr(10).join(f"{extra} = []" for extra in LEVELS["test"])}
"""
#: A whole build backend: notes each build, waits while a file named `hold` lies there, and makes a wheel of one module.
BACKEND = """
import os, time, zipfile
def build_editable(folder, settings=None, metadata=None):
    open("builds", "a").write("built\\n")
    while os.path.exists("hold"):
        time.sleep(0.05)
    name = "thing-1-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("thing.py", "HERE = True")
        wheel.writestr("thing-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: thing\\nVersion: 1\\n")
        wheel.writestr("thing-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("thing-1.dist-info/RECORD", "")
    return name
build_wheel = build_editable
"""

#: An environment is a thousand files, and other tests run meanwhile.
pytestmark = pytest.mark.packaging


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "a folder with spaces"
    (folder / "scripts").mkdir(parents=True)
    for name in ("setup.sh", "environment.py"):
        shutil.copy(CHECKOUT / "scripts" / name, folder / "scripts" / name)
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "backend.py").write_text(BACKEND)
    (folder / "requirements.txt").write_text("# nothing\n")
    return folder


def start(checkout, *level, **variables):
    variables = {**os.environ, "PYTHON": sys.executable, "PYTHONDONTWRITEBYTECODE": "", **variables}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    words = [checkout / "scripts" / "setup.sh", *level]
    return subprocess.Popen(words, cwd="/", env={**variables, "PIP_NO_INDEX": "1"}, **pipes, start_new_session=True)


def set_up(checkout, *level, **variables):
    process = start(checkout, *level, **variables)
    output, _ = process.communicate(timeout=300)
    return process.returncode, output


def builds(checkout):
    file = checkout / "builds"
    return len(file.read_text().splitlines()) if file.exists() else 0


def works(checkout):
    code = "import thing, sys; assert thing.HERE; print(sys.prefix)"
    run = subprocess.run([checkout / ".venv/bin/python", "-c", code], cwd="/", capture_output=True, text=True)
    return run.stdout.strip() == str(checkout / ".venv")


def test_setup_makes_one_environment_after_a_kill_despite_hostile_settings_and_reports_failures(checkout, tmp_path):
    (tmp_path / "pip.conf").write_text("[install]\nuser = true\n")
    (tmp_path / "json.py").write_text("raise SystemExit('not the json you wanted')")
    hostile = dict.fromkeys(("PYTHONPATH", "PYTHONHOME"), str(tmp_path))
    hostile |= dict.fromkeys(("PIP_TARGET", "PIP_PREFIX"), str(tmp_path / "elsewhere"))
    hostile |= {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "PIP_REQUIRE_HASHES": "1"}
    (checkout / "hold").touch()
    killed = start(checkout, **hostile)
    wait_until((checkout / ".venv" / "bin" / "python").exists)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    (checkout / ".venv" / "left over").touch()
    first = start(checkout, **hostile)
    wait_until(lambda: builds(checkout) == 1)
    second = start(checkout, **hostile)
    assert "waiting" in second.stdout.readline()
    (checkout / "hold").unlink()
    output = first.communicate(timeout=300)[0] + second.communicate(timeout=300)[0]
    assert (first.returncode, second.returncode, builds(checkout)) == (0, 0, 1), output
    assert "making" in output
    assert works(checkout)
    assert not (checkout / ".venv" / "left over").exists()
    assert not (tmp_path / "elsewhere").exists()

    assert set_up(checkout, **hostile) == (0, "")
    assert builds(checkout) == 1

    stamp = checkout / ".venv" / "newsextract-setup" / "made-for"
    complete = stamp.read_text()
    (checkout / "backend.py").write_text("def build_editable(*a, **k): raise SystemExit('the disk is made of cheese')")
    (checkout / "requirements.txt").write_text("more\n")
    status, output = set_up(checkout)
    assert status == 1
    assert "up to date" in output and "set-up failed: installing" in output
    assert str(stamp.with_name("pip.log")) in output
    assert "Traceback" not in output.splitlines()[0]

    stamp.write_text(complete)
    (checkout / "requirements.txt").write_text("# nothing\n")
    assert set_up(checkout) == (0, "")
    moved = start(checkout.rename(tmp_path / "moved"))
    assert "making" in moved.stdout.readline(), "an environment that was moved does not work"
    os.killpg(moved.pid, signal.SIGKILL)
    moved.communicate()


def test_setup_without_a_new_enough_python_or_with_an_unknown_level_says_so(checkout, tmp_path):
    assert set_up(checkout, "everything") == (2, "usage: scripts/setup.sh [main|test]\n")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "readlink", "dirname"):
        (tools / name).symlink_to(shutil.which(name))
    (tools / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tools / "python3").chmod(0o755)
    status, output = set_up(checkout, PATH=str(tools), PYTHON="")
    assert (status, "needs Python 3.11 or newer" in output) == (1, True)
