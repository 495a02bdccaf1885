package jira

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
	Mark     int64                `json:"m,omitempty"` // until when changes are known, by Jira's clock
	Projects map[string]*progress `json:"projects,omitempty"`
	Open     bool                 `json:"open,omitempty"` // the pass did not come to its end
	Strays   bool                 `json:"c,omitempty"`    // there may be documents of issues that are known in no project
}

// progress is how far a project was read.
type progress struct {
	Key      string          `json:"k"`
	Full     int64           `json:"f,omitempty"` // when everything was last looked at
	Swept    int64           `json:"w,omitempty"` // when the ids were
	Relevant relevance       `json:"r,omitzero"`
	Known    atlassian.IDSet `json:"i,omitempty"` // ids of its issues
	Sweep    *sweep          `json:"s,omitempty"` // the look at all of it under way
	Gone     int64           `json:"g,omitempty"` // since when it cannot be seen
	Shrunk   int64           `json:"h,omitempty"` // since when a large part of it is hidden
	Hidden   atlassian.IDSet `json:"y,omitempty"` // that part
}

// sweep is a look at all issues of a project, or at their ids alone.
type sweep struct {
	Began    int64           `json:"b"`
	Full     bool            `json:"f,omitempty"`
	Relevant relevance       `json:"r,omitzero"`
	At       string          `json:"a,omitempty"` // the place of its next part; empty: the first
	Parts    int             `json:"p,omitempty"`
	Again    int             `json:"n,omitempty"` // how often it was begun anew, since the list had changed
	Holes    bool            `json:"x,omitempty"` // something may have been left out
	Seen     atlassian.IDSet `json:"i,omitempty"`
}

func (s *state) encode() index.Checkpoint { return sourcepass.Encode(s) }

// decode reads a checkpoint. One of other settings, or that cannot be read, begins anew.
func decode(since index.Checkpoint, settings string) state {
	s := sourcepass.Decode[state](since)
	if s.Settings != settings {
		s = state{Settings: settings}
	}
	if s.Projects == nil {
		s.Projects = make(map[string]*progress)
	}
	for id, p := range s.Projects {
		if p == nil {
			delete(s.Projects, id)
			continue
		}
		if p.Known == nil { // an empty set is not written
			p.Known = make(atlassian.IDSet)
		}
		if p.Sweep != nil && p.Sweep.Seen == nil {
			p.Sweep.Seen = make(atlassian.IDSet)
		}
	}
	return s
}

func (s *state) of(in project) *progress {
	p := s.Projects[string(in.ID)]
	if p == nil {
		p = &progress{Known: make(atlassian.IDSet)}
		s.Projects[string(in.ID)] = p
	}
	p.Key = in.Key
	return p
}

// relevant is what settings of the project name, as far as it is known by now.
func (p *progress) relevant() relevance {
	if p.Sweep != nil && p.Sweep.Full {
		return p.Sweep.Relevant
	}
	return p.Relevant
}

// meet notes that an issue is in a project, and in no other: it may have been moved.
func (s *state) meet(project, id string) {
	for other, p := range s.Projects {
		if other != project && p.Known[id] {
			delete(p.Known, id)
		}
	}
	s.Projects[project].Known[id] = true
}

// knows reports whether an issue is known in any project.
func (s *state) knows(id string) bool {
	for _, p := range s.Projects {
		if p.Known[id] || p.Sweep != nil && p.Sweep.Seen[id] {
			return true
		}
	}
	return false
}

// Restart implements index.Resumer.
func (c *Connector) Restart(since index.Checkpoint) index.Checkpoint {
	s := decode(since, c.Settings())
	s.Open = false
	for _, p := range s.Projects {
		p.Sweep = nil
	}
	return s.encode()
}

// id is the id of a document: the source, the issue's id, and that of a file that is attached to
// it. Neither changes when an issue is moved.
func (c *Connector) id(issue, file string) document.ID {
	id := string(c.source.ID) + ":" + issue
	if file != "" {
		id += ":" + file
	}
	return document.ID(id)
}

// placeOf is what an id says.
func (c *Connector) placeOf(id document.ID) (issue, file string, ok bool) {
	rest, ok := strings.CutPrefix(string(id), string(c.source.ID)+":")
	issue, file, _ = strings.Cut(rest, ":")
	return issue, file, ok
}
