package transcript

import (
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

// state is the content of the checkpoint. Times are in microseconds since 1970. 0 means never.
type state struct {
	Team     string              `json:"team"`
	Channels map[string]progress `json:"channels,omitempty"`
	// Reviewed is the time at which all stored documents were last compared with their channels.
	Reviewed int64 `json:"reviewed,omitempty"`
	// Pass is the time at which the current pass over the recent days of all channels began.
	Pass  int64 `json:"pass,omitempty"`
	Done  int64 `json:"done,omitempty"`  // time of completion; 0 if incomplete
	Ended bool  `json:"ended,omitempty"` // the last pass read everything
}

// progress says how far a channel has been read.
type progress struct {
	// Access is the access list that was last applied to all documents.
	Access string `json:"a"`
	Recent int64  `json:"r,omitempty"` // when its recent days were last read
	// messages since then were read; 0: older messages are not being read
	Floor int64 `json:"f,omitempty"`
	Whole int64 `json:"w,omitempty"` // when it was last read to its beginning
}

func (s *state) encode() index.Checkpoint { return sourcepass.Encode(s) }

func (s *state) set(channel string, change func(*progress)) {
	if s.Channels == nil {
		s.Channels = make(map[string]progress)
	}
	p := s.Channels[channel]
	change(&p)
	s.Channels[channel] = p
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func ofMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }
