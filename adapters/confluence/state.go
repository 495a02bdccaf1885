package confluence

import (
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// state is what the checkpoint of Sync holds. Times are in seconds since 1970, 0 for never.
type state struct {
	Settings string               `json:"settings"`
	Spaces   map[string]*progress `json:"spaces,omitempty"` // by id
	Open     bool                 `json:"open,omitempty"`   // the pass did not come to its end
}

// progress is how far a space was read.
type progress struct {
	Key    string `json:"k"`
	Mark   int64  `json:"m,omitempty"` // until when changes are known
	Swept  int64  `json:"w,omitempty"` // when all of it was last looked at
	Count  int    `json:"c,omitempty"` // how many there were then, for earlier versions
	Sweep  *sweep `json:"s,omitempty"` // the look at all of it under way
	Gone   int64  `json:"g,omitempty"` // since when it cannot be seen
	Shrunk int64  `json:"h,omitempty"` // since when a large part of it cannot be seen
}

// sweep is a look at everything in a space.
type sweep struct {
	Began  int64           `json:"b"`
	Of     int             `json:"o,omitempty"` // which of the sorts is read
	Asked  string          `json:"a,omitempty"` // the query of its next part; empty: the first
	Parts  int             `json:"p,omitempty"`
	Holes  bool            `json:"x,omitempty"` // something may have been left out
	Seen   atlassian.IDSet `json:"i,omitempty"`
	Number int             `json:"n,omitempty"`
}

func (s *state) encode() index.Checkpoint { return sourcepass.Encode(s) }

// decode reads a checkpoint. One of other settings, or that cannot be read, begins again.
func decode(since index.Checkpoint, settings string) state {
	s := sourcepass.Decode[state](since)
	if s.Settings != settings {
		s = state{Settings: settings}
	}
	if s.Spaces == nil {
		s.Spaces = make(map[string]*progress)
	}
	for _, p := range s.Spaces {
		if p.Sweep != nil && p.Sweep.Seen == nil { // an empty set is not written
			p.Sweep.Seen = make(atlassian.IDSet)
		}
	}
	return s
}

func (s *state) of(in space) *progress {
	p := s.Spaces[string(in.ID)]
	if p == nil {
		p = &progress{}
		s.Spaces[string(in.ID)] = p
	}
	p.Key = in.Key
	return p
}

// Restart implements index.Resumer.
func (c *Connector) Restart(since index.Checkpoint) index.Checkpoint {
	s := decode(since, c.Settings())
	s.Open = false
	for _, p := range s.Spaces {
		p.Sweep = nil
	}
	return s.encode()
}

// id is the id of a document: the source, the space's id, and the content's.
func (c *Connector) id(space, content string) document.ID {
	return document.ID(string(c.source.ID) + ":" + space + ":" + content)
}

// place is what an id says.
func (c *Connector) placeOf(id document.ID) (space, content string, ok bool) {
	rest, ok := strings.CutPrefix(string(id), string(c.source.ID)+":")
	space, content, parted := strings.Cut(rest, ":")
	return space, content, ok && parted
}
