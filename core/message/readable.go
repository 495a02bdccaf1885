package message

import "github.com/footnotehq/footnote/core/document"

// Readable returns the part of a conversation that may be shown to an audience: an answer whose prompt held a document that allowed
// refuses is left out with the tool calls of its turn, because both may repeat what the document says. Questions stay: the people in
// the thread wrote them. history is not changed.
func Readable(history []Message, allowed func(document.ID) bool) []Message {
	hidden := make(map[int]bool)
	for _, m := range history {
		for _, r := range m.Documents {
			if !allowed(r.Document.ID) {
				hidden[m.Turn] = true
			}
		}
		for _, c := range m.Citations {
			if !allowed(c.Document.ID) {
				hidden[m.Turn] = true
			}
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
