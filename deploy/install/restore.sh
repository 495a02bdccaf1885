#!/usr/bin/env bash
# Restores a backup of Footnote's database, made by backup.sh, into an empty database.
#
#   deploy/install/restore.sh FILE
#
# The settings are those of footnote itself: DATABASE_URL names the empty database (MIGRATE_DATABASE_URL where that is a pooler), or none and an
# unused FOOTNOTE_DATA for a private server. FOOTNOTE names the program, JOBS how many tables are restored at once (default: 1, all or
# nothing). No footnote serve may run on the database before this has ended. See deploy/backup.md.
set -euo pipefail

# shellcheck source=deploy/install/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ $# -eq 1 ] || fail "say which backup is restored: $0 FILE"
file=$1
find_footnote
[ -r "$file" ] || fail "there is no backup $file"

# shellcheck disable=SC2016 # expanded by the inner shell, which has the address
"$FOOTNOTE" database -- sh -c '
	for program in psql pg_restore; do
		command -v "$program" >/dev/null || { echo "error: $program is missing: install the client programs of PostgreSQL" >&2; exit 1; }
	done
	used=$(psql "$DATABASE_URL" --no-psqlrc --tuples-only --no-align --command "select to_regclass(\$\$goose_db_version\$\$) is not null") || exit 1
	if [ "$used" != f ]; then
		echo "error: the database holds tables of footnote already; restore into an empty one, and set DATABASE_URL to it afterwards" >&2
		exit 1
	fi
	if [ "$2" -gt 1 ]; then set -- "$1" --jobs "$2"; else set -- "$1" --single-transaction; fi
	file=$1
	shift
	exec pg_restore --dbname "$DATABASE_URL" --no-owner --no-privileges --no-comments --exit-on-error "$@" "$file"
' sh "$file" "${JOBS:-1}"

# What was answered since the backup was made must not be answered again.
"$FOOTNOTE" migrate --restored
printf 'The backup is restored. Start footnote serve with the same settings.\n'
