// Package review decides which stored questions, answers and traces a person may see. It is used by
// the command line, the console, reports and exports.
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

// Viewer is a person who looks at questions. The zero Viewer sees nothing.
type Viewer struct {
	// Person is the account of the viewer. It determines which questions are the viewer's own. An
	// empty workspace matches any workspace.
	Person access.Account
	Name   string // name on the platform; empty: unknown
	// Audience is the audience of the viewer alone. It limits the answers and passages that are
	// shown.
	Audience access.Audience
	// Revealed lists other people's questions that the viewer can currently see for a stated
	// reason.
	Revealed []session.TurnID
	// Terminal says that the viewer runs the program. Such a viewer sees the questions of every
	// channel.
	Terminal bool
}

// Terminal is the platform of viewers who are signed in as an account of the machine.
const Terminal = "console"

// Question is a stored question with its outcome.
type Question struct {
	Turn   session.TurnID
	At     time.Time
	Ref    thread.Ref
	Owner  string // owner of the private session; empty: the thread's session
	Direct bool
	// Enclosed says that the thread may have fewer readers than its channel. An example is a
	// private thread of Discord.
	Enclosed bool
	Asker    thread.Person
	Outcome  session.Outcome // empty while it is being answered
	Text     string

	FirstWords time.Duration // from intake to the first words; zero: none
	Took       time.Duration // from intake to the outcome
	Up, Down   int           // votes
	Retried    bool          // the asker requested another answer
	Corrected  bool
	Removed    bool
	Uncited    bool // answered without citing a document
}

// Private reports whether only the asker saw the answer.
func (q Question) Private() bool { return q.Owner != "" || q.Direct }

// Scope says which questions a Viewer may see. A store can turn it into conditions of a query. See
// [Scope.May] for the meaning of the fields.
type Scope struct {
	Everywhere bool               // all questions that are not private
	Channels   []access.Principal // questions in these channels that are not private and not Enclosed
	Person     access.Account     // questions of this person
	Revealed   []session.TurnID   // questions that are visible for a stated reason
}

// Scope returns the set of questions that the viewer may see.
func (v Viewer) Scope() Scope {
	s := Scope{Everywhere: v.Terminal, Person: v.Person, Revealed: v.Revealed}
	for _, p := range v.Audience.Principals() {
		if p.Kind() == "channel" {
			s.Channels = append(s.Channels, p)
		}
	}
	return s
}

// May reports whether the viewer may see a question. Viewers see their own questions and those in
// Revealed. They see the public questions of other people in their Channels, except in Enclosed
// threads. If Everywhere is set, they see all public questions. Deleted and ignored questions are
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

// Query selects questions. A field with the zero value does not restrict the selection.
type Query struct {
	Since, Until time.Time // Until is exclusive
	Outcome      session.Outcome
	Person       string // id or name of the asker
	Channel      string // id
	Text         string // prefixes of words in the question
	Unsatisfying bool   // only those for which Unsatisfying is true
	Limit        int    // maximum number, the newest first; 0 means PageSize
	Before       Cursor // continue after this position
}

// PageSize is the default number of questions per page.
const PageSize = 50

// Cursor is a position in the list of questions, which is ordered newest first. The zero Cursor is
// the beginning of the list.
type Cursor struct {
	At   time.Time
	Turn session.TurnID
}

// Counts holds the numbers of questions in a period. Only the period filters them. Counts by words,
// people or channels would reveal what hidden questions are about.
type Counts struct {
	Seen    int `json:"seen"`    // visible to the viewer
	Private int `json:"private"` // private questions of other people
	Hidden  int `json:"hidden"`  // in channels that the viewer is not in
}

// Unsatisfying reports whether the answer was missing or poor. An answer is poor if it cites no
// document, or if a person voted it down, asked again or corrected it.
func (q Question) Unsatisfying() bool {
	return q.Outcome == session.NoEvidence || q.Outcome == session.Answered && q.Uncited || q.Down > 0 || q.Retried || q.Corrected
}

// Sort sorts questions by the time when they were asked, oldest first.
func Sort(all []Question) {
	slices.SortFunc(all, func(a, b Question) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Turn, b.Turn)) })
}

// Cell returns a text for a cell of CSV. If a spreadsheet would read the text as a formula, Cell
// prefixes it with an apostrophe.
func Cell(text string) string {
	if trimmed := strings.TrimLeft(text, " \t\r\n\u00a0"); trimmed != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(trimmed)[0]) || strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "\r") {
		return "'" + text
	}
	return text
}
