package sourcetest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"pgregory.net/rapid"
)

var measure = flag.Bool("measure", false, "write what was measured into the decision about late rights")

// Measured is a simulated source in which Person may read Document at first. Each function of
// Changes revokes that permission.
type Measured struct {
	Connector index.Connector
	Now       func() time.Time
	Pass      func(time.Duration)
	Document  document.ID
	Person    access.Account
	Changes   map[index.Change]func()
}

// Measure measures how long each kind of change takes to hide a document, from the end of a full
// scan. The test fails if a delay exceeds the maximum in looks, or differs from the table for
// source in the documentation file page. With the flag -measure it updates that table. open is
// called with nil.
func Measure(t *testing.T, page, source string, looks index.Looks, world func(t *testing.T) Measured, open func(*rapid.T) Stores) {
	t.Helper()
	var rows strings.Builder
	rows.WriteString("| change | bound | measured | bound, `every: 1d` | measured |\n|---|---|---|---|---|\n")
	for _, change := range index.Changes() {
		look, known := looks[change]
		if !known {
			continue
		}
		fmt.Fprintf(&rows, "| %s |", change)
		for _, every := range []time.Duration{5 * time.Minute, 24 * time.Hour} {
			took := lateBy(t, world(t), open(nil), change, every)
			if took > look.Late(every)+lookTime {
				t.Errorf("%s, read every %s: %s shows after %s, and the bound is %s", source, every, change, took, look.Late(every))
			}
			fmt.Fprintf(&rows, " %s | %s |", minutes(look.Late(every)), minutes(took))
		}
		rows.WriteString("\n")
	}
	begin, end := "<!-- measured: "+source+" -->\n", "<!-- /measured -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for what was measured of %s", page, source)
	}
	switch want := before + begin + rows.String() + end + after; {
	case want == string(text):
	case *measure:
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not say what was measured of %s; run the test with -measure:\n%s", page, source, rows.String())
	}
}

func minutes(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.Round(time.Minute).String(), "0s"), "h0m") + map[bool]string{true: "h"}[d.Round(time.Minute)%time.Hour == 0]
}

func lateBy(t *testing.T, w Measured, s Stores, change index.Change, every time.Duration) time.Duration {
	t.Helper()
	take := w.Changes[change]
	if take == nil {
		t.Fatalf("no world takes a right by %q", change)
	}
	chunker, err := index.NewChunker(runes{}, index.ChunkSize{})
	if err != nil {
		t.Fatal(err)
	}
	var permissions, documents time.Time
	read := func() {
		t.Helper()
		if !w.Now().Before(permissions) {
			permissions = index.NextAccess(w.Now(), time.Time{}, 0)
			if err := index.ReadAccess(t.Context(), s.Access, s.Index, s.Tenant, w.Connector, false); err != nil {
				t.Fatal(err)
			}
		}
		if !w.Now().Before(documents) {
			documents = w.Now().Add(every)
			if _, err := index.New(s.Index, chunker, nil, index.Config{}).Run(t.Context(), s.Tenant, w.Connector, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	read()
	if !visible(t, w, s) {
		t.Fatalf("%s: the document is not shown at first", change)
	}
	take()
	changed := w.Now()
	for w.Now().Sub(changed) < 3*24*time.Hour {
		next := permissions
		if documents.Before(next) {
			next = documents
		}
		w.Pass(next.Sub(w.Now()))
		read()
		if !visible(t, w, s) {
			return w.Now().Sub(changed)
		}
	}
	t.Fatalf("%s is not noticed", change)
	return 0
}

func visible(t *testing.T, w Measured, s Stores) bool {
	t.Helper()
	held, err := s.Grants.Common(t.Context(), s.Tenant, []access.Listener{{Account: w.Person}}, []string{Domain})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Held {
		held = append(held, access.Held{Principal: p})
	}
	shown, err := s.Readable(t.Context(), access.AudienceOf(s.Tenant, held), []document.ID{w.Document})
	if err != nil {
		t.Fatal(err)
	}
	return shown[w.Document]
}
