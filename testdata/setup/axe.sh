#!/bin/sh
# Fetches the accessibility checker of the page tests into testdata/node, where git
# does not look. Without npm the test says what is missing.
set -eu
cd "$(dirname "$0")/../node"
if [ -f node_modules/axe-core/axe.min.js ]; then
	exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
	echo "npm is not installed; the accessibility test will say so" >&2
	exit 0
fi
npm ci --silent --no-audit --no-fund --ignore-scripts
