package prompt

import (
	"embed"
	"strings"
)

//go:embed templates/*.md
var templates embed.FS

// template returns an embedded text. The names are constants of this package, so a missing one is a
// mistake that every test finds.
func template(name string) string {
	text, err := templates.ReadFile("templates/" + name + ".md")
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// DefaultSystem is the system prompt that the product comes with. A stored one may hold the same
// placeholders, {{now}}, {{tools}} and {{citations}}; tools and citations without a placeholder are
// put at the end, and the day stands above the question anyway.
func DefaultSystem() string { return template("system") }

// Placeholders are what a system prompt may hold in place of parts.
func Placeholders() []string { return []string{"{{now}}", "{{tools}}", "{{citations}}"} }

// RemovedResult stands in place of the tool results of earlier turns.
func RemovedResult() string { return template("removed_result") }
