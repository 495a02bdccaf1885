// Package pointcheck decides what a private answer may show, from what sources say about its one
// listener at this moment. The index knows what the last pass read; a point check finds what was
// restricted since.
package pointcheck

import (
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Bounds of the checks before an answer shows passages.
const (
	// at most so many are asked at once; documents beyond them are hidden
	MaxQuestions = 20
	Timeout      = 3 * time.Second // for all of them
	FreshFor     = time.Minute     // for how long an answer is used again
)

// Question asks one source whether one of its people may read a document.
type Question struct {
	Source document.SourceID
	Person string // native id
	Point  index.Point
}

// Answer is what a source said, and when it was asked.
type Answer struct {
	Permission index.Permission
	Asked      time.Time
}

// fresh reports whether the answer needs no further question at a time.
func (a Answer) fresh(now time.Time) bool {
	return a.Permission != index.CheckFailed && now.Sub(a.Asked) < FreshFor
}

// Newer returns which of two answers to a question counts. A failed check never replaces an answer.
// Otherwise the one that was asked for later counts, whichever arrived first; of two asked for at
// once a denial.
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

// Questions returns what to ask about documents in the order in which they are given, which names
// the most important first. Documents without a node of a source, or of sources in which the
// audience is no one person, have no question: several people listen, or the index alone knows who
// may read.
func Questions(audience access.Audience, documents []Document) map[document.ID][]Question {
	people := peopleOf(audience)
	out := make(map[document.ID][]Question)
	for _, d := range documents {
		if audience.MayRead(d.ACL) { // by a principal that no node stands for
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

// Private reports whether one person listens who is known to a source. An audience of several holds
// no source's person.
func Private(audience access.Audience) bool { return len(peopleOf(audience)) > 0 }

// peopleOf returns the native ids of the one listener by source.
func peopleOf(audience access.Audience) map[string][]string {
	people := make(map[string][]string)
	for _, p := range audience.Principals() {
		if source, id, ok := access.ParseSourcePerson(p); ok {
			people[source] = append(people[source], id)
		}
	}
	return people
}

// Document is a document with its access list as stored, in which nodes have not been replaced by
// their readers.
type Document struct {
	ID  document.ID
	ACL access.ACL
}

// Forget removes answers that are not fresh. That shows nothing: a question without an answer hides
// its document.
func Forget(known map[Question]Answer, now time.Time) {
	maps.DeleteFunc(known, func(_ Question, a Answer) bool { return !a.fresh(now) })
}

// Due returns which of the questions to ask now: those without a fresh answer, each once,
// MaxQuestions at most.
func Due(questions []Question, known map[Question]Answer, now time.Time) []Question {
	var due []Question
	for _, q := range questions {
		if len(due) < MaxQuestions && !known[q].fresh(now) && !slices.Contains(due, q) {
			due = append(due, q)
		}
	}
	return due
}

// Verdict says what happens to a document.
type Verdict int

// Verdicts. The zero value hides.
const (
	Unchecked Verdict = iota // hidden, and the answer says that documents could not be checked
	Hidden
	Shown
)

// Judge decides about a document that the index shows, by the answers to its questions. One
// permission shows it: each question is another way to read it. The index decides where the source
// cannot be asked at all.
func Judge(questions []Question, known map[Question]Answer, now time.Time) Verdict {
	var denied, unchecked bool
	for _, q := range questions {
		a := known[q]
		switch {
		case a.Permission == index.Denied: // until a later question is answered with yes
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
