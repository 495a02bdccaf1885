package wire_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

var update = flag.Bool("update", false, "rewrite what deploy/docs/sources.md says of each kind of source")

// sourcesPage is where people read what each kind of source needs.
const (
	sourcesPage = "../../../deploy/docs/sources.md"
	kindsBegin  = "<!-- kinds: generated from bots/internal/wire by \"go test ./bots/internal/wire -run TestDocumentsTellOfEveryKind -update\" -->\n"
	kindsEnd    = "<!-- /kinds -->\n"
)

// What the page says of each kind is what footnote sources add says.
func TestDocumentsTellOfEveryKind(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(sourcesPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), kindsBegin)
	_, after, closed := strings.Cut(rest, kindsEnd)
	if !found || !closed {
		t.Fatalf("%s has no place for the kinds of sources", sourcesPage)
	}
	var b strings.Builder
	for _, k := range wire.Kinds() {
		describe(&b, k)
	}
	want := before + kindsBegin + b.String() + kindsEnd + after
	if *update {
		if err := os.WriteFile(sourcesPage, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if want != string(data) {
		t.Errorf("%s is not what the program says: run go test ./bots/internal/wire -run TestDocumentsTellOfEveryKind -update", sourcesPage)
	}
}

func describe(b *strings.Builder, k wire.Kind) {
	fmt.Fprintf(b, "\n### %s: %s\n\n", k.Name, k.Title)
	for i, step := range k.Steps {
		fmt.Fprintf(b, "%d. %s\n", i+1, step)
	}
	if len(k.Rights) > 0 {
		b.WriteString("\n| it needs | for |\n|---|---|\n")
		for _, r := range k.Rights {
			fmt.Fprintf(b, "| %s | %s |\n", r.Name, r.Reason)
		}
	}
	if len(k.Secrets) > 0 {
		b.WriteString("\n| environment | what it holds |\n|---|---|\n")
		for _, s := range k.Secrets {
			fmt.Fprintf(b, "| `%s` | %s |\n", s.Env, s.What)
		}
	}
	if len(k.Steps)+len(k.Rights) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "**Who may read.** %s\n\n", k.Bound)
	if k.Unpaused != "" {
		fmt.Fprintf(b, "**Paused.** It cannot be: %s.\n", k.Unpaused)
	} else {
		fmt.Fprintf(b, "**Paused.** It is not read; %s.\n", k.Paused)
	}
	flags := make([]string, len(k.Keys))
	for i, key := range k.Keys {
		flags[i] = "`--" + key.Flag() + "`"
	}
	fmt.Fprintf(b, "\n**Flags.** %s; what each means stands in [footnote-yaml.md](footnote-yaml.md).\n", strings.Join(flags, ", "))
}

// Every kind says what people need to decide, and names only keys that there are.
func TestKindsAreTold(t *testing.T) {
	t.Parallel()
	for _, k := range wire.Kinds() {
		if k.Title == "" || k.Bound == "" || (k.Paused == "") == (k.Unpaused == "") {
			t.Errorf("%s does not say what it reads, who may read, and what pausing does", k.Name)
		}
		flags := make(map[string]bool)
		for _, key := range k.Keys {
			if key.Help().Help == "" {
				t.Errorf("%s: footnote.yaml has no key %s", k.Name, key.Path)
			}
			if flags[key.Flag()] {
				t.Errorf("%s: two flags are called --%s", k.Name, key.Flag())
			}
			flags[key.Flag()] = true
		}
		for _, taken := range []string{"name", "dry-run", "unchecked", "config", "help"} {
			if flags[taken] {
				t.Errorf("%s: --%s is taken", k.Name, taken)
			}
		}
	}
}

// Documents of these sources name other readers only once they are read, as often as every says.
func TestLateCountsEvery(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, k := range wire.Kinds() {
		if k.Name != "confluence" && k.Name != "jira" {
			continue
		}
		if got := k.Late(config.Source{Every: day}); got != day {
			t.Errorf("%s, read once a day: a revocation is late by %s at most", k.Name, got)
		}
		if got := k.Late(config.Source{}); got < time.Minute || got > time.Hour {
			t.Errorf("%s: a revocation is late by %s at most", k.Name, got)
		}
	}
}
