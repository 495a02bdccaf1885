package upload

import (
	"path"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// CleanName returns the name under which a file is stored. It removes paths and control characters.
// It also removes characters that change the direction of text, so that the visible extension is
// the real one. The result is empty if no characters remain.
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
	name = norm.NFC.String(name) // removed characters may have separated others
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
// files". A project name must follow the word project, so that questions do not match.
var wanted = regexp.MustCompile(`(?is)^\s*(?:please\s+)?(?:keep|save|store)\s+(?:this|these|it|them|(?:(?:this|these|the)\s+)?(?:file|document)s?)` +
	`(?:\s+(?:in|to)\s+(?:the\s+)?project\s+(.+?))?\s*(?:,?\s*please)?\s*[.!]?\s*$`)

// Wanted reports whether a message asks to keep its files. project is empty if the message names no
// project.
func Wanted(text string) (project string, ok bool) {
	found := wanted.FindStringSubmatch(text)
	if found == nil || strings.ContainsAny(found[1], "\n\r?") {
		return "", false
	}
	return strings.Trim(found[1], "`\"'“”‘’*_ "), true
}
