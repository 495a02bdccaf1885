// Package uploadtest provides an upload.Store in memory for tests.
package uploadtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/upload"
)

// ErrDisk simulates the error of a full disk.
var ErrDisk = errors.New("no space left on device")

// Shelf is an upload.Store in memory. It is safe for concurrent use.
type Shelf struct {
	Fails error // if not nil, the error that Keep returns

	mu      sync.Mutex
	files   []upload.File
	changes int
}

var _ upload.Store = (*Shelf)(nil)

// Put adds files without any checks.
func (s *Shelf) Put(files ...upload.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, files...)
}

// Files returns all files.
func (s *Shelf) Files() []upload.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.files)
}

// Changes returns how often the index was notified of a change.
func (s *Shelf) Changes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changes
}

// Keep implements upload.Store.
func (s *Shelf) Keep(_ context.Context, _ access.TenantID, f upload.File, content []byte) (upload.File, upload.Became, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Fails != nil {
		return upload.File{}, 0, s.Fails
	}
	f.Hash, f.At = sha256.Sum256(content), time.Now()
	at := slices.IndexFunc(s.files, func(o upload.File) bool {
		return o.Project == f.Project && o.Name == f.Name && slices.Equal(o.Readers, f.Readers)
	})
	switch {
	case at >= 0 && s.files[at].Hash == f.Hash:
		return s.files[at], upload.Unchanged, nil
	case at >= 0 && !upload.MayReplace(s.files[at], f.Author):
		return upload.File{}, 0, upload.ErrTaken
	case at >= 0:
		f.ID = s.files[at].ID
		s.files[at] = f
		return f, upload.Replaced, nil
	case len(s.files) >= upload.MaxFiles:
		return upload.File{}, 0, upload.ErrFull
	}
	s.files = append(s.files, f)
	return f, upload.Added, nil
}

// List implements upload.Store.
func (s *Shelf) List(context.Context, access.TenantID) ([]upload.File, error) {
	return s.Files(), nil
}

// Remove implements upload.Store.
func (s *Shelf) Remove(_ context.Context, _ access.TenantID, id upload.ID, _ session.Actor) error {
	if s.remove(func(f upload.File) bool { return f.ID == id }) == 0 {
		return upload.ErrGone
	}
	return nil
}

// RemoveOf implements upload.Store.
func (s *Shelf) RemoveOf(_ context.Context, _ access.TenantID, at thread.Ref, message thread.MessageID) (int, error) {
	return s.remove(func(f upload.File) bool { return f.From.Channel == at.Channel && f.Message == message }), nil
}

func (s *Shelf) remove(gone func(upload.File) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.files)
	s.files = slices.DeleteFunc(s.files, gone)
	return n - len(s.files)
}

// Service returns a service that stores files on the shelf. A file whose name ends in .exe has
// no text. A file whose name ends in .fault cannot be read on this machine. The content of any
// other file is its text.
func (s *Shelf) Service(projects ...upload.Project) *upload.Service {
	return upload.New(upload.Deps{
		Store: s, Logger: slog.New(slog.DiscardHandler), Full: func(err error) bool { return errors.Is(err, ErrDisk) },
		Projects: func() []upload.Project { return projects },
		Read: func(_ context.Context, name string, content []byte) (document.Document, error) {
			if strings.HasSuffix(name, ".exe") {
				return document.Document{}, errors.New("programs hold no text")
			}
			if strings.HasSuffix(name, ".fault") {
				return document.Document{}, fmt.Errorf("write a file: %w", &fs.PathError{Op: "open", Path: "/secret/place", Err: fs.ErrPermission})
			}
			return document.Document{Sections: []document.Section{{Blocks: []document.Block{{Text: string(content)}}}}}, nil
		},
		Changed: func(context.Context, access.TenantID, ...document.ID) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.changes++
			return nil
		},
	})
}
