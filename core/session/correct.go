package session

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/message"
)

// footnotePattern is a citation as readers see it: [[2]](address).
var footnotePattern = regexp.MustCompile(`\[\[(\d{1,4})\]\]\(([^()\s]*)\)`)

// Shown returns the correction as readers see it. Footnotes kept from the answer are renumbered in
// the order of first use.
func (c Correction) Shown(answer message.Message) (text string, cited []message.Citation) {
	numbers := make(map[int]int) // number in the answer → number in the correction
	text = c.rewrite(answer, func(known message.Citation, address string) string {
		n, seen := numbers[known.Number]
		if !seen {
			n = len(cited) + 1
			numbers[known.Number] = n
			again := known
			again.Number = n
			cited = append(cited, again)
		}
		return fmt.Sprintf("[[%d]](%s)", n, address)
	}, func(found, _ string) string { return found })
	return text, cited
}

// Message returns the corrected answer as a message of the conversation's history. The footnotes in
// it have the numbers that the model sees. The message keeps all documents of the answer, because
// the correction may repeat any of them.
func (c Correction) Message(run Run) message.Message {
	answer, _ := run.Answer()
	_, cited := c.Shown(answer)
	text := c.rewrite(answer, func(known message.Citation, _ string) string { return "[" + strconv.Itoa(known.ModelSees) + "]" },
		func(_, address string) string { return address }) // the model does not know the number
	return message.Message{
		ID: answer.ID, Turn: answer.Turn, Role: message.Assistant, Author: c.By.Name, Text: text, Citations: cited, Documents: answer.Documents, At: c.At,
	}
}

// rewrite replaces the footnotes in the text of a correction. own returns the replacement for a
// footnote of the answer. other returns the replacement for any other footnote.
func (c Correction) rewrite(answer message.Message, own func(message.Citation, string) string, other func(found, address string) string) string {
	return footnotePattern.ReplaceAllStringFunc(c.Text, func(found string) string {
		parts := footnotePattern.FindStringSubmatch(found)
		for _, known := range answer.Citations {
			if strconv.Itoa(known.Number) == parts[1] && sameAddress(known.Link, parts[2]) {
				return own(known, parts[2])
			}
		}
		return other(found, parts[2])
	})
}

func sameAddress(a, b string) bool {
	safeA, okA := cite.LinkURL(a)
	safeB, okB := cite.LinkURL(b)
	return okA && okB && safeA == safeB
}
