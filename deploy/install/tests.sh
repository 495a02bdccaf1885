#!/usr/bin/env bash
# Runs the tests and prints their events ("go test -json"). gotestsum calls it: without arguments for the packages in PACKAGES, with
# -test.run=PATTERN and a package to run one failed test once more.
# stderr is for what keeps tests from running at all: a failed test is told by the events and by exit code 1.
set -uo pipefail

# A program with the race detector waits a second when it ends, for reports that are being written: a tenth is enough for hundreds of them.
export GORACE="atexit_sleep_ms=100 ${GORACE:-}"
# Random stories and the order of tests are the same in each run: what fails then is a change's fault. "make stories" tells others.
export RAPID_SEED=${RAPID_SEED:-1}
go=${GO:-go}

# Tests of sheer size: what hostile texts take, and how many requests a large source costs. The race detector changes what they measure and makes them
# take many times as long, so that they run without it. What happens at once is for tests of other names.
size='Hostile|Linear|LittleMemory|OfALarge'
# Those that take longest begin first, so that no processor waits for another one at the end.
first='./bots/footnote ./bots/slackbot ./bots/discordbot ./adapters/postgres/crashtest ./bots/footnote/chaostest ./adapters/postgres/pgindex ./adapters/discord/history'
# A package more than there are processors: some wait most of the time, for rates that platforms allow and for databases that start again.
at_once=$(($(getconf _NPROCESSORS_ONLN) + 1))

# "make vet" has looked at everything already, by more rules than tests do.
#
# The race detector sometimes ends a whole package because of a mistake of its own ("CHECK failed"), which says
# nothing about the tests: each such package is noted, and run again whole.
crashed=.build/crashed
raced() {
	CGO_ENABLED=1 "$go" test -race -vet=off -shuffle="$RAPID_SEED" -parallel 6 -timeout 40m -json "$@" |
		tee >(grep -F 'ThreadSanitizer: CHECK failed' >>"$crashed")
}
unraced() {
	"$go" test -vet=off -timeout 40m -json "$@"
}

if [ $# -gt 0 ]; then
	if grep -qsF "\"Package\":\"${*: -1}\"" "$crashed"; then set -- -test.run=. "-skip=$size" "${@: -1}"; fi
	if [[ $1 =~ $size ]]; then unraced "-run=${1#-test.run=}" "${@:2}"; else raced "-run=${1#-test.run=}" "${@:2}"; fi
	exit
fi
mkdir -p .build && : >"$crashed"
code=0
# shellcheck disable=SC2046,SC2086 # all are lists of words
if [ "${PACKAGES:-./...}" = ./... ]; then
	raced -p "$at_once" ${TESTFLAGS:-} "-skip=$size" $first ./... || code=1
	unraced "-run=$size" $(grep -rlE --include='*_test.go' "^func (Test|Fuzz)[A-Za-z]*($size)" adapters bots core | sed 's|^|./|; s|/[^/]*$||' | sort -u) || code=1
	"$go" -C deploy/kubernetes/check test -json ./... || code=1
else
	raced ${TESTFLAGS:-} $PACKAGES || code=1
fi
exit $code
