package web

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/footnotehq/footnote/core/index"
)

// state is what is known about a page from the last time that it was read. Field names are short to
// keep the checkpoint of a large site small.
type state struct {
	ETag      string `json:"e,omitempty"`
	Modified  string `json:"m,omitempty"` // Last-Modified
	Sum       uint64 `json:"s,omitempty"` // hash of the body
	Sitemap   string `json:"d,omitempty"` // the page's date in the sitemap
	Read      int64  `json:"r,omitempty"` // when the page was requested last, in Unix seconds
	Canonical string `json:"c,omitempty"` // address of the page of which this is a copy
	Alone     bool   `json:"a,omitempty"` // a copy that is a document, since its original is not
	Hidden    bool   `json:"h,omitempty"` // the page is not a document, or must not be indexed
	Closed    bool   `json:"x,omitempty"` // the document is hidden from everyone until it is loaded
}

// indexed reports whether the page is a document.
func (s state) indexed() bool { return !s.Hidden && (s.Canonical == "" || s.Alone) }

// checkpoint is encoded as JSON in an [index.Checkpoint]. Pages has the states of pages by name.
type checkpoint struct {
	Rules string           `json:"rules,omitempty"` // rules by which the pages were read
	Pages map[string]state `json:"pages"`
	Pass  *pass            `json:"pass,omitempty"` // unfinished pass; nil if none
	// Since is the time at which closed pages were hidden. It is zero if none are hidden.
	Since time.Time `json:"since,omitzero"`
}

// readCheckpoint returns the stored states of pages by name, and checkpoint.Since. It returns an
// empty map for an invalid checkpoint. If pages were read by other rules, it keeps only their names
// and whether they are documents, so that they are requested again.
func readCheckpoint(raw index.Checkpoint, rules string) (map[string]state, time.Time) {
	var c checkpoint
	if json.Unmarshal(raw, &c) != nil || c.Pages == nil {
		return make(map[string]state), time.Time{}
	}
	if c.Rules != rules {
		for name, s := range c.Pages {
			c.Pages[name] = state{Hidden: !s.indexed(), Closed: s.Closed}
		}
	}
	return c.Pages, c.Since
}

func sum(body []byte) uint64 {
	s := sha256.Sum256(body)
	return binary.BigEndian.Uint64(s[:])
}

// stamp returns a time that changes whenever the body changes. It is a hash, so stamps can only be
// compared for equality.
func (s state) stamp() time.Time {
	return time.Unix(int64(s.Sum>>33), int64(s.Sum%1_000_000)*1000).UTC()
}
