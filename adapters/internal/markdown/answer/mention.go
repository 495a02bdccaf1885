package answer

import (
	"strings"
	"unicode/utf8"
)

// Unmention replaces the @ of every @name in text by the text between, so that the platform
// notifies no one. It skips e-mail addresses and hosts. names must be in lower case, and match any
// case. If whole is true, "@hereby" does not match the name "here".
func Unmention(text, between string, whole bool, names ...string) string {
	var b strings.Builder
	rest := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '@' {
			continue
		}
		for _, name := range names {
			end := i + 1 + len(name)
			if end > len(text) || !strings.EqualFold(text[i+1:end], name) || isMailbox(text, i, end) {
				continue
			}
			if next, _ := utf8.DecodeRuneInString(text[end:]); whole && end < len(text) && (Letter(next) || next == '_') {
				continue
			}
			b.WriteString(text[rest:i] + between)
			rest = i + 1
			break
		}
	}
	if rest == 0 {
		return text
	}
	return b.String() + text[rest:]
}

func isMailbox(text string, i, end int) bool {
	return i > 0 && (alphanumeric(text[i-1]) || strings.IndexByte("._%+-", text[i-1]) >= 0) && end+1 < len(text) && (text[end] == '.' || text[end] == '-') && alphanumeric(text[end+1])
}
