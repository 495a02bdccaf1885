package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/cite"
)

// gap breaks a mention.
const gap = answer.Gap

var (
	// control is what Discord resolves between angle brackets: people, roles, channels, commands,
	// emoji, times and the guild's pages.
	control = regexp.MustCompile(`<([@#/:]|a:|t:|id:)`)
	inCode  = regexp.MustCompile(`<(@[!&]?[0-9]|#[0-9])`)
)

// neutral breaks whatever in a text would mention someone or something: @everyone and @here, <@id>,
// <@&role>, <#channel> and the like. The reader sees the same text.
func neutral(s string) string {
	s = unmention(s, "@"+gap)
	if strings.IndexByte(s, '<') >= 0 {
		s = control.ReplaceAllString(s, "<"+gap+"$1")
	}
	return s
}

// neutralCode does the same for code, where Discord resolves nothing but counts mentions all the
// same. Other brackets are left as they are, so that code can be copied.
func neutralCode(s string) string {
	s = unmention(s, "@"+gap)
	if strings.IndexByte(s, '<') >= 0 {
		s = inCode.ReplaceAllString(s, "<"+gap+"$1")
	}
	return s
}

// unmention breaks @everyone and @here, which Discord finds at the beginning of longer words too.
func unmention(s, between string) string {
	return answer.Unmention(s, between, false, "everyone", "here")
}

// EscapeText makes plain text safe to stand in a message, in one line or several: it mentions no
// one, links nowhere, and its marks are not taken for formatting.
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

// address is an address as it may be written into a link; ok is false if it must not be linked on a
// chat platform.
func address(raw string) (safe string, ok bool) {
	safe, ok = cite.LinkURL(raw)
	lower := strings.ToLower(safe)
	// Discord links nothing else
	if !ok || !strings.HasPrefix(lower, "http:") && !strings.HasPrefix(lower, "https:") {
		return "", false
	}
	return unmention(safe, "%40"), true
}

var (
	ordered = regexp.MustCompile(`^[0-9]{1,19}[.)]`)
	scheme  = regexp.MustCompile(`(?i)(https?|discord|ftp)://`)
)

// escapeWord escapes a word for Discord's Markdown, in which a backslash takes the meaning from any
// character that is neither a letter, a digit nor a blank.
func escapeWord(word string, at answer.Place) string {
	// an address without markup would be a link, and in a label would end it
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
