#!/usr/bin/env bash
# Tests the playground and the live picture of emulations: the JavaScript modules in Node, the pages in Chromium. If a program
# is missing, the script prints which tests it skips, and succeeds. $1 is the directory with the programs of the Python environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
skip() { echo "The playground is not tested here: $1" >&2; exit 0; }

command -v npm >/dev/null || skip "npm, of Node.js 20 or later, is missing"
web/engine.sh target/playground/airfair.wasm || { [ $? -eq 3 ] && skip "it cannot be built"; exit 1; }
make --no-print-directory web
(cd web && node --test tests/*.test.js)
for name in "${CHROMIUM:-chromium}" chromium-browser google-chrome; do
    CHROMIUM=$(command -v "$name") && break
done
[ -n "$CHROMIUM" ] || skip "there is no chromium on the PATH, and CHROMIUM names none; its modules are tested"
export CHROMIUM
"$1/pip" install --quiet --disable-pip-version-check --require-hashes --requirement requirements/web.txt
"$1/python" -m pytest --quiet --numprocesses=$(($(nproc) + 1)) web/tests
