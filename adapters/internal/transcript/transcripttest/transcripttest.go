// Package transcripttest provides an in-memory index of channel messages for tests of each
// platform's history. It checks which person finds which messages.
package transcripttest

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// T is the part of testing.TB that this package uses. *testing.T and *rapid.T implement it.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Context() context.Context
}

// Index is an in-memory search index of the channels of a fake workspace.
type Index struct {
	Store     *indextest.Store
	Report    func()                                   // after each step of a run; may be nil
	Connector func() (index.Connector, error)          // returns a connector for the current history
	Called    func() int                               // number of calls of the platform
	Wait      func(context.Context, func() bool) error // waits until a condition holds on the platform
}

type words struct{}

// Count implements index.Counter.
func (words) Count(text string) int { return len(strings.Fields(text)) }

// Try runs the connector once and returns its error. The run ends early if ctx is done.
func (x *Index) Try(ctx context.Context, t T) (index.Run, error) {
	t.Helper()
	connector, err := x.Connector()
	if err != nil {
		t.Fatalf("%v", err)
	}
	chunker, err := index.NewChunker(words{}, index.ChunkSize{Max: 40, Min: 1, Overlap: -1})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return index.New(x.Store, chunker, nil, index.Config{}).Run(ctx, access.DefaultTenant, connector, func(index.Progress) {
		if x.Report != nil {
			x.Report()
		}
	})
}

// Sync runs the connector once. It fails the test on an error.
func (x *Index) Sync(t T) index.Run {
	t.Helper()
	run, err := x.Try(t.Context(), t)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return run
}

// Pausing runs the connector once and pauses the run after n calls of the platform. It returns the
// error index.ErrPaused if the run did not finish before.
func (x *Index) Pausing(t *testing.T, n int) (index.Run, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	before, done := x.Called(), make(chan struct{})
	go func() {
		defer close(done)
		if x.Wait(ctx, func() bool { return x.Called()-before >= n }) == nil {
			cancel(index.ErrPaused)
		}
	}()
	run, err := x.Try(ctx, t)
	cancel(nil)
	<-done
	if err != nil && !errors.Is(err, index.ErrPaused) {
		t.Fatal(err)
	}
	return run, err
}

// Words returns the text of all stored documents that a person with the given principals may read.
func (x *Index) Words(held ...access.Principal) string {
	var b strings.Builder
	audience := access.NewAudience(access.DefaultTenant, held...)
	for _, e := range x.Store.Entries(access.DefaultTenant) {
		if !audience.MayRead(e.Document.ACL) {
			continue
		}
		for _, c := range e.Chunks {
			b.WriteString(c.Text + "\n")
		}
	}
	return b.String()
}

// Entry returns a stored document whose text contains holds. It fails the test if there is none.
func (x *Index) Entry(t T, holds string) index.Entry {
	t.Helper()
	for _, e := range x.Store.Entries(access.DefaultTenant) {
		if strings.Contains(e.Document.Text(), holds) {
			return e
		}
	}
	t.Fatalf("no document holds %q", holds)
	return index.Entry{}
}

// IDs returns the ids of all stored documents.
func (x *Index) IDs() []document.ID { return indextest.IDs(x.Store.Entries(access.DefaultTenant)) }

// Has fails the test unless text contains all parts. If present is false, it fails if text contains
// any part.
func Has(t *testing.T, text string, present bool, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) != present {
			t.Errorf("%q is found: %v, want %v, in:\n%s", part, !present, present, text)
		}
	}
}

// Sorted returns a text with its lines sorted.
func Sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

var marker = regexp.MustCompile(`mark\d+x`)

// Check fails the test if the text found contains a message that the person called name may not
// open. opens has the messages that the person may open. If whole is true, found must contain all
// messages in read. Messages are named "mark1x", "mark2x" and so on.
func (x *Index) Check(t T, name, found string, opens, read map[string]bool, whole bool) {
	t.Helper()
	met := make(map[string]bool)
	for _, m := range marker.FindAllString(found, -1) {
		met[m] = true
		if !opens[m] {
			t.Fatalf("%s finds %s, which is deleted, or not for %s to open: %v", name, m, name, x.IDs())
		}
	}
	for m, is := range read {
		if whole && is && !met[m] {
			t.Fatalf("%s does not find %s: %v", name, m, x.IDs())
		}
	}
}
