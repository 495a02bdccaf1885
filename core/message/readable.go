package message

import "github.com/footnotehq/footnote/core/document"

// Readable returns the messages of history that an audience may see. allowed reports whether the
// audience may read a document. If any document of a turn may not be read, only the turn's question
// remains. Readable does not modify history.
func Readable(history []Message, allowed func(document.ID) bool) []Message {
	return without(history, func(m Message) bool {
		for _, r := range m.Documents {
			if !allowed(r.Document.ID) {
				return true
			}
		}
		for _, c := range m.Citations {
			if !allowed(c.Document.ID) {
				return true
			}
		}
		return false
	})
}

func without(history []Message, hides func(Message) bool) []Message {
	hidden := make(map[int]bool)
	for _, m := range history {
		if hides(m) {
			hidden[m.Turn] = true
		}
	}
	if len(hidden) == 0 {
		return history
	}
	kept := make([]Message, 0, len(history))
	for _, m := range history {
		if m.Role == User || !hidden[m.Turn] {
			kept = append(kept, m)
		}
	}
	return kept
}

// Distinct returns the first reference to each document, in order. It skips references without
// text, of which the model saw only the title.
func Distinct(references []Reference) []Reference {
	var found []Reference
	seen := make(map[document.ID]bool)
	for _, r := range references {
		if r.Text != "" && !seen[r.Document.ID] {
			seen[r.Document.ID] = true
			found = append(found, r)
		}
	}
	return found
}
