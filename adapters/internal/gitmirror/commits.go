package gitmirror

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// Commit is a commit of the mirrored branch.
type Commit struct {
	Hash string `json:"hash"`
	// Authors lists the author and the message's co-authors, like "Ann Lee <ann@acme.example>".
	Authors []string  `json:"authors,omitempty"`
	At      time.Time `json:"at"` // author date
	Message string    `json:"message,omitempty"`
	Paths   []string  `json:"paths,omitempty"` // changed files, up to mostPaths
	// Withheld lists the commit's files that Options.Withhold hides. A commit with withheld files
	// is stored without its message.
	Withheld []string `json:"withheld,omitempty"`
}

const (
	// commitHistory is the number of commits to fetch if Options.Withhold is set. keptCommits is
	// the number of commits to keep then.
	commitHistory = 500
	keptCommits   = commitHistory
	mostPaths     = 50      // paths that are stored of one commit
	mostMessage   = 8 << 10 // bytes
	mostLooked    = 64 << 10
	mostAuthors   = 10
	mostName      = 200 // bytes of a name, and of an e-mail address
)

// coAuthor matches a line of a commit message that names another author
// (https://docs.github.com/en/pull-requests/committing-changes-to-your-project/creating-and-editing-commits/creating-a-commit-with-multiple-authors).
var coAuthor = regexp.MustCompile(`(?mi)^co-authored-by:[ \t]*(.{1,200})$`)

// Commits returns the commits of the branch as of the last Update, newest first. It omits merges,
// commits by bots, and commits that changed a file that Options.Withhold hides.
func (m *Mirror) Commits() []Commit {
	all := m.load().Commits
	hidden := make(map[string]bool)
	for _, c := range all {
		for _, path := range c.Withheld {
			hidden[path] = true
		}
	}
	return slices.DeleteFunc(all, func(c Commit) bool {
		return len(c.Withheld) > 0 || len(c.Paths) == 0 || len(c.Authors) == 0 || slices.ContainsFunc(c.Paths, func(path string) bool { return hidden[path] })
	})
}

// commits returns the history of head, newest first. It reads only the commits that are not in
// last. The history ends after keptCommits, or where the mirror has no older commits.
func (m *Mirror) commits(ctx context.Context, read *trees, head *object.Commit, last []Commit) ([]Commit, error) {
	known := make(map[string]Commit, len(last))
	for _, c := range last {
		known[c.Hash] = c
	}
	var out []Commit
	seen := map[plumbing.Hash]bool{head.Hash: true}
	for open := []*object.Commit{head}; len(open) > 0 && len(out) < keptCommits; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		newest := slices.MaxFunc(open, func(a, b *object.Commit) int {
			return cmp.Or(a.Committer.When.Compare(b.Committer.When), strings.Compare(a.Hash.String(), b.Hash.String()))
		})
		open = slices.DeleteFunc(open, func(c *object.Commit) bool { return c == newest })
		c, there := known[newest.Hash.String()]
		if !there {
			var err error
			if c, err = m.commit(ctx, read, newest); err != nil {
				return nil, err
			}
		}
		out = append(out, c)
		for _, hash := range parents(newest) {
			if seen[hash] || len(open) == keptCommits {
				continue
			}
			parent, err := object.GetCommit(read.store, hash)
			if errors.Is(err, plumbing.ErrObjectNotFound) { // end of the shallow mirror
				continue
			}
			if err != nil {
				return nil, err
			}
			seen[hash] = true
			open = append(open, shortened(parent))
		}
	}
	return out, nil
}

// shortened truncates the long fields of c, clears the unused fields, and returns c. It copies the
// strings, so that the commit's buffer can be freed.
func shortened(c *object.Commit) *object.Commit {
	c.Message = strings.Clone(c.Message[:min(len(c.Message), mostMessage)])
	c.Author.Name, c.Author.Email = strings.Clone(c.Author.Name[:min(len(c.Author.Name), mostName)]), strings.Clone(c.Author.Email[:min(len(c.Author.Email), mostName)])
	c.ParentHashes = slices.Clone(parents(c))
	c.PGPSignature, c.MergeTag, c.ExtraHeaders = "", "", nil
	return c
}

// commit converts a Git commit to a [Commit]. Paths is empty for merges and for commits that change
// too many files. It is also empty for the oldest commit of the mirror, whose parent is missing.
func (m *Mirror) commit(ctx context.Context, read *trees, of *object.Commit) (Commit, error) {
	c := Commit{Hash: of.Hash.String(), At: of.Author.When.UTC()}
	if of.NumParents() > 1 {
		return c, nil
	}
	var from plumbing.Hash
	if of.NumParents() == 1 {
		parent, err := of.Parent(0)
		if errors.Is(err, plumbing.ErrObjectNotFound) || errors.Is(err, object.ErrParentNotFound) {
			return c, nil
		}
		if err != nil {
			return c, err
		}
		from = parent.TreeHash
	}
	changed, err := read.compare(ctx, from, of.TreeHash)
	if errors.Is(err, plumbing.ErrObjectNotFound) || errors.Is(err, errEntries) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	for _, change := range changed {
		for _, side := range []plumbing.Hash{change.from, change.to} {
			withheld, err := m.withheld(read.store, change.name, side)
			if err != nil {
				return c, err
			}
			if withheld {
				c.Withheld = append(c.Withheld, change.name)
			}
		}
		if len(c.Paths) < mostPaths && (m.Wanted == nil || m.Wanted(change.name)) {
			c.Paths = append(c.Paths, change.name)
		}
	}
	if len(c.Withheld) > 0 {
		return c, nil
	}
	c.Message = strings.ToValidUTF8(of.Message[:min(len(of.Message), mostMessage)], "")
	authors := []string{of.Author.Name + " <" + of.Author.Email + ">"}
	for _, named := range coAuthor.FindAllStringSubmatch(c.Message, mostAuthors) {
		authors = append(authors, strings.TrimSpace(named[1]))
	}
	for _, a := range authors {
		if !strings.Contains(a, "[bot]") && !slices.Contains(c.Authors, a) {
			c.Authors = append(c.Authors, strings.ToValidUTF8(strings.Join(strings.Fields(a), " "), ""))
		}
	}
	return c, nil
}

// withheld reports whether Options.Withhold hides a version of a file. It also hides a version
// whose content is missing.
func (m *Mirror) withheld(store storer.EncodedObjectStorer, name string, version plumbing.Hash) (bool, error) {
	if m.Withhold == nil || version.IsZero() || m.Wanted != nil && !m.Wanted(name) {
		return false, nil
	}
	o, err := store.EncodedObject(plumbing.BlobObject, version)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return true, nil // its content is unknown
	}
	if err != nil {
		return false, err
	}
	in, err := o.Reader()
	if err != nil {
		return false, err
	}
	var begins bytes.Buffer
	_, err = io.CopyN(&begins, in, mostLooked)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, in.Close()); err != nil {
		return false, err
	}
	return m.Withhold(name, begins.Bytes()), nil
}
