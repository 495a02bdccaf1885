package uploads_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/uploads"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/upload"
)

// shelf holds files and what reading their content fails with.
type shelf struct {
	files []upload.File
	fails error
}

func (s *shelf) List(context.Context, access.TenantID) ([]upload.File, error) { return s.files, nil }

func (s *shelf) Content(context.Context, access.TenantID, upload.ID, time.Time) ([]byte, error) {
	return []byte("The plan."), s.fails
}

// reader is the connector of one text file, whose own access list lets everyone read.
type reader struct{ path string }

func (reader) Source() document.Source { return document.Source{} }

func (reader) Settings() string { return "" }

func (r reader) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		yield(index.Batch{Documents: []index.Item{{Load: func(context.Context) (document.Document, error) {
			text, err := os.ReadFile(r.path)
			return document.Document{ACL: access.ACL{access.Public}, Sections: []document.Section{{Blocks: []document.Block{{Text: string(text)}}}}}, err
		}}}}, nil)
	}
}

// load reads the only file of a shelf.
func load(t *testing.T, s *shelf) (document.Document, error) {
	t.Helper()
	c := uploads.New(uploads.Options{Tenant: access.DefaultTenant, Store: s, Read: func(path string) (index.Connector, error) { return reader{path}, nil }})
	for batch, err := range c.Sync(t.Context(), nil) {
		if err != nil || !batch.Complete || len(batch.Documents) != 1 || !batch.Documents[0].ModifiedAt.Equal(s.files[0].At) {
			t.Fatalf("%+v, %v", batch, err)
		}
		return batch.Documents[0].Load(t.Context())
	}
	return document.Document{}, errors.New("there is no batch")
}

func TestKeptFilesAreDocumentsOfTheirReaders(t *testing.T) {
	t.Parallel()
	f := upload.File{
		ID: "a1", Project: "launch", Name: "plan.md", Readers: access.ACL{access.Channel("slack", "C1")}, Link: "https://acme.slack.com/archives/C1/p12",
		At: time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC),
	}
	d, err := load(t, &shelf{files: []upload.File{f}})
	if err != nil || d.Title != f.Name || d.URL != f.Link || !slices.Equal(d.ACL, f.Readers) || d.Text() != "The plan." || d.Metadata["project"] != "launch" {
		t.Errorf("%+v, %v", d, err)
	}
}

// A file that was replaced while the index read it keeps its version before, and a database that
// does not answer ends the run, so that the next one goes on.
func TestFilesThatCannotBeReadKeepTheirVersion(t *testing.T) {
	t.Parallel()
	s := &shelf{files: []upload.File{{ID: "a1", Name: "plan.md", Readers: access.ACL{access.Members}}}, fails: upload.ErrGone}
	if _, err := load(t, s); err == nil || errors.Is(err, index.ErrSkipped) || errors.Is(err, index.ErrPaused) {
		t.Errorf("a file that was replaced: %v", err)
	}
	s.fails = errors.New("connection refused")
	if _, err := load(t, s); !errors.Is(err, index.ErrPaused) {
		t.Errorf("a database that is away: %v", err)
	}
}

func TestProgramsAreNotRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"setup.msi", "a.SCR", "b.lnk"} {
		_, err := uploads.Read(t.Context(), name, []byte("text"), func(path string) (index.Connector, error) { return reader{path}, nil })
		if !errors.Is(err, index.ErrSkipped) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
