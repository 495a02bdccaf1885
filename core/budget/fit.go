package budget

import (
	"errors"
	"fmt"
	"strings"
)

const (
	// MinWindow is the minimum supported window in tokens.
	MinWindow = 1000
	// ReplyTokens is the default number of tokens reserved for a reply.
	ReplyTokens = 600
)

// ErrTooLarge means that the context exceeds the model's window even after everything possible was
// shortened or omitted. The usual cause is images.
var ErrTooLarge = errors.New("the message does not fit the model's window")

// ErrWindow reports that the model's window is smaller than [MinWindow].
var ErrWindow = errors.New("the model's window is too small")

// Config describes the window of a [Fitter].
type Config struct {
	// Window is the size of the model's window in tokens, for prompt and reply together. The
	// minimum is MinWindow.
	Window int
	// Reserve is the number of tokens reserved for the reply. The maximum is half the window. 0
	// means [ReplyTokens], or a quarter of the window if that is less.
	Reserve int
	// Marker replaces removed text; "" means [DefaultMarker].
	Marker string
}

// Fitter shortens contexts so that they fit a model's window. It is safe for concurrent use.
//
// A context that fits is sent unchanged. Otherwise each part gets a share of the window, after the
// tokens for the reply are subtracted:
//
//   - instructions (System, Tools, Agent, Reminder): 15 %;
//   - history and files: 15 %, newest turns first, whole turns only; the newest
//     three may be shortened;
//   - the newest message, the project and the tool results of this turn: the
//     rest. Tool results are trimmed first, the largest of them first.
//
// Instructions, and files of the newest message, may exceed their share if other parts leave space.
//
// If the newest message alone takes more than 70 %, it is sent without history, files and project.
// If the context is still too large, the message is shortened to at most 80 %.
type Fitter struct {
	counter Counter
	room    int
	limit   int
	marker  string
}

// NewFitter returns a [Fitter] for the window that config describes. The error names all faults of
// config. If counter does not cache its counts, wrap it in a [Memo].
func NewFitter(counter Counter, config Config) (*Fitter, error) {
	if config.Reserve == 0 {
		config.Reserve = min(ReplyTokens, config.Window/4)
	}
	if config.Marker == "" {
		config.Marker = DefaultMarker
	}
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("fit the context: %w", err)
	}
	limit := config.Window - config.Reserve
	return &Fitter{
		counter: counter,
		room:    limit - conversationTokens,
		limit:   limit,
		// The marker must not add invalid bytes to the text.
		marker: strings.ToValidUTF8(config.Marker, ""),
	}, nil
}

func (c Config) validate() error {
	var errs []error
	if c.Window < MinWindow {
		errs = append(errs, fmt.Errorf("%w: it is %d tokens, at least %d are needed: choose a model with a larger one", ErrWindow, c.Window, MinWindow))
	}
	if c.Reserve < 0 || c.Reserve > c.Window/2 {
		errs = append(errs, fmt.Errorf("the reply reserve is %d tokens, set it between 0 and half the window of %d", c.Reserve, c.Window))
	}
	return errors.Join(errs...)
}

// Fit returns the parts of sections to send. Their size is at most the window minus the tokens
// reserved for the reply. It includes 3 tokens for each message and 5 for the conversation. The
// result always includes System, Agent and Reminder sections and the last User section. Fit does
// not change sections.
//
// The error is [ErrTooLarge] if the content that can be neither shortened nor omitted, mostly
// images, exceeds this size.
func (f *Fitter) Fit(sections []Section) (Fitted, error) {
	for i, s := range sections {
		if s.Kind < 0 || int(s.Kind) >= kinds {
			return Fitted{}, fmt.Errorf("fit the context: section %d has the unknown kind %d", i, s.Kind)
		}
	}
	p := newPlan(f.counter, f.room, sections)
	before := p.size() + conversationTokens
	if err := p.solve(); err != nil {
		return Fitted{}, fmt.Errorf("fit %d tokens into %d: %w", before, f.limit, err)
	}
	result := Fitted{
		ProjectOverflow: p.projectOverflow,
		Report: Report{
			Before: before, After: conversationTokens, Limit: f.limit,
			DroppedTurns: p.droppedTurns, Standalone: p.standalone,
		},
	}
	for _, s := range p.all {
		if s.dropped {
			result.Report.Dropped[s.kind]++
			continue
		}
		section := Kept{Index: s.index, Text: s.text, Tokens: s.cost()}
		if s.keep < s.count {
			text, size := cutMiddle(f.counter, s.text, s.keep, f.marker)
			section.Text, section.Tokens, section.Trimmed = text, s.fixed+size, true
			result.Report.Trimmed[s.kind]++
		}
		result.Sections = append(result.Sections, section)
		result.Report.After += section.Tokens
	}
	// The plan should fit by construction. This check prevents a request that the provider would
	// refuse.
	if result.Report.After > f.limit {
		return Fitted{}, fmt.Errorf("fitted context has %d tokens of %d: %w", result.Report.After, f.limit, ErrTooLarge)
	}
	return result, nil
}
