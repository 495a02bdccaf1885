package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/cite"
)

// gap is an invisible character that breaks a mention.
const gap = answer.Gap

var (
	// control matches references in angle brackets that Discord resolves. They refer to people,
	// roles, channels, commands, emoji, times and pages of the server.
	control = regexp.MustCompile(`<([@#/:]|a:|t:|id:)`)
	inCode  = regexp.MustCompile(`<(@[!&]?[0-9]|#[0-9])`)
)

// neutral breaks all mentions in a text, such as @everyone, @here, <@id>, <@&role> and <#channel>.
// The displayed text stays the same.
func neutral(s string) string {
	s = unmention(s, "@"+gap)
	if strings.IndexByte(s, '<') >= 0 {
		s = control.ReplaceAllString(s, "<"+gap+"$1")
	}
	return s
}

// neutralCode breaks mentions in code. Discord does not display mentions in code, but it still
// counts them. Other brackets are kept, so that the code can be copied.
func neutralCode(s string) string {
	s = unmention(s, "@"+gap)
	if strings.IndexByte(s, '<') >= 0 {
		s = inCode.ReplaceAllString(s, "<"+gap+"$1")
	}
	return s
}

// unmention replaces the "@" of @everyone and @here with between. Discord also recognises them at
// the start of longer words.
func unmention(s, between string) string {
	return answer.Unmention(s, between, false, "everyone", "here")
}

// EscapeText escapes plain text for a message. The text may have several lines. The result has no
// mentions, links or formatting.
func EscapeText(s string) string {
	lines := strings.Split(neutral(s), "\n")
	for i, l := range lines {
		words := strings.Split(l, " ")
		for j, w := range words {
			if w != "" {
				words[j] = escapeWord(w, answer.Place{LineStart: j == 0})
			}
		}
		lines[i] = strings.Join(words, " ")
	}
	return strings.Join(lines, "\n")
}

// address returns a URL that is safe in a link. ok is false if messages must not link to it.
func address(raw string) (safe string, ok bool) {
	safe, ok = cite.LinkURL(raw)
	lower := strings.ToLower(safe)
	// Discord links only these schemes
	if !ok || !strings.HasPrefix(lower, "http:") && !strings.HasPrefix(lower, "https:") {
		return "", false
	}
	return unmention(safe, "%40"), true
}

var (
	ordered = regexp.MustCompile(`^[0-9]{1,19}[.)]`)
	scheme  = regexp.MustCompile(`(?i)(https?|discord|ftp)://`)
)

// escapeWord escapes a word for Discord's Markdown. In Discord, a backslash escapes any character
// except letters, digits and spaces.
func escapeWord(word string, at answer.Place) string {
	// a bare address would become a link, or end the label that holds it
	if scheme.MatchString(word) {
		word = scheme.ReplaceAllStringFunc(word, func(s string) string { return s[:len(s)-2] + gap + "//" })
	}
	var b strings.Builder
	if at.LineStart {
		mark := 0
		if m := ordered.FindString(word); m != "" {
			mark = len(m) - 1
		}
		next, _ := utf8.DecodeRuneInString(word[mark+1:])
		if mark > 0 && !answer.Letter(next) || strings.IndexByte("+-#", word[0]) >= 0 && !answer.Letter(next) || word[0] == '>' {
			b.WriteString(word[:mark] + `\` + word[mark:mark+1])
			at.Before = rune(word[mark])
			word = word[mark+1:]
		}
	}
	for i := 0; i < len(word); i++ {
		c := word[i]
		before, after := at.Around(word, i, 1)
		escape := false
		switch c {
		case '*', '`', '~', '|':
			escape = c != '|' && c != '~' || after == rune(c) || before == rune(c)
		case '\\':
			escape = after == 0 || !answer.Letter(after)
		case '_':
			escape = !answer.Letter(before) || !answer.Letter(after)
		case '[', ']':
			escape = at.Label || after == '(' || after == '['
		case '<':
			escape = after == 0 || !unicode.IsDigit(after) && after != '=' && after != '-'
		}
		if escape {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
