package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

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

var (
	ordered   = regexp.MustCompile(`^[0-9]{1,9}[.)]`)
	reference = regexp.MustCompile(`^&#?[0-9A-Za-z]+(;|$)`)
)

// markdownWord escapes a word for standard Markdown. It escapes as few characters as possible, so
// that a copied word is correct.
func markdownWord(word string, at answer.Place) string {
	if plainWord(word) {
		return word
	}
	var b strings.Builder
	if at.LineStart {
		// The text after a word may not be known yet, so the end of the word counts as a
		// punctuation mark.
		mark := 0
		if m := ordered.FindString(word); m != "" {
			mark = len(m) - 1
		}
		next, _ := utf8.DecodeRuneInString(word[mark+1:])
		if mark > 0 && !answer.Letter(next) || strings.IndexByte("+-=#", word[0]) >= 0 && !answer.Letter(next) || word[0] == '|' || word[0] == '[' {
			b.WriteString(word[:mark] + `\` + word[mark:mark+1])
			at.LineStart, at.Before = false, rune(word[mark])
			word = word[mark+1:]
		}
	}
	for i := 0; i < len(word); i++ {
		c := word[i]
		before, after := at.Around(word, i, 1)
		escape := false
		switch c {
		case '\\':
			escape = after == 0 || after < utf8.RuneSelf && !answer.Letter(after)
		case '*', '`':
			escape = true
		case '_':
			escape = !answer.Letter(before) || !answer.Letter(after)
		case '~':
			escape = before != 0 || !answer.Letter(after)
		case '[':
			escape = at.Label || before == '!'
		case ']':
			escape = at.Label || after == '('
		case '|':
			escape = at.Cell
		case '<':
			if !unicode.IsDigit(after) && after != '=' && after != '-' {
				b.WriteString("&lt;")
				continue
			}
		case '>':
			if i == 0 && at.LineStart {
				b.WriteString("&gt;")
				continue
			}
		case '&':
			if m := reference.FindString(word[i:]); m != "" && (m[len(m)-1] == ';' || continues(at.After)) {
				b.WriteString("&amp;")
				continue
			}
		}
		if escape {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// continues reports whether the character after a word could complete a character reference that
// the word begins.
func continues(after rune) bool {
	return after == '#' || after == ';' || after < utf8.RuneSelf && answer.Letter(after)
}

// plainWord reports whether a word contains no special characters, whatever its position in the
// text.
func plainWord(word string) bool {
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c < utf8.RuneSelf && !(c|0x20 >= 'a' && c|0x20 <= 'z') && (i == 0 || c != ',' && (i+1 < len(word) || c != '.')) {
			return false
		}
	}
	return true
}

// mrkdwnWord escapes a word for mrkdwn, which has entities only for &, < and >. It surrounds other
// formatting characters with gap, an invisible character.
func mrkdwnWord(word string, at answer.Place) string {
	if plainWord(word) || at.Alone && len(word) == 1 && strings.IndexByte("*~_", word[0]) >= 0 { // a mark between blanks has no effect
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
