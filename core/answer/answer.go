// Package answer takes questions in and answers them: a question becomes a durable turn and,
// whatever happens to the processes involved, ends in exactly one outcome that is said in its
// thread.
//
// The way of a question: [Service.Judge] decides whether a message is to be answered, by what holds
// in its channel; [Service.Take] stores it and queues its turn; a worker of any replica leases the
// turn and makes an attempt at it, for which the [Engine] writes packets and a [Delivery] shows
// them; the turn is then saved, delivered, and done. The rooms next to it: policy decides, as pure
// functions; action does what people ask for about an answer; command answers what they type. What
// does not belong here is what a platform looks like, which rules hold, and what happens to an
// answer that was given.
package answer

import (
	"context"
	"encoding/json"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/turn"
)

// Engine runs a turn; *turn.Runner implements it. Cancelling ctx with the cause turn.ErrStopped
// stops it and keeps what was written.
type Engine interface {
	Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error)
}

// Setup configures the answer to a turn.
type Setup struct {
	Agent      prompt.Agent
	Models     []llm.Model
	StandIn    llm.Model      // replaces a model that is down or out of budget
	Filter     *filter.Filter // filters questions and answers
	Project    []message.File // restricted to what the turn's audience may read
	ForceTool  string
	SearchOnly bool
	// Depth configures deep searches, and says whether every question gets one.
	Depth turn.Depth
	// ResponseFormat is the JSON Schema of the answer; nil for Markdown.
	ResponseFormat json.RawMessage
}

// Setups chooses the setup of each turn, for example by channel. It is called for every attempt. It
// is safe for concurrent use.
type Setups interface {
	Setup(ctx context.Context, t session.Turn) (Setup, error)
}

// Library checks permissions of documents. It is safe for concurrent use.
type Library interface {
	// Readable returns the existing documents among ids that everyone in the audience may currently
	// read.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
	// Beyond reports whether there may be documents that everyone in one audience may read, but not
	// everyone in other. It costs far less than a search.
	Beyond(ctx context.Context, one, other access.Audience) (bool, error)
}

// Titles is implemented by libraries that can list document titles.
type Titles interface {
	// Titles returns up to limit distinct titles of documents that everyone in the audience may
	// read.
	Titles(ctx context.Context, audience access.Audience, limit int) ([]string, error)
}

// Catalogue lists what an audience can search. Implementations are safe for concurrent use.
type Catalogue interface {
	// Searchable returns the sources with documents that everyone in the audience may read, and
	// counts only those. If it takes too long, it returns nothing.
	Searchable(ctx context.Context, audience access.Audience) []tool.Source
}
