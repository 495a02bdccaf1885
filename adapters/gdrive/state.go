package gdrive

import (
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

// state is the content of the checkpoints of Nodes. Times are in seconds since 1970, and 0 means
// never.
type state struct {
	Settings string `json:"settings"`
	// page token of each corpus's change log, by the corpus's id
	Logs  map[string]string `json:"logs,omitempty"`
	Swept int64             `json:"swept,omitempty"`
	Pass  *pass             `json:"pass,omitempty"` // a look at everything, under way
	// Closed is a digest of the members of a drive that is restricted to its members. It is empty
	// if the drive is not restricted.
	Closed map[string]string `json:"closed,omitempty"`
	// time at which a node is read again, because a grant ends or the node could not be read; by
	// the node's id
	Ends map[string]int64 `json:"ends,omitempty"`
}

// pass is a look at everything.
type pass struct {
	Began int64 `json:"b"`
	// next cursor of each log; empty if a log is unreadable
	Done  map[string]string `json:"d,omitempty"`
	At    string            `json:"a,omitempty"` // the corpus that is looked at
	Log   string            `json:"l,omitempty"` // cursor in its log
	Token string            `json:"t,omitempty"` // of the next part of its list
	Holes bool              `json:"x,omitempty"` // it may be incomplete
}

func (s *state) encode() index.Checkpoint { return sourcepass.Encode(s) }

// decode decodes a checkpoint. If the settings have changed or the checkpoint is invalid, it
// returns an empty state.
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
