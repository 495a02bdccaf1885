package message

import (
	"slices"

	"github.com/footnotehq/footnote/core/document"
)

// Task is the role of a question that the program asks itself, such as a part of a deep search. A
// model or a document may have written it, so it never counts as a person's text.
const Task Role = "task"

// Said returns the texts that people wrote: those of role User, which only what a person sent to a
// thread has. Everything else was made by a model, a document or a program, wherever it is laid
// out.
func Said(messages ...Message) []string {
	var said []string
	for _, m := range messages {
		if m.Role == User && m.Text != "" {
			said = append(said, m.Text)
		}
	}
	return said
}

// Basis is what a text was made of. Whoever reads the text may learn what the basis says, so a text
// is private if anything in its basis is.
type Basis struct {
	Documents []document.ID
	Unknown   bool // something else is in it, and its audience is not known
}

// BasisOf returns the basis of a text that was made of messages: their documents and their files.
func BasisOf(messages ...Message) Basis {
	var b Basis
	for _, m := range messages {
		b = b.With(BasisOfReferences(m.Documents))
		for _, c := range m.Citations {
			b = b.With(Basis{Documents: []document.ID{c.Document.ID}})
		}
		b = b.With(BasisOfFiles(m.Files))
	}
	return b
}

// BasisOfReferences returns the basis of a text that was made of passages.
func BasisOfReferences(references []Reference) Basis {
	var b Basis
	for _, r := range references {
		b = b.With(Basis{Documents: []document.ID{r.Document.ID}})
	}
	return b
}

// BasisOfFiles returns the basis of a text that was made of files. The audience of an attached file
// is not known.
func BasisOfFiles(files []File) Basis {
	var b Basis
	for _, f := range files {
		switch {
		case f.Document.ID != "":
			b = b.With(Basis{Documents: []document.ID{f.Document.ID}})
		case f.Failed == "":
			b.Unknown = true
		}
	}
	return b
}

// With returns the basis of a text that was made of both. Neither is changed.
func (b Basis) With(other Basis) Basis {
	union := Basis{Documents: slices.Clip(b.Documents), Unknown: b.Unknown || other.Unknown}
	for _, id := range other.Documents {
		if !slices.Contains(union.Documents, id) {
			union.Documents = append(union.Documents, id)
		}
	}
	return union
}
