package turn

import (
	"slices"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
)

// Depth says how deeply a question is searched. Each switch has the name that Onyx's agents, and
// footnote.yaml, use for it next to it.
type Depth struct {
	Always bool // use_agentic_search: every question is, as far as it needs it
	// perform_initial_search_decomposition is false: whoever takes the question apart does not see
	// what a first search finds
	Blind bool
	Once  bool // allow_refinement is false: nothing is asked further
	// using_tool_calling_llm is false: who plans and judges is asked in text, whatever its
	// interface
	Plain bool
	// confirm_above: a plan of more sub-questions waits until a person starts it; 0: none waits
	Ask int
}

// Part is what one of several runs that make up a turn has in common with the others. Nothing in it
// is changed but the numbers.
type Part struct {
	Numbers *cite.Mapping // numbers under which models are shown documents
	Cited   *cite.Numbers // numbers under which readers are
	// Steps are tool calls and results that earlier runs made, and References the passages that
	// they hold. The run begins with them, and the prompt asks for citations where there are any.
	Steps      []message.Message
	References []message.Reference
	// Said is what people wrote that the run works for, beyond its question and history.
	Said []string
	// Basis is what the question of the run was made of.
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

// Numbers are those under which the documents of a session were shown, for a Part.
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
