package files

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/pattern"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// walk lists the files of a folder.
type walk struct {
	connector *Connector
	root      *os.Root
	files     []file
	links     []file // links to files inside the folder
	failures  []index.Notice
	skipped   []index.Notice
	blind     bool // some folder could not be read, so that what is not met may still be there
}

// file is a file to be read, by its path below the folder with slashes.
type file struct {
	name   string
	info   fs.FileInfo
	format format
}

func (w *walk) folder(ctx context.Context) error {
	err := fs.WalkDir(w.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && name == ".":
			return w.connector.explain(err)
		case err != nil:
			w.blind = true
			w.failures = append(w.failures, index.Notice{Name: name, Sentence: fmt.Sprintf("It cannot be read (%v). Check its permissions.", reason(err))})
			return nil
		case name == ".":
			return nil
		case passedOver(entry.Name()):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		w.entry(name)
		return nil
	})
	if err != nil {
		return err
	}
	w.resolve()
	return nil
}

// passedOver are hidden files and folders, and those that tools fill.
func passedOver(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__"
}

// entry takes in what is not a folder.
func (w *walk) entry(name string) {
	o := w.connector.options
	if (len(o.Include) > 0 && !pattern.List(o.Include).Match(name)) || pattern.List(o.Exclude).Match(name) {
		return
	}
	kind := formatOf(name)
	if kind.unread != "" {
		w.skip(name, kind.unread)
		return
	}
	info, err := w.root.Lstat(name)
	if err != nil {
		w.failures = append(w.failures, index.Notice{Name: name, Sentence: fmt.Sprintf("It cannot be read (%v). Check its permissions.", reason(err))})
		return
	}
	switch {
	case info.Mode().IsRegular():
		w.files = append(w.files, file{name, info, kind})
	case info.Mode()&fs.ModeSymlink != 0:
		w.link(name, kind)
	default:
		w.skip(name, "It is a pipe, a socket or a device and not a file.")
	}
}

// link takes in a link to a file inside the folder. A Root refuses to follow one that leads out, and notices loops.
func (w *walk) link(name string, kind format) {
	info, err := w.root.Stat(name)
	switch {
	case err != nil:
		w.skip(name, "It is a link that leads nowhere, to itself, or out of the folder. To index its target, name that as a source.")
	case info.IsDir():
		w.skip(name, "It is a link to a folder. Its target is indexed where it lies, when that is inside the source.")
	case !info.Mode().IsRegular():
		w.skip(name, "It is a link to a pipe, a socket or a device.")
	default:
		w.links = append(w.links, file{name, info, kind})
	}
}

// resolve keeps those links whose targets are not indexed under a name of their own, such as targets in hidden folders.
func (w *walk) resolve() {
	if len(w.links) == 0 {
		return
	}
	known := make(map[string]bool, len(w.files))
	base, err := filepath.EvalSymlinks(w.root.Name())
	if err != nil {
		base = w.root.Name()
	}
	for _, f := range w.files {
		known[filepath.Join(base, filepath.FromSlash(f.name))] = true
	}
	for _, l := range w.links {
		target, err := filepath.EvalSymlinks(filepath.Join(base, filepath.FromSlash(l.name)))
		if err != nil || known[target] {
			continue
		}
		known[target] = true
		w.files = append(w.files, l)
	}
}

func (w *walk) skip(name, sentence string) {
	w.skipped = append(w.skipped, index.Notice{Name: name, Sentence: sentence})
}

// yield hands over what was found in batches, the notices with the first.
func (w *walk) yield(yield func(index.Batch, error) bool) {
	batch := index.Batch{Total: len(w.files), Failures: w.failures, Skipped: w.skipped}
	for i, f := range w.files {
		batch.Documents = append(batch.Documents, w.item(f))
		if len(batch.Documents) == batchSize && i+1 < len(w.files) {
			if !yield(batch, nil) {
				return
			}
			batch = index.Batch{Total: len(w.files)}
		}
	}
	batch.Complete = !w.blind
	yield(batch, nil)
}

func (w *walk) item(f file) index.Item {
	return index.Item{
		ID:         document.ID(string(w.connector.source.ID) + ":" + f.name),
		ModifiedAt: f.info.ModTime(),
		Size:       f.info.Size(),
		Load: func(ctx context.Context) (document.Document, error) {
			return w.connector.load(ctx, w.root, f)
		},
	}
}

// reason is an error of the file system without the path, which is said already.
func reason(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return err
		}
		err = inner.Unwrap()
	}
}
