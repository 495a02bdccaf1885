package gitmirror

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// maxEntries and the other constants limit the trees of a commit. A tree may contain another tree
// many times, so a small repository can unpack to any number of files.
const (
	maxEntries  = 400_000    // in all trees; a tree counts as often as it occurs
	maxTrees    = 48 << 20   // bytes of all trees
	maxFiles    = 100_000    // limit of written files
	maxPaths    = 16 << 20   // bytes of the names of all written files
	maxPath     = 1024       // bytes of one path
	maxFolders  = 100        // maximum depth of folders
	maxNotices  = 1000       // notices about single files
	maxChanged  = 20_000     // changed entries of a commit; more are presumably made by a tool
	maxCompared = 20_000_000 // compared entries, for all commits together
	maxDiffs    = 1 << 30    // bytes of the compared trees
)

var (
	errEntries = errors.New("the branch has too many files")
	errObject  = errors.New("a folder or commit of the branch is missing or too large to be read")
)

// trees reads Git trees. It fails with errEntries once it has read too many entries or bytes.
type trees struct {
	store          storer.EncodedObjectStorer
	entries, bytes int64
}

// read returns the tree with the given hash, or an empty tree for the zero hash.
func (r *trees) read(hash plumbing.Hash) (*object.Tree, error) {
	if hash.IsZero() {
		return &object.Tree{}, nil
	}
	o, err := r.store.EncodedObject(plumbing.TreeObject, hash)
	if err != nil {
		return nil, err
	}
	if r.bytes -= max(o.Size(), 32); r.bytes < 0 {
		return nil, errEntries
	}
	tree, err := object.DecodeTree(r.store, o)
	if err != nil {
		return nil, err
	}
	if r.entries -= int64(len(tree.Entries)); r.entries < 0 {
		return nil, errEntries
	}
	return tree, nil
}

type listing struct {
	files   map[string]plumbing.Hash
	paths   int   // bytes of all names
	bytes   int64 // bytes of all files
	skipped []index.Notice
	more    int // skipped entries beyond the limit of skipped
}

func (l *listing) skip(name, sentence string) {
	if len(l.skipped) == maxNotices {
		l.more++
		return
	}
	if len(name) > maxPath {
		name = name[:maxPath] + "…"
	}
	l.skipped = append(l.skipped, index.Notice{Name: printable(name), Sentence: sentence})
}

func (l *listing) notices() []index.Notice {
	if l.more == 0 {
		return l.skipped
	}
	return append(l.skipped, index.Notice{Name: plural.Count(l.more, "more entry"), Sentence: "They are left out too."})
}

// printable replaces NUL and invalid UTF-8 by U+FFFD. Databases and terminals reject both.
func printable(name string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "\uFFFD")
}

func (m *Mirror) list(ctx context.Context, store storer.EncodedObjectStorer, root plumbing.Hash) (*listing, error) {
	out := &listing{files: make(map[string]plumbing.Hash)}
	read := &trees{store: store, entries: maxEntries, bytes: maxTrees}
	type folder struct {
		name string
		hash plumbing.Hash
	}
	for open := []folder{{"", root}}; len(open) > 0; {
		in := open[len(open)-1]
		open = open[:len(open)-1]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tree, err := read.read(in.hash)
		switch {
		case errors.Is(err, errEntries):
			return nil, fmt.Errorf("%w: its folders hold more than %d entries", errEntries, maxEntries)
		case err != nil && in.name == "":
			return nil, fmt.Errorf("%w: %w", errObject, err)
		case err != nil:
			out.skip(in.name, "The folder cannot be read: it is damaged, or has more entries than are read of one. Split it.")
			continue
		}
		for _, e := range tree.Entries {
			name := path.Join(in.name, e.Name)
			if why := badName(e.Name); why != "" {
				out.skip(in.name+"/"+e.Name, why)
				continue
			}
			switch {
			case len(name) > maxPath:
				out.skip(name, fmt.Sprintf("Its path has more than %d bytes. Shorten it.", maxPath))
			case e.Mode != filemode.Dir:
				if err := m.listFile(store, out, name, e); err != nil {
					return nil, err
				}
			case strings.Count(name, "/")+1 >= maxFolders:
				out.skip(name, fmt.Sprintf("It lies below more than %d folders. Move it up.", maxFolders))
			default:
				open = append(open, folder{name, e.Hash})
				read.bytes -= int64(len(name))
			}
		}
	}
	return out, nil
}

func (m *Mirror) listFile(store storer.EncodedObjectStorer, out *listing, name string, e object.TreeEntry) error {
	switch {
	case e.Mode == filemode.Submodule:
		out.skip(name, "It is a separate repository. Add that as a source if it is to be read.")
		return nil
	case !e.Mode.IsRegular() && e.Mode != filemode.Executable, m.Wanted != nil && !m.Wanted(name):
		return nil
	}
	size, err := store.EncodedObjectSize(e.Hash)
	switch {
	case errors.Is(err, plumbing.ErrObjectNotFound):
		out.skip(name, fmt.Sprintf("Its content was not sent, or is stored as a difference of more than %d MB. Keep large files elsewhere.", maxInMemory>>20))
		return nil
	case err != nil:
		return err
	case size > m.MaxBytes:
		out.skip(name, fmt.Sprintf("It has %d MB, more than the %d MB that are read of one file.", size>>20, m.MaxBytes>>20))
		return nil
	}
	if _, twice := out.files[name]; twice {
		out.skip(name, "The folder names two files like this; one of them is read. Rename the other.")
		return nil
	}
	out.files[name] = e.Hash
	out.paths += len(name)
	out.bytes += size
	switch {
	case len(out.files) > maxFiles:
		return fmt.Errorf("%w: more than %d of them would be read", errEntries, maxFiles)
	case out.paths > maxPaths:
		return fmt.Errorf("%w: their names have more than %d MB", errEntries, maxPaths>>20)
	case out.bytes > m.MaxFetch:
		return fmt.Errorf("%w: they have more than %d MB", errEntries, m.MaxFetch>>20)
	}
	return nil
}

var ignored = strings.NewReplacer("\u200c", "", "\u200d", "", "\u200e", "", "\u200f", "", "\u202a", "", "\u202b", "", "\u202c", "", "\u202d", "", "\u202e", "",
	"\u206a", "", "\u206b", "", "\u206c", "", "\u206d", "", "\u206e", "", "\u206f", "", "\ufeff", "")

// badName returns a sentence that says why a tree entry's name is invalid, or "". Git's fsck
// rejects the same names, including every spelling that some file system reads as ".git".
func badName(name string) string {
	plain, _, _ := strings.Cut(strings.ToLower(ignored.Replace(name)), ":")
	plain = strings.TrimRight(plain, ". ")
	switch {
	case name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"):
		return "Its name leads out of the folder that holds it. Rename it."
	case plain == ".git" || plain == "git~1":
		return "Its name is reserved for Git. Rename it."
	case !utf8.ValidString(name):
		return "Its name is not valid UTF-8. Rename it."
	}
	return ""
}

// change is a file that differs between two trees. A zero hash means that the tree lacks the file.
type change struct {
	name     string
	from, to plumbing.Hash
}

// compare returns the files that differ between two trees, ordered by name. It returns errEntries
// if the trees are too large.
func (r *trees) compare(ctx context.Context, from, to plumbing.Hash) ([]change, error) {
	type pair struct {
		name     string
		from, to plumbing.Hash
	}
	var out []change
	for open := []pair{{"", from, to}}; len(open) > 0; {
		in := open[len(open)-1]
		open = open[:len(open)-1]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if strings.Count(in.name, "/")+1 >= maxFolders || len(in.name) > maxPath {
			continue
		}
		before, err := r.read(in.from)
		if err != nil {
			return nil, err
		}
		after, err := r.read(in.to)
		if err != nil {
			return nil, err
		}
		old := make(map[string]object.TreeEntry, len(before.Entries))
		for _, e := range before.Entries {
			old[e.Name] = e
		}
		differs := func(name string, from, to object.TreeEntry) {
			if from.Hash == to.Hash && from.Mode == to.Mode || badName(name) != "" {
				return
			}
			folders, files := pair{name: path.Join(in.name, name)}, change{name: path.Join(in.name, name)}
			for _, side := range []struct {
				e            object.TreeEntry
				folder, file *plumbing.Hash
			}{{from, &folders.from, &files.from}, {to, &folders.to, &files.to}} {
				switch {
				case side.e.Mode == filemode.Dir:
					*side.folder = side.e.Hash
				case side.e.Mode.IsFile():
					*side.file = side.e.Hash
				}
			}
			if folders.from != folders.to {
				open = append(open, folders)
			}
			if files.from != files.to {
				out = append(out, files)
			}
		}
		for _, e := range after.Entries {
			differs(e.Name, old[e.Name], e)
			delete(old, e.Name)
		}
		for name, e := range old {
			differs(name, e, object.TreeEntry{})
		}
		if len(out)+len(open) > maxChanged {
			return nil, errEntries
		}
	}
	slices.SortFunc(out, func(a, b change) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

func parents(c *object.Commit) []plumbing.Hash {
	return c.ParentHashes[:min(len(c.ParentHashes), maxParents)]
}

// maxParents is the number of a commit's parents that are read.
const maxParents = 16
