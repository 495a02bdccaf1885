package upload

import (
	"path"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// CleanName returns the stored name of a file. It removes paths, control characters and characters
// that change the direction of text, so that the visible ending is the real one. It is empty if
// nothing is left.
func CleanName(name string) string {
	name = norm.NFC.String(strings.ToValidUTF8(name, "\uFFFD"))
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		case r == '`' || r == '"':
			return '\''
		}
		return r
	}, name)
	name = norm.NFC.String(name) // what stood between two characters is gone
	name = strings.Trim(strings.Join(strings.Fields(name), " "), ". /")
	if r := []rune(name); len(r) > MaxName {
		ending := []rune(path.Ext(name))
		if len(ending) > 12 {
			ending = nil
		}
		name = string(r[:MaxName-1-len(ending)]) + "…" + string(ending)
	}
	return name
}

// wanted matches messages that ask to keep files: "keep this in project handbook", "keep these
// files". A name needs the word project before it, to exclude questions.
var wanted = regexp.MustCompile(`(?is)^\s*(?:please\s+)?(?:keep|save|store)\s+(?:this|these|it|them|(?:(?:this|these|the)\s+)?(?:file|document)s?)` +
	`(?:\s+(?:in|to)\s+(?:the\s+)?project\s+(.+?))?\s*(?:,?\s*please)?\s*[.!]?\s*$`)

// Wanted reports whether a message asks to keep the files that come with it. project is empty if
// the message names none.
func Wanted(text string) (project string, ok bool) {
	found := wanted.FindStringSubmatch(text)
	if found == nil || strings.ContainsAny(found[1], "\n\r?") {
		return "", false
	}
	return strings.Trim(found[1], "`\"'“”‘’*_ "), true
}
