package office

import (
	"encoding/xml"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
)

// codeLevel is the level of code paragraphs. Headings have levels from 1 on.
const codeLevel = -1

// longestCodeLine is the maximum average length in bytes of lines of code. Longer lines are
// paragraphs of text in a fixed-width font.
const longestCodeLine = 120

// codeStyle reports whether a paragraph style is for code. It decides by the style's name in lower
// case.
func codeStyle(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == ' ' || r == '-' || r == '_' }) {
		switch word {
		case "code", "sourcecode", "codeblock", "preformatted", "verbatim":
			return true
		}
	}
	return name == "macro"
}

// fixedWidth reports whether an element names a fixed-width font, which is used for code.
func fixedWidth(fonts xml.StartElement) bool {
	font := strings.ToLower(boundedxml.Attribute(fonts, "ascii"))
	for _, name := range []string{"courier", "consolas", "menlo", "monaco", "mono", "lucida console", "source code", "andale"} {
		if strings.Contains(font, name) {
			return true
		}
	}
	return false
}
