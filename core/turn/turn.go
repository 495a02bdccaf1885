// Package turn runs one question to its answer. It contains the agent loop with its steps, the
// packets for readers, parallel models and the stop. Each model's run ends in exactly one Outcome,
// even if the model, a tool or a lower layer fails.
package turn

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
)

// ErrStopped is the cancellation cause of Run's context when a person stops the turn. Text that was
// already written stays. The caller of Run must watch for stops.
var ErrStopped = errors.New("stopped by a person")

// MaxModels is the maximum number of models that answer one question at once.
const MaxModels = 3

// Request is one turn to run. Run does not change it.
type Request struct {
	Turn     session.TurnID
	Audience access.Audience
	Question message.Message
	// History is the earlier conversation, oldest first. It must contain only messages that the
	// audience may read (message.Readable).
	History []message.Message
	// Numbers maps numbers to all passages that the model has seen in the session
	// (session.Store.Numbers). The numbers stay stable even if History is cut. A number alone does
	// not make a document visible.
	Numbers map[int]cite.Passage
	Project []message.File
	Agent   prompt.Agent
	System  string      // the stored system prompt; empty means the built-in one
	Models  []llm.Model // one to MaxModels, each writing a separate answer
	// replaces a model without budget; also replaces an unreachable model if the stand-in's reply
	// cites. nil: no stand-in. It is not used with a ResponseFormat
	StandIn llm.Model
	Filter  *filter.Filter // what may be asked and shown; nil: everything
	// the question is a greeting or a thank-you: the answer needs no documents
	SmallTalk      bool
	Asker          string          // id of the person who asked; empty: no person did
	ForceTool      string          // a tool that the first step must call
	SearchOnly     bool            // search with the question and end without an answer
	ResponseFormat json.RawMessage // JSON Schema of the answer; nil for Markdown
	Now            time.Time       // its date is shown to the model; zero means the time of the call
	Place          string          // where the question was asked, such as "Slack, #ops"
	Sources        []tool.Source   // searchable sources that the audience may read
	// Depth requests and configures a deep search. nil requests a plain answer. Runner ignores
	// Depth. The runner of package deepsearch uses it.
	Depth *Depth
	// Attempt is the number of the current attempt at the turn. It fences writes during the turn.
	Attempt int
	// Part contains data that this run shares with other runs of the turn. nil means that it is the
	// only run.
	Part *Part
	// CheckAudience is called before each model call and before tools run. It returns an error if
	// the audience has changed, and the error ends the turn. nil disables the check.
	CheckAudience func(ctx context.Context) error
}

// Report is the result of a turn.
type Report struct {
	Answers []Answer // one for each model, in the order of the request
	Took    time.Duration
}

// Outcome returns the turn's outcome. It is answered if any model answered. Otherwise it is the
// outcome of the first model.
func (r Report) Outcome() session.Outcome { return r.Best().Ending.Outcome }

// Best returns the first complete answer. If none is complete, it returns the first answer.
func (r Report) Best() Answer {
	for _, a := range r.Answers {
		if a.Ending.Outcome == session.Answered {
			return a
		}
	}
	if len(r.Answers) == 0 {
		return Answer{}
	}
	return r.Answers[0]
}

// Answer is the result of one model.
type Answer struct {
	Model string // the model that wrote; a fallback if it replaced another
	// as the model wrote it, with the numbers that the model sees; partial unless answered
	Text string
	// Markdown as the reader saw it, including narration between tool calls
	Shown     string
	Citations []message.Citation // in order of first use
	// all passages that searches or files added to the prompts of this turn
	References []message.Reference
	// documents of earlier answers in the prompts, without text
	Inherited []message.Reference
	Searches  []retrieve.Account // accounts of all search-like tools, in order
	Steps     []message.Message  // tool calls, with the text before them, and tool results
	Reasoning int                // length in characters
	// number of citations whose passages share no word or number with the citing sentence
	Unsupported int
	Invented    int       // dropped numbers in brackets that no passage had
	Usage       llm.Usage // of all steps
	Timings     Timings
	// notices for the person, shown with the answer, for example about files left out
	Notices []string
	Ending  Ending
	Cause   error // of a failure; logged, never shown
}

// Timings are times of one model's run, measured from the start of Run. A time is zero if the event
// did not happen.
type Timings struct {
	FirstToken time.Duration // anything from the model, reasoning included
	FirstText  time.Duration // the first words that a reader could see
	Total      time.Duration
	Steps      []StepTiming
}

// StepTiming is the duration of one model call, and of the tools that it called.
type StepTiming struct {
	Model time.Duration // from request to the end of the stream
	Tools time.Duration // all tools of the step, which run in parallel
}

// Messages returns the messages to store for the answer: tool calls, their results, and the answer
// with its citations. If the run wrote no text, the last is missing.
//
// The answer lists the documents of earlier answers too, because it may repeat what they say. It is
// shown only to people who may read all its documents.
func (a Answer) Messages(turn int, at time.Time) []message.Message {
	var messages []message.Message
	for _, m := range a.Steps {
		m.Turn, m.At = turn, at
		messages = append(messages, m)
	}
	if a.Text == "" {
		return messages
	}
	return append(messages, message.Message{
		Turn: turn, Role: message.Assistant, Text: a.Text, Citations: a.Citations, Documents: slices.Concat(a.References, a.Inherited), At: at,
	})
}

func inherited(history []message.Message, references []message.Reference) []message.Reference {
	known := make(map[document.ID]bool)
	for _, r := range references {
		known[r.Document.ID] = true
	}
	var out []message.Reference
	note := func(number int, ref document.Ref) {
		if !known[ref.ID] {
			known[ref.ID] = true
			out = append(out, message.Reference{Number: number, Document: ref})
		}
	}
	for _, m := range history {
		for _, r := range m.Documents {
			note(r.Number, r.Document)
		}
		for _, c := range m.Citations {
			note(c.ModelSees, c.Document)
		}
	}
	return out
}

// Run returns the answer in the form that a session stores.
func (a Answer) Run(turn int, at time.Time) session.Run {
	return session.Run{Model: a.Model, Messages: a.Messages(turn, at), Usage: a.Usage, Reasoning: a.Reasoning, Searches: a.Searches, Invented: a.Invented}
}

// Ending is the outcome of one model's run.
type Ending struct {
	Outcome   session.Outcome
	Grounding packet.Grounding // of a run that ended without error
	Sentence  Sentence         // for the person; empty if the answer needs no explanation
	Reference string           // code that finds the cause with footnote why and in the log
	Cause     session.Cause
	Retryable bool // the same question may succeed a little later
	// the closest documents that the audience may read; set if nothing was found or only a search
	// was requested
	Closest []document.Ref
}
