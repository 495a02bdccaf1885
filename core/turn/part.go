package turn

import (
	"slices"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
)

// Depth configures a deep search. The comment of each field names the matching option in
// footnote.yaml.
type Depth struct {
	Always bool // use_agentic_search: every question gets as deep a search as it needs
	// perform_initial_search_decomposition is false: the question is split before a first search
	Blind bool
	Once  bool // allow_refinement is false: no follow-up questions
	// using_tool_calling_llm is false: planning and judging use text requests, even if the model
	// supports tool calls
	Plain bool
	// confirm_above: a plan with more sub-questions waits until a person starts it; if 0, no plan
	// waits
	Ask int
}

// Part is the data that several runs of one turn share. Runs add citation numbers to it, and change
// nothing else.
type Part struct {
	Numbers *cite.Mapping // numbers that models see
	Cited   *cite.Numbers // numbers that readers see
	// Steps are tool calls and results of earlier runs, with which the run begins. References are
	// the passages in the steps. If there are references, the prompt asks for citations.
	Steps      []message.Message
	References []message.Reference
	// Quoted lists texts that people wrote and that the run uses, in addition to its question and
	// history.
	Quoted []string
	// Basis describes the content from which the run's question was derived.
	Basis message.Basis
}

func quotedTexts(req Request) []string {
	texts := message.Said(append(slices.Clip(req.History), req.Question)...)
	if req.Part != nil {
		texts = append(texts, req.Part.Quoted...)
	}
	return texts
}

func basis(req Request) message.Basis {
	if req.Part == nil {
		return message.Basis{}
	}
	return req.Part.Basis
}

// Numbers returns the citation numbers that are in use in the session of a request. Use it for
// [Part.Numbers].
func Numbers(req Request) *cite.Mapping { return newMapping(req) }

func citationNumbers(req Request) (*cite.Mapping, *cite.Numbers) {
	if req.Part != nil {
		return req.Part.Numbers, req.Part.Cited
	}
	return newMapping(req), &cite.Numbers{}
}

func (w *worker) restoreSteps() {
	part := w.req.Part
	if part == nil || len(part.Steps) == 0 {
		return
	}
	w.steps = slices.Clone(part.Steps)
	for _, m := range part.Steps {
		w.toolTokens += w.counter.Count(m.Text)
	}
	w.addPassages(part.References)
	w.recorder.AddReferences(part.References)
	w.toolReferences = slices.Clone(part.References)
	w.writer.addDocuments(part.References)
	w.recorder.AddSearch(len(part.References) > 0, nil, nil)
	w.citable = len(part.References) > 0
	w.recorder.AddSteps(part.Steps)
}
