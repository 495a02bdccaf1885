// Package uploads reads files that people kept in projects as documents of one source.
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

// Store is what a Connector needs of the stored files.
type Store interface {
	List(ctx context.Context, tenant access.TenantID) ([]upload.File, error)
	// Content returns the content of a file in the version of a time. It fails with upload.ErrGone.
	Content(ctx context.Context, tenant access.TenantID, id upload.ID, at time.Time) ([]byte, error)
}

// Options configure a Connector. All fields are required.
type Options struct {
	Tenant access.TenantID
	Store  Store
	// Read returns the connector of one file on this machine.
	Read func(path string) (index.Connector, error)
}

// Connector reads the kept files of a tenant. It lists them in one statement and reads only new
// versions. A file in memory takes twice its size while it is written to a temporary folder, plus
// what core/footprint says for its reader.
type Connector struct{ options Options }

var _ index.Connector = (*Connector)(nil)

// New returns a connector.
func New(options Options) *Connector { return &Connector{options} }

// Source implements index.Connector.
func (*Connector) Source() document.Source {
	return document.Source{ID: upload.Source, Kind: upload.Kind, Name: "files kept in projects"}
}

// reading numbers the rules by which files become documents. Raise it when they change: every file
// is then read again.
const reading = 1

// Settings implements index.Connector.
func (*Connector) Settings() string { return fmt.Sprintf("uploads %d", reading) }

// Sync implements index.Connector. It yields every file in one batch: there are few.
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

// waiting is how long a file may wait for its turn where few are read at once, as PDF files are.
const waiting = 10 * time.Minute

// load reads a file. If it was replaced since it was listed, the version before stays until the
// next run, which follows at once.
func (c *Connector) load(ctx context.Context, f upload.File) (document.Document, error) {
	content, err := c.options.Store.Content(ctx, c.options.Tenant, f.ID, f.At)
	switch {
	case errors.Is(err, upload.ErrGone):
		return document.Document{}, fmt.Errorf("it was replaced or removed while it was read: %w. The next run reads what there is then", err)
	case err != nil: // the run ends, and the next one goes on
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

// Read reads the content of a file as a document that holds its text. An access list in the file
// does not count: the place where the file was given decides. The error is a sentence.
func Read(ctx context.Context, name string, content []byte, read func(path string) (index.Connector, error)) (document.Document, error) {
	if program(name) {
		return document.Document{}, fmt.Errorf("pictures, sound, archives and programs hold no text that could be quoted: %w", index.ErrSkipped)
	}
	return onefile.Read(ctx, name, content, read)
}

// program reports whether a name has the ending of a program that people run by opening it. Readers
// of folders take some of these for text.
func program(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".com", ".scr", ".msi", ".cmd", ".vbs", ".vbe", ".wsf", ".hta", ".lnk", ".pif", ".cpl", ".jse", ".reg", ".app", ".appimage":
		return true
	}
	return false
}
