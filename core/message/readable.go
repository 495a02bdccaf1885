package message

import "github.com/footnotehq/footnote/core/document"

// Readable returns the part of a conversation that may be shown to an audience: an answer whose
// prompt held a document that allowed refuses is left out with the tool calls of its turn, because
// both may repeat what the document says. Questions stay: the people in the thread wrote them.
// history is not changed.
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

// without leaves out the turns with a message that hides them, but for their questions.
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

// Distinct lists each document of an answer's prompt once, by the first of its references, in the
// order in which it was shown to the model. One of which the model saw no more than the title was
// not among those that the searches found.
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
