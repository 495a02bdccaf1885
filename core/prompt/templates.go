package prompt

import (
	"embed"
	"strings"
)

//go:embed templates/*.md
var templates embed.FS

// template returns the text of an embedded template. It panics if there is none, which any test
// detects.
func template(name string) string {
	text, err := templates.ReadFile("templates/" + name + ".md")
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// DefaultSystem returns the built-in system prompt, with placeholders for tools and citations
// ([Placeholders]).
func DefaultSystem() string { return template("system") }

// Placeholders returns the placeholders that a system prompt may contain. If {{tools}} or
// {{citations}} is missing, its text is appended to the prompt.
func Placeholders() []string { return []string{"{{now}}", "{{tools}}", "{{citations}}"} }

// RemovedResult returns the text that replaces the tool results of earlier turns.
func RemovedResult() string { return template("removed_result") }
