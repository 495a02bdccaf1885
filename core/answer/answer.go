// Package answer accepts questions and answers them. A question becomes a durable turn. The turn
// ends in exactly one outcome, which is shown in the thread, even if processes die.
//
// A question passes these steps:
//   - [Service.Judge] decides whether to answer a message, by the settings of the channel.
//   - [Service.Take] stores the question and queues its turn.
//   - A worker of any replica leases the turn and makes an attempt. The [Engine] writes packets,
//     and a [chat.Delivery] shows them.
//   - The outcome is saved and delivered, and the turn is done.
//
// Package policy makes the decisions, as pure functions. Package action performs people's actions
// on answers. Package command executes the commands that people type. This package does not depend
// on the format of a platform.
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

// Engine runs a turn. *turn.Runner implements it. If ctx is cancelled with the cause
// turn.ErrStopped, the run stops and keeps the text written so far.
type Engine interface {
	Run(ctx context.Context, req turn.Request, sink packet.Sink) (turn.Report, error)
}

// Setup says how to answer a turn: with which agent, models, filters and files.
type Setup struct {
	Agent      prompt.Agent
	Models     []llm.Model
	StandIn    llm.Model      // replaces a model that is down or out of budget
	Filter     *filter.Filter // filters questions and answers
	Project    []message.File // restricted to what the turn's audience may read
	ForceTool  string
	SearchOnly bool
	// Depth configures deep searches. It also says whether every question gets a deep search.
	Depth turn.Depth
	// ResponseFormat is the JSON Schema of the answer. Nil means Markdown.
	ResponseFormat json.RawMessage
}

// Setups returns the [Setup] of each turn, for example by channel. It is called for every attempt.
// It is safe for concurrent use.
type Setups interface {
	Setup(ctx context.Context, t session.Turn) (Setup, error)
}

// Library checks permissions of documents. It is safe for concurrent use.
type Library interface {
	// Readable returns the existing documents among ids that everyone in the audience may currently
	// read.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
	// Beyond reports whether there may be a document that everyone in the audience one may read,
	// but not everyone in the audience other. It costs far less than a search.
	Beyond(ctx context.Context, one, other access.Audience) (bool, error)
}

// Titles is an optional interface of a [Library] that can list document titles.
type Titles interface {
	// Titles returns up to limit distinct titles of documents that everyone in the audience may
	// read.
	Titles(ctx context.Context, audience access.Audience, limit int) ([]string, error)
}

// Catalogue lists the document sources that an audience can search. It is safe for concurrent use.
type Catalogue interface {
	// Searchable returns the sources with documents that everyone in the audience may read. Its
	// counts include only these documents. If the lookup takes too long, it returns nil.
	Searchable(ctx context.Context, audience access.Audience) []tool.Source
}
