package gdrive

import (
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

// state is encoded in the checkpoints of Connector.Nodes. Times are in seconds since 1970, and 0
// means never.
type state struct {
	Settings string `json:"settings"`
	// Logs has the page token of each corpus's change log, by corpus id.
	Logs  map[string]string `json:"logs,omitempty"`
	Swept int64             `json:"swept,omitempty"`
	Pass  *pass             `json:"pass,omitempty"` // the full scan in progress; nil if none
	// Closed has a digest of the members of each drive that is restricted to its members, by drive
	// id. It is "" for other drives.
	Closed map[string]string `json:"closed,omitempty"`
	// Ends has the time at which a node is read again, by node id. A grant expires then, or the
	// node could not be read before.
	Ends map[string]int64 `json:"ends,omitempty"`
}

type pass struct {
	Began int64 `json:"b"`
	// Done has the page token of each scanned corpus's change log. It is "" if the corpus is
	// unreadable.
	Done  map[string]string `json:"d,omitempty"`
	At    string            `json:"a,omitempty"` // id of the corpus being scanned
	Log   string            `json:"l,omitempty"` // page token of its change log, taken before the scan
	Token string            `json:"t,omitempty"` // page token of the next page of its files
	Holes bool              `json:"x,omitempty"` // the scan may be incomplete
}

func (s *state) encode() index.Checkpoint { return sourcepass.Encode(s) }

// decode returns the state in a checkpoint. If the settings have changed or the checkpoint is
// invalid, it returns an empty state.
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
