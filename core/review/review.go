// Package review decides what a person may see of stored questions, their answers and their
// traces: at the command line, in the console, in reports and in exports.
package review

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Viewer is the person who looks. The zero Viewer sees nothing.
type Viewer struct {
	// Person asked the questions that are the viewer's own. An empty workspace means any.
	Person access.Account
	Name   string // on the platform; empty: unknown
	// Audience is the viewer alone. Answers and passages are limited to what it may read.
	Audience access.Audience
	// Revealed are questions of others that are shown for a reason at the moment.
	Revealed []session.TurnID
	// Terminal says that the viewer runs the program, and so sees what was asked in every channel.
	Terminal bool
}

// Terminal is the platform of viewers who are an account of the machine.
const Terminal = "console"

// Question is a stored question with what came of it.
type Question struct {
	Turn   session.TurnID
	At     time.Time
	Ref    thread.Ref
	Owner  string // whose private session it belongs to; empty for the thread's own
	Direct bool
	// Enclosed says that the thread may have fewer readers than its channel, as a private thread of
	// Discord has.
	Enclosed bool
	Asker    thread.Person
	Outcome  session.Outcome // empty while it is being answered
	Text     string

	FirstWords time.Duration // from intake to the first words; zero where there were none
	Took       time.Duration // from intake to the outcome
	Up, Down   int           // votes
	Retried    bool          // the asker wanted another answer
	Corrected  bool
	Removed    bool
	Uncited    bool // answered, though no document was cited
}

// Private reports whether the answer was for the asker alone.
func (q Question) Private() bool { return q.Owner != "" || q.Direct }

// Scope is a Viewer's view of questions in a form that a store can apply. May says what it means.
type Scope struct {
	Everywhere bool               // every question that is not private
	Channels   []access.Principal // those asked in channels that the viewer is in, unless Enclosed
	Person     access.Account     // and the viewer's own
	Revealed   []session.TurnID   // and these, which are shown for a reason
}

// Scope returns which questions the viewer may see.
func (v Viewer) Scope() Scope {
	s := Scope{Everywhere: v.Terminal, Person: v.Person, Revealed: v.Revealed}
	for _, p := range v.Audience.Principals() {
		if p.Kind() == "channel" {
			s.Channels = append(s.Channels, p)
		}
	}
	return s
}

// May reports whether a question may be seen: the viewer's own, and those that are shown for a
// reason. Of others those that were asked in a channel that the viewer is in, and not in a thread
// that may be closed to the viewer. A question that was deleted, or to which the bot was silent, is
// hidden from everyone.
func (s Scope) May(q Question) bool {
	if q.Outcome.Silent() {
		return false
	}
	if s.own(q) || slices.Contains(s.Revealed, q.Turn) {
		return true
	}
	return !q.Private() && (s.Everywhere || !q.Enclosed && slices.Contains(s.Channels, access.Channel(string(q.Ref.Platform), q.Ref.Channel)))
}

func (s Scope) own(q Question) bool {
	p := s.Person
	return p.ID != "" && q.Asker.ID == p.ID && string(q.Ref.Platform) == p.Platform &&
		(p.Workspace.ID == "" || q.Ref.Workspace == p.Workspace.ID) && (q.Owner == "" || q.Owner == p.ID)
}

// Query says which questions are wanted. The zero value of a field wants all.
type Query struct {
	Since, Until time.Time // Until is exclusive
	Outcome      session.Outcome
	Person       string // id or name of the asker
	Channel      string // id
	Text         string // words of the question, each from its beginning
	Unsatisfying bool   // only those that Unsatisfying reports
	Limit        int    // the newest; 0 means PageSize
	Before       Cursor // goes on from here
}

// PageSize is how many questions a page lists.
const PageSize = 50

// Cursor is a place in the list of questions, which begins with the newest. The zero Cursor is its
// beginning.
type Cursor struct {
	At   time.Time
	Turn session.TurnID
}

// Counts says how many questions of a period there are. Filters by words, people and places do not
// apply to it: a count must not tell what hidden questions are about.
type Counts struct {
	Seen    int `json:"seen"`    // may be seen
	Private int `json:"private"` // private questions of other people
	Hidden  int `json:"hidden"`  // asked in channels that the viewer is not in
}

// Unsatisfying reports whether an answer was missing or wanting: nothing was found, no document was
// cited, a person voted it down, asked again, or corrected it.
func (q Question) Unsatisfying() bool {
	return q.Outcome == session.NoEvidence || q.Outcome == session.Answered && q.Uncited || q.Down > 0 || q.Retried || q.Corrected
}

// Sort puts questions into the order in which they were asked.
func Sort(all []Question) {
	slices.SortFunc(all, func(a, b Question) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Turn, b.Turn)) })
}

// Cell is a text as a cell of CSV: one that a spreadsheet would take for a formula gets a quotation
// mark before it.
func Cell(text string) string {
	if trimmed := strings.TrimLeft(text, " \t\r\n\u00a0"); trimmed != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(trimmed)[0]) || strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "\r") {
		return "'" + text
	}
	return text
}
