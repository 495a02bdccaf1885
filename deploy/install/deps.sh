#!/usr/bin/env bash
# Installs what Footnote needs and this machine lacks: PostgreSQL, pgvector and,
# with the word "test", redis-server and PgBouncer. Says what it will do, asks on a terminal
# (unless YES=1), and does nothing when nothing is missing.
#
#   deploy/install/deps.sh [test]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=deploy/install/lib.sh
. "$here/lib.sh"
# shellcheck source=deploy/install/postgres.sh
. "$here/postgres.sh"
# shellcheck source=deploy/install/pgvector.sh
. "$here/pgvector.sh"
# shellcheck source=deploy/install/homebrew.sh
. "$here/homebrew.sh"

for_tests=no
case ${1:-} in
test) for_tests=yes ;;
'') ;;
*) fail "deps.sh does not know '$1'." "Run it without a word, or with 'test'." ;;
esac

# A database that is named needs no server here, except for the tests, which are
# told of theirs by another name.
need_database=yes
if [ "$for_tests" = no ] && [ -n "${DATABASE_URL:-}" ]; then
	need_database=no
elif [ "$for_tests" = yes ] && [ -n "${TEST_DATABASE_URL:-}" ]; then
	need_database=no
fi

bin=$(server_bindir)
missing=()
if [ "$need_database" = yes ]; then
	[ -n "$bin" ] || missing+=("PostgreSQL, version $MIN_POSTGRES or newer (the server's programs; no system-wide server is set up)")
	{ [ -n "$bin" ] && has_pgvector "$bin"; } || missing+=("pgvector, version $MIN_PGVECTOR or newer (vector search inside PostgreSQL)")
fi
if [ "$for_tests" = yes ] && [ -z "${TEST_REDIS_URL:-}" ] && ! command -v redis-server >/dev/null; then
	missing+=("redis-server (for the tests; the package also starts it on the loopback address)")
fi
# Debian puts it where not everybody's PATH leads.
has_pgbouncer() { command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ]; }
if [ "$for_tests" = yes ] && ! has_pgbouncer; then
	missing+=("pgbouncer (for the tests; the package also starts it on the loopback address)")
fi
if [ "$for_tests" = yes ] && ! has_compiler; then
	missing+=("gcc, make and the C library's headers (Go's race detector needs them)")
fi
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(uname -s)" = Darwin ]; then
	install_with_homebrew "$for_tests"
	exit 0
fi

# The release this is, for pgvector.sh.
# shellcheck disable=SC2034,SC1091
OS_ID=unknown OS_CODENAME=
# shellcheck disable=SC2034,SC1091
if [ -r /etc/os-release ]; then
	OS_ID=$(. /etc/os-release && printf '%s' "${ID:-unknown}")
	OS_CODENAME=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
fi
command -v apt-get >/dev/null || fail "this script knows Debian, Ubuntu and macOS; here it found '$OS_ID'." \
	"Install these yourself, then run 'make' again:" "${missing[@]/#/  - }" \
	"Or set DATABASE_URL to a Postgres that has pgvector."

confirm "${missing[@]}"
by_hand=("  cd $(printf %q "$PWD") && YES=1 make deps")
[ "$for_tests" = no ] || by_hand=("  cd $(printf %q "$PWD") && YES=1 make deps-test")
need_root "${by_hand[@]}"

open_work
step "updating the package lists" apt_update
if [ "$need_database" = yes ]; then
	if [ -z "$bin" ]; then
		install_server
		bin=$(server_bindir)
		[ -n "$bin" ] || fail "PostgreSQL was installed, but its programs were not found." "The log: $LOG"
	fi
	has_pgvector "$bin" || install_pgvector "$bin"
	say "ready: PostgreSQL $(server_major "$bin") with pgvector $(pgvector_version "$bin")"
fi
if [ "$for_tests" = yes ] && ! has_compiler; then
	step "installing a C compiler" apt_install gcc make libc6-dev
fi
if [ "$for_tests" = yes ] && [ -z "${TEST_REDIS_URL:-}" ] && ! command -v redis-server >/dev/null; then
	step "installing redis-server" apt_install redis-server
	say "ready: $(redis-server --version | cut -d' ' -f1-3)"
fi
if [ "$for_tests" = yes ] && ! has_pgbouncer; then
	step "installing PgBouncer" apt_install pgbouncer
	say "ready: $(PATH=$PATH:/usr/sbin pgbouncer --version | head -n 1)"
fi
