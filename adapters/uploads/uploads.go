// Package uploads reads the files that people keep in projects, as documents of one source.
package uploads

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/onefile"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/upload"
)

// Store provides the stored files that a Connector reads.
type Store interface {
	List(ctx context.Context, tenant access.TenantID) ([]upload.File, error)
	// Content returns the content of a file in the version with a given time. It returns
	// upload.ErrGone if the file or that version no longer exists.
	Content(ctx context.Context, tenant access.TenantID, id upload.ID, at time.Time) ([]byte, error)
}

// Options configure a Connector. All fields are required.
type Options struct {
	Tenant access.TenantID
	Store  Store
	// Read returns the connector that reads one file from this machine.
	Read func(path string) (index.Connector, error)
}

// Connector reads the files that people have uploaded to the projects of a tenant. It lists them
// with one query and reads only new versions.
//
// While a file is written to a temporary folder, it takes twice its size in memory. The parser
// takes additional memory, which package footprint limits.
type Connector struct{ options Options }

var _ index.Connector = (*Connector)(nil)

// New returns a connector for the uploaded files of a tenant. It reads nothing until Sync is
// called.
func New(options Options) *Connector { return &Connector{options} }

// Source implements index.Connector.
func (*Connector) Source() document.Source {
	return document.Source{ID: upload.Source, Kind: upload.Kind, Name: "files kept in projects"}
}

// reading is the version of the rules that convert a file to a document. If it is raised, every
// file is read again.
const reading = 1

// Settings implements index.Connector.
func (*Connector) Settings() string { return fmt.Sprintf("uploads %d", reading) }

// Sync implements index.Connector. It yields all files in one batch, because there are few.
func (c *Connector) Sync(ctx context.Context, _ index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		all, err := c.options.Store.List(ctx, c.options.Tenant)
		if err != nil {
			yield(index.Batch{}, err)
			return
		}
		batch := index.Batch{Total: len(all), Complete: true}
		for _, f := range all {
			batch.Documents = append(batch.Documents, index.Item{
				ID: f.ID.Document(), ModifiedAt: f.At, Size: f.Size, Wait: waiting,
				Load: func(ctx context.Context) (document.Document, error) { return c.load(ctx, f) },
			})
		}
		yield(batch, nil)
	}
}

// waiting is how long a file may wait for a parser. Formats such as PDF have few concurrent
// parsers.
const waiting = 10 * time.Minute

// load reads the stored content of a file and parses it. It returns an error if the file was
// replaced after it was listed. The index then keeps the previous version until the next run.
func (c *Connector) load(ctx context.Context, f upload.File) (document.Document, error) {
	content, err := c.options.Store.Content(ctx, c.options.Tenant, f.ID, f.At)
	switch {
	case errors.Is(err, upload.ErrGone):
		return document.Document{}, fmt.Errorf("it was replaced or removed while it was read: %w. The next run reads what there is then", err)
	case err != nil: // the run ends, and the next one retries
		return document.Document{}, fmt.Errorf("%w: %w", index.ErrPaused, err)
	}
	d, err := Read(ctx, f.Name, content, c.options.Read)
	if err != nil {
		return document.Document{}, err
	}
	d.Title, d.ACL, d.UpdatedAt, d.URL = f.Name, f.Readers, f.At, f.Link
	d.Metadata = map[string]string{"project": f.Project}
	return d, nil
}

// Read parses the content of a file as a document, in the format that the extension of name
// selects. It ignores an access list in the file, because the uploader has chosen the readers. The
// text of an error is a sentence.
func Read(ctx context.Context, name string, content []byte, read func(path string) (index.Connector, error)) (document.Document, error) {
	if program(name) {
		return document.Document{}, fmt.Errorf("pictures, sound, archives and programs hold no text that could be quoted: %w", index.ErrSkipped)
	}
	return onefile.Read(ctx, name, content, read)
}

// program reports whether a name has the extension of an executable file. Connectors for folders
// treat some of these files as text.
func program(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".com", ".scr", ".msi", ".cmd", ".vbs", ".vbe", ".wsf", ".hta", ".lnk", ".pif", ".cpl", ".jse", ".reg", ".app", ".appimage":
		return true
	}
	return false
}
