package prompt

import (
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/core/document"
)

// Grounding says whether an agent may answer from general knowledge.
type Grounding string

// The values of [Grounding].
const (
	Open   Grounding = "open"   // the default: general knowledge is allowed, and the answer says so
	Strict Grounding = "strict" // only what documents support; otherwise "nothing found"
)

// Agent is a persona of the bot with its own instructions, tools and documents. The zero Agent is
// the default agent.
type Agent struct {
	Name          string
	Instructions  string // placed just above the newest user message
	ReplaceSystem bool   // Instructions replace the system prompt
	Tools         []string
	Sources       []document.SourceID // empty: all
	Model         string              // empty: the configured model
	Reminder      string              // one or two sentences at the end of every prompt
	Grounding     Grounding
}

// Validate returns all faults of an agent as one error, or nil.
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
