package htmltext

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// codeLanguage returns the programming language of code, or "" if it is unknown. It reads the
// classes that syntax highlighters and documentation generators set.
func codeLanguage(tag atom.Atom, classes string) string {
	if tag != atom.Pre && tag != atom.Code && tag != atom.Div {
		return ""
	}
	source := false // the class before is "sourceCode": Pandoc writes the language after it
	for class := range strings.FieldsSeq(classes) {
		for _, prefix := range []string{"language-", "highlight-source-", "highlight-text-", "highlight-", "lang-"} {
			name, found := strings.CutPrefix(class, prefix)
			if !found || prefix == "lang-" && tag == atom.Div {
				continue
			}
			if isLanguageName(name) {
				return name
			}
			break
		}
		if source && isLanguageName(class) {
			return class
		}
		source = class == "sourceCode"
	}
	return ""
}

func isLanguageName(name string) bool {
	switch name {
	case "", "default", "none", "text", "plaintext", "plain", "nohighlight", "numberSource", "literalinclude":
		return false
	}
	return true
}
