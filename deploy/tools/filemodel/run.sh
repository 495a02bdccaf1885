#!/usr/bin/env bash
# Plays a model through files for one question: a search, a second search, an answer that cites. Checks that the answer
# arrives with its source, and that each request begins with 95 % of the one before.
#
#	deploy/tools/filemodel/run.sh .build/footnote
set -euo pipefail
binary=$(realpath "${1:?usage: run.sh BINARY}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
chmod o+x "$work" # PostgreSQL runs as another user for root
export FOOTNOTE_DATA=$work/data FOOTNOTE_CONFIG= LLM_MODEL=files OPENAI_API_KEY=none LLM_WINDOW=32000
mkdir "$work/model"
cat >"$work/model/0001.reply.json" <<'REPLY'
{"text": "I look it up.", "calls": [{"name": "internal_search", "arguments": {"queries": ["vacation days"]}}]}
REPLY
cat >"$work/model/0002.reply.json" <<'REPLY'
{"calls": [{"name": "internal_search", "arguments": {"queries": ["carry vacation days over to the next year"]}}]}
REPLY
echo 'The handbook says so [1].' >"$work/model/0003.reply.txt"
python3 -u "$here/server.py" "$work/model" >"$work/address" &
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
until [ -s "$work/address" ]; do sleep 0.1; done
OPENAI_BASE_URL=$(cat "$work/address")
export OPENAI_BASE_URL
"$binary" index "$here/../trymodel/handbook" --acl public >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
"$binary" ask --json 'How many vacation days do I have?' >"$work/answer.json"
python3 - "$work" <<'CHECK'
import csv, json, pathlib, sys
work = pathlib.Path(sys.argv[1])
answer = json.loads((work / "answer.json").read_text())
assert answer["outcome"] == "answered" and len(answer["citations"]) == 1 and "I look it up" not in answer["answer"], answer
rows = list(csv.DictReader(open(work / "model" / "prefixes.tsv"), delimiter="\t"))
for row in rows:
    print(f"request {row['request']}: {row['length']} characters, of which {row['shared']} repeat the {row['before']} of the one before")
assert len(rows) == 3 and all(int(r["shared"]) >= 0.95 * int(r["before"]) for r in rows), rows
CHECK
