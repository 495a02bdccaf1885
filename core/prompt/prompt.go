// Package prompt builds the input of a model. Only this package converts messages of a
// conversation to llm.Message.
//
// The parts of a prompt have this order:
//
//   - the system prompt;
//   - earlier turns, each file above its message;
//   - the agent's instructions, with the day, the person and the searchable sources;
//   - project documents;
//   - the newest message with its files and images;
//   - tool calls and results of this turn;
//   - the reminder.
//
// Instructions and project documents always precede the newest message. Files keep their place in
// the conversation.
package prompt

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/tool"
)

// Input is everything that [Builder.Build] puts into the prompt for one step. Build does not change
// it.
type Input struct {
	Agent    Agent
	System   string // the stored system prompt; empty means DefaultSystem
	Now      time.Time
	Place    string        // place of the question, for example "Slack, #ops"
	Sources  []tool.Source // searchable sources that the audience may read
	Tools    []tool.Tool   // tools of the turn, the same in each step
	Last     bool          // no further tool call is allowed
	Citable  bool          // a search-like tool ran in this turn
	History  []message.Message
	Project  []ProjectFile
	Question message.Message
	// messages of this turn so far: ToolCall, with the text that the model wrote before the call,
	// and ToolResult
	Steps   []message.Message
	Partial string // text of the answer so far, to which Nudge refers
	Nudge   Nudge  // fault of the model's last reply; empty: none
	Model   llm.Info
}

// Nudge selects the text that asks a model to continue after a reply that is not an answer.
type Nudge string

// The values of [Nudge].
const (
	Empty    Nudge = "empty"    // the reply was empty
	Continue Nudge = "continue" // Partial reached the maximum length
	Uncited  Nudge = "uncited"  // Partial cites nothing and the agent is strict
)

// ProjectFile is a file of the conversation's project, with the number under which the model cites
// it.
type ProjectFile struct {
	Number int
	File   message.File
}

// Prompt is a request to a model, with information about what was left out of it.
type Prompt struct {
	Messages []llm.Message
	Tools    []llm.ToolSpec // nil for models that read the tools from the system prompt
	// ProjectOverflow says that the project was left out because it does not fit. The model must
	// search it instead.
	ProjectOverflow bool
	// NoTools says that the tools were left out because the window is too small.
	NoTools bool
	// Notices are sentences for the person. They name files that could not be included and images
	// that the model cannot see.
	Notices []string
	Report  budget.Report
}

// Builder builds prompts with [Builder.Build]. It is safe for concurrent use if its counter is.
type Builder struct {
	counter budget.Counter
}

// NewBuilder returns a builder that counts tokens with counter.
func NewBuilder(counter budget.Counter) *Builder { return &Builder{counter: counter} }

// Build returns the prompt of a step, cut to fit the model's window. The error is
// [budget.ErrTooLarge] if the required parts do not fit.
func (b *Builder) Build(in Input) (Prompt, error) {
	fitter, err := budget.NewFitter(b.counter, budget.Config{Window: in.Model.Window, Reserve: min(in.Model.Reply, in.Model.Window/2)})
	if err != nil {
		return Prompt{}, err
	}
	l := newLayout(b.counter, in)
	sections := make([]budget.Section, len(l.parts))
	for i, p := range l.parts {
		sections[i] = p.section
	}
	fitted, err := fitter.Fit(sections)
	if err != nil {
		return Prompt{}, err
	}
	out := Prompt{ProjectOverflow: fitted.ProjectOverflow, Notices: append(l.notices, l.shortened(fitted.Sections)...), Report: fitted.Report}
	specs, described := in.specs()
	if described != "" && fitted.Report.Dropped[budget.Tools] > 0 {
		// The system prompt must not speak of tools that are not offered.
		in.Tools = nil
		without, err := b.Build(in)
		without.NoTools = true
		return without, err
	}
	out.Tools = specs
	for _, kept := range fitted.Sections {
		p := l.parts[kept.Index]
		if p.section.Kind == budget.Tools {
			continue
		}
		m := p.message
		if kept.Trimmed {
			m.Text = kept.Text
		}
		out.Messages = append(out.Messages, m)
	}
	return out, nil
}

// paired returns messages in which every tool call has one result, and every result follows its
// call. It adds missing results and drops results without a call, because providers reject both.
func paired(messages []message.Message) []message.Message {
	out := make([]message.Message, 0, len(messages))
	var open []string // calls that have no result yet
	turn := 0
	settle := func() {
		for _, id := range open {
			out = append(out, message.Message{Turn: turn, Role: message.ToolResult, CallID: id, Text: RemovedResult()})
		}
		open = nil
	}
	for _, m := range messages {
		if m.Role == message.ToolResult {
			if i := slices.Index(open, m.CallID); i >= 0 {
				open = slices.Delete(open, i, i+1)
				out = append(out, m)
			}
			continue
		}
		settle()
		out = append(out, m)
		if m.Role == message.ToolCall {
			turn = m.Turn
			for _, c := range m.Calls {
				open = append(open, c.ID)
			}
		}
	}
	settle()
	return out
}
