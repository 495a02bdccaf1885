package session

import (
	"encoding/json"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
)

// Pending is what was not known of a question when it was taken in. The intake waits for the store
// alone, so that it ends before the platform delivers the event again; the platform is asked by the
// worker that has the turn, and by the next one when that one dies.
type Pending struct {
	// Unsettled says that it was not known what the asker holds, on which depends whether the asker
	// may ask and against which quotas the question counts: it counts in none yet.
	Unsettled bool `json:"unsettled,omitempty"`
	// Ask is what the platform is to be asked, in the words of the bot that took the question in;
	// empty for nothing.
	Ask json.RawMessage `json:"ask,omitempty"`
}

// Completion is what the platform said of a question that was Pending.
type Completion struct {
	Files    []message.File // that came with it, and what was said before it
	Name     string         // of the asker; empty when it was known, or is not
	Starter  string         // who began the thread; likewise
	Audience access.Audience
	// Empty says that there is nothing to be answered after all: neither words nor files.
	Empty bool
}
