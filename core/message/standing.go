package message

import (
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// Stands reports whether a document's text still contains each block of shown. It ignores
// differences in white space. It also ignores text that was added before, after or between the
// blocks.
func Stands(shown, text string) bool {
	text = plain(text)
	for block := range strings.SplitSeq(shown, document.BlockSeparator) {
		if !strings.Contains(text, plain(block)) {
			return false
		}
	}
	return true
}

// plain returns text with a single space between all words.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// Shown returns the references with text that were in the prompts of the history's answers.
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

// Standing removes answers that depend on withdrawn text from a conversation. taken reports whether
// the text of a reference was withdrawn, for example because a message of a thread was deleted.
// Standing drops every answer with such a text in its prompt, as Readable does. It also drops later
// answers that inherited the document. It does not modify history.
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
