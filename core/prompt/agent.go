package prompt

import (
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/core/document"
)

// Grounding says how far an agent may go beyond the documents.
type Grounding string

// The groundings of an agent.
const (
	Open   Grounding = "open"   // the default: general knowledge is allowed and said to be that
	Strict Grounding = "strict" // only what documents support; otherwise "nothing found"
)

// Agent is who answers: a persona with its own instructions, tools and documents. The zero Agent is
// the product's default.
type Agent struct {
	Name          string
	Instructions  string // moves along, just above the newest user message
	ReplaceSystem bool   // Instructions are the system prompt instead, and stay at the top
	Tools         []string
	Sources       []document.SourceID // all when empty
	Model         string              // the configured one when empty
	Reminder      string              // goes to the very end of every prompt: one or two sentences
	Grounding     Grounding
}

// Validate names all faults of an agent.
func (a Agent) Validate() error {
	var errs []error
	if a.ReplaceSystem && a.Instructions == "" {
		errs = append(errs, errors.New("it replaces the system prompt but has no instructions"))
	}
	if a.Grounding != "" && a.Grounding != Open && a.Grounding != Strict {
		errs = append(errs, fmt.Errorf("grounding %q is not known: write open or strict", a.Grounding))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("agent %q: %w", a.Name, err)
	}
	return nil
}
