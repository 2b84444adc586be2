#!/bin/sh
# scripts/setup.sh [main|test]: makes or renews .venv in this checkout. scripts/crawl, test, lint and bench call it first.
# Here only a Python is looked for; the rest is scripts/environment.py.
# PYTHON=/path/to/python3.12 scripts/setup.sh  chooses another Python than the first one found.
set -u
checkout=$(dirname -- "$(readlink -f -- "$0" 2>/dev/null || echo "$0")")/..
unset PYTHONPATH PYTHONHOME PYTHONSTARTUP __PYVENV_LAUNCHER__

for python in "$checkout/.venv/bin/python" "${PYTHON:-}" python3.13 python3.12 python3.11 python3.14 python3 python; do
    [ -n "$python" ] || continue
    if "$python" -I -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        exec "$python" -I "$checkout/scripts/environment.py" "$@"
    fi
done

echo "newsextract needs Python 3.11 or newer with its venv module, and none was found on the PATH." >&2
echo "Install one (Debian and Ubuntu: apt install python3-venv; macOS: brew install python) or name it: PYTHON=/path/to/python3" >&2
exit 1
