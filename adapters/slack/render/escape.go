package render

import (
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/cite"
)

// gap is an invisible character that breaks a mention, so that Slack does not recognise it.
const gap = answer.Gap

var (
	control = regexp.MustCompile(`<([@#!])`)
	// inCode matches mentions that Slack could resolve even inside code. It does not match other
	// angle brackets, because code should stay copyable.
	inCode = regexp.MustCompile(`<(@[A-Z0-9]|#[CGD][A-Z0-9]|!(?:here|channel|everyone|group|subteam|date))`)
)

// Neutral inserts an invisible character into every mention in a text, so that Slack does not
// resolve the mention. It handles @here and similar words, and Slack's <@U…>, <#C…> and <!…>.
// The visible text does not change.
func Neutral(s string) string {
	s = unmention(s, "@"+gap)
	if strings.IndexByte(s, '<') >= 0 {
		s = control.ReplaceAllString(s, "<"+gap+"$1")
	}
	return s
}

// neutralCode is like Neutral, for code. It changes only mentions that Slack would resolve inside
// code.
func neutralCode(s string) string {
	if strings.IndexByte(s, '<') < 0 {
		return s
	}
	return inCode.ReplaceAllString(s, "<"+gap+"$1")
}

func unmention(s, between string) string {
	return answer.Unmention(s, between, true, "here", "channel", "everyone")
}

// Entities escapes &, < and >. Slack reads these characters as markup everywhere.
var Entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// EscapeText escapes plain text of one or more lines for mrkdwn. The result contains no mentions,
// links or formatting.
func EscapeText(s string) string {
	lines := strings.Split(Neutral(s), "\n")
	for i, l := range lines {
		lines[i] = mrkdwnWord(l, answer.Place{LineStart: true})
	}
	return strings.Join(lines, "\n")
}

// address returns a URL that is safe in a link. ok is false if messages must not link to it.
func address(raw string) (safe string, ok bool) {
	safe, ok = cite.LinkURL(raw)
	if !ok || strings.HasPrefix(strings.ToLower(safe), "file:") {
		return "", false
	}
	return unmention(safe, "%40"), true
}

// mrkdwnWord escapes text for mrkdwn. Mrkdwn can escape only three characters as entities. For
// other special characters, mrkdwnWord inserts gap between the character and its text.
func mrkdwnWord(word string, at answer.Place) string {
	if answer.PlainWord(word) || at.Alone && len(word) == 1 && strings.IndexByte("*~_", word[0]) >= 0 { // a mark between blanks has no effect
		return word
	}
	var b strings.Builder
	if at.LineStart && (word[0] == '>') {
		b.WriteString(gap)
	}
	for i, r := range word {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '|':
			if at.Label { // the text after it would become the label
				r = '¦'
			}
			b.WriteRune(r)
		case '*', '~', '`':
			b.WriteString(gap + string(r) + gap)
		case '_':
			before, after := at.Around(word, i, 1)
			if answer.Letter(before) && answer.Letter(after) {
				b.WriteByte('_')
			} else {
				b.WriteString(gap + "_" + gap)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
