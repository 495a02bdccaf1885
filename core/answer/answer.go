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
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
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

// Delivery writes one turn's answer to where it was asked. Packets arrive while it is written;
// Finish is the last call.
type Delivery interface {
	packet.Sink
	// Finish brings the thread to what it will show for good, and retries for a while. Its error
	// says whether the platform may take it later; thread.ErrNotPermitted, ErrMessageGone and
	// ErrNotEditable say that it never will.
	Finish(ctx context.Context, final Result) error
}

// Result is what a turn came to.
type Result struct {
	Outcome session.Outcome
	Saved   session.Saved
	// Waits says that the turn has come to nothing yet: it waits for a person, what is shown by now
	// is to be seen meanwhile, and the next delivery goes on from it.
	Waits bool
}

// Permit says whether platform calls may still be started for a turn: it fails from the moment on
// at which another replica may have taken the turn over. It is asked before each call and costs
// nothing.
type Permit func() error

// Surfaces opens deliveries, each platform's in its own way. Safe for concurrent use.
type Surfaces interface {
	// Open starts the delivery of a turn. Messages that an earlier attempt posted are adopted. When
	// ctx ends, the delivery makes no further call and needs no Finish.
	Open(ctx context.Context, t session.Turn, permit Permit) (Delivery, error)
	// Listeners returns who will see the turn's answer, as the platform says at this moment: the
	// asker alone in a private conversation, else everybody who can open the channel. An error says
	// that the platform could not be asked.
	Listeners(ctx context.Context, t session.Turn) (access.Presence, error)
}

// Note is something that is said to one person alone, with what the person can do about it.
type Note struct {
	Sentence string
	At       time.Time       // whose thread.Clock the sentence holds; zero: none
	Buttons  []thread.Button // each about the turn that the note belongs to
}

// Whisperer is implemented by Surfaces that can show a person something which no one else sees.
type Whisperer interface {
	// Whisper shows the asker of a turn a note that no one else in the channel can see or notice:
	// in a message that the platform shows to one person, else in a direct message. It is called
	// once for a note; a failure is logged and not made good. Safe for concurrent use.
	Whisper(ctx context.Context, t session.Turn, note Note) error
}
