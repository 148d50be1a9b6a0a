#!/bin/sh
# Installs Debian's Chromium for the page tests where it is missing and where this
# user may install packages; otherwise says what to do.
set -eu
if command -v chromium >/dev/null 2>&1; then
	exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
	echo "chromium is not installed; the page tests will say so (install it to run them)" >&2
	exit 0
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
	as_root="sudo -n"
fi
echo "installing chromium for the page tests" >&2
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends chromium fonts-liberation >/dev/null
