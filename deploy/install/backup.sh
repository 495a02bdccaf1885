#!/usr/bin/env bash
# Backs the database of Footnote up into one file, while it is being used.
#
#   deploy/install/backup.sh FILE
#
# The settings are those of footnote itself: DATABASE_URL (MIGRATE_DATABASE_URL where that is a pooler), or none for the private server.
# FOOTNOTE names the program (default: .build/footnote of this folder if it is there, else footnote). See deploy/backup.md.
set -euo pipefail

# shellcheck source=deploy/install/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ $# -eq 1 ] || fail "say where the backup goes: $0 FILE"
file=$1
find_footnote
[ ! -e "$file" ] || fail "$file is there already, and a backup overwrites nothing"

# Nobody else may read it: it holds what people asked. It gets its name once it is whole.
umask 077
part=$file.part
trap 'rm -f "$part"' EXIT

# Rights and owners are left out: "footnote migrate" grants them anew, whoever owns the database that it is restored into. Who leads the
# background work at the moment is nobody's concern later.
# shellcheck disable=SC2016 # expanded by the inner shell, which has the address
"$FOOTNOTE" database -- sh -c '
	command -v pg_dump >/dev/null || { echo "error: pg_dump is missing: install the client programs of PostgreSQL" >&2; exit 1; }
	exec pg_dump --dbname "$DATABASE_URL" --format custom --no-owner --no-privileges --exclude-table-data river_leader --file "$1"
' sh "$part"

# A file that was cut short has no table of contents.
"$FOOTNOTE" database -- pg_restore --list "$part" >/dev/null
mv "$part" "$file"
printf 'The backup is in %s (%s bytes).\n' "$file" "$(wc -c <"$file" | tr -d ' ')"
