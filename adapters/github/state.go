package github

import (
	"math/bits"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Sorts of what is read of a repository.
type sort string

const (
	issues      sort = "issue"
	pulls       sort = "pull"
	discussions sort = "discussion"
	files       sort = "file"
	wiki        sort = "wiki"
)

// state is what the checkpoint of Sync holds. Times are in seconds since 1970, 0 for never.
type state struct {
	Settings     string              `json:"settings"`
	Repositories map[int64]*progress `json:"repositories,omitempty"`
	Open         bool                `json:"open,omitempty"` // the pass did not come to its end
}

// progress is how far a repository was read.
type progress struct {
	Name  string          `json:"n"`
	Walks map[sort]*walk  `json:"w,omitempty"`
	Trees map[sort]*grown `json:"t,omitempty"`
	Gone  int64           `json:"g,omitempty"` // since when it cannot be seen
}

// walk is how far issues, pull requests or discussions were read: newest first, back to what was
// read before.
type walk struct {
	Known int64 `json:"k,omitempty"` // until when they are known
	Again bool  `json:"a,omitempty"` // something as new as Known may have come since
	// where the walk under way is; empty: none is, or it is at its beginning
	Cursor string `json:"c,omitempty"`
	Next   int64  `json:"x,omitempty"` // until when they are known once it is at its end
	Floor  int64  `json:"f,omitempty"` // how far back it came
	Total  int    `json:"t,omitempty"` // how many there were when it began

	Full int64  `json:"l,omitempty"` // when all of them were last looked at
	Look *looks `json:"o,omitempty"` // the look at all of them under way

	Shrunk int64 `json:"h,omitempty"` // since when a large part of them is hidden
}

// looks is how far a look at all of a repository's issues, pull requests or discussions is.
type looks struct {
	Began  int64  `json:"b"`
	Cursor string `json:"c,omitempty"`
	Seen   bitmap `json:"s,omitempty"` // their numbers
}

// grown is what was read of files.
type grown struct {
	Head string `json:"h,omitempty"` // the commit
	At   int64  `json:"a,omitempty"` // when it was last looked at

	Shrunk int64 `json:"s,omitempty"` // since when a large part of them is hidden
}

// bitmap is a set of small numbers.
type bitmap []byte

func (b *bitmap) add(n int) {
	if n < 0 || n > mostNumber {
		return
	}
	if need := n/8 + 1; need > len(*b) {
		*b = append(*b, make([]byte, need-len(*b))...)
	}
	(*b)[n/8] |= 1 << (n % 8)
}

func (b bitmap) has(n int) bool { return n >= 0 && n/8 < len(b) && b[n/8]&(1<<(n%8)) != 0 }

func (b bitmap) count() (n int) {
	for _, some := range b {
		n += bits.OnesCount8(some)
	}
	return n
}

// mostNumber bounds the numbers of issues, so that a wrong one does not fill the memory.
const mostNumber = 1 << 26

// decode reads a checkpoint; one that cannot be read, or was made by other settings, is as none,
// since nothing is lost by reading again.
func decode(since index.Checkpoint, settings string) state {
	s := sourcepass.Decode[state](since)
	if s.Settings != settings {
		s = state{Settings: settings}
	}
	if s.Repositories == nil {
		s.Repositories = make(map[int64]*progress)
	}
	return s
}

func (s *state) encode() index.Checkpoint { return sourcepass.Encode(s) }

// of returns the progress of a repository. What was read of one under another name is read again:
// its documents name it.
func (s *state) of(id int64, name string) *progress {
	p := s.Repositories[id]
	if p == nil || p.Name != name {
		p = &progress{Name: name, Walks: make(map[sort]*walk), Trees: make(map[sort]*grown)}
		s.Repositories[id] = p
	}
	if p.Walks == nil {
		p.Walks = make(map[sort]*walk)
	}
	if p.Trees == nil {
		p.Trees = make(map[sort]*grown)
	}
	return p
}

// Restart implements index.Resumer.
func (c *Connector) Restart(since index.Checkpoint) index.Checkpoint {
	s := decode(since, c.Settings())
	s.Open = false
	return s.encode()
}

var sorts = []sort{issues, pulls, discussions, files, wiki}

// id is the id of a document: the source, the repository's number, the sort, and the number or
// path.
func (c *Connector) id(repository int64, of sort, key string) document.ID {
	return document.ID(c.prefix(repository, of)) + document.ID(key)
}
