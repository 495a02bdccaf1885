package office

import (
	"encoding/xml"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
)

// codeLevel is the level of paragraphs of code. Headings have levels from 1 on.
const codeLevel = -1

// longestCodeLine is how many bytes the lines of code have on average at most. Longer ones are
// paragraphs of a text in a font of fixed width.
const longestCodeLine = 120

// codeStyle reports whether a style of paragraphs is for code, by its name in small letters.
func codeStyle(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == ' ' || r == '-' || r == '_' }) {
		switch word {
		case "code", "sourcecode", "codeblock", "preformatted", "verbatim":
			return true
		}
	}
	return name == "macro"
}

// fixedWidth reports whether an element names a font of fixed width, in which code is written.
func fixedWidth(fonts xml.StartElement) bool {
	font := strings.ToLower(boundedxml.Attribute(fonts, "ascii"))
	for _, name := range []string{"courier", "consolas", "menlo", "monaco", "mono", "lucida console", "source code", "andale"} {
		if strings.Contains(font, name) {
			return true
		}
	}
	return false
}
