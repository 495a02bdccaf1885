package gdrive

import (
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

// state is what the checkpoints of Sync and Nodes hold. Times are in seconds since 1970, 0 for
// never.
type state struct {
	Settings string `json:"settings"`
	// where the log of each corpus goes on, by the corpus's id
	Logs  map[string]string `json:"logs,omitempty"`
	Swept int64             `json:"swept,omitempty"`
	Pass  *pass             `json:"pass,omitempty"` // a look at everything, under way
	Open  bool              `json:"open,omitempty"` // the run did not come to its end
	// Came is into whose log files came in the last run, by file: another log may say late that
	// they have left it.
	Came map[string]string `json:"came,omitempty"`
	// Closed is who may be let in by grants of a drive that is for its members alone, as a digest;
	// empty: everybody.
	Closed map[string]string `json:"closed,omitempty"`
	// Gone are files that have left a shared drive, and that no log met since: they are removed at
	// the end of the run.
	Gone map[string]bool `json:"gone,omitempty"`
	// when a node is to be read again, since a grant ends or it could not be read; by the node's id
	Ends map[string]int64 `json:"ends,omitempty"`
	// Failed are files that could not be read, by id: the next run reads them again.
	Failed map[string]failure `json:"failed,omitempty"`
}

// failure is a file that could not be read.
type failure struct {
	In    string `json:"i"` // its corpus
	Times int    `json:"n"`
}

// Bounds of the files that are read again. Others wait until everything is looked at.
const (
	mostFailed = 200
	mostTimes  = 5
)

// pass is a look at everything.
type pass struct {
	Began int64 `json:"b"`
	// where the logs go on of the corpora that were looked at; empty: one cannot be read
	Done  map[string]string `json:"d,omitempty"`
	At    string            `json:"a,omitempty"` // the corpus that is looked at
	Log   string            `json:"l,omitempty"` // where its log goes on
	Token string            `json:"t,omitempty"` // of the next part of its list
	Holes bool              `json:"x,omitempty"` // something may have been left out
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
	if s.Gone == nil {
		s.Gone = make(map[string]bool)
	}
	if s.Failed == nil {
		s.Failed = make(map[string]failure)
	}
	if s.Pass != nil && s.Pass.Done == nil {
		s.Pass.Done = make(map[string]string)
	}
	return s
}

// Restart implements index.Resumer.
func (c *Connector) Restart(since index.Checkpoint) index.Checkpoint {
	s := decode(since, c.Settings())
	s.Open, s.Pass = false, nil
	return s.encode()
}
