package office

import (
	"encoding/xml"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
)

const codeLevel = -1

// longestCodeLine is the maximum average length in bytes of lines of code. Text with longer lines
// is not code, even in a fixed-width font.
const longestCodeLine = 120

func codeStyle(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == ' ' || r == '-' || r == '_' }) {
		switch word {
		case "code", "sourcecode", "codeblock", "preformatted", "verbatim":
			return true
		}
	}
	return name == "macro"
}

func fixedWidth(fonts xml.StartElement) bool {
	font := strings.ToLower(boundedxml.Attribute(fonts, "ascii"))
	for _, name := range []string{"courier", "consolas", "menlo", "monaco", "mono", "lucida console", "source code", "andale"} {
		if strings.Contains(font, name) {
			return true
		}
	}
	return false
}
