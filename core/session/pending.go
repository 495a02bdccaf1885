package session

import (
	"encoding/json"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// Pending lists facts that were unknown when a question was accepted. The worker that runs the turn
// requests them from the platform later.
type Pending struct {
	// Unsettled says that the asker's roles were unknown. The roles decide whether the asker may
	// ask and which quotas apply. The question counts against no quota yet.
	Unsettled bool `json:"unsettled,omitempty"`
	// Ask is the request to the platform, encoded by the bot that accepted the question. It is
	// empty if there is no request.
	Ask json.RawMessage `json:"ask,omitempty"`
}

// Completion is the platform's reply about a question with [Pending] facts.
type Completion struct {
	Files    []message.File // files of the question and messages before it
	Name     string         // name of the asker; empty if known before or unknown
	Starter  string         // the person who began the thread; empty if known before or unknown
	Audience access.Audience
	// CaughtUp is the newest message that was read as context (Thread.CaughtUp), or Unread if the
	// thread could not be read. It is empty if the context was not pending.
	CaughtUp thread.MessageID
	// Empty says that the question has neither text nor files, so there is nothing to answer.
	Empty bool
}
