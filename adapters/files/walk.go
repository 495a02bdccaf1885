package files

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

type walk struct {
	connector *Connector
	root      *os.Root
	files     []file
	failures  []index.Notice
	skipped   []index.Notice
	unwanted  int  // files that include and exclude leave out
	blind     bool // a folder could not be read, so unlisted files may still exist
}

type file struct {
	name   string // path below the folder, with slashes
	place  string // real path; it differs from the name in a mounted volume
	info   fs.FileInfo
	format format
}

func (w *walk) folder(ctx context.Context) error { return w.below(ctx, ".", ".") }

// below lists the files below a folder. It reports them below the path called instead of the
// folder's path. In volumes that Kubernetes mounts, the folder's path changes.
func (w *walk) below(ctx context.Context, folder, called string) error {
	return fs.WalkDir(w.root.FS(), folder, func(place string, entry fs.DirEntry, err error) error {
		name := place
		if folder != "." {
			name = path.Join(called, strings.TrimPrefix(strings.TrimPrefix(place, folder), "/"))
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && place == ".":
			return w.connector.explain(err)
		case err != nil:
			w.blind = true
			w.failures = append(w.failures, index.Notice{Name: name, Sentence: fmt.Sprintf("It cannot be read (%v). Check its permissions.", reason(err))})
			return nil
		case place == folder:
			return nil
		case entry.Name() == volumeData:
			return w.volume(ctx, path.Dir(place), path.Dir(name))
		case entry.IsDir() && entry.Name() == forge:
			return w.owners(place, name)
		case passedOver(entry.Name()):
			if keys := keysByName(entry.Name()); keys && (len(w.connector.options.Include) == 0 || entry.IsDir()) {
				w.withhold(name)
			}
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		w.entry(place, name)
		return nil
	})
}

// volumeData is the name of the link to the data in a ConfigMap or Secret that Kubernetes mounts.
// The link leads to a hidden folder, whose name is a time. Each visible file is a link to
// "..data/NAME".
const volumeData = "..data"

var volumeFolder = regexp.MustCompile(`^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\d+$`)

// volume lists the files of a mounted ConfigMap or Secret, or nothing if volumeData is another
// file.
func (w *walk) volume(ctx context.Context, folder, called string) error {
	target, err := w.root.Readlink(path.Join(folder, volumeData))
	if err != nil || !volumeFolder.MatchString(target) {
		return nil // a hidden file like others
	}
	place := path.Join(folder, target)
	if info, err := w.root.Lstat(place); err != nil || !info.IsDir() {
		return nil
	}
	return w.below(ctx, place, called)
}

// forge is a hidden folder with GitHub's settings for a repository, such as CODEOWNERS.
const forge = ".github"

func (w *walk) owners(place, name string) error {
	const file = "CODEOWNERS"
	if info, err := w.root.Lstat(path.Join(place, file)); err == nil && info.Mode().IsRegular() {
		w.entry(path.Join(place, file), path.Join(name, file))
	}
	return fs.SkipDir
}

// passedOver reports whether a file or folder is hidden or belongs to a tool, such as node_modules.
func passedOver(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__"
}

// entry adds a file, or a notice that says why the file is skipped. Files that the options exclude
// are only counted.
func (w *walk) entry(place, name string) {
	if !w.connector.options.Reads(name) {
		w.unwanted++
		return
	}
	if keysByName(path.Base(name)) {
		w.withhold(name)
		return
	}
	kind := formatOf(name)
	if kind.unread != "" {
		w.skip(name, kind.unread)
		return
	}
	info, err := w.root.Lstat(place)
	if err != nil {
		w.failures = append(w.failures, index.Notice{Name: name, Sentence: fmt.Sprintf("It cannot be read (%v). Check its permissions.", reason(err))})
		return
	}
	switch {
	case info.Mode().IsRegular():
		w.files = append(w.files, file{name, place, info, kind})
	case info.Mode()&fs.ModeSymlink != 0:
		w.link(place, name)
	default:
		w.skip(name, "It is a pipe, a socket or a device and not a file.")
	}
}

// link adds a notice that says why a symbolic link is not followed. Targets inside the source are
// read at their own paths, where the rules for hidden and excluded files apply.
func (w *walk) link(place, name string) {
	if target, err := w.root.Readlink(place); err == nil && strings.HasPrefix(target, volumeData+"/") {
		return // volume reads the target, or it is hidden
	}
	info, err := w.root.Stat(place)
	switch {
	case err != nil:
		w.skip(name, "It is a link that leads nowhere, to itself, or out of the folder. To index its target, name that as a source.")
	case info.IsDir():
		w.skip(name, "It is a link to a folder. Its target is indexed where it lies, when that is inside the source.")
	case !info.Mode().IsRegular():
		w.skip(name, "It is a link to a pipe, a socket or a device.")
	default:
		w.skip(name, "It is a link. Its target is indexed where it lies, unless it is hidden there or a rule leaves it out.")
	}
}

func (w *walk) skip(name, sentence string) {
	w.skipped = append(w.skipped, index.Notice{Name: name, Sentence: sentence})
}

func (w *walk) withhold(name string) {
	w.skipped = append(w.skipped, index.Notice{Name: name, Sentence: keysSentence, Secret: true})
}

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

// waiting is the maximum time that a file may wait for its parser. Formats such as PDF have few
// concurrent parsers. Parsing has a separate timeout.
const waiting = 10 * time.Minute

func (w *walk) item(f file) index.Item {
	var wait time.Duration
	if f.format.unpack != nil {
		wait = waiting
	}
	return index.Item{
		Wait:       wait,
		ID:         w.connector.id(f.name),
		ModifiedAt: f.info.ModTime(),
		Size:       f.info.Size(),
		Load: func(ctx context.Context) (document.Document, error) {
			return w.connector.load(ctx, w.root, f)
		},
	}
}

func reason(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return err
		}
		err = inner.Unwrap()
	}
}
