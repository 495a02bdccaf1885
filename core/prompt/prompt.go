// Package prompt lays out what a model reads: the only place where messages of a conversation
// become input of a model.
//
// The order is: system prompt · earlier turns, each file above the message it came with · the
// agent's instructions, with the day, the person and what can be searched · project documents · the
// newest message with its files and images · tool calls and results of this turn · the reminder.
// Instructions and project documents move along as the conversation grows; files stay where they
// were.
package prompt

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/tool"
)

// Input is everything that one step's prompt is made of. Nothing in it is changed.
type Input struct {
	Agent    Agent
	System   string // the stored system prompt; empty means DefaultSystem
	Now      time.Time
	Place    string        // where it is asked, such as "Slack, #ops"
	Sources  []tool.Source // what a search can find, as far as the audience may read it
	Tools    []tool.Tool   // of the turn, the same in each of its steps
	Last     bool          // no tool can be called any more
	Citable  bool          // a search-like tool ran in this turn
	History  []message.Message
	Project  []ProjectFile
	Question message.Message
	// of this turn so far: ToolCall (with the text written before the call) and ToolResult
	Steps   []message.Message
	Partial string // what the model wrote of the answer, which Nudge is about
	Nudge   Nudge  // what is wrong with the model's last reply; empty: nothing
	Model   llm.Info
}

// Nudge asks a model once more after a reply that is no answer yet. It is the name of its text.
type Nudge string

// The nudges.
const (
	Empty    Nudge = "empty"    // the reply held nothing
	Continue Nudge = "continue" // Partial was cut off because it reached its longest length
	Uncited  Nudge = "uncited"  // Partial cites nothing and the agent is strict
)

// ProjectFile is a file of the conversation's project under the number that the model cites it by.
type ProjectFile struct {
	Number int
	File   message.File
}

// Prompt is what to send.
type Prompt struct {
	Messages []llm.Message
	Tools    []llm.ToolSpec // nil for models that read the tools from the system prompt
	// ProjectOverflow says that the project does not fit and was left out; it is to be searched
	// instead.
	ProjectOverflow bool
	// NoTools says that the window is too small for the tools, which were left out.
	NoTools bool
	// Notices are sentences for the person: files that could not be included, images that the model
	// cannot see.
	Notices []string
	Report  budget.Report
}

// Builder lays out prompts. It is safe for concurrent use as long as the counter is.
type Builder struct {
	counter budget.Counter
}

// NewBuilder returns a builder that measures with counter.
func NewBuilder(counter budget.Counter) *Builder { return &Builder{counter: counter} }

// Build lays out a step's prompt and makes it fit the model's window. The error is
// budget.ErrTooLarge when even the parts that are never left out cannot be made to fit.
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

// paired makes every call have one result and every result a call, since strict providers refuse
// either without the other: a worker may have died in between. Models reuse ids from turn to turn,
// so only the results right behind a call are its own.
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
