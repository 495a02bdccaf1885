package message

import (
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// Stands reports whether what was shown of a document is still part of its text: each block of it,
// whatever the spaces. What was added since, before it, after it or between its blocks, is no
// change of it.
func Stands(shown, text string) bool {
	text = plain(text)
	for block := range strings.SplitSeq(shown, document.BlockSeparator) {
		if !strings.Contains(text, plain(block)) {
			return false
		}
	}
	return true
}

// plain is a text with one space between two words.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// Shown lists what answers were shown of documents.
func Shown(history []Message) []Reference {
	var shown []Reference
	for _, m := range history {
		for _, r := range m.Documents {
			if r.Text != "" {
				shown = append(shown, r)
			}
		}
	}
	return shown
}

// Standing returns the part of a conversation that rests on nothing that was taken back since, such
// as a deleted message of a thread: an answer whose prompt held text of a document that is no part
// of it any more is left out as by Readable, and so are later ones that had the document from it.
// history is not changed.
func Standing(history []Message, taken func(Reference) bool) []Message {
	numbers := make(map[int]bool) // under which models know the documents
	for _, r := range Shown(history) {
		if taken(r) {
			numbers[r.Number] = true
		}
	}
	return without(history, func(m Message) bool {
		for _, r := range m.Documents {
			if numbers[r.Number] {
				return true
			}
		}
		for _, c := range m.Citations {
			if numbers[c.ModelSees] {
				return true
			}
		}
		return false
	})
}
