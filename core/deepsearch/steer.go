package deepsearch

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
)

// Instruction is a person's request to a deep search. It adds a question or drops questions of the
// plan, or decides whether a waiting search starts. Fields of other actions are empty.
type Instruction struct {
	Add  string
	Drop []int // numbers of sub-questions, from 1
	Rest bool  // drops all questions without a finding
	// Choice decides whether a waiting search starts. If Choice is set, all other fields except Of
	// are empty. Of is the turn of the search. If Of is empty, Choice applies to any waiting turn.
	Choice Choice
	Of     session.TurnID
}

var choices = map[string]Choice{"start": Start, "just answer": Plainly}

var (
	addressed   = regexp.MustCompile(`^(?:\s*<@[^>]*>[:,]?)+`)
	addition    = regexp.MustCompile(`(?is)^add\s*:(.*)$`)
	replacement = regexp.MustCompile(`(?is)^instead(?:\s+of\s+` + rowNumbers + `)?\s*:(.*)$`)
	exclusion   = regexp.MustCompile(`(?is)^drop\s*:?\s*(?:` + rowNumbers + `)?[\s.!]*$`)
)

// rowNumbers matches "2", "2 and 3" and "number 2, 3".
const rowNumbers = `(?:(?:questions?|numbers?|no\.)\s*)?(\d{1,3}(?:(?:\s*,\s*|\s+(?:and\s+)?)\d{1,3})*)`

// ParseInstruction parses "add: …", "drop 2", "drop 2 and 3", "instead: …", "instead of 2:
// …", "start" and "just answer", after mentions of the bot. ok is false for any other text, which
// is an ordinary message.
func ParseInstruction(text string) (in Instruction, ok bool) {
	text = strings.TrimSpace(addressed.ReplaceAllString(text, ""))
	if choice := choices[strings.ToLower(strings.TrimRight(text, ".! "))]; choice != "" {
		return Instruction{Choice: choice}, true
	}
	if m := addition.FindStringSubmatch(text); m != nil {
		return Instruction{Add: oneLine(m[1])}, true
	}
	if m := replacement.FindStringSubmatch(text); m != nil {
		return Instruction{Add: oneLine(m[2]), Drop: rowsOf(m[1]), Rest: m[1] == ""}, true
	}
	if m := exclusion.FindStringSubmatch(text); m != nil {
		return Instruction{Drop: rowsOf(m[1])}, true
	}
	return Instruction{}, false
}

func oneLine(text string) string {
	return excerpt(strings.Join(strings.Fields(text), " "), maxSubQuestion)
}

var digits = regexp.MustCompile(`\d+`)

func rowsOf(text string) (rows []int) {
	for _, d := range digits.FindAllString(text, -1) {
		// the pattern allows only digits
		if n, err := strconv.Atoi(d); err == nil && !slices.Contains(rows, n) {
			rows = append(rows, n)
		}
	}
	return rows
}

// MissingPart returns a sentence that tells the person what an incomplete instruction lacks. It is
// "" if the instruction is complete.
func (in Instruction) MissingPart() string {
	switch {
	case in.Choice != "" || in.Add != "" || len(in.Drop) > 0 && !in.Rest:
		return ""
	case in.Rest:
		return "Say what is to be looked into instead, such as \"instead: who owns the billing service?\"."
	default:
		return "Say which question is meant, such as \"add: who owns the billing service?\" or \"drop 2\"."
	}
}

// Steering applies people's instructions to running deep searches. It is safe for concurrent use by
// any number of processes.
type Steering interface {
	// Steer applies an instruction to the plan of a running deep search, if the person may stop
	// that search. It selects the search that a stop in the same thread would stop. It applies
	// either the whole instruction or nothing. Steer is idempotent: it does not add a question
	// again, and dropped questions stay dropped.
	Steer(ctx context.Context, at session.StopRequest, in Instruction) (Steered, error)
}

// MaxAdded is the maximum number of questions that people may add to one deep search.
const MaxAdded = 6

// Steered is the result of an [Instruction].
type Steered struct {
	Became Became
	Rows   int // number of rows of the plan
	Turn   session.TurnID
}

// Became says whether and why an [Instruction] changed the plan.
type Became string

// The values of [Became].
const (
	NoSearch  Became = ""          // no deep search runs: treat the message as any other
	Changed   Became = "changed"   // the plan changed, and its message shows it
	Forbidden Became = "forbidden" // it is another person's search
	Unplanned Became = "unplanned" // the plan does not have such rows yet
	Decided   Became = "decided"   // the search has already started or was declined
	Over      Became = "over"      // the report is being written or exists
	NoRow     Became = "no row"    // the instruction names an unknown question
	Full      Became = "full"      // MaxAdded questions were already added
	Lacked    Became = "lacked"    // the instruction is incomplete
)

// Sentence returns the reply to the person who gave the instruction. It is "" if the plan already
// shows the result, or if no deep search runs.
func (s Steered) Sentence(in Instruction) string {
	switch s.Became {
	case Forbidden:
		return "This is someone else's search: only whoever asked, whoever began the thread and administrators can change it."
	case Unplanned:
		return "The plan is still being made. Say it again once it stands there."
	case Decided:
		return "That was decided already."
	case Over:
		return "The search is over, so its plan cannot be changed any more. Ask in this thread, or begin a question with \"deep:\" to have it looked into."
	case NoRow:
		return fmt.Sprintf("The plan has no such question: they are numbered from 1 to %d.", s.Rows)
	case Full:
		return plural.Count(MaxAdded, "question") + " were added already. Drop one, or ask once the report is there."
	case Lacked:
		return in.MissingPart()
	case NoSearch, Changed:
	}
	return ""
}

// errDropped is the cancellation cause of a sub-question that a person dropped. It wraps
// [turn.ErrStopped].
var errDropped = fmt.Errorf("a person dropped the sub-question: %w", turn.ErrStopped)

func (s *inquiry) steer(ctx context.Context) {
	if s.Journal == nil {
		return
	}
	known := s.rowCount()
	changes, err := s.Journal.Changes(ctx, s.fence(), known)
	if err != nil {
		if context.Cause(ctx) == nil {
			s.Logger.WarnContext(ctx, "loading changes to the plan failed", "turn", s.req.Turn, "error", err)
		}
		return
	}
	if at := slices.IndexFunc(changes.Added, func(q SubQuestion) bool { return !q.Added }); at >= 0 {
		// a round is being added; the next call finds later additions
		changes.Added = changes.Added[:at]
	}
	for _, r := range s.addUnlessChanged(known, changes.Added) {
		s.showRows(r.Round, []*row{r})
	}
	for _, number := range changes.Dropped {
		if number < 1 || number > s.rowCount() {
			continue
		}
		s.mu.Lock()
		r := s.rows[number-1]
		dropped, cancel := Finding{State: Dropped}, r.cancel
		if r.finding != nil {
			dropped.Searches, dropped.Took, dropped.Behind = r.finding.Searches, r.finding.Took, r.finding.References
		}
		gone := r.finding != nil && r.finding.State == Dropped
		s.mu.Unlock()
		if gone {
			continue
		}
		s.setFinding(ctx, r, dropped, false)
		if cancel != nil {
			cancel(errDropped)
		}
	}
	if len(changes.Added)+len(changes.Dropped) > 0 {
		s.notifyChange()
	}
}

func (s *inquiry) rowCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rows)
}

// closePlan closes the plan to further changes by people. It returns false if a person has added a
// question, which must be searched before the report.
func (s *inquiry) closePlan(ctx context.Context) bool {
	if s.Journal == nil || context.Cause(ctx) != nil {
		return true
	}
	closed, err := s.Journal.Close(ctx, s.fence(), s.rowCount())
	if err != nil {
		s.Logger.WarnContext(ctx, "closing the plan failed; writing the report anyway", "turn", s.req.Turn, "error", err)
		return true
	}
	s.steer(ctx)
	return closed
}
