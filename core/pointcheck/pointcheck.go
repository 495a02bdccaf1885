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

// Newer returns the answer to keep of two answers to the same question. It prefers any answer to a
// failed check, then the answer with the later Asked, and then a denial.
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

// Questions returns the questions to ask sources before documents are shown. It returns none for a
// document that the audience may read anyway, and none if the audience has several people.
// Questions exist only for documents whose access list names a node ([index.Node]), such as a
// folder.
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

// Private reports whether the audience is a single person, and a source knows that person.
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

// Document is a document with its stored access list. An entry of the list may be a node, such as a
// folder, instead of people. See [index.Node].
type Document struct {
	ID  document.ID
	ACL access.ACL
}

// Forget deletes expired answers from known. Documents that depend on them are hidden until their
// questions are asked again.
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

// Judge decides whether a document may be shown. known has the answers to its questions. One fresh
// permission is enough. If there are no questions, or every answer is [index.CannotAsk], the
// document is shown.
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
