# shellcheck shell=bash
# What the scripts here share: one line a step, a log for everything long, root
# rights only where a command needs them. Sourced, never run.

# The oldest versions that Footnote works with; adapters/postgres/local checks
# the same two.
MIN_POSTGRES=15
MIN_PGVECTOR=0.8

# WORK is a scratch directory, removed at exit. LOG outlives a failure, because
# the failure message points at it.
WORK=
LOG=

say() { printf '==> %s\n' "$*"; }

# fail says what went wrong and what to do, and ends the script.
fail() {
	printf 'error: %s\n' "$1" >&2
	shift
	[ $# -eq 0 ] || printf '       %s\n' "$@" >&2
	exit 1
}

# find_footnote lets FOOTNOTE name the program: what it names already, else the one that "make build" made here, else that in PATH.
find_footnote() {
	local built
	built=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.build/footnote
	if [ -z "${FOOTNOTE:-}" ]; then
		if [ -x "$built" ]; then FOOTNOTE=$built; else FOOTNOTE=footnote; fi
	fi
	command -v "$FOOTNOTE" >/dev/null || fail "there is no program $FOOTNOTE: run 'make build', or set FOOTNOTE to where it is"
}

# open_work makes WORK and LOG. WORK is readable by others because apt reads
# its files as an unprivileged user of its own.
open_work() {
	WORK=$(mktemp -d "${TMPDIR:-/tmp}/footnote-install.XXXXXX") || fail "cannot make a scratch directory in ${TMPDIR:-/tmp}"
	chmod 755 "$WORK"
	LOG=$WORK.log
	: >"$LOG"
	trap close_work EXIT
}

close_work() {
	local code=$?
	restore_cluster_config # of postgres.sh
	rm -rf "$WORK"
	[ "$code" -ne 0 ] || rm -f "$LOG"
	return "$code"
}

# step "what it does" command... runs the command with its output in the log.
# Its input is closed: nothing that runs here may ask a question.
step() {
	local what=$1 code=0
	shift
	say "$what"
	printf '\n### %s\n+ %s\n' "$what" "$*" >>"$LOG"
	"$@" >>"$LOG" 2>&1 </dev/null || code=$?
	[ "$code" -eq 0 ] || step_failed "$what" "$code"
}

step_failed() {
	tail -n 12 "$LOG" | sed 's/^/    /' >&2
	fail "this step failed (exit $2): $1" "The whole log: $LOG"
}

# terminal: a person is there. Looked up once, because steps close their input.
terminal=no
if [ -t 0 ] && [ -t 1 ]; then terminal=yes; fi

# as_root runs a command with root rights: directly for root, else by sudo, which may
# ask for a password only where there is somebody to answer.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif [ "$terminal" = yes ]; then
		sudo "$@"
	else
		sudo -n "$@"
	fi
}

# need_root makes sure that as_root will work before anything is changed; its
# arguments are the commands that a person would give to root instead.
need_root() {
	[ "$(id -u)" -eq 0 ] && return
	if ! command -v sudo >/dev/null; then
		fail "installing packages needs root rights, and there is no sudo here." \
			"Run these commands as root, then 'make' again:" "$@" \
			"Or use a Postgres that is already there: set DATABASE_URL to its address."
	fi
	as_root true || fail "installing packages needs root rights, and sudo did not give them." \
		"Run 'make' on a terminal where sudo can ask for your password, or run these commands as root:" "$@"
}

# confirm prints the plan (its arguments, one item each) and asks on a terminal.
# Without a terminal it goes on only when YES=1 or CI=true says so.
confirm() {
	say "Footnote needs what this machine lacks. To be installed:"
	printf '      - %s\n' "$@"
	if [ "${YES:-}" = 1 ] || { [ "${CI:-}" = true ] && [ "$terminal" = no ]; }; then
		return
	fi
	if [ "$terminal" = no ]; then
		fail "there is no terminal to ask on, so nothing was installed." "Say yes beforehand: make deps YES=1"
	fi
	local answer
	read -r -p '    Go on? [Y/n] ' answer
	case $answer in
	'' | [yY] | [yY][eE][sS]) ;;
	*) fail "nothing was installed, as you said." "Without it, set DATABASE_URL to a Postgres >= $MIN_POSTGRES that has pgvector >= $MIN_PGVECTOR." ;;
	esac
}

# at_least A B: version A is B or newer, by the first two numbers. A version
# that does not start with a number is older than everything.
at_least() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		split(a, x, /[^0-9]+/); split(b, y, /[^0-9]+/)
		for (i = 1; i <= 2; i++) { if (x[i]+0 > y[i]+0) exit 0; if (x[i]+0 < y[i]+0) exit 1 }
		exit 0
	}'
}
