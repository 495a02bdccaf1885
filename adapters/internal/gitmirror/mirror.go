// Package gitmirror keeps a copy of one branch of a Git repository: a shallow mirror and a folder
// with the branch's files. It uses a Git library with a client that connects only to public hosts.
// It runs nothing of a repository: no hooks, no filters, no submodules.
package gitmirror

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/index"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"golang.org/x/sys/unix"
)

const (
	written = "files"      // folder of the branch's files
	state   = "state.json" // file that describes the content of that folder
)

// Options configure a [Mirror]. Branch, Token, Wanted and Withhold are optional.
type Options struct {
	Remote *url.URL // of the repository, https
	Branch string   // empty: the server's default branch
	// Token returns the password for the remote's host, or "" if there is none. If nil, there is no
	// password.
	Token func(context.Context) (string, error)
	// Access is the end of a sentence that says what to check if access is refused: "the token …".
	Access   string
	Client   *http.Client
	Folder   string // of the mirror; it may be deleted at any time
	MaxBytes int64  // larger files are skipped
	MaxFetch int64  // maximum bytes that the server may send in a run
	// Wanted reports whether to write a file to the folder, by path. If nil, all files are written.
	Wanted func(path string) bool
	// Withhold reports whether some readers of the repository may not see a file, by the file's
	// path and beginning. If Withhold is set, the mirror also reads commits. [Mirror.Commits] omits
	// commits that change such a file.
	Withhold func(path string, begins []byte) bool
}

// Mirror is a local copy of one branch of a repository. Only one process may use it at a time, so
// call [Mirror.Lock] first.
type Mirror struct{ Options }

// New returns a mirror and creates its folder. It sends no request.
func New(options Options) (*Mirror, error) {
	if err := os.MkdirAll(filepath.Join(options.Folder, written), 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for a mirror of the repository: %w", err)
	}
	return &Mirror{options}, nil
}

// Folder returns the path of a folder in which a mirror can be stored. The folder is below cache
// or, if cache is empty, below the user's cache folder. Folder creates nothing.
func Folder(cache, name string) (string, error) {
	if cache == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("there is no folder for a mirror of the repository (%w): set XDG_CACHE_HOME to one", err)
		}
		cache = filepath.Join(base, "footnote", "git")
	}
	return filepath.Join(cache, name), nil
}

// Files returns the path of the folder with the branch's files.
func (m *Mirror) Files() string { return filepath.Join(m.Folder, written) }

// State is the content of a mirror after an update.
type State struct {
	Commit  string
	Files   int
	Skipped []index.Notice // omitted files of the branch
}

type mirrored struct {
	Commit  string          `json:"commit"`
	Files   map[string]file `json:"files"`
	Skipped []index.Notice  `json:"skipped"`
	Commits []Commit        `json:"commits,omitempty"`
}

type file struct {
	Blob string    `json:"blob"`
	Time time.Time `json:"time"` // of its last commit
}

// Lock locks the mirror until release is called. It fails at once if another process holds the
// lock.
func (m *Mirror) Lock() (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(m.Folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the mirror of the repository: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("another process on this machine reads the repository now: try again when it is done (%w)", err)
	}
	return func() { // a child process that is being started may have the file open too
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
		_ = f.Close()
	}, nil
}

// ErrMoved reports that the branch is not at the commit that the caller of [Mirror.Update] expects.
var ErrMoved = errors.New("the branch is at another commit")

// Update fetches the branch and updates the folder with its files. If expected is not empty and the
// branch is at another commit, the error wraps [ErrMoved]. Other errors are sentences that tell the
// operator what to do.
func (m *Mirror) Update(ctx context.Context, expected string) (State, error) {
	now, err := m.update(ctx, expected)
	if err != nil {
		return State{}, m.explain(ctx, err)
	}
	return State{Commit: now.Commit, Files: len(now.Files), Skipped: now.Skipped}, nil
}

func (m *Mirror) update(ctx context.Context, expected string) (now mirrored, err error) {
	if ctx, err = m.through(ctx); err != nil {
		return mirrored{}, err
	}
	branch, commit, err := m.head(ctx)
	if err != nil {
		return mirrored{}, err
	}
	if expected != "" && commit.String() != expected {
		return mirrored{}, ErrMoved
	}
	last := m.load()
	if last.Commit == commit.String() && (m.Withhold == nil || len(last.Commits) > 0) {
		return last, nil
	}
	repository, err := m.fetch(ctx, branch, commit)
	if err != nil {
		return mirrored{}, err
	}
	defer func() { err = errors.Join(err, closeStorage(repository)) }()
	head, err := repository.CommitObject(commit)
	if err != nil {
		return mirrored{}, err
	}
	return footprint.Hold(ctx, footprint.Git, 0, func(ctx context.Context) (mirrored, error) {
		return m.unpack(ctx, repository.Storer, head, last)
	})
}

func (m *Mirror) unpack(ctx context.Context, store storer.EncodedObjectStorer, head *object.Commit, last mirrored) (mirrored, error) {
	listed, err := m.list(ctx, store, head.TreeHash)
	if err != nil {
		return mirrored{}, err
	}
	read := &trees{store: store, entries: maxCompared, bytes: maxDiffs}
	times, oldest, err := changes(ctx, head, read)
	if err != nil {
		return mirrored{}, err
	}
	now, err := m.write(ctx, store, head, listed, last, func(name string) time.Time {
		if at, ok := times[name]; ok {
			return at
		}
		return oldest
	})
	if err != nil {
		return mirrored{}, err
	}
	if m.Withhold != nil {
		if now.Commits, err = m.commits(ctx, read, head, last.Commits); err != nil {
			return mirrored{}, err
		}
	}
	return now, m.save(now)
}

// load returns the saved state of the mirror, or the zero value if there is none.
func (m *Mirror) load() mirrored {
	var last mirrored
	data, err := os.ReadFile(filepath.Join(m.Folder, state))
	if err != nil || json.Unmarshal(data, &last) != nil {
		return mirrored{}
	}
	return last
}

func (m *Mirror) save(now mirrored) error {
	data, err := json.Marshal(now)
	if err != nil {
		return err
	}
	place := filepath.Join(m.Folder, state)
	if err := os.WriteFile(place+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(place+".new", place)
}

// changes returns the date of each file's last change in the fetched commits. oldest is the date of
// the oldest commit that was compared. Files that a merge brings to the branch count as changed by
// the merge. If the trees are too large, changes stops early without an error.
func changes(ctx context.Context, head *object.Commit, read *trees) (times map[string]time.Time, oldest time.Time, err error) {
	times = make(map[string]time.Time)
	for commit, n := head, 0; ; n++ {
		oldest = commit.Committer.When
		parent, err := commit.Parent(0)
		if n == history || errors.Is(err, object.ErrParentNotFound) || errors.Is(err, plumbing.ErrObjectNotFound) {
			return times, oldest, ctx.Err()
		}
		if err != nil {
			return nil, oldest, err
		}
		changed, err := read.compare(ctx, parent.TreeHash, commit.TreeHash)
		if errors.Is(err, plumbing.ErrObjectNotFound) || errors.Is(err, errEntries) {
			return times, oldest, ctx.Err()
		}
		if err != nil {
			return nil, oldest, err
		}
		for _, c := range changed {
			if _, known := times[c.name]; !known && !c.to.IsZero() && len(times) < maxFiles {
				times[c.name] = commit.Committer.When
			}
		}
		commit = parent
	}
}

func (m *Mirror) write(ctx context.Context, store storer.EncodedObjectStorer, head *object.Commit, listed *listing, last mirrored, when func(name string) time.Time) (mirrored, error) {
	now := mirrored{Commit: head.Hash.String(), Files: make(map[string]file)}
	if err := os.Remove(filepath.Join(m.Folder, state)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return now, err
	}
	folder := filepath.Join(m.Folder, written)
	if last.Commit == "" {
		if err := os.RemoveAll(folder); err != nil {
			return now, err
		}
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return now, err
	}
	root, err := os.OpenRoot(folder) // names in a tree cannot lead outside the folder
	if err != nil {
		return now, err
	}
	defer func() { _ = root.Close() }() // written files have been closed
	for name, f := range last.Files {
		if blob, there := listed.files[name]; !there || blob.String() != f.Blob {
			if err := root.RemoveAll(filepath.FromSlash(name)); err != nil {
				return now, err
			}
			delete(last.Files, name)
		}
	}
	for name, blob := range listed.files {
		if err := ctx.Err(); err != nil {
			return now, err
		}
		f, same := last.Files[name]
		if !same {
			f = file{Blob: blob.String(), Time: when(name)}
			left, err := writeFile(root, name, store, blob, f.Time)
			if err != nil {
				return now, fmt.Errorf("write %s: %w", name, err)
			}
			if left != "" {
				listed.skip(name, left)
				continue
			}
		}
		now.Files[name] = f
	}
	now.Skipped = listed.notices()
	return now, nil
}

// pointer is the text with which a Git LFS pointer begins. Such a file has only a reference to the
// content.
const pointer = "version https://git-lfs.github.com/spec/"

// writeFile writes a blob to a file with the modification time at. If it skips the file, left is a
// sentence that says why.
func writeFile(root *os.Root, name string, store storer.EncodedObjectStorer, hash plumbing.Hash, at time.Time) (left string, err error) {
	o, err := store.EncodedObject(plumbing.BlobObject, hash)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return "Its content was not sent.", nil
	}
	if err != nil {
		return "", err
	}
	in, err := o.Reader()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	begins := make([]byte, len(pointer))
	n, err := io.ReadFull(in, begins)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	if o.Size() < 1024 && string(begins[:n]) == pointer {
		return "Its content is kept in Git LFS, which is not read.", nil
	}
	place := filepath.FromSlash(name)
	if err = root.MkdirAll(filepath.Dir(place), 0o700); err == nil {
		if err = root.RemoveAll(place); err == nil { // it may be a folder whose last file was removed
			err = copyTo(root, place, io.MultiReader(bytes.NewReader(begins[:n]), in))
		}
	}
	switch {
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "Its name is too long for this machine.", nil
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR):
		return "It is a file and a folder at once, or differs from another name in case alone. Rename it.", nil
	case err != nil:
		return "", err
	}
	return "", root.Chtimes(place, at, at)
}

func copyTo(root *os.Root, place string, in io.Reader) error {
	out, err := root.OpenFile(place, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
