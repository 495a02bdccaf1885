#!/usr/bin/env bash
# Runs the quick tests: those of core, the rules of the house, and packages with changes since BASE
# (default: where the branch left the one that it follows, else the last commit). Of a package whose tests
# take minutes, only tests in changed files run. stdout is what "go test" prints.
set -euo pipefail
export RAPID_SEED=${RAPID_SEED:-1} # the same random stories each time, as in "make test"
go=${GO:-go}
base=${BASE:-$(git merge-base HEAD '@{upstream}' 2>/dev/null || git rev-parse HEAD)}

# Packages whose tests start whole programs or wait for platforms' rates.
slow='^(bots/(footnote|slackbot|discordbot)|adapters/postgres/(crashtest|pgindex))(/|$)'
# Tests of sheer size belong to "make test".
size='Hostile|Linear|LittleMemory|OfALarge'

changed=$({ git diff --name-only --diff-filter=d "$base" && git ls-files --others --exclude-standard; } | sort -u)
packages=()
for folder in $(sed -n 's|/[^/]*\.go$||p' <<<"$changed" | sort -u); do
	if ! [[ $folder =~ ^(adapters|bots|core|migrations) ]]; then continue; fi
	if ! [[ $folder =~ $slow ]]; then packages+=("./$folder"); continue; fi
	tests=$(grep -E "^$folder/[^/]*_test\.go$" <<<"$changed" | xargs -r sed -nE 's/^func (Test[A-Za-z0-9_]*)\(.*/\1/p' | paste -sd '|')
	if [ -n "$tests" ]; then "$go" test -vet=off "-run=^($tests)\$" "-skip=$size" "./$folder"; fi
done
"$go" test -vet=off "-skip=$size" ./core/... ./bots/internal/layout "${packages[@]}" | { grep -v 'no test files' || true; }
