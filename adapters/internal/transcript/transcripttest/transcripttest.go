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

// T is a test, or one run of a property test.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Context() context.Context
}

// Index is the index of a channel history.
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

// Try runs one sync, which ends early if ctx is done.
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

// Sync runs one sync. It fails the test if the sync fails.
func (x *Index) Sync(t T) index.Run {
	t.Helper()
	run, err := x.Try(t.Context(), t)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return run
}

// Pausing runs one sync and cancels its context once the platform was called n times.
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

// Words returns the text of all documents that a person with the principals may read.
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

// Entry returns the stored document whose text contains holds.
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

// IDs returns the ids of all documents.
func (x *Index) IDs() []document.ID { return indextest.IDs(x.Store.Entries(access.DefaultTenant)) }

// Has checks a text. If present is true, the text must contain all parts. Otherwise it must contain
// none.
func Has(t *testing.T, text string, present bool, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) != present {
			t.Errorf("%q is found: %v, want %v, in:\n%s", part, !present, present, text)
		}
	}
}

// Sorted returns a text with sorted lines.
func Sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// marker is a text that identifies one version of a message.
var marker = regexp.MustCompile(`mark\d+x`)

// Check fails if a person finds a message ("mark1x", "mark2x" …) that the person may not open.
// opens and read are sets of messages. If whole is true, it also fails if the person does not find
// a message in read.
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
