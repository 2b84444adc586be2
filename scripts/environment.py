"""Makes `.venv` in the checkout and renews it when the requirements change; scripts/setup.sh starts it.

Standard library only. `.venv/newsextract-setup/made-for` holds the requirements that `.venv` was made for. It is
emptied first and written last, so that the start after a kill or a failure begins anew. The lock is inherited by pip: a
second start waits for a pip whose parent was killed, too.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
VENV = CHECKOUT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "newsextract-setup" / "made-for"
LOG = STAMP.with_name("pip.log")
#: Extras of pyproject.toml that each level installs; each level includes those before it.
LEVELS = {
    "main": (),
    "test": ("postgres", "corpus", "cluster", "alerts", "browse", "metrics", "markdown", "poet", "docs", "test"),
}
#: pip's settings for where packages come from (a company's mirror must work), but not for where they go.
PIP_SETTINGS = {
    f"PIP_{name}"
    for name in """CACHE_DIR CERT CLIENT_CERT CONFIG_FILE DEFAULT_TIMEOUT EXTRA_INDEX_URL FIND_LINKS INDEX_URL
    KEYRING_PROVIDER NO_CACHE_DIR NO_INDEX PROXY RETRIES TIMEOUT TRUSTED_HOST""".split()
}
PACKAGE = "newsextract"
#: Compiles every module, skipping templates that aren't Python of this version.
COMPILE = "import compileall, sys; compileall.compile_dir(sys.argv[1], quiet=2, workers=0)"


def main(arguments: list[str]) -> int:
    level = arguments[0] if arguments else "main"
    if level not in LEVELS or len(arguments) > 1:
        print(f"usage: scripts/setup.sh [{'|'.join(LEVELS)}]", file=sys.stderr)
        return 2
    try:
        if not is_current(level):
            with locked() as lock:
                if not is_current(level):
                    make_environment(level, lock)
    except KeyboardInterrupt:
        say("set-up interrupted; the next start begins it anew")
        return 130
    except (OSError, subprocess.SubprocessError, KeyError, tomllib.TOMLDecodeError) as error:
        say(f"set-up failed: {error}")
        return 1
    return 0


def requirements(level: str) -> str:
    """The checkout's path (a moved `.venv` does not work) and all requirements of the level, a line each."""
    extras = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    lines = (CHECKOUT / "requirements.txt").read_text("utf-8").splitlines()
    lines += [line for extra in LEVELS[level] for line in extras[extra]]
    return "\n".join([str(CHECKOUT), *(line.strip() for line in lines if line.strip() and not line.startswith("#"))])


def made_for() -> str:
    return STAMP.read_text("utf-8") if STAMP.exists() and PYTHON.exists() else ""


def is_current(level: str) -> bool:
    """Whether `.venv` was completely made for the present requirements of this level, or of one that includes it.

    `pip install '.[cluster]'` in `.venv` puts a copy of the package there, which does not follow the checkout.
    """
    if any(VENV.glob(f"lib/*/site-packages/{PACKAGE}/__init__.py")):
        return False
    return made_for() in {requirements(name) for name in list(LEVELS)[list(LEVELS).index(level) :]}


@contextmanager
def locked() -> Iterator[int]:
    """Holds the lock on this file; the kernel lifts it when the last process that has the descriptor ends."""
    with Path(__file__).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another set-up of this checkout is at work; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def make_environment(level: str, lock: int) -> None:
    """Makes `.venv`; only updates it if it is complete and was not moved, or was not made by this script."""
    steps = []
    if PYTHON.exists() and (not STAMP.exists() or made_for().split("\n")[0] == str(CHECKOUT)):
        say("bringing .venv up to date with the requirements")
    else:
        say(f"making {VENV} with Python {sys.version.split()[0]} (once, one to three minutes)")
        shutil.rmtree(VENV, ignore_errors=not VENV.exists())
        steps.append(
            ("making the environment", [getattr(sys, "_base_executable", sys.executable), "-I", "-m", "venv", VENV])
        )
    extras = f"[{','.join(LEVELS[level])}]" if LEVELS[level] else ""
    pip = [PYTHON, "-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-compile"]
    steps.append(("installing", [*pip, "--editable", f"{CHECKOUT}{extras}"]))
    if level == "test" or os.environ.get("PYTHONDONTWRITEBYTECODE"):
        # Elsewhere each module is compiled at its first use; tests start hundreds of processes.
        steps.append(("compiling", [PYTHON, "-I", "-c", COMPILE, VENV / "lib"]))
    STAMP.parent.mkdir(parents=True, exist_ok=True)
    STAMP.write_text("")
    with LOG.open("w", encoding="utf-8") as log:
        for name, command in steps:
            run(name, [str(word) for word in command], log, lock)
    unfinished = STAMP.with_suffix(".new")
    unfinished.write_text(requirements(level), "utf-8")
    unfinished.replace(STAMP)
    say("ready")


def run(name: str, command: list[str], log, lock: int) -> None:
    """Runs one step: output to the log, its newest line to a terminal, its last lines into the error raised."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "PYTHON")) or k in PIP_SETTINGS}
    environment = {**kept, "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PYTHONUNBUFFERED": "1"}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    width = shutil.get_terminal_size().columns - 1 if sys.stderr.isatty() else 0
    tail: list[str] = []
    with subprocess.Popen(
        command, **pipes, env=environment, cwd=CHECKOUT, pass_fds=(lock,), text=True, errors="replace"
    ) as step:
        try:
            for line in step.stdout:
                log.write(line)
                tail = [*tail[-7:], line.rstrip()]
                if width:
                    print(f"\r\x1b[2K{name}: {line.strip()}"[:width], end="", file=sys.stderr, flush=True)
        except BaseException:
            step.terminate()
            raise
        finally:
            print("\r\x1b[2K" if width else "", end="", file=sys.stderr, flush=True)
    if step.returncode:
        last = "\n  ".join(tail)
        raise subprocess.SubprocessError(f"{name} ended with status {step.returncode}; all of it: {LOG}\n  {last}")


def say(text: str) -> None:
    print(f"newsextract: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
