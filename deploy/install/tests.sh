#!/usr/bin/env bash
# Runs the tests and prints their events ("go test -json"). gotestsum calls it: without arguments for the packages in PACKAGES, with
# -test.run=PATTERN and a package to run one failed test once more.
# stderr is for what keeps tests from running at all: a failed test is told by the events and by exit code 1.
set -uo pipefail

# A program with the race detector waits a second when it ends, for reports that are being written: a tenth is enough for hundreds of them.
export GORACE="atexit_sleep_ms=100 ${GORACE:-}"
go=${GO:-go}

raced() {
	CGO_ENABLED=1 "$go" test -race -shuffle=on -parallel 6 -timeout 40m -json "$@"
}

if [ $# -gt 0 ]; then
	raced "-run=${1#-test.run=}" "${@:2}"
	exit
fi
code=0
# shellcheck disable=SC2086 # both are lists of words
raced ${TESTFLAGS:-} ${PACKAGES:-./...} || code=1
if [ "${PACKAGES:-./...}" = ./... ]; then
	# What hostile texts take is measured once more without the race detector, which changes it.
	"$go" test -json -run 'Hostile|Linear' ./adapters/... ./core/... || code=1
	"$go" -C deploy/kubernetes/check test -json ./... || code=1
fi
exit $code
