"""Makes `.venv` in the checkout, and renews it when the requirements change; started by scripts/setup.sh.

Only the standard library, any Python from 3.11 on. A lock that the kernel lifts with the last process holding it lets
a second start wait for the first; a mark that stands while pip works makes the next start after a kill begin anew.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
VENV = CHECKOUT / ".venv"
PYTHON = VENV / "bin" / "python"
STATE = VENV / "newsextract-setup"
UNFINISHED = STATE / "unfinished"
LOG = STATE / "pip.log"

#: What each caller needs, as extras of pyproject.toml; `scripts/test` installs all that tests may touch.
LEVELS = {"main": (), "test": ("postgres", "corpus", "cluster", "browse", "test")}

#: pip's settings that say where packages come from (a company's mirror must work); none that say where to put them.
KEPT_PIP_SETTINGS = {
    f"PIP_{name}"
    for name in """CACHE_DIR CERT CLIENT_CERT CONFIG_FILE DEFAULT_TIMEOUT EXTRA_INDEX_URL FIND_LINKS INDEX_URL
    KEYRING_PROVIDER NO_CACHE_DIR NO_INDEX PROXY RETRIES TIMEOUT TRUSTED_HOST""".split()
}


#: Files that are no Python of this version (templates, tests of parsers) are passed over.
COMPILE = "import compileall, sys; compileall.compile_dir(sys.argv[1], quiet=2, workers=0)"


class SetupFailed(Exception):
    """A step of the set-up ended with an error; the message names it."""


def main(arguments: list[str]) -> int:
    level = arguments[0] if arguments else "main"
    if level not in LEVELS or len(arguments) > 1:
        print(f"usage: scripts/setup.sh [{'|'.join(LEVELS)}]", file=sys.stderr)
        return 2
    try:
        if not is_current(level):
            with locked() as lock:
                if not is_current(level):
                    make(level, lock)
        return 0
    except KeyboardInterrupt:
        say("set-up interrupted; the next start begins it anew")
        return 130
    except (OSError, SetupFailed, KeyError, tomllib.TOMLDecodeError) as error:
        say(f"set-up failed: {error}")
        return 1


def wanted(level: str) -> str:
    """What `.venv` must be made for, as text to compare with what it was made for: its place and its requirements."""
    extras = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    lines = (CHECKOUT / "requirements.txt").read_text("utf-8").splitlines()
    lines += (line for extra in LEVELS[level] for line in extras[extra])
    kept = (line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))
    return "\n".join([str(CHECKOUT), *kept, ""])


def made_for(level: str) -> str:
    """The text of `wanted` that `.venv` was last made for at this level; "" if never."""
    try:
        return (STATE / level).read_text("utf-8")
    except OSError:
        return ""


def is_current(level: str) -> bool:
    """Whether `.venv` was made to the end for these requirements, at this level or at one that holds it."""
    if UNFINISHED.exists() or not PYTHON.exists():
        return False
    return any(made_for(name) == wanted(name) for name in LEVELS if set(LEVELS[name]) >= set(LEVELS[level]))


def is_usable() -> bool:
    """Whether pip may go on in the present `.venv`: made whole, and not moved (its commands name their own path)."""
    places = {made_for(name).partition("\n")[0] for name in LEVELS} - {""}
    return PYTHON.exists() and not UNFINISHED.exists() and places <= {str(CHECKOUT)}


@contextmanager
def locked() -> Iterator[int]:
    """Held while `.venv` is made; pip inherits it, so that it stays held should this process be killed and pip not."""
    with Path(__file__).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another set-up of this checkout is at work; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def make(level: str, lock: int) -> None:
    """Build or renew `.venv` for the level, then note what it was made for."""
    steps = []
    if is_usable():
        say("bringing .venv up to date with the requirements")
    else:
        say(f"making {VENV} with Python {sys.version.split()[0]} (once, about a minute)")
        if VENV.exists():
            shutil.rmtree(VENV)
        base = getattr(sys, "_base_executable", sys.executable)
        steps.append(("making the environment", [base, "-I", "-m", "venv", str(VENV)]))
    extras = f"[{','.join(LEVELS[level])}]" if LEVELS[level] else ""
    pip = [str(PYTHON), "-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-compile"]
    steps.append(("installing", [*pip, "--editable", f"{CHECKOUT}{extras}"]))
    if level == "test" or os.environ.get("PYTHONDONTWRITEBYTECODE"):
        # Else each module is compiled when first used; here there are many first uses, or they would never end.
        steps.append(("compiling", [str(PYTHON), "-I", "-c", COMPILE, str(VENV / "lib")]))
    STATE.mkdir(parents=True, exist_ok=True)
    UNFINISHED.touch()
    began = time.monotonic()
    with LOG.open("w", encoding="utf-8") as log:
        for name, command in steps:
            run(name, command, log, lock)
    note = STATE / f"{level}.new"
    note.write_text(wanted(level), "utf-8")
    note.replace(STATE / level)
    UNFINISHED.unlink()
    say(f"ready after {time.monotonic() - began:.0f} s")


def run(name: str, command: list[str], log, lock: int) -> None:
    """One step: its output goes to the log, its newest line to the terminal; raises with its last lines if it fails."""
    tail: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(os.environ),
        cwd=CHECKOUT,
        pass_fds=(lock,),
        text=True,
        errors="replace",
    ) as step:
        show(name)
        try:
            for line in step.stdout or ():
                log.write(line)
                tail = [*tail[-7:], line.rstrip()]
                show(f"{name}: {line.strip()}")
        except BaseException:
            step.terminate()
            raise
        finally:
            show("")
    if step.returncode:
        raise SetupFailed(f"{name} ended with status {step.returncode}; all of it: {LOG}\n  " + "\n  ".join(tail))


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """The caller's variables without those that would send packages elsewhere or mix in other packages."""
    ours = {k: v for k, v in given.items() if not k.startswith(("PIP_", "PYTHON")) or k in KEPT_PIP_SETTINGS}
    return {**ours, "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PYTHONUNBUFFERED": "1"}


def show(text: str) -> None:
    """The one line of a terminal that tells what is done now; nothing where there is no terminal."""
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[2K{text[:width]}")
        sys.stderr.flush()


def say(text: str) -> None:
    with suppress(OSError):
        print(f"newsextract: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
