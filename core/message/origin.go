package message

import (
	"slices"

	"github.com/footnotehq/footnote/core/document"
)

// Task is the role of a question that the program itself asks, for example a part of a deep search.
// Such a question never counts as a person's text.
const Task Role = "task"

// Said returns the texts that people wrote: the non-empty texts of messages with the role User.
func Said(messages ...Message) []string {
	var said []string
	for _, m := range messages {
		if m.Role == User && m.Text != "" {
			said = append(said, m.Text)
		}
	}
	return said
}

// Basis lists the documents that a text was made from. The text is private if any of these
// documents is private.
type Basis struct {
	Documents []document.ID
	Unknown   bool // the text was also made from content with an unknown audience
}

// BasisOf returns the basis of a text that was made from messages: their documents, citations and
// files.
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

// BasisOfReferences returns the basis of a text that was made from passages.
func BasisOfReferences(references []Reference) Basis {
	var b Basis
	for _, r := range references {
		b = b.With(Basis{Documents: []document.ID{r.Document.ID}})
	}
	return b
}

// BasisOfFiles returns the basis of a text that was made from files. It sets Unknown if a file was
// attached to a message, because the readers of such a file are unknown.
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

// With returns the union of both bases. It does not modify them.
func (b Basis) With(other Basis) Basis {
	union := Basis{Documents: slices.Clip(b.Documents), Unknown: b.Unknown || other.Unknown}
	for _, id := range other.Documents {
		if !slices.Contains(union.Documents, id) {
			union.Documents = append(union.Documents, id)
		}
	}
	return union
}
