#!/usr/bin/env bash
# Says where the right pages are among the passages that a model is shown: 80 questions about two manuals of different
# age, each manual once the older one. The queries are recorded from a model that had not seen the manuals.
# Then 15 questions to which the newest of two or three pages on one matter is right: pages that contradict one another, and
# questions for the latest. Fails if a newest page is not shown. Needs the Debian packages sqlite3-doc and git-doc.
#
#	deploy/tools/order/run.sh .build/footnote
set -euo pipefail
binary=$(realpath "${1:?usage: run.sh BINARY}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
chmod o+x "$work" # PostgreSQL runs as another user for root
trap 'rm -rf "$work"' EXIT
for old in sqlite git; do
	export FOOTNOTE_DATA=$work/data.$old
	for manual in sqlite git; do
		folder=$work/$old/$manual
		mkdir -p "$work/$old"
		cp -rL "/usr/share/doc/$([ $manual = sqlite ] && echo sqlite3 || echo git-doc)" "$folder"
		when=$([ $manual = $old ] && echo '3 years ago' || echo '1 week ago')
		find "$folder" -type f -exec touch -d "$when" {} +
		"$binary" index "$folder" --include '**/*.html' --include '*.html' --acl public >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
	done
	for manual in sqlite git; do
		printf '%s, with %s as the older manual: ' "$manual" "$old"
		"$binary" eval --questions "$here/$manual.questions.tsv" --queries "$here/$manual.queries.tsv" | tail -1
	done
done

export FOOTNOTE_DATA=$work/data.newer
mkdir "$work/newer"
tail -n +2 "$here/newer.pages.tsv" | while IFS=$'\t' read -r path days title text; do
	printf '# %s\n\n%s\n' "$title" "$text" >"$work/newer/$path"
	touch -d "$days days ago" "$work/newer/$path"
done
"$binary" index "$work/newer" --acl public >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
printf 'the newest page is right: '
"$binary" eval --questions "$here/newer.questions.tsv" --queries "$here/newer.queries.tsv" | tee "$work/newer.log" | tail -1
grep -q ', shown 15;' "$work/newer.log"
