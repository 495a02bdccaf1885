package prompt

import (
	"embed"
	"strings"
)

//go:embed templates/*.md
var templates embed.FS

// template returns an embedded text. It panics if the text is missing, which any test detects.
func template(name string) string {
	text, err := templates.ReadFile("templates/" + name + ".md")
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// DefaultSystem returns the built-in system prompt. A stored prompt may use the same placeholders:
// {{now}}, {{tools}} and {{citations}}. If placeholders are missing, tools and citations are
// appended. The day always precedes the question.
func DefaultSystem() string { return template("system") }

// Placeholders returns the placeholders that a system prompt may contain.
func Placeholders() []string { return []string{"{{now}}", "{{tools}}", "{{citations}}"} }

// RemovedResult returns the text that replaces the tool results of earlier turns.
func RemovedResult() string { return template("removed_result") }
