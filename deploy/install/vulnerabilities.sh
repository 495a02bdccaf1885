#!/usr/bin/env bash
# Looks for known vulnerabilities in what the program calls, and fails when it calls one.
# The scanner and the database come from the network; GOVULNDB names a mirror of the
# database (https://… or file://…), such as one inside a company.
#
#   deploy/install/vulnerabilities.sh                  without them: fails
#   deploy/install/vulnerabilities.sh --if-reachable   without them: says so in a line and succeeds
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=deploy/install/lib.sh
. deploy/install/lib.sh

scanner=golang.org/x/vuln/cmd/govulncheck@v1.8.0
database=${GOVULNDB:-https://vuln.go.dev}
# Longer than each takes on a slow machine.
most_asking=10 most_installing=180 most_looking=600

optional=no
case ${1:-} in
--if-reachable) optional=yes ;;
'') ;;
*) fail "vulnerabilities.sh does not know '$1'." "Run it without a word, or with --if-reachable." ;;
esac

# without says why nothing was looked for, and ends the script.
without() {
	if [ "$optional" = yes ]; then
		say "known vulnerabilities were not looked for: $1"
		exit 0
	fi
	fail "known vulnerabilities were not looked for: $1" "It needs the network, or GOVULNDB, the address of a mirror of the database."
}

# bounded runs a command that the network might hold for ever, where there is a program for that.
bounded() {
	local seconds=$1
	shift
	if command -v timeout >/dev/null; then timeout "$seconds" "$@"; else "$@"; fi
}

# The database is asked for first: without it nothing need be fetched and built.
case $database in
https://* | http://*)
	if command -v curl >/dev/null; then
		curl -fsL --max-time "$most_asking" -o /dev/null "$database/index/db.json" || without "$database cannot be reached"
	fi
	;;
esac
mkdir -p .build
GOBIN=$PWD/.build bounded "$most_installing" "${GO:-go}" install "$scanner" >/dev/null 2>&1 || without "the scanner ($scanner) cannot be fetched and built"
bounded "$most_asking" .build/govulncheck -db "$database" -version 2>/dev/null | grep -q 'DB updated' || without "$database cannot be reached"

code=0
found=$(bounded "$most_looking" .build/govulncheck -db "$database" ./... 2>&1) || code=$?
case $code in
0) say "no known vulnerability is called" ;;
3)
	printf '%s\n' "$found" >&2
	fail "the program calls code with known vulnerabilities (above)." "Take the fixed versions: go get MODULE@VERSION, go mod tidy. One in the standard library asks for a newer Go."
	;;
*) without "govulncheck failed (exit $code): $(tail -n 1 <<<"$found")" ;;
esac
