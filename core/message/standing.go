package message

import (
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// Stands reports whether text, the current text of a document, still contains every block of shown.
// It ignores differences in white space.
func Stands(shown, text string) bool {
	text = plain(text)
	for block := range strings.SplitSeq(shown, document.BlockSeparator) {
		if !strings.Contains(text, plain(block)) {
			return false
		}
	}
	return true
}

func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// Shown returns all references to documents in a conversation whose text the model has seen.
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

// Standing returns the messages of history without answers that depend on withdrawn text. taken
// reports whether the text of a reference was withdrawn, for example because a message was deleted.
// Later answers that cite the same document are removed too. Standing does not modify history.
func Standing(history []Message, taken func(Reference) bool) []Message {
	numbers := make(map[int]bool) // the models' numbers of documents with withdrawn text
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
