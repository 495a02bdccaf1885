// Package pointcheck decides which documents a private answer may show. It asks the sources which
// documents the only reader of the answer may read now. The index holds permissions as of the last
// sync. A point check thus detects documents that were restricted after that sync.
package pointcheck

import (
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Limits of the permission checks before an answer shows passages.
const (
	// MaxQuestions is the maximum number of checks per answer. Documents beyond it are hidden.
	MaxQuestions = 20
	Timeout      = 3 * time.Second // time limit of all checks together
	FreshFor     = time.Minute     // how long a result is reused
)

// Question asks a source whether a person may read a document.
type Question struct {
	Source document.SourceID
	Person string // native id
	Point  index.Point
}

// Answer is a source's answer to a [Question]. Asked is the time of the question.
type Answer struct {
	Permission index.Permission
	Asked      time.Time
}

func (a Answer) fresh(now time.Time) bool {
	return a.Permission != index.CheckFailed && now.Sub(a.Asked) < FreshFor
}

// Newer returns the one of two answers to the same question that counts. A failed check never
// replaces an answer. Otherwise the answer with the later Asked counts. If both have the same
// Asked, a denial counts.
func Newer(a, b Answer) Answer {
	switch {
	case b.Permission == index.CheckFailed:
		return a
	case a.Permission == index.CheckFailed:
		return b
	case a.Asked.Equal(b.Asked):
		if b.Permission == index.Denied {
			return b
		}
		return a
	case b.Asked.After(a.Asked):
		return b
	}
	return a
}

// Questions returns, for each document, the questions that a source must answer before the document
// is shown. A document has none if the audience may read it anyway, or if its list names no node
// ([index.Node]). An audience of several people gets none. The order is that of the access list.
func Questions(audience access.Audience, documents []Document) map[document.ID][]Question {
	people := peopleOf(audience)
	out := make(map[document.ID][]Question)
	for _, d := range documents {
		if audience.MayRead(d.ACL) { // through a principal that is not a node
			continue
		}
		for _, p := range d.ACL {
			source, node, ok := access.ParseNode(p)
			if !ok {
				continue
			}
			for _, person := range people[source] {
				out[d.ID] = append(out[d.ID], Question{document.SourceID(source), person, index.Point{Document: d.ID, Node: node}})
			}
		}
	}
	return out
}

// Private reports whether the audience is one person who is known to a source. An audience of
// several people is never private.
func Private(audience access.Audience) bool { return len(peopleOf(audience)) > 0 }

func peopleOf(audience access.Audience) map[string][]string {
	people := make(map[string][]string)
	for _, p := range audience.Principals() {
		if source, id, ok := access.ParseSourcePerson(p); ok {
			people[source] = append(people[source], id)
		}
	}
	return people
}

// Document is a document with its stored access list. The list may name nodes ([index.Node])
// instead of people.
type Document struct {
	ID  document.ID
	ACL access.ACL
}

// Forget removes answers that have expired. It cannot reveal a document, because a question without
// an answer hides its document.
func Forget(known map[Question]Answer, now time.Time) {
	maps.DeleteFunc(known, func(_ Question, a Answer) bool { return !a.fresh(now) })
}

// Due returns the questions that have no fresh answer, without duplicates. It returns at most
// MaxQuestions.
func Due(questions []Question, known map[Question]Answer, now time.Time) []Question {
	var due []Question
	for _, q := range questions {
		if len(due) < MaxQuestions && !known[q].fresh(now) && !slices.Contains(due, q) {
			due = append(due, q)
		}
	}
	return due
}

// Verdict says whether an answer may show a document.
type Verdict int

// The values of [Verdict]. The zero value hides the document.
const (
	Unchecked Verdict = iota // hidden, and the answer says that documents could not be checked
	Hidden
	Shown
)

// Judge decides, from the answers to its questions, whether to show a document that a search found.
// One permission is enough, because each question is a separate way to read the document. Without
// questions, or if every answer is [index.CannotAsk], the document is shown.
func Judge(questions []Question, known map[Question]Answer, now time.Time) Verdict {
	var denied, unchecked bool
	for _, q := range questions {
		a := known[q]
		switch {
		case a.Permission == index.Denied: // even if the answer is not fresh
			denied = true
		case !a.fresh(now):
			unchecked = true
		case a.Permission == index.Allowed:
			return Shown
		}
	}
	switch {
	case unchecked:
		return Unchecked
	case denied:
		return Hidden
	}
	return Shown
}
