package gdrive

import (
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

// state is what the checkpoints of Nodes hold. Times are in seconds since 1970, 0 for
// never.
type state struct {
	Settings string `json:"settings"`
	// where the log of each corpus goes on, by the corpus's id
	Logs  map[string]string `json:"logs,omitempty"`
	Swept int64             `json:"swept,omitempty"`
	Pass  *pass             `json:"pass,omitempty"` // a look at everything, under way
	// Closed is a digest of the members of a drive that is restricted to its members; empty if it
	// is not restricted.
	Closed map[string]string `json:"closed,omitempty"`
	// when a node is to be read again, since a grant ends or it could not be read; by the node's id
	Ends map[string]int64 `json:"ends,omitempty"`
}

// pass is a look at everything.
type pass struct {
	Began int64 `json:"b"`
	// next cursor of each log; empty if one is unreadable
	Done  map[string]string `json:"d,omitempty"`
	At    string            `json:"a,omitempty"` // the corpus that is looked at
	Log   string            `json:"l,omitempty"` // cursor in its log
	Token string            `json:"t,omitempty"` // of the next part of its list
	Holes bool              `json:"x,omitempty"` // it may be incomplete
}

func (s *state) encode() index.Checkpoint { return sourcepass.Encode(s) }

// decode reads a checkpoint. One of other settings, or that cannot be read, begins again.
func decode(since index.Checkpoint, settings string) state {
	s := sourcepass.Decode[state](since)
	if s.Settings != settings {
		s = state{Settings: settings}
	}
	if s.Logs == nil {
		s.Logs = make(map[string]string)
	}
	if s.Ends == nil {
		s.Ends = make(map[string]int64)
	}
	if s.Closed == nil {
		s.Closed = make(map[string]string)
	}
	if s.Pass != nil && s.Pass.Done == nil {
		s.Pass.Done = make(map[string]string)
	}
	return s
}
