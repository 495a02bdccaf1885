// Package tool is the port to what a model can call, with the registry and the parallel runner.
// Each tool is a package below this one, its code next to the text that the model reads.
package tool

import (
	"context"
	"encoding/json"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
)

// Tool is one thing that a model can call. Implementations are safe for concurrent use.
type Tool interface {
	// Spec describes the tool to the model.
	Spec() llm.ToolSpec
	// Guide is the paragraph of the system prompt that says when to use it; it stands there only in
	// steps that offer the tool.
	Guide() string
	// Run executes one call. Packets go to emit; it never blocks for long. An error becomes text
	// that the model reads, so it says what was wrong with the call; it is not shown to people.
	Run(ctx context.Context, call Call, emit *packet.Emitter) (Result, error)
}

// Merger is implemented by tools whose calls of one step are better run as one, such as searches.
type Merger interface {
	// Merge joins the arguments of several calls into those of a single one. An error leaves the
	// calls apart.
	Merge(arguments []json.RawMessage) (json.RawMessage, error)
}

// Offerer is implemented by tools that are of use in some turns only.
type Offerer interface {
	// Offered reports whether the model is offered the tool in a turn. Only what does not change
	// within it may count.
	Offered(scope Scope) bool
}

// Withdrawing is implemented by tools that what is in the context can take away for the rest of a
// turn.
type Withdrawing interface {
	// Withdrawn reports whether the tool can no longer be called. An error counts as yes.
	Withdrawn(ctx context.Context, scope Scope) (bool, error)
}

// Fitter is implemented by tools that are described in another way in some turns.
type Fitter interface {
	// Fit returns the tool as a turn has it. Only what is the same for all people of a tenant may
	// count, since their prompts begin alike.
	Fit(scope Scope) Tool
}

// Call is one call with all that a tool may need to know of the turn.
type Call struct {
	ID        string
	Arguments json.RawMessage // a JSON object
	Scope     Scope
}

// Scope is the turn on whose behalf a tool runs. Tools do not change what it points to, except
// Citations and Rankings, which are made for that.
type Scope struct {
	Audience access.Audience
	Asker    string // id of the person who asked; empty: no one did
	// what is asked: the person's newest message, or a part of it that a model may have written
	Question string
	// what people wrote in the conversation; nothing else counts as a person's text
	Said      []string
	Basis     message.Basis     // what Question was made of, beyond what History, Files and Shown hold
	History   []message.Message // earlier turns that the audience may read, oldest first
	Citations *cite.Mapping     // numbers that documents are shown to the model under
	Sources   []document.SourceID
	Catalogue []Source       // what can be searched, as the prompt lists it
	Documents []document.ID  // search nothing but these; none means all
	Files     []message.File // of the project and the conversation, oldest first
	// of the turn's searches, for their further pages; nil: none are kept
	Rankings *retrieve.Rankings
	Shown    []message.Reference // what the tools of this turn have shown the model so far
	First    bool                // no call of this tool ran in this turn yet
	// the result is read outside of a conversation: pages are named by the ids of documents
	Portable bool
	Weighs   bool // whoever reads the result weighs words by how common they are
	Passages int  // most that a search returns; 0 means the tool's own limit
	Budget   int  // tokens that Content should stay within; 0: no limit
	Window   int  // tokens of the model's window; 0: not known
	Now      time.Time
}

// Source is a source of documents, with what the audience may read of it.
type Source struct {
	ID        document.SourceID
	Name      string
	Kind      string
	Documents int
	Newest    time.Time // zero: no document has a date
}

// Result is what a tool returns.
type Result struct {
	Content   string          // what the model reads
	Arguments json.RawMessage // what actually ran, kept in the history; nil means the call's own
	// documents that Content holds, under the numbers the model sees; Text is empty where it holds
	// the title alone
	References []message.Reference
	Citable    bool // Content may be cited: the citation section and reminder follow
	Evidence   bool // for searches: something scored above the floor
	// for searches: how it ran, for explanations, with an error too; nil: unknown
	Search *retrieve.Account
	// for searches: what to name when nothing answers, best first (retrieve.Result.Closest)
	Closest []document.Ref
}
