// Package files reads documents from folders and single files: Markdown, HTML, PDF, Word, plain
// text, tables and source code.
//
// It never reads outside its folder and never waits for pipes or devices. It reports every file
// that it skips, with the reason.
package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/pattern"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Kind is the [document.Kind] of the sources of this package.
const Kind document.Kind = "file"

// Options configure a [Connector]. Zero fields get defaults.
type Options struct {
	Path string // a folder, or one file
	// BaseURL is the address at which the folder is published. A document's address is BaseURL plus
	// its path below the folder. If empty, documents have file addresses.
	BaseURL string
	ACL     access.ACL // who may read the documents; default: members
	// Include has patterns of the paths to read. If empty, all are read. "**" matches any folders.
	// A pattern without a slash matches file names.
	Include  []string
	Exclude  []string // patterns of paths to skip, even if included
	MaxBytes int64    // larger files are reported as failures; default 50 MB
	// Source is the source of which the folder is a copy. The default is the folder itself.
	Source document.Source
}

// defaultMaxBytes is the default of Options.MaxBytes, the maximum size of a file.
const defaultMaxBytes = 50 << 20

// Reads reports whether Include and Exclude select a file. name is its path below the folder.
func (o Options) Reads(name string) bool {
	return (len(o.Include) == 0 || pattern.List(o.Include).Match(name)) && !pattern.List(o.Exclude).Match(name)
}

// Connector reads the documents of one folder, or a single file. It stores no state. It detects
// unchanged files by their modification times.
type Connector struct {
	options Options
	root    string // absolute path
	base    *url.URL
	source  document.Source
}

var _ index.Connector = (*Connector)(nil)

// New returns a connector for options.Path, which must exist. The error names every invalid option.
func New(options Options) (*Connector, error) {
	if len(options.ACL) == 0 {
		options.ACL = access.ACL{access.Members}
	}
	if options.MaxBytes <= 0 {
		options.MaxBytes = defaultMaxBytes
	}
	c := &Connector{options: options}
	return c, errors.Join(c.locate(), c.parseBase(), pattern.List(options.Include).Check(), pattern.List(options.Exclude).Check())
}

func (c *Connector) locate() error {
	if strings.TrimSpace(c.options.Path) == "" {
		return errors.New("no path was given: name the folder or the file to index")
	}
	source, err := SourceOf(c.options.Path)
	if err != nil {
		return err
	}
	c.root = source.Name
	if c.source = c.options.Source; c.source.ID == "" {
		c.source = source
	}
	_, err = os.Stat(c.root)
	return c.explain(err)
}

// SourceOf returns the source for the folder at path, even if the folder does not exist.
func SourceOf(path string) (document.Source, error) {
	root, err := filepath.Abs(path)
	if err != nil {
		return document.Source{}, fmt.Errorf("find the folder %q: %w", path, err)
	}
	return document.Source{ID: sourceID(root), Kind: Kind, Name: root}, nil
}

func (c *Connector) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file or folder %q: check the spelling, or give the path of the documents to index", c.root)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the folder %q may not be read by this user: change its permissions, or run as a user who may read it", c.root)
	default:
		return fmt.Errorf("the folder %q cannot be read: %w", c.root, err)
	}
}

func (c *Connector) parseBase() error {
	if c.options.BaseURL == "" {
		return nil
	}
	base, err := url.Parse(c.options.BaseURL)
	if err != nil || base.Host == "" || base.User != nil || (base.Scheme != "https" && base.Scheme != "http") {
		return fmt.Errorf("the base URL %q is not an address of the web: write it like https://docs.example.org/guide/", c.options.BaseURL)
	}
	base.RawQuery, base.Fragment = "", ""
	if !strings.HasSuffix(base.Path, "/") {
		base = base.JoinPath("/")
	}
	c.base = base
	return nil
}

// sourceID returns an id that depends only on the absolute path, so that all processes use the same
// document ids.
func sourceID(root string) document.SourceID {
	sum := sha256.Sum256([]byte(root))
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '.', r == '_':
			return r
		default:
			return '-'
		}
	}, strings.ToLower(filepath.Base(root)))
	return document.SourceID("files-" + strings.Trim(name, "-.") + "-" + hex.EncodeToString(sum[:4]))
}

// Source implements index.Connector. Unless Options.Source is set, the source's name is the
// absolute path.
func (c *Connector) Source() document.Source { return c.source }

// reading is the version of the rules for building documents. After an increase, every file is read
// again.
const reading = 7

// Settings implements index.Connector.
func (c *Connector) Settings() string {
	return fmt.Sprintf("files %d %v %v", reading, c.base, c.options.ACL)
}

const batchSize = 256

// Sync implements index.Connector. It yields all files of the folder in every run, and ignores the
// checkpoint.
func (c *Connector) Sync(ctx context.Context, _ index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		root, single, err := c.open()
		if err != nil {
			yield(index.Batch{}, err)
			return
		}
		defer func() { _ = root.Close() }() // nothing was written
		w := walk{connector: c, root: root}
		if single != "" {
			w.entry(single, single)
		} else {
			err = w.folder(ctx)
		}
		if err == nil {
			err = c.empty(&w, single != "")
		}
		if err != nil {
			yield(index.Batch{}, err)
			return
		}
		w.yield(yield)
	}
}

// open opens the folder. For a single file, it opens the folder of the file and returns the file's
// name.
func (c *Connector) open() (*os.Root, string, error) {
	info, err := os.Stat(c.root)
	if err != nil {
		return nil, "", c.explain(err)
	}
	folder, single := c.root, ""
	if !info.IsDir() {
		if folder, err = filepath.EvalSymlinks(c.root); err != nil {
			return nil, "", c.explain(err)
		}
		folder, single = filepath.Split(folder)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, "", c.explain(err)
	}
	return root, single, nil
}

// empty returns an error for a folder without documents. Such a folder is more likely a wrong path
// or an unmounted disk than a wish to delete all documents. For a single file, the error is the
// sentence that says why the file is not read.
func (c *Connector) empty(w *walk, single bool) error {
	if len(w.files) > 0 {
		return nil
	}
	switch {
	case single && len(w.failures) > 0:
		return errors.New(strings.TrimSuffix(w.failures[0].Sentence, "."))
	case single && len(w.skipped) > 0:
		return fmt.Errorf("%s: %w", strings.TrimSuffix(w.skipped[0].Sentence, "."), index.ErrSkipped)
	}
	found := "it is empty"
	if w.unwanted > 0 {
		found = fmt.Sprintf("include and exclude leave out all of the %d files in it", w.unwanted)
	}
	if n := len(w.skipped) + len(w.failures); n > 0 {
		first := append(w.failures, w.skipped...)[0]
		found = fmt.Sprintf("of the %d files in it none can be read, such as %q (%s)", n, first.Name, first.Sentence)
	}
	return fmt.Errorf("there are no documents in %q: %s. Give the path of a folder that holds Markdown, HTML, PDF, Word or text files", c.source.Name, found)
}
