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

// Engine runs a turn; *turn.Runner is one. Cancelling ctx with cause turn.ErrStopped stops it and
// keeps what was written.
type Engine interface {
	Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error)
}

// Setup is who answers a turn, and how.
type Setup struct {
	Agent      prompt.Agent
	Models     []llm.Model
	StandIn    llm.Model      // replaces a model without budget, and one that is down
	Filter     *filter.Filter // what may be asked and shown
	Project    []message.File // already reduced to what the turn's audience may read
	ForceTool  string
	SearchOnly bool
	// Depth says how questions are searched that are to be searched deeply, and whether all are.
	Depth turn.Depth
	// ResponseFormat is the JSON Schema that the answer follows; nil for Markdown.
	ResponseFormat json.RawMessage
}

// Setups chooses the setup of each turn, by its channel for instance. It is called again for every
// attempt. Safe for concurrent use.
type Setups interface {
	Setup(ctx context.Context, t session.Turn) (Setup, error)
}

// Library knows who may read what. Safe for concurrent use.
type Library interface {
	// Readable returns those of the documents that exist and that everybody in the audience may
	// read at this moment.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
	// Beyond reports whether there can be documents that everybody in one audience may read, and
	// not everybody in another. It costs far less than a search.
	Beyond(ctx context.Context, one, other access.Audience) (bool, error)
}

// Titles is implemented by libraries that can name documents.
type Titles interface {
	// Titles returns titles of documents that everyone in the audience may read, each once, at most
	// limit.
	Titles(ctx context.Context, audience access.Audience, limit int) ([]string, error)
}

// Catalogue says what an audience can search. Implementations are safe for concurrent use.
type Catalogue interface {
	// Searchable lists the sources with documents that everyone in the audience may read, and
	// counts those alone. It returns soon, with nothing where that takes longer.
	Searchable(ctx context.Context, audience access.Audience) []tool.Source
}
