package turn

import (
	"slices"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
)

// Depth configures a deep search. The comment of each switch names the corresponding option of
// Onyx's agents and of footnote.yaml.
type Depth struct {
	Always bool // use_agentic_search: every question is, as far as it needs it
	// perform_initial_search_decomposition is false: the question is split without seeing a first
	// search's results
	Blind bool
	Once  bool // allow_refinement is false: nothing is asked further
	// using_tool_calling_llm is false: the model that plans and judges is asked in text, even if it
	// supports tool calls
	Plain bool
	// confirm_above: a plan with more sub-questions waits until a person starts it; 0: no plan
	// waits
	Ask int
}

// Part contains the data that several runs of one turn share. Runs change only its numbers.
type Part struct {
	Numbers *cite.Mapping // numbers under which models are shown documents
	Cited   *cite.Numbers // numbers under which readers are
	// Steps are tool calls and results of earlier runs. References are the passages in them. The
	// run begins with them. If there are references, the prompt asks for citations.
	Steps      []message.Message
	References []message.Reference
	// Said is text of people that the run works on, in addition to its question and history.
	Said []string
	// Basis describes the content from which the run's question was derived.
	Basis message.Basis
}

// said returns what people wrote in the conversation that a run belongs to.
func said(req Request) []string {
	texts := message.Said(append(slices.Clip(req.History), req.Question)...)
	if req.Part != nil {
		texts = append(texts, req.Part.Said...)
	}
	return texts
}

// basis returns what the question of a run was made of.
func basis(req Request) message.Basis {
	if req.Part == nil {
		return message.Basis{}
	}
	return req.Part.Basis
}

// Numbers returns the numbers under which a session's documents were shown, for a Part.
func Numbers(req Request) *cite.Mapping { return newMapping(req) }

// shared are the numbers of a run: its own, but for a part's.
func shared(req Request) (*cite.Mapping, *cite.Numbers) {
	if req.Part != nil {
		return req.Part.Numbers, req.Part.Cited
	}
	return newMapping(req), &cite.Numbers{}
}

// resume takes up what earlier runs of the same turn have found.
func (w *worker) resume() {
	part := w.req.Part
	if part == nil || len(part.Steps) == 0 {
		return
	}
	w.steps = slices.Clone(part.Steps)
	for _, m := range part.Steps {
		w.spent += w.counter.Count(m.Text)
	}
	w.learn(part.References)
	w.record.Held(part.References)
	w.held = slices.Clone(part.References)
	w.voice.gathered(part.References)
	w.record.Searched(len(part.References) > 0, nil, nil)
	w.citable = len(part.References) > 0
	w.record.Stepped(part.Steps)
}
