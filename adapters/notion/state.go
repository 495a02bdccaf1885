package notion

import (
	"encoding/base64"
	"encoding/hex"
	"slices"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

// state is what the checkpoint of Sync holds. Times are in seconds since 1970, 0 for never.
type state struct {
	Settings string           `json:"settings"`
	Last     int64            `json:"last,omitempty"`   // when the last whole pass began
	Shrunk   int64            `json:"shrunk,omitempty"` // since when missing pages are hidden
	Lost     map[string]int64 `json:"lost,omitempty"`   // since when roots are not shown, by id
	Pass     *look            `json:"pass,omitempty"`   // under way
}

// look is a pass over everything.
type look struct {
	Began   int64    `json:"b"`
	Stage   stage    `json:"g,omitempty"`
	Cursor  string   `json:"c,omitempty"` // in the list that is read
	Anew    bool     `json:"a,omitempty"` // the search was begun again once
	Sources []string `json:"d,omitempty"` // data sources that are to be queried, by id
	Of      int      `json:"o,omitempty"` // how many of them were
	From    string   `json:"f,omitempty"` // in the next: pages from when on
	// pages that stand on others, by id; databases begin with a mark
	Found []string `json:"n,omitempty"`
	Seen  idSet    `json:"s,omitempty"`
	Gone  idSet    `json:"x,omitempty"` // of those that were not met: what is not shown any more
}

// stage is a part of a pass.
type stage int

const (
	searching stage = iota
	querying        // data sources, and what stands on pages that were read
	verifying       // what was not met
)

// databaseMark stands before ids of databases in look.Found.
const databaseMark = "d"

func (s *state) encode() index.Checkpoint { return sourcepass.Encode(s) }

// decode reads a checkpoint. One of other settings, or that cannot be read, begins again.
func decode(since index.Checkpoint, settings string) state {
	s := sourcepass.Decode[state](since)
	if s.Settings != settings {
		s = state{Settings: settings}
	}
	if s.Pass != nil { // an empty set is not written
		s.Pass.Seen, s.Pass.Gone = s.Pass.Seen.orEmpty(), s.Pass.Gone.orEmpty()
	}
	return s
}

// Restart implements index.Resumer.
func (c *Connector) Restart(since index.Checkpoint) index.Checkpoint {
	s := decode(since, c.Settings())
	s.Pass = nil
	return s.encode()
}

// idSet is a set of ids. In a checkpoint it takes 22 bytes for each.
type idSet map[string]bool

const idBytes = 16

func (s idSet) orEmpty() idSet {
	if s == nil {
		return make(idSet)
	}
	return s
}

// MarshalText implements encoding.TextMarshaler.
func (s idSet) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, len(s)*idBytes)
	for id := range s {
		if one, err := hex.DecodeString(id); err == nil && len(one) == idBytes {
			raw = append(raw, one...)
		}
	}
	return []byte(base64.StdEncoding.EncodeToString(raw)), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *idSet) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.DecodeString(string(text))
	*s = make(idSet, len(raw)/idBytes)
	for one := range slices.Chunk(raw, idBytes) {
		if len(one) == idBytes {
			(*s)[hex.EncodeToString(one)] = true
		}
	}
	return err
}
