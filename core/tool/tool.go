// Package tool is the port to tools that a model can call. It has a registry of tools and a runner
// that runs calls in parallel. Each tool is a subpackage, with its code next to the text that the
// model reads.
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

// Tool is one function that a model can call. Implementations are safe for concurrent use.
type Tool interface {
	// Spec returns the tool's description for the model.
	Spec() llm.ToolSpec
	// Guide returns the paragraph of the system prompt that says when to use the tool. The prompt
	// contains the paragraph only in steps that offer the tool.
	Guide() string
	// Run executes one call. It sends packets to emit, which never blocks for long. The model reads
	// the text of the error, and people do not. The text must say what was wrong with the call.
	Run(ctx context.Context, call Call, emit *packet.Emitter) (Result, error)
}

// Merger is implemented by tools, such as a search, for which one merged call per step is better
// than several calls.
type Merger interface {
	// Merge merges the arguments of several calls into the arguments of one call. If it returns an
	// error, the calls run separately.
	Merge(arguments []json.RawMessage) (json.RawMessage, error)
}

// Offerer is implemented by tools that are useful only in some turns.
type Offerer interface {
	// Offered reports whether the tool is offered to the model in a turn. The result must depend
	// only on facts that do not change during the turn.
	Offered(scope Scope) bool
}

// Withdrawing is implemented by tools that must not be used in some turns, depending on the content
// of the prompt.
type Withdrawing interface {
	// Withdrawn reports whether the tool is disabled. If Withdrawn returns an error, the tool
	// counts as disabled.
	Withdrawn(ctx context.Context, scope Scope) (bool, error)
}

// Fitter is implemented by tools whose description for the model varies between turns.
type Fitter interface {
	// Fit returns the tool with the description for a turn. The result must depend only on facts
	// that are the same for all people of a tenant. The prompts of these people then begin with the
	// same text.
	Fit(scope Scope) Tool
}

// Call is one call of a tool, with the data of its turn.
type Call struct {
	ID        string
	Arguments json.RawMessage // a JSON object
	Scope     Scope
}

// Scope describes the turn in which a tool runs. Tools must not change the values that Scope points
// to, except Citations and Rankings.
type Scope struct {
	Audience access.Audience
	Asker    string // id of the person who asked; empty: no person did
	// the question: the newest message of the person, or a part of the message that a model may
	// have written
	Question string
	// all text that people wrote in the conversation, without text from other authors
	Quoted    []string
	Basis     message.Basis     // what Question was made from, in addition to History, Files and Shown
	History   []message.Message // earlier turns that the audience may read, oldest first
	Citations *cite.Mapping     // assigns the numbers under which the model sees documents
	Sources   []document.SourceID
	Catalogue []Source       // searchable sources, as the prompt lists them
	Documents []document.ID  // restricts the search; empty means all documents
	Files     []message.File // of the project and the conversation, oldest first
	// stored results of the turn's searches, for further pages; nil if results are not stored
	Rankings *retrieve.Rankings
	Shown    []message.Reference // passages that tools of this turn have shown the model
	First    bool                // this tool has not run in this turn
	// the result is read outside a conversation, so pages are identified by document ids
	Portable bool
	// the reader of the result weights words by their frequency, as an extractive model does
	WeighsWords bool
	Passages    int // maximum number of passages of a search; 0 means the tool's limit
	Budget      int // maximum tokens of Content; 0: no limit
	Window      int // tokens of the model's window; 0: unknown
	Now         time.Time
}

// Source is a source of documents, with the part of the source that the audience may read.
type Source struct {
	ID        document.SourceID
	Name      string
	Kind      string
	Documents int
	Newest    time.Time // zero: no document has a date
}

// Result is what a tool call returns to the model and to the turn.
type Result struct {
	Content   string          // text for the model
	Arguments json.RawMessage // arguments that ran, for the history; nil means the call's arguments
	// documents in Content, with the numbers that the model sees; Text is empty if Content has only
	// the title
	References []message.Reference
	Citable    bool // Content may be cited: the citation section and reminder follow
	Evidence   bool // for searches: a passage is good enough to answer from
	// for searches: how the search ran, for explanations; set after an error too; nil if unknown
	Search *retrieve.Account
	// for searches: documents to name if no document answers the question, best first
	// (retrieve.Result.Closest)
	Closest []document.Ref
}
